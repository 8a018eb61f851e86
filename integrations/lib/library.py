"""The C library, called from Python: canonical paths and findings of request targets. Used by the tests of the
integrations and by integrations/check-servers."""

import ctypes
import re

from servers import origin_target


# SIMDPCT_FIND_ALL
ALL_KINDS = (1 << 20) - 1


class Result(ctypes.Structure):
    _fields_ = [("value", ctypes.c_size_t), ("status", ctypes.c_uint32), ("detail", ctypes.c_uint32)]


class Policy(ctypes.Structure):
    _fields_ = [("opaque", ctypes.c_uint64 * 128)]


class Library:
    def __init__(self, prefix):
        self.functions = ctypes.CDLL(str(prefix / "lib/libsimdpct.so.0"))
        size, text, status = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_uint32
        for name, result, arguments in [
            ("path_policy_init", status, [ctypes.POINTER(Policy), text, size, ctypes.POINTER(Result)]),
            ("path", status, [ctypes.POINTER(Policy), text, size, text, size, ctypes.POINTER(Result)]),
            ("path_split", size, [text, size]),
            ("inspect", ctypes.c_uint32, [text, size, ctypes.c_uint32, ctypes.POINTER(size)]),
            ("kinds_write", size, [ctypes.c_uint32, text, size]),
            ("status_name", text, [ctypes.c_uint32]),
        ]:
            function = getattr(self.functions, f"simdpct_{name}")
            function.restype, function.argtypes = result, arguments

    def split(self, target):
        """Splits a target in origin form or absolute form into authority, path and query, as servers do."""
        match = re.match(rb"https?://[^/?#]*", target)
        authority = match[0] if match else b""
        rest = target[len(authority):]
        end = self.functions.simdpct_path_split(rest, len(rest))
        return authority, rest[:end], rest[end:]

    def canonical(self, preset, target):
        """Returns the target with its canonical path, without an authority, and None; or None and the reason
        for the refusal."""
        policy = Policy()
        status = self.functions.simdpct_path_policy_init(policy, preset.encode(), len(preset), None)
        assert status == 0, f"invalid path policy: {preset}"
        _, path, query = self.split(target)
        room = 3 * len(path)
        output = ctypes.create_string_buffer(room + 1)
        result = Result()
        if self.functions.simdpct_path(policy, path, len(path), output, room, result) == 0:
            return output.raw[:result.value] + query, None
        name = self.functions.simdpct_status_name(result.status).decode()
        return None, self.names(result.detail) if name == "refused" else name

    def findings(self, target):
        """The names of the kinds found in the path, separated by commas, or "-"."""
        _, path, _ = self.split(target)
        return self.names(self.functions.simdpct_inspect(path, len(path), ALL_KINDS, None)) or "-"

    def names(self, kinds):
        output = ctypes.create_string_buffer(512)
        self.functions.simdpct_kinds_write(kinds, output, len(output))
        return output.value.decode()


def check_random_targets(checks, library, policy, connection, targets, differs=None, refuses=None):
    """Sends targets to a server with its module on: each is refused or forwarded with the canonical path.

    `differs(target)` is true if the server itself may change the path of the target. `refuses(target)` is
    true if the server itself may refuse the target.
    """
    statuses = {200: 0, 400: 0}
    targets = list(targets)
    for target in targets:
        answer = connection.request(target, b"Host: localhost\r\n")
        expected, _ = library.canonical(policy, target)
        statuses[answer[0]] = statuses.get(answer[0], 0) + 1
        if answer[0] == 200:
            forwarded = origin_target(answer)
            path = library.split(forwarded)[1]
            checks.equal(f"canonical form of {forwarded}, from {target}", library.canonical(policy, path)[0], path)
            if not (differs and differs(target)):
                checks.equal(f"target {target}", path, library.split(expected)[1] if expected else None)
        else:
            checks.equal(f"status of {target}", answer[0], 400)
            checks.true(f"reason to refuse {target}", expected is None or (refuses and refuses(target)))
    checks.equal("both answers occur", [number > len(targets) / 20 for number in statuses.values()], [True, True])
