"""Runs what a document shows of a terminal, and compares what is printed with what is shown."""

import re
import subprocess
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LEFT_OUT = "…"


@dataclass
class Command:
    """A command line, and the lines that the document shows below it."""

    line: str
    shown: list[str] = field(default_factory=list)


def commands(document: Path) -> list[Command]:
    """All that the document runs, in order."""
    found: list[Command] = []
    for block in BLOCK.findall(document.read_text()):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:]))
            else:
                found[-1].shown.append(line)
    return found


def run(script: list[Command], folder: Path, timeout_s: float) -> list[str]:
    """What each command prints, one after the other in one shell; each must succeed."""
    lines = ["set -eu"]
    for number, command in enumerate(script):
        lines.append(f"{{ {command.line}\n}} > {folder}/{number}.out 2>&1")
    done = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=folder, timeout=timeout_s)
    files = [folder / f"{number}.out" for number in range(len(script))]
    printed = [file.read_text() if file.exists() else "" for file in files]
    last = max((i for i, file in enumerate(files) if file.exists()), default=0)
    assert done.returncode == 0, f"{script[last].line}\n{printed[last]}"
    return printed


def _numbers(line: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(line)]


def is_alike(shown: str, printed: str, tolerance: float) -> bool:
    """The same words, and numbers within a share of each other, or within 3."""
    words = [" ".join(NUMBER.sub("#", line).split()) for line in (shown, printed)]
    if words[0] != words[1]:
        return False
    pairs = zip(_numbers(shown), _numbers(printed), strict=True)
    return all(abs(a - b) <= max(3, tolerance * abs(a)) for a, b in pairs)


def missing(shown: list[str], printed: str, tolerance: float) -> list[str]:
    """The shown lines that were not printed, in their order; what stands between them is left out
    where the document says so."""
    lines = printed.splitlines()
    lost, at = [], 0
    for before, line in pairwise([LEFT_OUT, *shown]):
        if line == LEFT_OUT:
            continue
        found = (i for i in range(at, len(lines)) if is_alike(line, lines[i], tolerance))
        position = next(found, None)
        if position is None or (before != LEFT_OUT and position != at):
            lost.append(line)
        else:
            at = position + 1
    return lost
