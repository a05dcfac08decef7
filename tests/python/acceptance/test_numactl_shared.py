"""numactl's command lines for shared memory, given to `homenode run`, do what numactl does.

Each line is run by both on the same memory, emptied in between, and the kernel is asked for the
policy and the node of every page by both. numactl 2.0.16 fails on some lines that its manual has,
and prints ranges of one kind of policy as one range; there homenode is compared with the kernel.
"""

import re
import shlex

import pytest
from test_numactl import answers

from homenode.lab import Lab

FILE = "/dev/shm/of-the-test"
KEY = "/dev/shm/key-of-the-test"
RANGE = "--length 64k"
# On one CPU of node 2, so that local memory is the same for both.
PINNED = "taskset -c 4"
ON_FILES = [
    f"{RANGE} --file F -m 1,2 --dump --touch --dump-nodes",
    f"{RANGE} --file F -i all --touch --dump-nodes --dump",
    f"{RANGE} --file F --interleave=1-3 --touch --dump-nodes",
    "-L 64k -f F -l -d -T -D",
    "--offset 16k --length 32k --file F -m 3 --touch --dump --dump-nodes",
    "-o 0x4000 -L 32K -f F -i 0,2 -T -D -d",
    f"{RANGE} --file F --dump",
    f"{RANGE} --file F --dump -m 3 --dump",
    f"{RANGE} --file F --touch -m 3 --dump --dump-nodes",
    f"{RANGE} --file F -m !0 --dump",
    f"{RANGE} --file F -m +1-2 --dump",
    f"-b {RANGE} --file F -m 0-1 --dump",
    f"-a {RANGE} --file F -m all --dump",
    f"--strict {RANGE} --file F -m 2 --touch --dump-nodes",
    "--length=1m --file=F --membind=0 --touch --dump-nodes",
]
ON_SEGMENTS = [
    f"{RANGE} --shm K -i all --touch --dump",
    f"{RANGE} --shmid 7 --shm K -m 1 --touch --dump --dump-nodes",
    f"{RANGE} -I 0x8 -M 0640 -S K -l -T -D -d",
    "--huge --length 4m --shm K -m 2 --touch --dump --dump-nodes",
]
REFUSED_BY_BOTH = [
    "--file /dev/shm/missing -m 0",
    "--shm /dev/shm/missing -m 0",
    "--length 4k --file /missing/file -m 0",
    "--length 100 --file F -m 0",
    "-m 0 --length 4k --file F",
    "--length 4k --file F -m 9",
    "--length 4k --file F -m 0 -i 1",
    "--length 4k --file F -C 0",
    "-N 0 --length 4k --file F",
    "--length 4k --file F true",
    "--file F --length 4k",
    "--shmmode 9 --length 4k --file F",
    "--length 4k true",
    "--dump true",
    "--touch",
    f"{RANGE} --file F --touch --strict -m 0 -m 1",
]


def named(line: str) -> str:
    words = [{"F": FILE, "K": KEY}.get(word, word) for word in shlex.split(line)]
    return shlex.join(words).replace("--file=F", f"--file={FILE}")


# The same file for all, so that interleaving begins at the same node: it depends on the inode.
EMPTY_FILE = f": > {FILE}; numactl --length 1m --file {FILE} --localalloc"
NO_SEGMENTS = (
    f"ipcs -m | awk '$2 ~ /^[0-9]+$/ {{ print $2 }}' | xargs -r -n 1 ipcrm -m; rm -f {KEY}"
)


@pytest.fixture(scope="module")
def both(quad: Lab, command: str) -> dict[str, tuple[tuple[int, str], tuple[int, str]]]:
    """What numactl and homenode answer to each line: exit code and standard output."""
    before = {
        **dict.fromkeys(ON_FILES, EMPTY_FILE),
        **dict.fromkeys(ON_SEGMENTS, NO_SEGMENTS),
        **dict.fromkeys(REFUSED_BY_BOTH, ":"),
    }
    commands = [
        f"{first}; {PINNED} {tool} {named(line)} 2>/dev/null"
        for line, first in before.items()
        for tool in ("numactl", f"{command} run")
    ]
    quad.run(["sh", "-c", "echo 8 > /proc/sys/vm/nr_hugepages"])
    found = answers(quad, commands)
    quad.run(["sh", "-c", f"{NO_SEGMENTS}; rm -f {FILE}; echo 0 > /proc/sys/vm/nr_hugepages"])
    return dict(zip(before, zip(found[::2], found[1::2], strict=True), strict=True))


@pytest.mark.parametrize("line", [*ON_FILES, *ON_SEGMENTS])
def test_the_same_pages_as_numactl(
    both: dict[str, tuple[tuple[int, str], tuple[int, str]]], line: str
) -> None:
    theirs, ours = both[line]
    assert theirs[0] == 0
    assert ours == theirs
    assert ours[1].strip()


