"""Wrong programs: the hardened library says what is wrong, and stops them."""

import re
import signal

import pytest
from heap_programs import built_library, passes, program, run

HARDENED = "libhomenode-malloc-hardened.so"
FAULTS = {
    "small_twice": "freed twice",
    "small_twice_with_others_between": "freed twice",
    "first_by_another_thread": "freed twice",
    "both_by_another_thread": "freed twice",
    "realloc_after_free": "freed twice",
    "large_twice": "not a block in use",
    "write_after_free": "written to after it was freed",
    "half_a_granule_into_small": "not the start of a block",
    "a_granule_into_small": "not the start of a block",
    "a_granule_into_medium": "not the start of a block",
    "deep_in_medium": "not the start of a block",
    "middle_of_small_by_another_thread": "not the start of a block",
    "realloc_of_the_middle": "not the start of a block",
    "behind_the_last_small": "not a block in use",
    "middle_of_large": "not the start of a block",
    "middle_of_huge": "not the start of a block",
    "huge_twice": "freed twice",
    "huge_realloc_after_free": "freed twice",
    "freed_where_it_was_before_it_grew": "freed twice",
    "aligned_huge_twice": "freed twice",
    "middle_of_aligned_huge": "not the start of a block",
    "before_aligned_huge": "not the start of a block",
}
FOREIGN = ["on_the_stack", "static_data"]


@pytest.mark.parametrize("fault", FAULTS)
def test_hardened_names_the_fault_in_one_line_and_stops(fault: str) -> None:
    result = run([program("misuse"), fault], library=built_library(HARDENED))
    assert result.returncode == -signal.SIGABRT, result.stderr
    assert re.fullmatch(
        rf"homenode-malloc: 0x[0-9a-f]+: {FAULTS[fault]}; stopping\n", result.stderr
    )


@pytest.mark.parametrize("fault", FOREIGN)
def test_what_is_no_block_goes_to_the_c_library_which_stops(fault: str) -> None:
    assert run([program("misuse"), fault]).returncode == -signal.SIGABRT


@pytest.mark.parametrize("arguments", [["entry_points"], ["fuzz", "7", "300000", "4", "5"]])
def test_hardened_leaves_right_programs_alone(arguments: list[str]) -> None:
    name, *rest = arguments
    result = run([program(name), *rest], library=built_library(HARDENED))
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("policy", ["bind:strict", "preferred", "interleave", "weighted", "local"])
def test_every_policy_keeps_every_byte(policy: str) -> None:
    passes([program("fuzz"), "9", "100000", "2", "2"], HOMENODE_MALLOC_POLICY=policy)


def test_a_setting_that_makes_no_sense_is_told_once_and_left_out() -> None:
    result = run([program("operators")], environment={"HOMENODE_MALLOC_POLICY": "nonsense"})
    assert result.returncode == 0
    assert result.stderr == (
        "homenode-malloc: HOMENODE_MALLOC_POLICY=nonsense is not valid and is ignored; see "
        "ENVIRONMENT in homenode(1)\n"
    )
