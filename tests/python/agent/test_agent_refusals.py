"""Every system call of the agent refused once: the program does its work, and is told of it.

Each call site has a call of each kind refused in several ways, and every further one in one.
"""

import ctypes
import errno
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from homenode import places

SOURCES = Path(__file__).resolve().parents[2] / "agent"
ERRORS = (errno.EPERM, errno.ENOMEM, errno.EINVAL)
ADDR_NO_RANDOMIZE = 0x0040000
CPU = min(os.sched_getaffinity(0))
# By their numbers on x86-64.
MMAP, SETAFFINITY, MBIND, SET_POLICY, GET_POLICY = 9, 203, 237, 238, 239
OPENAT, STAT_AT, MOVE_PAGES, HOME_NODE = 257, 262, 279, 450
# Without these, something is not where it was to be.
PLACING = {SETAFFINITY, MBIND, SET_POLICY, GET_POLICY, HOME_NODE, MMAP, OPENAT, STAT_AT}

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls by their numbers")


@dataclass(frozen=True)
class Programs:
    """What is built for this test, and what is tested."""

    program: Path
    refusing: Path
    agents: Path

    def data(self) -> str:
        """The piece of static data, as the wire text has it."""
        symbols = subprocess.run(
            ["nm", self.program], check=True, capture_output=True, text=True
        ).stdout
        line = next(line for line in symbols.splitlines() if line.endswith(" static_data"))
        status = self.program.stat()
        return f"{status.st_dev}.{status.st_ino}.{int(line.split()[0], 16)}.{1 << 18}"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    agent = places.find_built("libhomenode-agent.so")
    assert agent, "the agent is not built; run the tests through ./dev test"
    folder = tmp_path_factory.mktemp("agent")
    build = ["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
    program, refusing = folder / "refused", folder / "refusing.so"
    subprocess.run([*build, SOURCES / "refused_program.c", "-pthread", "-o", program], check=True)
    subprocess.run(
        [*build, "-shared", "-fPIC", SOURCES / "refusing_calls.c", "-o", refusing], check=True
    )
    return Programs(program, refusing, agent.parent)


@dataclass(frozen=True)
class Run:
    """What one run of the program came to."""

    code: int
    work: list[str]
    placed: list[str]
    told: list[str]
    calls: list[tuple[int, bool]]


def the_same_addresses() -> None:
    """How many huge pages there are to divide depends on where they begin."""
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)


def run(programs: Programs, library: str, wire: str, refuse: str = "") -> Run:
    with tempfile.TemporaryFile("w+") as calls:
        environment = os.environ | {
            "LD_PRELOAD": f"{programs.refusing}:{programs.agents / library}",
            "HOMENODE_AGENT": wire,
            "HOMENODE_TEST_CALLS": str(calls.fileno()),
            "HOMENODE_TEST_REFUSE": refuse,
        }
        done = subprocess.run(
            [programs.program],
            env=environment,
            pass_fds=[calls.fileno()],
            preexec_fn=the_same_addresses,
            capture_output=True,
            text=True,
            timeout=60,
        )
        calls.seek(0)
        made = [(int(a), b == "1") for a, b in (line.split() for line in calls)]
    lines = done.stdout.splitlines()
    placed = [line for line in lines if line.startswith("placed")]
    work = [line for line in lines if not line.startswith("placed")]
    return Run(done.returncode, work, placed, done.stderr.splitlines(), made)


def count_of(number: int, run: Run) -> int:
    return sum(made == number for made, _ in run.calls)


def must_tell(clean: Run, refused: Run, nth: int) -> bool:
    """A refusal may pass in silence where all is as it would be without it."""
    number, moves = refused.calls[nth - 1]
    if refused.placed != clean.placed:
        return True
    if count_of(number, refused) > count_of(number, clean):
        return False  # It was tried again.
    if number == MOVE_PAGES:
        return moves  # Else it is the question whether a page is there.
    return number in PLACING


AGENT = "libhomenode-agent.so"
ALLOCATIONS = "libhomenode-allocations.so"
WIRES = [
    (AGENT, f"1 cpus={CPU} threads={CPU}/{CPU} skip=2 memory=2@0/3@0"),
    (AGENT, f"1 cpus={CPU} threads={CPU} forks heap=3@0"),
    (ALLOCATIONS, "1 place=524288:policy:5@0^0 data={data}:policy:2@0 verbose"),
    (ALLOCATIONS, "1 place=524288:block:0 data={data}:map:64x0 verbose"),
    (ALLOCATIONS, "1 place=524288:random:7,256:0 verbose"),
]


@pytest.mark.parametrize(("library", "wire"), WIRES, ids=[wire for _, wire in WIRES])
def test_each_refusal_leaves_the_work_and_is_told(
    programs: Programs, library: str, wire: str
) -> None:
    wire = wire.format(data=programs.data())
    verbose = wire.endswith(" verbose")
    clean = run(programs, library, wire)
    if any("the kernel refused" in line and "refused 0" not in line for line in clean.told):
        pytest.skip(f"the kernel of this machine refuses the agent: {clean.told}")
    assert clean.code == 0
    assert clean.calls
    assert len(clean.told) == verbose
    for nth in range(1, len(clean.calls) + 1):
        again = clean.calls[nth - 1] in clean.calls[: nth - 1]
        for error in ERRORS[:1] if again else ERRORS:
            refused = run(programs, library, wire, f"{nth} {error}")
            what = (clean.calls[nth - 1], os.strerror(error), refused.told)
            assert refused.calls[: nth - 1] == clean.calls[: nth - 1], what
            assert (refused.code, refused.work) == (0, clean.work), what
            assert all(line.startswith("homenode: in ") for line in refused.told), what
            failures = [line for line in refused.told if "rules were applied" not in line]
            assert len(failures) <= 1, what
            if must_tell(clean, refused, nth):
                assert failures, what
                assert os.strerror(error) in failures[0] or "; " in failures[0], what
            if failures and verbose:
                assert "refused 0 calls" not in refused.told[-1], what


def test_what_the_launcher_has_reported_is_not_told_again(programs: Programs) -> None:
    wire = f"1 cpus={CPU} threads={CPU} heap=3@0"
    clean = run(programs, AGENT, wire)
    told = [
        run(programs, AGENT, wire + reported, f"{nth} {errno.EPERM}").told
        for reported in ("", " reported")
        for nth in range(1, len(clean.calls) + 1)
    ]
    before, after = told[: len(clean.calls)], told[len(clean.calls) :]
    assert any("mempolicy" in line for lines in before for line in lines)
    assert not any("mempolicy" in line for lines in after for line in lines)
    assert any("sched_setaffinity" in line for lines in after for line in lines)
