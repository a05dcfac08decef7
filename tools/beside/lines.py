"""Runs command lines with numactl and with `homenode run` in the lab, and compares what they do.

A line is given to both under several limits. What is compared: whether it is refused; else the CPUs
and the memory policy that a program then has, by /proc, or what is printed, where the line prints.
"""

import re
import shlex
import subprocess
from collections.abc import Iterable
from pathlib import Path

from beside.differences import DIFFERENCES, Difference
from homenode.lab import Lab

ROOT = Path(__file__).resolve().parents[2]
LINES = [
    line
    for line in (Path(__file__).parent / "lines.txt").read_text().splitlines()
    if not line.startswith("#")
]
FILTER = ROOT / "tests" / "python" / "support" / "forbid_policies.c"
NAMES = {"F": "/dev/shm/beside-file", "K": "/dev/shm/beside-key"}
PRINTING = {"-s", "--show", "-H", "--hardware"}
GROUP = "/tmp/beside-group"
END = "=== end of a line"
# On quad-4x2, whose four nodes have two CPUs each: what stands before each line.
PREFIXES = {
    "full": "",
    "cpuset": "",
    "taskset": "taskset -c 0-1 ",
    "seccomp": "{filter} all ",
}
MAKE_GROUP = f"""
mkdir -p {GROUP}; mount -t cgroup2 none {GROUP}; echo +cpuset >{GROUP}/cgroup.subtree_control
mkdir -p {GROUP}/limited; cd {GROUP}/limited; echo 2-5 >cpuset.cpus; echo 1-2 >cpuset.mems
"""
Outcome = tuple[str, ...]
"""("refused",), or what then holds or is printed."""
REFUSED = ("refused",)


def compile_filter(folder: Path) -> Path:
    """The program that forbids memory policies."""
    program = folder / "forbid_policies"
    subprocess.run(["cc", "-O1", FILTER, "-o", program], check=True)
    return program


def script_of(tool: str, line: str, prefix: str) -> str:
    """Shell commands for one line, which end with its exit code."""
    words = shlex.split(line)
    options = shlex.join([NAMES.get(word, word) for word in words])
    starts_program = not (set(words) & (set(NAMES) | PRINTING))
    probe = " cat /proc/self/status /proc/self/numa_maps" if starts_program else ""
    clean = f"rm -f {' '.join(NAMES.values())}; ipcrm --all=shm 2>&-; " if "K" in words else ""
    if "F" in words:
        clean = f"rm -f {NAMES['F']}; "
    return f"{clean}{prefix}{tool} {options}{probe} 2>/dev/null; echo; echo $? '{END}'\n".replace(
        "; echo; echo $?", "; code=$?; echo; echo $code"
    )


def outcome_of(code: int, text: str) -> Outcome:
    """What counts of a line's output."""
    if code != 0:
        return REFUSED
    cpus = re.search(r"^Cpus_allowed_list:\s*(\S+)", text, re.MULTILINE)
    if cpus:
        policies = sorted(set(re.findall(r"^[0-9a-f]{6,} (\S+)", text, re.MULTILINE)))
        return (f"CPUs {cpus[1]}", *policies)
    # What is free, and which node is next, no two runs share; 2.0.19's columns are wider.
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(line for line in lines if line and " free: " not in line)


def run_lines(
    lab: Lab, tool: str, surrounding: str, lines: list[str], filter_program: Path, folder: Path
) -> dict[str, Outcome]:
    """Each line's outcome. `folder` is the host's, and gets the script, which may be long."""
    prefix = PREFIXES[surrounding].format(filter=filter_program)
    script = "".join(script_of(tool, line, prefix) for line in lines)
    if surrounding == "cpuset":
        lab.run(["sh", "-c", MAKE_GROUP])
        script = f"echo $$ >{GROUP}/limited/cgroup.procs\n{script}"
    path = folder / f"{surrounding}-{Path(tool.split()[0]).name}.sh"
    path.write_text(script)
    result = lab.run(["sh", str(path)], timeout_s=900)
    parts = re.split(rf"\n(\d+) {re.escape(END)}\n", result.stdout.decode(errors="replace"))[:-1]
    if len(parts) != 2 * len(lines):
        raise RuntimeError(f"{len(parts) // 2} of {len(lines)} lines: {result.stderr.decode()}")
    codes, texts = map(int, parts[1::2]), parts[0::2]
    return dict(zip(lines, map(outcome_of, codes, texts), strict=True))


def documented(line: str, surrounding: str) -> Difference | None:
    """The row of the table that has this line here."""
    for row in DIFFERENCES:
        if surrounding in row.surroundings and line in row.lines:
            return row
    return None


def problems(
    surrounding: str, theirs: dict[str, Outcome], ours: dict[str, Outcome]
) -> Iterable[str]:
    """Differences that the table lacks, and rows of the table without a difference."""
    for line, outcome in theirs.items():
        row = documented(line, surrounding)
        differs = ours[line] != outcome
        if differs and row is None:
            yield f"{surrounding}: {line}: numactl {outcome}, homenode {ours[line]}"
        if not differs and row is not None:
            yield f"{surrounding}: {line}: no difference ({row.homenode})"
        if differs and row is not None and (ours[line] == REFUSED) != row.refused:
            yield f"{surrounding}: {line}: refused or not, unlike '{row.homenode}'"


def compare(numactl: str, homenode: str, folder: Path) -> list[str]:
    """All lines under all limits; what the table does not say."""
    found: list[str] = []
    filter_program = compile_filter(folder)
    with Lab("quad-4x2", plugin=False) as lab:
        for surrounding in PREFIXES:
            both = [
                run_lines(lab, tool, surrounding, LINES, filter_program, folder)
                for tool in (numactl, f"{homenode} run")
            ]
            found += problems(surrounding, both[0], both[1])
    return found
