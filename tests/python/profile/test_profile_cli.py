"""`homenode profile` as a person calls it: what it prints, writes, passes on and refuses."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from json_documents import breaches, errors
from recordings import documents, samples, solver

from homenode.profile import cli, diff
from homenode.profile.load_file import read
from homenode.profile.record import Source
from homenode.profile.recording import write_recording

GOLDEN = Path(__file__).with_name("data") / "summary.txt"
# Stands for `homenode sample`: copies a recording to where it is asked to write one.
SAMPLER = """#!{python}
import shutil, signal, sys, time
words = sys.argv[1:]
assert words[0] == "sample", words
open({said!r}, "w").write("\\n".join(words))
output = words[words.index("--output") + 1]
if words[-1] == "refused":
    print("homenode sample: not here; do something else", file=sys.stderr)
    sys.exit(3)
stopped = []
signal.signal(signal.SIGINT, lambda number, frame: stopped.append(number))
shutil.copy({samples!r}, output)
if words[-1] == "77":
    open({said!r} + ".ready", "w").close()
    while not stopped:
        time.sleep(0.01)
    sys.exit(0)
sys.exit(5 if words[-1] == "fails" else 0)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return solver(tmp_path / "solver.hns")


@pytest.fixture
def sampler(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the verb finds its command in; gives the file of what it was asked."""
    said = tmp_path / "said"
    command = tmp_path / "bin" / "homenode"
    command.parent.mkdir()
    text = SAMPLER.format(python=sys.executable, said=str(said), samples=str(file))
    command.write_text(text)
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("HOMENODE_LIBEXEC", str(command.parent))
    return said


def test_the_summary_is_as_it_was(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert cli.main(["show", str(file)]) == 0
    said = capsys.readouterr().out
    if os.environ.get("HOMENODE_UPDATE_GOLDEN"):
        GOLDEN.write_text(said)
    assert said == GOLDEN.read_text()
    assert len(said.splitlines()) <= 45


@pytest.mark.parametrize("source", [Source.PKEYS, Source.LAB], ids=["sampled", "exact"])
def test_the_json_is_what_its_schema_describes(
    source: Source, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = solver(tmp_path / "one", 2000, source)
    assert cli.main(["show", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert errors(found, "homenode.profile") == []
    assert list(breaches(found)) == []
    assert found["source"]["provenance"] == ("exact" if source == Source.LAB else "sampled")


def test_an_empty_profile_keeps_the_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = documents(machine=None)[0]
    write_recording(tmp_path / "one", samples(0), [begin])
    assert cli.main(["show", str(tmp_path / "one"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert errors(found, "homenode.profile") == []
    assert cli.main(["show", str(tmp_path / "one")]) == 0
    assert "local share not known" in capsys.readouterr().out


def healed(path: Path) -> Path:
    """The recording after u was placed where its threads are."""
    made = samples(seed=2)
    u = made["address"] < 0x20000000
    made["memory_node"][u] = made["cpu_node"][u]
    write_recording(path, made, documents())
    return path


def test_a_comparison_says_what_became_better(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = healed(tmp_path / "after.hns")
    assert cli.main(["diff", str(file), str(after), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert errors(found, "homenode.profile.diff") == []
    assert list(breaches(found)) == []
    assert found["change"] == "better"
    changes = {one["name"]: one["change"] for one in found["objects"]}
    assert changes.pop("/dev/shm/u") == "better"
    assert set(changes.values()) == {"same"}
    assert cli.main(["diff", str(after), str(file)]) == 0
    assert "worse" in capsys.readouterr().out


def test_the_same_program_again_is_no_change(file: Path, tmp_path: Path) -> None:
    write_recording(tmp_path / "again", samples(seed=9), documents())
    found = diff.compare(read(file)[1], read(tmp_path / "again")[1])
    assert {found.change, *(pair.change for pair in found.objects)} == {diff.Change.SAME}


@pytest.mark.parametrize("form", ["pprof", "callgrind", "csv", "parquet"])
def test_an_export_is_written_beside_the_samples(
    form: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(file.parent.iterdir())
    assert cli.main(["export", str(file), "--as", form]) == 0
    (made,) = set(file.parent.iterdir()) - before
    assert made.name.startswith("solver.hns.") and made.stat().st_size > 0
    assert str(made) in capsys.readouterr().out


def test_a_process_is_sampled_with_what_was_asked_for(
    sampler: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, page = tmp_path / "kept", tmp_path / "page.html"
    words = ["--with", "pkeys", "--duration", "3", "--overhead", "2%", "--samples", str(kept)]
    assert cli.main([*words, "--output", str(page), "1234"]) == 0
    asked = sampler.read_text().split("\n")
    assert asked == ["sample", "--with", "pkeys", "--output", str(kept), "--duration", "3",
                     "--overhead", "2%", "1234"]  # fmt: skip
    said = capsys.readouterr().out
    assert "1. /dev/shm/u" in said and said.endswith(f"page: {page}\n")
    assert page.read_text().startswith("<!doctype html>")
    assert kept.is_file()


@pytest.mark.parametrize(("program", "code"), [("works", 0), ("fails", 5)])
def test_the_exit_code_is_that_of_the_program(
    program: str, code: int, sampler: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--", "./solver", "--json", program]) == code
    assert sampler.read_text().split("\n")[-4:] == ["--", "./solver", "--json", program]
    assert "1. /dev/shm/u" in capsys.readouterr().out


def test_a_refusal_of_the_sampler_is_passed_on(
    sampler: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old = solver(tmp_path / "old", 100)
    assert cli.main(["--samples", str(old), "--", "refused"]) == 3
    said = capfd.readouterr()
    assert said.out == "" and said.err == "homenode sample: not here; do something else\n"


def test_ctrl_c_shows_what_was_seen(sampler: Path) -> None:
    command = [sys.executable, "-m", "homenode.command", "profile", "77"]
    root = Path(__file__).resolve().parents[3] / "python"
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(root)}
    ) as verb:
        ready = sampler.with_name("said.ready")
        while not ready.exists():
            assert verb.poll() is None
            time.sleep(0.01)
        verb.send_signal(signal.SIGINT)
        said, _ = verb.communicate(timeout=60)
    assert verb.returncode == 0
    assert "1. /dev/shm/u" in said


@pytest.mark.parametrize(
    "words",
    [[], ["./solver"], ["12", "--", "x"], ["--machine", "quad-4x2", "12"], ["show"],
     ["--duration", "0", "12"], ["show", "f", "--", "x"], ["export", "f", "--as", "gold"]],
    ids=" ".join,
)  # fmt: skip
def test_bad_usage_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == (125 if "--" in words else 2)
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and said.err.startswith("homenode profile")
