"""numactl's own command lines, given to `homenode run`, set the policy that numactl sets."""

import re
import shlex
from pathlib import Path

import pytest

from homenode.lab import Lab

OPTIONS = Path(__file__).resolve().parents[2] / "cli" / "numactl_options.txt"
LINES = [
    line.strip()
    for line in OPTIONS.read_text().splitlines()
    if line.strip() and not line.startswith("#")
]
END = "=== end of one answer"
PROBE = "sh -c 'numactl --show; echo ---; cat /proc/self/numa_maps'"


def answers(lab: Lab, commands: list[str]) -> list[tuple[int, str]]:
    """Exit code and standard output of each command, all in one program of the guest."""
    end = shlex.quote(END)
    script = "".join(f"{command}; code=$?; echo; echo $code {end}\n" for command in commands)
    result = lab.run(["sh", "-c", script], timeout_s=600)
    assert result.status == 0, result.stderr
    parts = re.split(rf"\n(\d+) {re.escape(END)}\n", result.stdout.decode())[:-1]
    return [(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=True)]


@pytest.fixture(scope="module")
def by_numactl(quad: Lab) -> dict[str, tuple[int, str]]:
    commands = [f"numactl {shlex.join(shlex.split(line))} {PROBE}" for line in LINES]
    return dict(zip(LINES, answers(quad, commands), strict=True))


@pytest.fixture(scope="module")
def by_homenode(quad: Lab, command: str) -> dict[str, tuple[int, str]]:
    commands = [f"{command} run {shlex.join(shlex.split(line))} {PROBE}" for line in LINES]
    return dict(zip(LINES, answers(quad, commands), strict=True))


@pytest.fixture(scope="module")
def shown_by_homenode(quad: Lab, command: str) -> dict[str, tuple[int, str]]:
    commands = [
        f"numactl {shlex.join(shlex.split(line))} {command} run --show 2>/dev/null"
        for line in LINES
    ]
    return dict(zip(LINES, answers(quad, commands), strict=True))


def settings(show: str, left_out: tuple[str, ...] = ()) -> list[str]:
    """What `--show` says, without what no two runs share or numactl 2.0.16 prints wrongly.

    The next interleave node moves with every allocation; the preferred node is wrong, and lacks its
    end of line, for local, preferred-many and balanced binds.
    """
    lines = re.sub(r"preferred node: (?=physcpubind)", "preferred node:\n", show).splitlines()
    return [
        line.rstrip()
        for line in lines
        if not line.startswith(("preferred node:", "interleavenode:", *left_out))
    ]


def policies(numa_maps: str) -> set[str]:
    """The policy of each mapping, without addresses."""
    return {line.split()[1] for line in numa_maps.splitlines() if line}


@pytest.mark.parametrize("line", LINES)
def test_same_policy_as_numactl(
    by_numactl: dict[str, tuple[int, str]], by_homenode: dict[str, tuple[int, str]], line: str
) -> None:
    (their_code, theirs), (our_code, ours) = by_numactl[line], by_homenode[line]
    assert our_code == their_code == 0
    their_show, their_maps = theirs.split("---\n")
    our_show, our_maps = ours.split("---\n")
    assert settings(our_show) == settings(their_show)
    assert policies(our_maps) == policies(their_maps)


@pytest.mark.parametrize("line", LINES)
def test_show_prints_what_numactl_prints(
    by_numactl: dict[str, tuple[int, str]], shown_by_homenode: dict[str, tuple[int, str]], line: str
) -> None:
    theirs = by_numactl[line][1].split("---\n")[0]
    # For a balanced bind numactl shows a number instead of the policy, and all nodes.
    balanced = ("policy:", "membind:") if line.startswith("-b") or " -b" in line else ()
    assert settings(shown_by_homenode[line][1], balanced) == settings(theirs, balanced)


def test_weighted_interleave_is_the_kernels(quad: Lab, command: str) -> None:
    """numactl 2.0.16 lacks the option; the kernel's own word for the policy decides."""
    result = quad.run([command, "run", "-w", "0,2", "cat", "/proc/self/numa_maps"])
    assert result.status == 0, result.stderr
    assert b" weighted interleave:0,2 " in result.stdout


def hardware(text: str) -> list[list[str]]:
    """The lines as words, without those that differ between any two runs."""
    return [line.split() for line in text.splitlines() if " free: " not in line]


def test_hardware_is_what_numactl_prints(quad: Lab, command: str) -> None:
    """Word for word; numactl 2.0.19 has wider columns of distances than 2.0.16."""
    (_, theirs), (code, ours) = answers(quad, ["numactl --hardware", f"{command} run --hardware"])
    assert code == 0
    assert hardware(ours) == hardware(theirs)
    assert len(hardware(ours)) == 1 + 2 * 4 + 6


def test_impossible_requests_are_refused_in_one_line(quad: Lab, command: str) -> None:
    for options in (
        ["-m", "9"],
        ["-i", "0-9"],
        ["-C", "64"],
        ["-m", "0", "-i", "all"],
        ["-i", "x"],
    ):
        result = quad.run([command, "run", *options, "true"])
        assert result.status == 125, options
        assert re.fullmatch(r"homenode run: [^\n]+\n", result.stderr.decode())
