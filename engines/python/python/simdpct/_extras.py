"""Imports modules that only some users need: extras of the package."""

from __future__ import annotations

import importlib
from typing import Any


def module(name: str, *extras: str) -> Any:
    """Imports a module. The error names the extras that install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] != name.partition(".")[0]:
            raise
        install = " or ".join(f"pip install 'simdpct[{extra}]'" for extra in extras)
        message = f"this needs {name.partition('.')[0]}, which is not installed: {install}"
        raise ModuleNotFoundError(message, name=name) from error
