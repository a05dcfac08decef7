"""Benches that sample programs on this machine; where it has no protection keys, they say so."""

import json
from pathlib import Path

import profile_cost as cost
import profile_names as names
import pytest


def works(source: str) -> bool:
    """Whether a source works here."""
    try:
        return cost.usable([source]) == [source]
    except SystemExit:
        return False


def test_a_name_is_asked_for_on_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows"
    words = ["--host", "--only", "divided write default 3", "--seconds", "3", "--rows", str(rows)]
    if not works("pkeys"):
        with pytest.raises(SystemExit, match="no pkeys here"):
            names.main(words)
        return
    names.main(words)
    (row,) = [json.loads(line) for line in rows.read_text().splitlines()]
    assert row["expected"] == "divided" and row["passes"] >= 1
    assert "error" not in row or row["error"] == "no object was used"
    assert f"| {row['run']} |" in capsys.readouterr().out


def test_a_ratio_is_the_median_of_pairs() -> None:
    assert cost.ratio([1.1, 2.0, 3.3], [1.0, 2.0, 3.0]) == "1.100 (1.000 to 1.100)"


def test_a_run_is_compared_with_the_plain_one_beside_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program that takes a quarter longer when it is sampled."""
    asked: list[list[str]] = []

    def program(before: list[str]) -> cost.Cost:
        asked.append(before)
        if before:
            Path(before[before.index("--output") + 1]).touch()
        return cost.Cost(1.25, 3.0) if before else cost.Cost(1.0, 2.0)

    monkeypatch.setitem(cost.PROGRAMS, "redis", program)
    monkeypatch.setattr(cost, "samples_of", lambda _: 7)
    options = cost.parser().parse_args(["--runs", "2", "--only", "redis", "--overhead", "2%"])
    cost.compared("redis", options, ["pkeys"])
    assert [bool(words) for words in asked] == 2 * [False, False, True]
    assert asked[2][1:6] == ["sample", "--with", "pkeys", "--overhead", "2%"]
    said = capsys.readouterr().out
    assert "| redis | again | 1.00 s | 1.000 (1.000 to 1.000) | 1.000 (1.000 to 1.000) |  |" in said
    assert (
        "| redis | pkeys | 1.25 s | 1.250 (1.250 to 1.250) | 1.500 (1.500 to 1.500) | 7 |" in said
    )


def test_what_does_not_work_here_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = {
        "sources": [{"name": "pkeys", "refusal": None}, {"name": "soft-dirty", "refusal": "no"}]
    }

    class Said:
        stdout = json.dumps(listed).encode()

    monkeypatch.setattr(cost.subprocess, "run", lambda *_, **__: Said)
    monkeypatch.setattr(cost, "path_of", lambda name: name)
    assert cost.usable(["soft-dirty", "pkeys"]) == ["pkeys"]
    assert "soft-dirty is left out: no" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="no source works here"):
        cost.usable(["soft-dirty"])
