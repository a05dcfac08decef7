"""A paper's page, Markdown and CSV come from records: what these say is what is written."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from json_documents import errors
from synthetic import QUAD, FakeRunner, MakeRecords, add_time, counts_line, options_of

from homenode.report import cli
from homenode.report.figures import Bar
from homenode.report.lines_svg import can_draw, draw
from homenode.study.machine import Machine
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore
from homenode.study.runner import Outcome
from homenode.study.session import run_study
from homenode.study.spec import find, load

AFFINITY = "ribeiro2010-affinity"
NOTHING = [[0] * 4 for _ in range(4)]
# Lines by strategy: with a time of 1 ns each, round-robin takes half as long as first-touch.
LINES = {"first-touch": 4000, "parallel-init": 3000, "round-robin": 2000, "memory-bind": 2500}


class Modelled(FakeRunner):
    """Each strategy takes its own time, divided by the threads."""

    def __init__(self, machine: Machine, more: int = 1) -> None:
        super().__init__(machine)
        self.more = more

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        self.ran.append(list(command))
        options = options_of(command)
        name = "seismic" if "seismic" in command else "npb"
        lines = LINES[options["strategy"]] * 1000 * self.more // int(options["threads"])
        lines += lines // 100 * (len(self.ran) > 24)  # In the second repetition.
        cells = [[lines if (r, c) == (0, 0) else 0 for c in range(4)] for r in range(4)]
        counts = counts_line(QUAD, cells, NOTHING)
        add_time(counts, QUAD, cells)
        runs = [{"seconds": 9.0, "rate": 1.0, "operations": 1e6}]
        bench = {"schema": f"homenode.bench.{name}/2", "runs": runs}
        return Outcome(0, json.dumps(bench), "", [counts])


def study(folder: Path, more: int = 1) -> Path:
    """The quick form of the first paper's study, on made-up machines of its names."""
    machines = {
        name: Machine(f"{name} 1:64", name, "lab", QUAD.nodes, QUAD.distances)
        for name in ("itanium2-4x4", "opteron-8x2")
    }
    with RecordStore(folder) as store, PlainProgress(io.StringIO()) as progress:
        run_study(
            replace(load(find(AFFINITY), quick=True), file=f"{AFFINITY} --quick"),
            lambda name: Modelled(machines[name], more),
            store,
            progress,
        )
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study(tmp_path_factory.mktemp("p0"))


