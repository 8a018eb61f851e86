from collections.abc import Callable, Mapping, Sequence
from typing import Any, AnyStr

__all__ = [
    "parse_qs",
    "parse_qsl",
    "quote",
    "quote_from_bytes",
    "quote_plus",
    "unquote",
    "unquote_plus",
    "unquote_to_bytes",
    "urlencode",
]
__version__: str

def parse_qs(
    qs: AnyStr | None,
    keep_blank_values: bool = False,
    strict_parsing: bool = False,
    encoding: str = "utf-8",
    errors: str = "replace",
    max_num_fields: int | None = None,
    separator: str = "&",
) -> dict[AnyStr, list[AnyStr]]: ...
def parse_qsl(
    qs: AnyStr | None,
    keep_blank_values: bool = False,
    strict_parsing: bool = False,
    encoding: str = "utf-8",
    errors: str = "replace",
    max_num_fields: int | None = None,
    separator: str = "&",
) -> list[tuple[AnyStr, AnyStr]]: ...
def quote(
    string: str | bytes | bytearray,
    safe: str | bytes = "/",
    encoding: str | None = None,
    errors: str | None = None,
) -> str: ...
def quote_plus(
    string: str | bytes | bytearray,
    safe: str | bytes = "",
    encoding: str | None = None,
    errors: str | None = None,
) -> str: ...
def quote_from_bytes(bs: bytes | bytearray, safe: str | bytes = "/") -> str: ...
def unquote(string: str | bytes, encoding: str | None = "utf-8", errors: str | None = "replace") -> str: ...
def unquote_plus(string: str, encoding: str | None = "utf-8", errors: str | None = "replace") -> str: ...
def unquote_to_bytes(string: str | bytes | bytearray) -> bytes: ...
def urlencode(
    query: Mapping[Any, Any] | Sequence[tuple[Any, Any]],
    doseq: bool = False,
    safe: str | bytes = "",
    encoding: str | None = None,
    errors: str | None = None,
    quote_via: Callable[..., str] = quote_plus,
) -> str: ...
