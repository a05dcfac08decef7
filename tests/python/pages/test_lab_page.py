"""The page of a run in the lab: what it says, and that nothing stands in anyone's way."""

import json
import subprocess
from pathlib import Path

import pytest
from browsing import faults, words
from lab_start import lab_or_skip

from homenode.pages import html, lab


@pytest.mark.lab
@pytest.mark.browser
def test_a_run_in_the_lab_has_a_page(tmp_path: Path, command: str) -> None:
    lab_or_skip("tiny-2x2")
    out, drawn, facts = (tmp_path / name for name in ("page.html", "time.svg", "run.json"))
    bench = [command, "bench", "stream", "--size", "1m", "--passes", "1", "--threads", "2"]
    options = ["--report", str(out), "--timeline", str(drawn), "--json", str(facts)]
    line = [command, "lab", "run", "--machine", "tiny-2x2", *options, "--", *bench]
    subprocess.run(line, check=True, capture_output=True)
    run = json.loads(facts.read_text())
    words_of_page = words(out.read_text())
    assert "of the misses are local" in words_of_page
    misses = f"{run['matrices']['user']['misses']:,}".replace(",", " ")
    assert f"of these, misses {misses}" in words_of_page
    assert "What each thread did when" in words_of_page
    assert "modelled, not measured" in words_of_page
    assert out.read_text() == html.render(lab.page(run, drawn.read_text()))
    assert faults(out) == []


@pytest.mark.lab
def test_a_run_without_a_region_says_how_to_mark_one(tmp_path: Path, command: str) -> None:
    lab_or_skip("tiny-2x2")
    out = tmp_path / "page.html"
    line = [command, "lab", "run", "--machine", "tiny-2x2", "--report", str(out)]
    subprocess.run([*line, "--", "true"], check=True, capture_output=True)
    assert "regions of interest none: all is counted" in words(out.read_text())
    subprocess.run([*line, "--roi", "markers", "--", "true"], check=True, capture_output=True)
    assert "the program has no region of interest. Mark one with" in words(out.read_text())


def test_a_page_that_cannot_be_written_is_refused_before_the_boot(
    tmp_path: Path, command: str
) -> None:
    line = [
        command,
        "lab",
        "run",
        "--machine",
        "tiny-2x2",
        "--report",
        str(tmp_path / "no/x"),
        "--",
    ]
    done = subprocess.run([*line, "true"], capture_output=True, text=True, check=False)
    assert done.returncode == 125 and "does not exist" in done.stderr
