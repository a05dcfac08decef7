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


def policies(numa_maps: str) -> set[str]:
    """The policy of each mapping, without addresses."""
    return {line.split()[1] for line in numa_maps.splitlines() if line}


@pytest.mark.parametrize("options", LINES)
def test_same_policy_as_numactl(quad: Lab, command: str, options: str) -> None:
    words = shlex.split(options)
    probe = ["sh", "-c", "numactl --show; echo ---; cat /proc/self/numa_maps"]
    theirs = quad.run(["numactl", *words, *probe])
    ours = quad.run([command, "run", *words, *probe])
    assert (ours.status == 0) == (theirs.status == 0), ours.stderr + theirs.stderr
    if theirs.status != 0:
        assert re.fullmatch(r"homenode run: [^\n]+\n", ours.stderr.decode())
        return
    their_show, their_maps = theirs.stdout.decode().split("---\n")
    our_show, our_maps = ours.stdout.decode().split("---\n")
    assert our_show == their_show
    assert policies(our_maps) == policies(their_maps)


@pytest.mark.parametrize("options", LINES)
def test_show_prints_what_numactl_prints(quad: Lab, command: str, options: str) -> None:
    words = shlex.split(options)
    theirs = quad.run(["numactl", *words, "numactl", "--show"])
    ours = quad.run(["numactl", *words, command, "run", "--show"])
    assert ours.stdout == theirs.stdout
