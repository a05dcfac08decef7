"""The allocator does what the texts of C, POSIX and glibc say, in programs of every kind.

The programs (tests/heap/programs) test whatever is preloaded: see heap_programs.py.
"""

import pytest
from heap_programs import built_library, passes, preload, program, run

SEED = 20101


@pytest.mark.parametrize(
    "name", ["entry_points", "operators", "lives", "bounds", "limits", "locked"]
)
def test_program_passes(name: str) -> None:
    passes([program(name)])


@pytest.mark.parametrize(
    ("operations", "threads", "forks"), [(1_000_000, 1, 5), (1_000_000, 2, 10), (1_000_000, 8, 30)]
)
def test_random_operations_keep_every_byte(operations: int, threads: int, forks: int) -> None:
    passes([program("fuzz"), str(SEED), str(operations), str(threads), str(forks)])


@pytest.mark.parametrize("arguments", [["entry_points"], ["fuzz", str(SEED), "300000", "4", "4"]])
def test_works_where_memory_policies_are_forbidden(arguments: list[str]) -> None:
    launcher = program("without_policies")
    name, *rest = arguments
    result = run([launcher, preload() or "none", program(name), *rest], library="")
    if result.returncode == 3:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["entry_points_static"], ["operators_static"], ["fuzz_static", str(SEED), "300000", "4", "5"]],
)
def test_works_linked_into_a_static_program(arguments: list[str]) -> None:
    name, *rest = arguments
    result = run([program(name), *rest], library="")
    assert (result.returncode, result.stderr) == (0, "")


FAULTS = {
    "alignment": ["entry_points", "alignment_and_overlap"],
    "overlap": ["entry_points", "alignment_and_overlap"],
    "dirty": ["entry_points", "calloc_is_zero"],
    "wrap": ["entry_points", "too_large"],
    "errno_unset": ["entry_points", "too_large"],
    "errno_lost": ["entry_points", "errno_is_kept"],
    "short_copy": ["fuzz", str(SEED), "20000", "1", "0"],
    "half_aligned": ["entry_points", "every_alignment"],
    "fork": ["fuzz", str(SEED), "20000", "1", "2"],
    "leak": ["entry_points", "trim_returns_memory"],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    name, *arguments = FAULTS[fault]
    faulty = built_library("heap_faulty.so")
    command = [program(name), *arguments]
    assert run(command, library=faulty).returncode == 0
    assert run(command, library=faulty, environment={"HEAP_FAULT": fault}).returncode != 0
