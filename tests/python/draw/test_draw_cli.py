"""`homenode draw` as a command, and as the companion that the built command draws with."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drawn_machine import GOLDEN, machine

from homenode.draw import cli, topology


@pytest.fixture
def described(tmp_path: Path) -> Path:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(machine()))
    return path


def test_a_picture_goes_to_a_file(described: Path, tmp_path: Path) -> None:
    out = tmp_path / "machine.svg"
    assert cli.main(["topology", str(described), "-o", str(out)]) == 0
    assert out.read_text() == topology.draw(machine())


def test_a_picture_goes_from_one_stream_to_the_other(
    described: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    with described.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert cli.main(["topology"]) == 0
    assert capfdbinary.readouterr().out.decode() == topology.draw(machine())


def test_the_end_of_the_name_says_the_form(tmp_path: Path) -> None:
    out = tmp_path / "waves.png"
    assert cli.main(["snapshot", str(GOLDEN / "draw/snapshot.json"), "-o", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_machine_is_no_png(described: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["topology", str(described), "--format", "png"]) == 2
    assert "topology cannot be drawn as png" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema":"homenode.measure/2"}', '{"schema":"homenode.machine/2"}', "\xff"]
    + [json.dumps(machine(nodes=odd)) for odd in (None, 3, [{}], [{"id": 0, "cpus": "x"}])],
)
def test_odd_json_is_one_line_and_no_file(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "odd.json", tmp_path / "out.svg"
    path.write_text(text, encoding="latin-1")
    assert cli.main(["topology", str(path), "-o", str(out)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("homenode draw: ") and said.count("\n") == 1 and "; " in said
    assert not out.exists()


def test_an_older_version_is_named_with_the_one_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps(machine(schema="homenode.machine/1")))
    assert cli.main(["topology", str(path)]) == 1
    assert capsys.readouterr().err == (
        f"homenode draw: {path} is homenode.machine/1, but this homenode draws version 2; "
        "print it again with --json of this homenode\n"
    )


def test_a_full_disk_or_a_missing_folder_is_said(
    described: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["topology", str(described), "-o", "/dev/full"]) == 1
    assert "No space left on device; free some space" in capsys.readouterr().err
    assert cli.main(["topology", str(described), "-o", str(tmp_path / "none/x.svg")]) == 1
    assert "cannot write" in capsys.readouterr().err


def homenode(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = shutil.which("homenode")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return subprocess.run([command, *words], capture_output=True, text=True, check=False, **options)


def test_the_built_command_draws_a_wave_field_and_its_traces(tmp_path: Path) -> None:
    words = ["bench", "seismic", "--size", "30", "--steps", "40", "--runs", "1", "--threads", "1"]
    files = ["--snapshot", "waves.svg", "--seismogram", "felt.svg"]
    done = homenode(*words, *files, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "data:image/png;base64," in (tmp_path / "waves.svg").read_text()
    assert "Seismograms" in (tmp_path / "felt.svg").read_text()
    done = homenode(*words, "--snapshot", "waves.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "waves.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_companion_the_built_command_says_how_to_get_it(tmp_path: Path) -> None:
    command = shutil.which("homenode-native")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    alone = tmp_path / "homenode-native"
    shutil.copy(command, alone)
    done = subprocess.run(
        [alone, "topology", "--svg=x.svg"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "homenode-draw is neither beside this command nor on PATH; install" in done.stderr
    assert done.stderr.count("\n") == 1 and not (tmp_path / "x.svg").exists()