def claims(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    assert cli.main([str(folder), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert errors(value, "homenode.report.figures") == []
    assert {machine["workload"] for machine in value["machines"]} == {"seismic", "npb"}
    (paper,) = value["papers"]
    return {claim["id"]: claim for claim in paper["claims"]}


def test_verdicts_follow_from_the_records(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = claims(folder, capsys)
    assert found["P0-8a"]["verdict"] == "agrees"  # Printed: 45 %; half the time is saved.
    assert found["P0-8a"]["saved_percent"]["mean"] == pytest.approx(50, abs=1)  # type: ignore[index]
    assert found["P0-4"]["verdict"] == "differs"  # Printed: 80 %.
    assert found["P0-14a"]["verdict"] == "agrees" and found["P0-11"]["verdict"] == "differs"
    assert found["P0-13"]["verdict"] == "differs"  # More threads are faster here.
    assert found["P0-17"]["verdict"] == "cannot be decided"


def test_the_page_has_the_claims_on_top_of_both_workloads(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert cli.main([str(folder), "-o", str(page)]) == 0
    text = page.read_text()
    assert text.index("claims and verdicts") < text.index("seismic on itanium2-4x4 1:64")
    assert "npb on opteron-8x2 1:64" in text and '<svg class="lines"' in text
    assert "contradict each other in either reading" in text
    assert "homenode study ribeiro2010-affinity" not in text.split("<main>")[0]
    again = (
        f"homenode study {AFFINITY} --quick --machine itanium2-4x4 --machine opteron-8x2 "
        f"--scale 64 --fresh --out {folder}\nhomenode report {folder} -o report.html"
    )
    assert text.count("--fresh") == 1 and again in text


def test_the_document_says_what_the_records_say(folder: Path, tmp_path: Path) -> None:
    document = tmp_path / "papers.md"
    assert cli.main([str(folder), "--markdown", str(document)]) == 0
    text = document.read_text()
    assert f"homenode report {folder} --markdown {document}" in text
    assert re.search(r"\| P0-8a \| T \| .* \| 45 % \| \+(49|50)\.\d %.* \| \*\*agrees\*\* \|", text)
    assert "| kernel mg, round-robin | 0.5025 (0.5 to 0.505) | 0.1256 (0.125 to 0.1263) |" in text
    other = study(tmp_path / "slower", more=2)
    assert cli.main([str(other), "--markdown", str(document)]) == 0
    assert "| kernel mg, round-robin | 1.005 (1 to 1.01) |" in document.read_text()


def test_both_forms_of_a_study_are_compared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    for file in folder.iterdir():
        text = file.read_text().replace('affinity-quick"', 'affinity"').replace("1:64", "1:16")
        (full / file.name).write_text(text)
    document = tmp_path / "papers.md"
    assert cli.main([str(full), str(folder), "--markdown", str(document)]) == 0
    text = document.read_text()
    assert len(re.findall("^## P0", text, re.MULTILINE)) == 1
    assert len(re.findall("^### Times", text, re.MULTILINE)) == 2
    assert re.search(r"\| P0-8a \|.*\| \*\*agrees\*\* \| agrees \|", text)
    forms = r"\(full form, machines 1:16; quick form, machines 1:64\)"
    same = re.search(rf"Of the (\d+) claims that both forms decide {forms}, (\d+) have", text)
    assert same and same[1] == same[2] != "0"
    assert cli.main([str(full), str(folder), "--claims"]) == 0
    assert same[0] in capsys.readouterr().out
    page = tmp_path / "page.html"
    assert cli.main([str(full), str(folder), "-o", str(page)]) == 0
    assert same[0] in page.read_text()


def test_the_data_as_csv(folder: Path, tmp_path: Path, make_records: MakeRecords) -> None:
    file = tmp_path / "data.csv"
    assert cli.main([str(folder), "--csv", str(file)]) == 0
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert len(rows) == 2 * 2 * 24  # Metrics, machines, cases.
    assert {row["provenance"] for row in rows} == {"modelled"}
    assert cli.main([str(make_records("demo")), "--csv", str(file)]) == 0
    cases = list(csv.DictReader(file.read_text().splitlines()))
    assert len(cases) == 32 and cases[0]["verdict"] == "not healed"


def own_claims(folder: Path) -> Path:
    """A table with a claim about the study demo, which its records contradict."""
    file = folder / "claims.toml"
    file.write_text(
        'schema = "homenode.claims/1"\npaper = "mine"\ntitle = "T"\nstudies = ["demo"]\n'
        'placement = "method"\n[[claim]]\nid = "mine-1"\nkind = "Q"\nrule = "shape"\n'
        'says = "A launcher is enough"\nmachine = "quad-4x2"\nshape = "diagonal"\n'
        'where = { pattern = "divided" }\nstrategy = "command-line"\n'
    )
    return file


def test_claims_for_a_terminal(
    folder: Path, tmp_path: Path, make_records: MakeRecords, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([str(folder), "--claims"]) == 0
    assert re.search(r"P0-8a +agrees +Itanium, MG", capsys.readouterr().out)
    assert cli.main([str(make_records("luo2012")), "--claims"]) == 0
    assert re.search(r"P1-6 +agrees +Divided, NUMA API: diagonal", capsys.readouterr().out)
    assert cli.main([str(make_records("demo")), "--claims"]) == 0
    assert "give a table of your own with --claims-from FILE" in capsys.readouterr().out
    demo = make_records("demo")
    assert cli.main([str(demo), "--claims", "--claims-from", str(own_claims(tmp_path))]) == 0
    assert re.search(r"mine-1 +differs +A launcher is enough", capsys.readouterr().out)


def test_a_table_of_ones_own_is_about_the_study(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = own_claims(tmp_path)
    assert cli.main([str(folder), "--claims", "--claims-from", str(table)]) == 2
    said = capsys.readouterr().err
    assert f"{table} is about demo, and the records are of ribeiro2010-affinity-quick" in said


def test_lines_span_their_repetitions() -> None:
    bars = [Bar("a", "2", (1.0, 3.0), None), Bar("a", "4", (1.0,), None)]
    text = draw(bars, "seconds", "s")
    assert text.count('class="spread"') == 1 and "a, 2 threads: 2 (1 to 3)" in text
    assert not can_draw(bars[:1]) and not can_draw([Bar("a", "", (1.0,), None), *bars])
