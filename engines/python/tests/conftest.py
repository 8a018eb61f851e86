"""Options of the tests."""


def pytest_addoption(parser):
    parser.addoption("--calls", type=int, default=5_000, help="random calls per function")
    parser.addoption("--seed", type=int, default=1, help="of the random calls")
