"""homenode lab list, show and new, as a person calls them."""

import io
import json
import sys
from pathlib import Path

import pytest

from homenode.lab.cli import main

CAPTURED = Path(__file__).resolve().parents[2] / "machines"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("HOMENODE_MACHINES", raising=False)
    return tmp_path / "data"


def test_list_has_a_line_for_each_machine(capsys: pytest.CaptureFixture[str]):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "machine"
    assert any(
        " ".join(line.split()).startswith("cxl-3x4 2 × 4 + 1 1.96 to 3.65 3 nodes")
        for line in lines
    )


def test_list_says_which_file_is_no_machine_and_lists_the_others(
    data: Path, capsys: pytest.CaptureFixture[str]
):
    folder = data / "homenode" / "machines"
    folder.mkdir(parents=True)
    (folder / "broken.xml").write_text("<topology")
    assert main(["list", "--json"]) == 0
    output = capsys.readouterr()
    assert "tiny-2x2" in [machine["name"] for machine in json.loads(output.out)["machines"]]
    assert output.err.startswith("homenode lab: cannot use the machine file broken")
    assert output.err.count("\n") == 1


def test_show_says_all_that_the_lab_goes_by(capsys: pytest.CaptureFixture[str]):
    assert main(["show", "cxl-3x4"]) == 0
    text = capsys.readouterr().out
    for said in (
        "3 nodes, 8 CPUs, 256 GiB; NUMA factor 1.96 to 3.65",
        "   2  128 GiB  none",
        "L2  2 MiB, 16-way, per CPU",
        "L3  7.5 MiB, 15-way, for 4 CPUs",
        "BaseCPI  0.5 cycles per instruction (assumed)",
        "latency in ns (declared; row: the node that asks, column: where the memory is)\n"
        "node    0    1    2\n",
        "   1  188   96  350\n",
        "closes: ",
        "assumed, because the file does not say: BaseCPI 0.5",
        "arXiv 2405.14209",
    ):
        assert said in text
    assert max(map(len, text.splitlines())) <= 120


def test_show_says_what_does_not_close(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = (CAPTURED.parents[1] / "machines/cxl-3x4.xml").read_text()
    few = source.replace(
        '"homenode:PrefetchedLines" value="56"', '"homenode:PrefetchedLines" value="8"'
    )
    path = tmp_path / "few.xml"
    path.write_text(few)
    assert main(["show", str(path)]) == 0
    text = capsys.readouterr().out
    assert "does not close, so that a measurement in the lab finds less:" in text
    assert "the cores of node 0 can request 10389 MiB/s from node 1, but 53730 are declared" in text
    assert main(["show", str(path), "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert described["closes"] is False and len(described["gaps"]) == 6


def test_show_as_json_has_the_matrices_and_the_sources(capsys: pytest.CaptureFixture[str]):
    assert main(["show", "cxl-3x4", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert described["matrices"][0] == {
        "kind": "latency",
        "unit": "ns",
        "provenance": "declared",
        "from": [0, 1],
        "to": [0, 1, 2],
        "values": [[96, 188, 250], [188, 96, 350]],
    }
    assert described["closes"] is True
    assert set(described["sources"]) >= {"", "Core", "Latency", "Bandwidth"}
    assert described["figures"]["PrefetchedLines"] == 56


def test_new_puts_a_machine_into_the_users_catalogue(
    data: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["new", str(CAPTURED / "duo-2x4.xml"), "--name", "mine"]) == 0
    output = capsys.readouterr()
    path = data / "homenode/machines/mine.xml"
    assert output.out == ""
    assert f"wrote {path}; use it with 'homenode lab run --machine mine -- CMD'" in output.err
    assert main(["show", "mine"]) == 0
    assert "2 nodes, 8 CPUs, 32 GiB" in capsys.readouterr().out

    before = path.read_text()
    assert main(["new", str(CAPTURED / "quad-4x2.xml"), "--name", "mine"]) == 2
    assert "a machine is already called mine" in capsys.readouterr().err
    assert path.read_text() == before


def test_new_takes_no_name_of_the_shipped_machines(capsys: pytest.CaptureFixture[str]):
    assert main(["new", str(CAPTURED / "quad-4x2.xml")]) == 2
    assert "give this one another name with --name" in capsys.readouterr().err


def test_new_reads_the_standard_input_and_writes_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    raw = (CAPTURED / "cxl-3.xml").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    path = tmp_path / "here.xml"
    assert main(["new", "-", "--name", "cxl", "--output", str(path)]) == 0
    assert main(["show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "cxl"
    assert main(["new", str(path), "--output", "-"]) == 0
    assert capsys.readouterr().out == path.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["new", "/nonexistent.xml"], 1, "No such file"),
        (["new", str(CAPTURED / "broken/not-xml.xml")], 2, "not-xml"),
        (["new", str(CAPTURED / "duo-2x4.xml"), "--output", "/nonexistent/a.xml"], 1, "--output"),
        (["new", str(CAPTURED / "duo-2x4.xml"), "--name", "a/b"], 2, "--name"),
    ],
)
def test_new_says_in_one_line_what_it_cannot_do(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
):
    assert main(arguments) == code
    error = capsys.readouterr().err.splitlines()
    assert said in error[-1] and error[-1].startswith("homenode lab: ")
