"""The tutorials do what they show, command by command, on the lab's machines."""

import os
import shutil
from pathlib import Path

import pytest
from console import Command, commands, missing, run
from lab_start import lab_or_skip

ROOT = Path(__file__).resolve().parents[3]
TUTORIALS = ROOT / "docs" / "tutorials"
# What a tutorial is about, and the tests do not install.
NEEDS = {
    "databases": ("redis-server", "redis-cli", "psql", "initdb"),
    "jvm": ("java", "javac"),
    "mpi": ("mpicc.openmpi",),
}
PATH = ":".join([os.environ["PATH"], *map(str, Path("/usr/lib/postgresql").glob("*/bin"))])
# Threads of a program that sleep make its modelled time differ from run to run.
TOLERANCE = 0.35


@pytest.mark.lab
@pytest.mark.long
@pytest.mark.parametrize("name", sorted(path.stem for path in TUTORIALS.glob("*.md")))
def test_a_tutorial_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    script = commands(TUTORIALS / f"{name}.md")
    if not script:
        pytest.skip("it runs nothing")
    if lacking := [one for one in NEEDS.get(name, ()) if shutil.which(one, path=PATH) is None]:
        pytest.skip(f"needs {', '.join(lacking)}")
    lab_or_skip("quad-4x2")
    for folder in ("examples", "include"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    printed = run(script, tmp_path, 600)
    lost = {
        command.line: missing(command.shown, text, TOLERANCE)
        for command, text in zip(script, printed, strict=True)
    }
    assert not any(lost.values()), {line: what for line, what in lost.items() if what}


def test_what_a_document_shows_is_compared_line_by_line(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(
        "Text.\n```console\n$ echo 'took 100 ms'; echo more; echo 'and 9,500 MB'\n"
        "took 120 ms\n…\nand 9,000 MB\n$ true\n```\n```\n$ no command\n```\n"
    )
    script = commands(document)
    assert [command.line for command in script][1:] == ["true"]
    printed = run(script, tmp_path, 10)
    assert missing(script[0].shown, printed[0], 0.25) == []
    assert missing(script[0].shown, printed[0], 0.1) == ["took 120 ms"]
    assert missing(["took 100 ms", "and 9,500 MB"], printed[0], 0.1) == ["and 9,500 MB"]
    assert missing(["took 100 s"], printed[0], 0.1) == ["took 100 s"]


def test_a_command_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="false # here"):
        run([Command("echo one"), Command("false # here"), Command("echo two")], tmp_path, 10)
