"""bench/heap: the programs run, their launcher measures, and whose malloc was called is seen."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from heap.allocators import BASE, Allocator, find
from heap.launch import FailedError, Launched, owners
from heap.main import main
from heap.place import check_owner, fresh
from heap.suite import REAL, Benchmark, benchmarks

NEWER = "/x/allocator.so"


@pytest.fixture(scope="module")
def programs() -> Path:
    command = shutil.which("homenode")
    folder = Path(command).resolve().parents[1] / "heap_bench" if command else Path("nowhere")
    if not (folder / "launch").exists():
        pytest.skip("the programs of bench/heap are not built; run the tests through ./dev test")
    return folder


@pytest.fixture(scope="module")
def glibc() -> Allocator:
    return next(one for one in find(Path("nowhere"))[0] if one.name == BASE)


SMALL = [one for one in benchmarks([2]) if one.group != REAL]


@pytest.mark.parametrize("benchmark", SMALL, ids=lambda one: one.name)
def test_a_program_does_a_little_of_its_work(
    benchmark: Benchmark, programs: Path, glibc: Allocator
) -> None:
    with fresh(programs, glibc, 1) as place:
        usage = benchmark.run(place)
    assert usage.peak_kib > 500


def test_a_python_program_calls_the_allocator_under_test(programs: Path, glibc: Allocator) -> None:
    python = next(one for one in benchmarks([]) if one.name == "python")
    with fresh(programs, glibc, 1, trace=True) as place:
        python.run(place)
        check_owner(place)
    with fresh(programs, Allocator("none", "/nowhere/libnone.so", ""), 1, trace=True) as place:
        churn = next(one for one in SMALL if one.name == "churn-2")
        churn.run(place)
        with pytest.raises(FailedError, match=r"malloc came from /.*libc\.so\.6, not from"):
            check_owner(place)


@pytest.mark.parametrize("words", [["0"], ["513"], ["1", "0"]])
def test_a_program_refuses_an_amount_that_makes_no_sense(programs: Path, words: list[str]) -> None:
    done = subprocess.run([programs / "churn", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "1 to 512 threads" in done.stderr


def launched(programs: Path, folder: Path, *command: str) -> Launched:
    return Launched(programs / "launch", "", list(command), folder, {})


def test_the_peak_is_the_programs_own(programs: Path, tmp_path: Path) -> None:
    """Not that of the interpreter that started the launcher, of which 32 MiB are in use here."""
    weight = bytearray(b"x" * (32 << 20))
    small, _ = launched(programs, tmp_path, "/bin/true").finish()
    assert small.peak_kib < 8 << 10 < len(weight) >> 10
    large, _ = launched(
        programs, tmp_path, sys.executable, "-c", "x = bytearray(b'x' * (64 << 20))"
    ).finish()
    assert large.peak_kib > 64 << 10


def test_time_of_children_counts(programs: Path, tmp_path: Path) -> None:
    burn = "import sys, time\nwhile time.process_time() < 0.05: pass"
    words = ("/bin/sh", "-c", f"{sys.executable} -S -c '{burn}'; true")
    usage, _ = launched(programs, tmp_path, *words).finish()
    assert usage.cpu_s >= 0.05


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/bin/sh", "-c", "echo so and so; exit 3"], "sh ended with 3: so and so"),
        (["/bin/sh", "-c", "kill -KILL $$"], f"sh ended with {128 + signal.SIGKILL}"),
        (["/nowhere/x"], "x ended with 127: launch: cannot start /nowhere/x"),
    ],
)
def test_a_program_that_fails_has_no_figure(
    programs: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    with pytest.raises(FailedError, match=said.replace("$", "")):
        launched(programs, tmp_path, *words).finish()


def test_nothing_is_left_running(programs: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    child = launched(programs, tmp_path, "/bin/sh", "-c", f"echo $$ > {started}; exec sleep 1000")
    pid = int(started.read_text())
    with pytest.raises(FailedError, match="did not end in 0 s"):
        child.finish(0)
    assert not Path(f"/proc/{pid}").exists()


def bindings(*edges: tuple[str, str, str]) -> str:
    return "".join(
        f"  77:\tbinding file {user} [0] to {library} [0]: normal symbol `{symbol}' [GLIBC_2.2.5]\n"
        for user, library, symbol in edges
    )


def test_who_owns_malloc_is_read_from_the_linkers_log() -> None:
    good = bindings(("/x/p", NEWER, "malloc"), ("/x/p", "/x/libc.so.6", "printf"))
    assert owners(good, NEWER) == {NEWER}
    bad = bindings(("/x/p", NEWER, "malloc"), ("/x/p", "/x/libc.so.6", "free"))
    assert owners(bad, NEWER) == {NEWER, "/x/libc.so.6"}
    assert owners("", NEWER) == set()


def test_what_the_allocator_itself_calls_does_not_count() -> None:
    log = bindings(("/x/p", NEWER, "free"), (NEWER, "/x/libc.so.6", "free"))
    assert owners(log, NEWER) == {NEWER}


def test_a_programs_own_entry_is_followed_to_what_it_jumps_to() -> None:
    log = bindings(("/x/libs.so", "/x/p", "free"), ("/x/p", NEWER, "free"))
    assert owners(log, NEWER) == {NEWER}
    assert owners(bindings(("/x/libs.so", "/x/p", "free")), NEWER) == {"/x/p"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "nothing"], "no benchmark is called 'nothing'"),
        (["--allocators", "nothing"], "no allocator 'nothing' here"),
        (["--peers", "/nowhere"], "/nowhere has no library of a peer"),
        (["--report", "/nowhere"], "/nowhere"),
    ],
)
def test_bad_usage_is_one_clear_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_a_folders_libraries_take_the_place_of_the_packages(tmp_path: Path) -> None:
    (tmp_path / "newest.so").touch()
    here, missing = find(Path("nowhere"), tmp_path)
    assert ([one.name for one in here], missing) == ([BASE, "newest"], [])


def test_a_comparison_from_end_to_end(
    programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--only", "churn-1", "--allocators", BASE, "--rounds", "2", "--percent", "1"]
    raw = tmp_path / "raw.jsonl"
    assert main([*words, "--build", str(programs.parent), "--raw", str(raw)]) == 0
    assert "churn-1" in capsys.readouterr().out
    before = raw.read_text()
    assert len(before.splitlines()) == 3
    assert main([*words, "--build", str(programs.parent), "--raw", str(raw)]) == 0
    assert raw.read_text() == before  # All of it had been measured.
