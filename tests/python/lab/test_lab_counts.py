"""homenode.lab.counts and render: from the plugin's lines to matrices."""

import json
from typing import Any

import pytest

from homenode.lab import LabError, Roi, access_matrix, find_machine
from homenode.lab.counts import parse_rois, thread_matrix
from homenode.lab.render import run_json, stats_text
from homenode.lab.result import Result
from homenode.lab.text import cpu_list


def accesses(loads: list[int], stores: list[int]) -> dict[str, Any]:
    return {"loads": loads, "stores": stores, "references": {"loads": 100, "stores": 10}}


def line(number: int = 1, registers: bool = True) -> dict[str, Any]:
    # tiny-2x2: CPUs 0 and 1 are node 0, CPUs 2 and 3 are node 1.
    return {
        "schema": "homenode.counts/1",
        "roi": number,
        "ended_by": "marker",
        "registers": registers,
        "nodes": [0, 1],
        "vcpus": [
            {"vcpu": 0, "user": accesses([5, 1], [0, 2]), "kernel": accesses([7, 0], [0, 0])},
            {"vcpu": 3, "user": accesses([3, 8], [1, 0]), "kernel": accesses([0, 9], [0, 0])},
        ],
        "threads": [
            {"rank": 1, "vcpus": [3], "user": accesses([3, 8], [1, 0])},
            {"rank": 0, "vcpus": [0], "user": accesses([5, 1], [0, 2])},
            {"rank": None, "vcpus": [0], "user": accesses([1, 1], [1, 1])},
        ],
        "outside": 0,
    }


def rois(*lines: dict[str, Any]) -> list[Roi]:
    return parse_rois("".join(json.dumps(item) + "\n" for item in lines))


TINY = find_machine("tiny-2x2")


def test_rows_are_the_cpus_nodes_and_columns_the_memorys():
    matrix = access_matrix(rois(line()), TINY)
    assert matrix.loads == ((5, 1), (3, 8))
    assert matrix.stores == ((0, 2), (1, 0))
    assert matrix.cells == ((5, 3), (4, 8))
    assert (matrix.misses, matrix.references) == (20, 220)
    assert matrix.local_share == pytest.approx(13 / 20)


def test_user_and_kernel_are_apart_and_regions_add_up():
    assert access_matrix(rois(line()), TINY, "kernel").cells == ((7, 0), (0, 9))
    assert access_matrix(rois(line(1), line(2)), TINY).cells == ((10, 6), (8, 16))


def test_without_misses_there_is_no_local_share():
    assert access_matrix([], TINY).local_share is None


def test_threads_are_ordered_by_rank_and_those_without_one_left_out():
    assert thread_matrix(rois(line(), line(2)), TINY) == {0: (10, 6), 1: (8, 16)}


def test_a_line_that_is_still_being_written_is_left_for_later():
    whole = json.dumps(line()) + "\n"
    assert len(parse_rois(whole + whole[:20])) == 1


@pytest.mark.parametrize("text", ["{}\n", "nonsense\n", '{"schema": "other/1"}\n'])
def test_a_foreign_line_is_one_line_of_error(text: str):
    with pytest.raises(LabError, match="plugin's counts cannot be read"):
        parse_rois(text)


def test_stats_show_the_matrix_the_share_and_the_totals():
    text = stats_text(rois(line()), TINY, everything=False)
    assert [row.split() for row in text.splitlines()[1:4]] == [
        ["node", "0", "1"],
        ["0", "5", "3"],
        ["1", "4", "8"],
    ]
    assert "220 references, 20 misses, 65.0% local" in text
    assert "cannot tell processes apart" not in text


def test_stats_say_what_an_old_qemu_cannot_tell_apart():
    assert "cannot tell processes apart" in stats_text(
        rois(line(registers=False)), TINY, everything=False
    )


def test_stats_say_when_nothing_was_counted():
    text = stats_text([], TINY, everything=False)
    assert "homenode/roi.h" in text and text.endswith("or count everything with --roi all")


def test_stats_of_everything_say_how_to_leave_the_initialisation_out():
    whole = stats_text(rois(line()), TINY, everything=True)
    part = stats_text(rois(line()), TINY, everything=False)
    *same, last = whole.splitlines()
    assert same == part.splitlines()
    assert "leave the initialisation out" in last and "homenode/roi.h" in last


def test_stats_of_a_whole_run_say_so_where_the_program_has_no_region():
    whole = stats_text(rois(line() | {"provisional": True}), TINY, everything=False)
    assert whole.endswith("mark what is of interest with homenode/roi.h (in Python homenode.roi())")


def test_json_of_a_run_holds_the_matrices_and_the_raw_lines():
    value = run_json(["x"], Result(exit_code=4, guest_ms=9), rois(line()), TINY, {"q": "1"}, 2.5)
    assert json.loads(json.dumps(value)) == value | {"threads": {"0": [5, 3], "1": [4, 8]}}
    assert value["matrices"]["user"]["local_share"] == pytest.approx(0.65)
    assert (value["exit_code"], value["provenance"]) == (4, "modelled")
    assert value["rois"] == [line()]


def test_numbers_are_written_as_ranges():
    assert cpu_list([0, 1, 2, 3, 8]) == "0-3,8"
    assert cpu_list([5]) == "5"
    assert cpu_list([]) == "none"
