"""Python over the C interface."""

from pathlib import Path

import pytest

import homenode
from homenode import capi

MACHINES = Path(__file__).resolve().parents[3] / "machines"


def test_the_library_says_its_version() -> None:
    assert capi.version().count(".") == 2


def test_a_machine_file_is_described() -> None:
    machine = capi.machine(MACHINES / "hp-8x4.xml")
    assert [node["id"] for node in machine["nodes"]] == list(range(8))
    assert {v for row in machine["distances"]["values"] for v in row} == {10, 16, 22}


def test_errors_are_one_line() -> None:
    with pytest.raises(capi.HomenodeError, match=r"^[^\n]+$"):
        capi.machine("/no/such/file.xml")


def test_a_region_of_interest_ends_however_its_body_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []
    monkeypatch.setattr(capi.library(), "hn_roi_begin_here", lambda: ends.append("begin"))
    monkeypatch.setattr(capi.library(), "hn_roi_end_here", lambda: ends.append("end"))

    @homenode.roi()
    def fails() -> None:
        ends.append("body")
        raise ValueError

    with pytest.raises(ValueError):
        fails()
    homenode.roi.begin()
    homenode.roi.end()
    assert ends == ["begin", "body", "end", "begin", "end"]


def test_a_region_of_interest_counts_one_process_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    for name in ("begin_here", "begin_all_here", "end_here"):
        monkeypatch.setattr(capi.library(), f"hn_roi_{name}", lambda name=name: called.append(name))
    with homenode.roi(all_processes=True):
        pass
    homenode.roi.begin(all_processes=True)
    with homenode.roi():
        pass
    expected = ["begin_all_here", "end_here", "begin_all_here", "begin_here", "end_here"]
    assert called == expected
