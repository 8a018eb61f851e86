"""Checks a program for macOS without macOS: its machine, the libraries that it needs, and its ad-hoc
signature.

usage: check-macho.py PROGRAM

macOS on AArch64 starts no program without a signature. The signature has a hash of each page of the file
(cs_blobs.h of xnu).
"""

import hashlib
import struct
import sys

MACHO_64, ARM64, EXECUTE = 0xFEEDFACF, 0x0100000C, 2
LOAD_DYLIB, CODE_SIGNATURE = 0xC, 0x1D
SUPER_BLOB, CODE_DIRECTORY, SHA256 = 0xFADE0CC0, 0xFADE0C02, 2


def load_commands(program):
    magic, machine, _, kind, count = struct.unpack_from("<5I", program)
    assert (magic, machine, kind) == (MACHO_64, ARM64, EXECUTE), (hex(magic), hex(machine), kind)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", program, at)
        # The high bit means that the loader must know the command.
        yield command & 0x7FFFFFFF, program[at : at + size]
        at += size


def libraries(commands):
    for command, data in commands:
        if command == LOAD_DYLIB:
            yield data[struct.unpack_from("<I", data, 8)[0] :].rstrip(b"\0").decode()


def check_signature(program, offset):
    magic, _, count = struct.unpack_from(">3I", program, offset)
    assert magic == SUPER_BLOB, hex(magic)
    for index in range(count):
        at = offset + struct.unpack_from(">I", program, offset + 16 + 8 * index)[0]
        if struct.unpack_from(">I", program, at)[0] == CODE_DIRECTORY:
            break
    else:
        sys.exit("the signature has no hashes")
    hashes, _, _, slots, limit, size, kind, _, page = struct.unpack_from(">5I4B", program, at + 16)
    assert (size, kind, limit) == (32, SHA256, offset), (size, kind, limit, offset)
    page = 1 << page
    for slot in range(slots):
        signed = program[slot * page : min((slot + 1) * page, limit)]
        expected = program[at + hashes + 32 * slot : at + hashes + 32 * slot + 32]
        assert hashlib.sha256(signed).digest() == expected, f"page {slot} of {slots}"
    assert slots == -(-limit // page) > 0, slots


def main():
    program = open(sys.argv[1], "rb").read()
    commands = list(load_commands(program))
    needed = list(libraries(commands))
    assert needed and all(name.startswith(("/usr/lib/", "/System/Library/")) for name in needed), needed
    signatures = [struct.unpack_from("<I", data, 8)[0] for command, data in commands if command == CODE_SIGNATURE]
    assert len(signatures) == 1, signatures
    check_signature(program, signatures[0])


main()
