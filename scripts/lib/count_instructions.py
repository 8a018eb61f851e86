"""Counts the instructions that a kernel spends on a block, in compiled assembly; scripts/count-instructions runs it.

usage: count_instructions.py LLVM_MCA NAME LEVEL ASSEMBLY CPU[,CPU]... ...     (NAME to CPUs once per level)

A kernel processes one block per loop iteration. Each path through the loop is the cost of one kind of block.
The shortest path is the cost of an unchanged block. The shortest path with most of the vector work is the
cost of a coded block. Longer paths also do rare work, such as checking the output's capacity again. Paths
that leave the loop are ignored.
"""

import re
import subprocess
import sys
from collections import namedtuple

# The names of the kernels' functions in the v0 mangling scheme: level, operation and generic
# arguments. `Kb0_` is `false`, and `KB..._` is a back reference to it.
REFERENCE = "_KB[0-9a-zA-Z]*"
OPERATIONS = {
    "decode": rf"6decodeINt\w*6PolicyKb0{REFERENCE}{REFERENCE}_E\w*5Write",
    "encode": rf"6encodeINt\w*6EscapeKb0{REFERENCE}_E\w*5Write",
}

Block = namedtuple("Block", "instructions successors")

COMMENT = re.compile(r"(?:\s#\s|//).*")
CONDITIONAL = re.compile(r"b\.\w+|cbn?z|tbn?z|j(?!mp)[a-z]+")


def function(assembly, level, operation):
    """The lines of the only function with this name."""
    pattern = rf"^(_R\w*kernel\w*{level}\w*{operation}\w*):$(.*?)^\.Lfunc_end"
    found = re.findall(pattern, assembly, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        sys.exit(f"count-instructions: {len(found)} functions of {level} called {operation}, instead of one")
    return found[0][1].splitlines()


def basic_blocks(lines):
    """The function as a graph: blocks by their labels. The first block has the label ''."""
    parts = {"": []}
    label = ""
    for line in lines:
        line = COMMENT.sub("", line).strip()
        if match := re.fullmatch(r"(\.L\w+):", line):
            label = match[1]
            parts[label] = []
        elif line and not line.startswith("."):
            # A conditional branch ends a block, so the instructions after it get a new label.
            if parts[label] and CONDITIONAL.fullmatch(parts[label][-1].split()[0]):
                label = f"{label}'"
                parts[label] = []
            parts[label].append(line)

    labels = list(parts)
    blocks = {}
    for at, label in enumerate(labels):
        following = labels[at + 1 : at + 2]
        mnemonic = parts[label][-1].split()[0] if parts[label] else ""
        target = [parts[label][-1].split()[-1]] if parts[label] else []
        if CONDITIONAL.fullmatch(mnemonic):
            successors = target + following
        elif mnemonic in ("b", "jmp", "jmpq"):
            successors = target
        elif mnemonic in ("ret", "retq", "br", "brk", "ud2"):
            successors = []
        else:
            successors = following
        blocks[label] = Block(parts[label], successors)
    return {label: Block(b.instructions, [s for s in b.successors if s in blocks]) for label, b in blocks.items()}


def dominators(blocks):
    """For each reachable block, its dominators."""
    reached, stack = {""}, [""]
    while stack:
        for label in blocks[stack.pop()].successors:
            if label not in reached:
                reached.add(label)
                stack.append(label)
    before = {label: [p for p in reached if label in blocks[p].successors] for label in reached}
    result = {label: set(reached) for label in reached}
    result[""] = {""}
    changed = True
    while changed:
        changed = False
        for label in reached - {""}:
            new = set.intersection(*(result[p] for p in before[label])) | {label}
            if new != result[label]:
                result[label], changed = new, True
    return result, before


def loops(blocks):
    """The natural loops, by header."""
    dominated, before = dominators(blocks)
    result = {}
    for label in dominated:
        for header in blocks[label].successors:
            if header in dominated[label]:
                body = result.setdefault(header, {header})
                stack = [label]
                while stack:
                    if (inner := stack.pop()) not in body:
                        body.add(inner)
                        stack += before[inner]
    return result


def is_vector(instruction):
    return bool(re.search(r"%xmm\d|\b[vq]\d+(?:\.|\b)", instruction))


def ways(blocks, header, body):
    """Every path through a loop, as a list of instructions. Inner loops run once."""
    result = []

    def go(label, seen, instructions):
        instructions = instructions + blocks[label].instructions
        for following in blocks[label].successors:
            if following == header:
                result.append(instructions)
            elif following in body and following not in seen:
                go(following, seen | {following}, instructions)

    go(header, {header}, [])
    return result


def kernel_loop(blocks):
    """The main loop over full blocks: the first innermost loop with much vector work. Later loops are for the tail."""
    found = loops(blocks)
    for header, body in sorted(found.items(), key=lambda item: list(blocks).index(item[0])):
        is_innermost = not any(other < body for other in found.values())
        if is_innermost and sum(vector_work(blocks[label].instructions) for label in body) >= 10:
            return header, body
    sys.exit("count-instructions: no loop over blocks found")


def vector_work(instructions):
    return sum(map(is_vector, instructions))


def cycles(llvm_mca, cpu, triple, instructions):
    """Cycles per iteration of the instructions in a loop, as modelled by llvm-mca without cache misses and mispredicted branches."""
    # llvm-mca models straight-line code, but the branches' target labels must exist.
    text = "\n".join(re.sub(r"\.LBB\w+", "here", line) for line in instructions)
    command = [llvm_mca, f"-mtriple={triple}", f"-mcpu={cpu}", "-iterations=200", "-all-stats=false", "-all-views=false",
               "-summary-view"]
    report = subprocess.run(command, input=f"here:\n{text}\n", capture_output=True, text=True)
    if report.returncode:
        sys.exit(f"count-instructions: {report.stderr}")
    return int(re.search(r"Total Cycles:\s+(\d+)", report.stdout)[1]) / 200


def main(llvm_mca, *levels):
    rows = []
    for name, level, path, cpus in zip(*[iter(levels)] * 4):
        with open(path) as file:
            assembly = file.read()
        triple = "aarch64-unknown-linux-gnu" if "aarch64" in path else "x86_64-unknown-linux-gnu"
        for operation, symbol in OPERATIONS.items():
            blocks = basic_blocks(function(assembly, level, symbol))
            found = sorted(ways(blocks, *kernel_loop(blocks)), key=len)
            most = max(map(vector_work, found))
            coded = next(way for way in found if vector_work(way) >= 0.9 * most)
            for kind, way in ("clean", found[0]), ("coded", coded):
                modelled = ", ".join(f"{cycles(llvm_mca, cpu, triple, way):.1f} ({cpu})" for cpu in cpus.split(","))
                rows.append((operation, kind, name, len(way), vector_work(way), modelled))
    print("| 16 bytes | level | instructions | of them vector | cycles as llvm-mca models them |")
    print("|---|---|---:|---:|---|")
    for operation, kind, name, count, vectors, modelled in sorted(rows, key=lambda row: row[:2]):
        print(f"| {operation}, {kind} | {name} | {count} | {vectors} | {modelled} |")


main(*sys.argv[1:])
