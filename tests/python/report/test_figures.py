"""The page of a workload that measures figures: by placement, threads and machine."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from synthetic import QUAD, FakeRunner, counts_line

from homenode.report import cli, figures
from homenode.study.errors import StudyError
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore, description_file, is_complete, read
from homenode.study.runner import Outcome
from homenode.study.session import run_study
from homenode.study.share import Summary
from homenode.study.spec import parse

STUDY = {
    "schema": "homenode.study/1",
    "name": "rates",
    "title": "Rates <by> strategy",
    "workload": "stream",
    "machines": ["quad-4x2"],
    "repetitions": 2,
    "fixed": {"size": "6M"},
    "factors": {
        "team-shape": ["nested", "twisted"],
        "strategy": ["none", "round-robin"],
        "threads": [2, 4],
    },
}
AT_HOME = [[9 if row == column else 0 for column in range(4)] for row in range(4)]
NOTHING = [[0] * 4 for _ in range(4)]


class Streams(FakeRunner):
    """Rates that follow from the options: twice as fast in turn over the nodes, by threads."""

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        words = list(command)
        rate = int(words[words.index("--threads") + 1]) * (2.0 if "round-robin" in words else 1.0)
        if "twisted" in words and "round-robin" in words:
            return Outcome(1, "", "computed a wrong result", None)
        runs = [{"seconds": 1 / rate, "rate": rate, "operations": 1e6}]
        bench = {"schema": "homenode.bench.stream/2", "runs": runs}
        return Outcome(0, json.dumps(bench), "", [counts_line(QUAD, AT_HOME, NOTHING)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _study(tmp_path)
    return tmp_path


def _study(folder: Path) -> Summary:
    with RecordStore(folder) as store, PlainProgress(io.StringIO()) as progress:
        return run_study(parse(STUDY), lambda name: Streams(QUAD), store, progress)


def test_what_is_complete_is_kept_and_what_failed_runs_again(folder: Path) -> None:
    again = _study(folder)
    assert (again.runs, again.already_done, again.ran) == (16, 12, 4)
    done = [record for record in read(folder) if is_complete(record)]
    assert {record["schema"] for record in done} == {"homenode.record/3"}
    assert all(record["matrix"]["provenance"] == "exact" for record in done)


def test_placements_are_compared_with_the_systems_own(folder: Path) -> None:
    (view,) = figures.build(read(folder), parse(STUDY).parts[0].description)
    rate = view.panels[0]
    assert (rate.metric.name, rate.provenance) == ("rate", "emulated")
    nested, twisted = rate.groups
    assert (nested.label, twisted.label) == ("team-shape nested", "team-shape twisted")
    assert [(b.placement, b.threads, b.value, b.relative) for b in nested.bars] == [
        ("none", "2", 2.0, 1.0),
        ("none", "4", 4.0, 1.0),
        ("round-robin", "2", 4.0, 2.0),
        ("round-robin", "4", 8.0, 2.0),
    ]
    assert all(bar.local_share == 1.0 and len(bar.values) == 2 for bar in nested.bars)
    assert len(twisted.bars) == 2 and len(view.failures) == 4


def test_the_page_has_a_chart_and_a_table_and_needs_no_other_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert cli.main([str(folder), "-o", str(page)]) == 0
    assert "6 cases on quad-4x2" in capsys.readouterr().out
    text = page.read_text()
    assert text.count('<svg class="times"') == 4  # Two metrics of two team shapes.
    assert text.count('<svg class="lines"') == 4 and 'aria-label="claims and verdicts"' not in text
    assert "Rates &lt;by&gt; strategy" in text and "computed a wrong result" in text
    assert "says nothing about the machine" in text and "round-robin · 4 threads" in text
    assert "http" not in text.replace("http-equiv", "")


def test_the_values_of_the_page_as_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([str(folder), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["schema"] == "homenode.report.figures/1"
    (machine,) = value["machines"]
    assert machine["workload"] == "stream" and len(machine["figures"]) == 2 * 6
    assert (machine["figures"][0]["median"], machine["figures"][0]["threads"]) == (2.0, 2)


def test_records_without_a_description_ask_the_command(folder: Path) -> None:
    description_file(folder, "stream").unlink()
    assert cli.main([str(folder), "-o", str(folder / "page.html")]) == 0


def test_nothing_complete_is_said(folder: Path) -> None:
    failed = [record for record in read(folder) if not is_complete(record)]
    with pytest.raises(StudyError, match="no complete case"):
        figures.build(failed, parse(STUDY).parts[0].description)


def test_several_workloads_take_several_pages(
    folder: Path, make_records: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(make_records)
    both = [str(folder), str(make_records("demo")), "--json"]
    assert cli.main(both) == 2
    said = capsys.readouterr().err
    assert "--workload map -o map.html" in said
    assert "with --workload stream" in said
    for name, schema in (("map", "homenode.report/1"), ("stream", "homenode.report.figures/1")):
        assert cli.main([*both, "--workload", name]) == 0
        assert json.loads(capsys.readouterr().out)["schema"] == schema
    assert cli.main([*both, "--workload", "npb"]) == 2
    assert "there are: stream, map" in capsys.readouterr().err


def test_the_page_says_where_its_study_puts_records(folder: Path) -> None:
    output = folder / "page.html"
    assert cli.main([str(folder), "-o", str(output)]) == 0
    assert f"--fresh --out {folder}" in output.read_text()