@pytest.mark.parametrize("line", REFUSED_BY_BOTH)
def test_refused_where_numactl_refuses(
    both: dict[str, tuple[tuple[int, str], tuple[int, str]]], line: str
) -> None:
    theirs, ours = both[line]
    assert theirs[0] != 0
    assert ours[0] in ((125,) if line.endswith(" true") else (1, 2))
    assert not ours[1].strip()


def test_what_numactl_2_0_16_fails_on(quad: Lab, command: str) -> None:
    """Preferred nodes and weighted interleave, as the kernel has them; and each range its nodes."""
    run = f"{command} run {RANGE} --file {FILE}"
    results = answers(
        quad,
        [
            f"{run} -p 2 --touch --dump --dump-nodes",
            f"{run} -P 1,3 --dump",
            f"{run} -w 0,2 --dump",
            f"{command} run --length 16k --file {FILE} -m 0 && "
            f"{command} run --length 16k --offset 16k --file {FILE} -m 1 && "
            f"{command} run --length 32k --file {FILE} --dump",
            f"rm {FILE}",
        ],
    )
    whole = "0000000000000000-0000000000010000: "
    assert [text.strip("\n") for code, text in results[:4] if code == 0] == [
        f"{whole}preferred : 2 \n{whole}2",
        f"{whole}preferred-many : 1 3 ",
        f"{whole}weighted interleave : 0 2 ",
        "0000000000000000-0000000000004000: bind : 0 \n"
        "0000000000004000-0000000000008000: bind : 1 ",
    ]


def test_what_was_made_is_removed_when_a_step_fails(quad: Lab, command: str) -> None:
    """--strict finds pages on another node; a file outside tmpfs keeps no policy."""
    script = (
        f"{command} run {RANGE} --file {FILE} -m 0 && "
        f"{command} run --strict {RANGE} --file {FILE} --touch -m 1; echo $?; "
        f"{command} run {RANGE} --huge --shm {KEY} -m 1; echo $?; "
        f"{command} run --length 64k --file /proc/self/new -m 1; echo $?; "
        f"test -e {KEY} || echo gone; ipcs -m | grep -c 0x; rm {FILE}"
    )
    result = quad.run(["sh", "-c", script])
    assert result.stdout.decode().split() == ["1", "2", "1", "gone", "0"]
    assert all(
        re.fullmatch(r"homenode run: .+; .+", line)
        for line in result.stderr.decode().splitlines()
        if " created " not in line
    )


@pytest.mark.parametrize("tool", ["numactl", "homenode run"])
def test_verify_fails_where_pages_break_the_policy(quad: Lab, command: str, tool: str) -> None:
    """Pages that were present before stay where they are, unless something moves them."""
    tool = tool.replace("homenode", command)
    memory = f"--length 64k --file {FILE}"
    codes = [
        code
        for code, _ in answers(
            quad,
            [
                f"rm -f {FILE}; {tool} {memory} -m 0 --verify",
                f"{tool} {memory} -m 1 --verify",
                f"{tool} {memory} -i 0,2 --verify",
                f"rm {FILE}; {tool} {memory} -i 1-3 --verify",
                f"{tool} --offset 32k --length 64k --file {FILE}.more -i 0,2 --verify; rm {FILE}*",
            ][: 4 if tool == "numactl" else 5],
        )
    ]
    assert codes == [0, 1, 1, 0, 0][: len(codes)]


def test_huge_pages_are_placed_by_their_touch(quad: Lab, command: str) -> None:
    """The kernel keeps no policy for them, so without a touch it would be lost."""
    script = (
        "echo 16 >/proc/sys/vm/nr_hugepages; mkdir -p /tmp/huge; "
        "mount -t hugetlbfs none /tmp/huge; "
        f"{command} run --length=8m --file /tmp/huge/x -i all --touch --dump-nodes; echo $?; "
        f"{command} run --length=8m --file /tmp/huge/y -m 2; echo $?; "
        f"{command} run --length=4m --huge --shm {KEY} -m 2; echo $?; "
        f"{command} run --length=4m --huge --shm {KEY} -m 2 --touch --dump-nodes; echo $?; "
        f"ipcrm --all=shm; rm -f {KEY} /tmp/huge/*; umount /tmp/huge; "
        "echo 0 >/proc/sys/vm/nr_hugepages"
    )
    result = quad.run(["sh", "-c", script])
    lines = result.stdout.decode().splitlines()
    pages = [f"{node * 0x200000:016x}-{(node + 1) * 0x200000:016x}: " for node in range(4)]
    placed = sorted(line.rsplit(" ", 1)[1] for line in lines[:4])
    assert placed == ["0", "1", "2", "3"], lines
    assert [line.rsplit(" ", 1)[0] + " " for line in lines[:4]] == pages
    assert lines[4:] == ["0", "3", "3", "0000000000000000-0000000000400000: 2", "0"]
    assert result.stderr.decode().count("keep no memory policy") == 4
