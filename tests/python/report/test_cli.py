"""`homenode report` as a command: the page, the JSON, and one-line errors."""

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from synthetic import HP, MakeRecords, Outcome, outcome

from homenode.report import cli

VOID = {"meta", "link", "br", "line", "rect", "i"}


class Page(HTMLParser):
    """Checks that tags nest, and collects text, attributes that load things, and ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.labels: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "link", "br"}:
            self.open.append(tag)
        for name, value in attrs:
            if name in {"src", "href", "srcset", "data", "action"}:
                self.loads.append(f"{tag} {name}={value}")
            if name == "id" and value:
                self.ids.append(value)
            if name == "aria-labelledby" and value:
                self.labels.append(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.text.append(data)


@pytest.fixture(scope="module")
def page(make_records: MakeRecords, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("page") / "new" / "report.html"
    assert cli.main([str(make_records("luo2012")), "-o", str(out)]) == 0
    assert out.stat().st_mode & 0o444 == 0o444 & ~umask()
    return out.read_text(encoding="utf-8")


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_page_is_well_formed_and_loads_nothing(page: str) -> None:
    parsed = Page(page)
    assert parsed.open == []
    assert parsed.loads == ["link href=data:,"]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|https?://", page)
    assert len(parsed.ids) == len(set(parsed.ids)) and set(parsed.labels) <= set(parsed.ids)


def test_the_pages_numbers_are_those_of_the_records(page: str) -> None:
    text = " ".join(" ".join(Page(page).text).split()).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "node 0 served 100 % of its reads and 12.5 % of them stayed" in text
    assert "With the method “API”, 100 % did." in text
    assert "Its measured part took 3.24 ms before and 400 µs after, modelled by the lab." in text
    assert "How long each method takes, modelled by the lab" in text
    assert "12 of the 12 cells that can be compared agree with the paper." in text
    assert "40 complete" in text and "the 20 pairs is 0.00 percentage points" in text
    assert text.count("3 200 000") == 36  # Accesses of each case; 4 of partial are rounded off.
    assert "paper: blank; the prose says “not perfectly” agrees with the prose" in text
    measured = "12.5 % on the hottest node, 12.5 % local where 100 % is possible."
    assert f"reads: {measured} Measured here, writes: {measured}" in text
    assert "Modelled times. No clock was read." in text and "No times." not in text
    assert "modelled private cache of 512 KiB (16 ways)" in text
    assert "homenode study" in text and "--machine hp-8x4 --fresh" in text


def test_every_case_has_a_row_and_a_command(page: str) -> None:
    assert page.count('<button type="button" class="m"') == 40
    assert (
        len(re.findall(r"seed 1 <code>homenode bench map .* --machine hp-8x4</code>", page)) == 40
    )


def test_failures_and_missing_cases_are_shown(make_records: MakeRecords, tmp_path: Path) -> None:
    refused = Outcome(1, "", "homenode bench: no <memory>\n", [])
    folder = make_records("demo", {"--op write --method api": refused})
    out = tmp_path / "r.html"
    assert cli.main([str(folder), "-o", str(out)]) == 0
    text = out.read_text()
    assert "exit code 1: homenode bench: no &lt;memory&gt;" in text
    assert text.count('<span class="absent">no record</span>') == 4
    assert "28 complete, 4 failed" in text
    Page(text)


def test_a_difference_to_the_paper_is_explained_with_matrices(
    make_records: MakeRecords, tmp_path: Path
) -> None:
    crowded = outcome(HP, ["--pattern", "divided", "--method", "default", "--op", "read"])
    key = "--pattern divided --order sequential --size 64M --op read --method api"
    out = tmp_path / "r.html"
    assert cli.main([str(make_records("luo2012", {key: crowded})), "-o", str(out)]) == 0
    text = out.read_text()
    block = text[text.index('<div class="difference">') :]
    block = block[: block.index("</div>\n<ul")]
    assert "divided × API: measured not healed, the paper ✓" in block
    assert block.count("<svg") == 3  # Reads, writes, and the perfect matrix.
    assert "stay short of what the pattern allows" in block
    assert "<b>11</b> of the 12 cells" in text


def test_json_holds_the_same_judgements(
    make_records: MakeRecords, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([str(make_records("demo")), "--json"]) == 0
    (machine,) = json.loads(capsys.readouterr().out)["machines"]
    assert machine["machine"] == "quad-4x2" and len(machine["cases"]) == 32
    assert machine["abilities"]["divided"]["command-line"] == {
        "verdict": "flattened",
        "paper": "agrees with the prose",
    }
    assert machine["time_order"][0] == {
        "pattern": "shared",
        "operation": "reads",
        "provenance": "modelled",
        "order": "command line ≈ API ≈ rewrite < default",
        "shapes": "follows",
    }
    first = machine["cases"][0]
    assert first["time"] == {
        "provenance": "modelled",
        "runs": 1,
        "median_s": pytest.approx(0.82e-3),
        "low_s": pytest.approx(0.82e-3),
        "high_s": pytest.approx(0.82e-3),
        "relative_to_default": 1.0,
        "local_read_share": 0.25,
        "busiest_controller": {"node": 0, "utilisation": pytest.approx(800 / 820)},
    }
    assert (first["accesses"], first["local_share"], first["hottest_share"]) == (800_000, 0.25, 1.0)
    assert first["provenance"] == "exact" and first["verdict"] == "not healed"


def test_two_studies_have_both_titles_and_no_heading_twice(
    make_records: MakeRecords, tmp_path: Path
) -> None:
    folders = []
    for name in ("demo", "luo2012"):
        text = (make_records(name) / "records.jsonl").read_text()
        folders.append(tmp_path / f"{name}.jsonl")
        folders[-1].write_text(
            re.sub('"study_file": ?"[^"]*"', f'"study_file": "my/{name}.toml"', text)
        )
    out = tmp_path / "r.html"
    assert cli.main([*map(str, folders), "-o", str(out)]) == 0
    text = out.read_text()
    (title,) = re.findall("<h1>(.*)</h1>", text)
    assert title.startswith("Four ways of placing memory on a 4-node machine · ")
    assert "study <b>demo · luo2012</b>" in text
    headings = re.findall("<h2[^>]*>(.*?)</h2>", text)
    assert sorted(set(headings)) == sorted(headings)
    assert "All data: quad-4x2" in headings and "All data: hp-8x4" in headings
    assert "homenode study my/demo.toml --machine quad-4x2 --fresh" in text
    assert "homenode study my/luo2012.toml --machine hp-8x4 --fresh" in text


def test_a_study_without_records_is_named(
    make_records: MakeRecords, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "records.jsonl").touch()
    out = tmp_path / "r.html"
    for words in ([str(tmp_path)], [str(make_records("demo")), str(tmp_path)]):
        assert cli.main([*words, "-o", str(out)]) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"homenode report: {tmp_path} has no record; run its study")
        assert not out.exists()


def test_errors_are_one_line_and_leave_the_old_page(
    make_records: MakeRecords, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([str(tmp_path / "none")]) == 1
    assert re.fullmatch(
        r"homenode report: cannot read the records .*: No such file or directory; name .*\n",
        capsys.readouterr().err,
    )
    (tmp_path / "dir").mkdir()
    assert cli.main([str(make_records("demo")), "-o", str(tmp_path / "dir")]) == 1
    assert re.fullmatch(r"homenode report: cannot write .*\n", capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == [tmp_path / "dir"]  # No temporary file is left.
    with pytest.raises(SystemExit) as raised:
        cli.main([])
    assert raised.value.code == 2


def test_records_without_time_are_shown_and_said_to_have_none(tmp_path: Path) -> None:
    old = Path(__file__).with_name("data") / "records-v1.jsonl"
    out = tmp_path / "r.html"
    assert cli.main([str(old), "-o", str(out)]) == 0
    text = out.read_text()
    assert "<strong>No times.</strong> These records contain no time" in text
    assert "How long each method takes" not in text and "Its measured part took" not in text
    Page(text)


def test_what_a_host_measured_is_never_called_modelled(
    make_records: MakeRecords, tmp_path: Path
) -> None:
    file = tmp_path / "records.jsonl"
    lines = []
    for line in (make_records("demo") / "records.jsonl").read_text().splitlines():
        record = json.loads(line)
        record["machine"]["kind"] = "host"
        record["time"] = {"measured_s": 0.5}
        lines.append(json.dumps(record))
    file.write_text("\n".join(lines) + "\n")
    out = tmp_path / "r.html"
    assert cli.main([str(file), "-o", str(out)]) == 0
    text = " ".join(Page(out.read_text()).text)
    assert "How long each method takes, measured on this host" in text
    assert "Measured times." in text and "Modelled times." not in text
    assert "modelled by the lab" not in text and "busiest controller" not in text
