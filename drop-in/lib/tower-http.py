#!/usr/bin/env python3
"""Writes the files that tower-http's tests serve. Its package lacks them.

usage: tower-http.py FOLDER      (of the package; the files are written to the folder above it)
"""

import gzip
import shutil
import struct
import sys
import zlib
from pathlib import Path

package = Path(sys.argv[1])
folder = package.parent / "test-files"
# Tests expect these texts to have 10 bytes, 30 in gzip and 15 in Brotli.
text = b"Test file\n"
longer_text = b"Test file!\n"


def brotli(data: bytes) -> bytes:
    """A stream with one uncompressed meta-block (RFC 7932, 9.2), and an empty last one."""
    # From the lowest bit: WBITS = 0 (16), ISLAST = 0, MNIBBLES = 0 (4), MLEN - 1, ISUNCOMPRESSED = 1.
    header = (len(data) - 1) << 4 | 1 << 20
    return header.to_bytes(3, "little") + data + b"\x03"


def zstandard(data: bytes) -> bytes:
    """A frame with one raw block (RFC 8878, 3.1.1)."""
    # Single_Segment_flag = 1; then Frame_Content_Size; Last_Block = 1, Block_Type = 0.
    return struct.pack("<IBB", 0xFD2FB528, 0x20, len(data)) + (len(data) << 3 | 1).to_bytes(3, "little") + data


files = {
    "empty.txt": b"",
    "extensionless_precompressed": text,
    "extensionless_precompressed.gz": gzip.compress(text),
    "extensionless_precompressed_missing": text,
    "filename with space.txt": text,
    "index.html": b"<b>HTML!</b>\n",
    "missing_precompressed.txt": text,
    "only_gzipped.txt.gz": gzip.compress(text),
    "page.html": b"<b>page</b>\n",
    "precompressed.txt": text,
    "precompressed.txt.br": brotli(text),
    "precompressed.txt.gz": gzip.compress(text),
    "precompressed.txt.zst": zstandard(text),
    "precompressed.txt.zz": zlib.compress(text)[2:-4],  # without the header and the checksum of RFC 1950
    "precompressed_br.txt.br": brotli(longer_text),
    "foo/index.html": b"<b>HTML!</b>\n",
    "你好世界.txt": text,
}
shutil.rmtree(folder, ignore_errors=True)
(folder / "foo").mkdir(parents=True)
for name, content in files.items():
    (folder / name).write_bytes(content)
shutil.copy(package / "README.md", package.parent)
