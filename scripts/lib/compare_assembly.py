"""Compares two assembly files as multisets of function bodies; scripts/compare-assembly runs it.

usage: compare_assembly.py TARGET OLD NEW

The exit status is 1 if the multisets differ.
"""

import re
import sys
from collections import Counter, defaultdict

# Constants and jump tables have labels too, but no unwinding information after them.
FUNCTION = re.compile(r"^([\w.$]+):[^\n]*\n(?:\.Lfunc_begin\d+:\n)?(\t\.cfi_startproc\n.*?)^\.Lfunc_end", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"\s*(?:#|//).*")
LABEL = re.compile(r"\.L\w*BB\w+|\.Ltmp\w+|\.LJTI\w+")
# Symbols of constants, tables and functions: of this crate, of the standard library, and anonymous symbols.
SYMBOL = re.compile(r"\.L[\w.$]+|_R\w+(?:\.[\w.]+)?|_ZN[\w.$]+")


def body(text):
    """Normalizes a function: blanks symbols, label numbers, directives and comments."""
    lines = []
    numbers = {}
    for line in text.splitlines():
        line = COMMENT.sub("", line).strip()
        if not line or (line.startswith(".") and not LABEL.match(line)):
            continue
        line = LABEL.sub(lambda match: f"L{numbers.setdefault(match[0], len(numbers))}", line)
        lines.append(SYMBOL.sub("SYMBOL", line))
    return "\n".join(lines)


def bodies(assembly):
    """The names of the functions, by their bodies."""
    found = defaultdict(list)
    for name, text in FUNCTION.findall(assembly):
        found[body(text)].append(name)
    return found


def differences(old, new):
    """The bodies in only one of the files, as (sign, function name, length)."""
    old, new = bodies(old), bodies(new)
    counts = Counter({text: len(names) for text, names in new.items()})
    counts.subtract({text: len(names) for text, names in old.items()})
    rows = []
    for text, count in counts.items():
        names = old[text] if count < 0 else new[text]
        rows += [("-" if count < 0 else "+", name, text.count("\n") + 1) for name in names[: abs(count)]]
    return sorted(rows, key=lambda row: (row[1], row[0]))


def self_test():
    """Self-test: a judge that cannot say no proves nothing."""
    function = "{}:\n\t.cfi_startproc\n{}.Lfunc_end0:\n"
    old = function.format("_RNvold", "\tjmp\t.LBB0_1\n.LBB0_1:\n\tcallq\t_RNvother@PLT\n\tleaq\t.Lanon.1(%rip), %rax\n")
    same = function.format("_RNvnew", "\tjmp\t.LBB7_3\n.LBB7_3:\n\tcallq\t_RNvthird@PLT # comment\n\tleaq\t.Lanon.2(%rip), %rax\n")
    other = function.format("_RNvnew", "\tjmp\t.LBB7_3\n\tcallq\t_RNvthird@PLT\n.LBB7_3:\n\tleaq\t.Lanon.2(%rip), %rax\n")
    assert differences(old, same) == []
    assert [row[0] for row in differences(old, other)] == ["+", "-"]
    assert differences(old + other, other + same + same) == [("+", "_RNvnew", 4)]


def main(target, old, new):
    self_test()
    with open(old) as old, open(new) as new:
        old, new = old.read(), new.read()
    count = len(FUNCTION.findall(new))
    if count < 100:
        sys.exit(f"compare-assembly: only {count} functions in {target}")
    rows = differences(old, new)
    for sign, name, length in rows:
        print(f"{sign} {length:5} lines  {name}")
    print(f"{target}: {count} functions, {len(rows)} differences")
    return 1 if rows else 0


sys.exit(main(*sys.argv[1:]))
