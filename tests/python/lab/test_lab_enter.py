"""homenode.lab.enter: lines, one after the other, in a shell that keeps its place."""

import io
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab_start import lab_or_skip

from homenode.lab import Result, find_machine
from homenode.lab.cli import main
from homenode.lab.enter import STATE, Shell, exit_code_of, words


def on_this_host(line: str, state: Path) -> subprocess.CompletedProcess[str]:
    """Runs a line as the guest would."""
    command = [word.replace(STATE, str(state)) for word in words(line)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


def test_a_line_keeps_the_directory_and_what_it_exported(tmp_path: Path):
    place, state = tmp_path / "a 'place", tmp_path / "state"
    place.mkdir()
    for line in (f'cd "{place}"', "export GREETING='it is \"x\" $HOME'; LOST=1", "false"):
        on_this_host(line, state)
    done = on_this_host('echo "$PWD|$GREETING|$LOST"', state)
    assert done.stdout == f'{place}|it is "x" $HOME|\n'


def test_a_line_that_is_no_shell_or_ends_it_is_over_and_the_next_goes_on(tmp_path: Path):
    state = tmp_path / "state"
    on_this_host("cd /tmp", state)
    assert on_this_host("if true; then", state).returncode == 2
    assert on_this_host("cd /usr; exit 5", state).returncode == 5
    assert on_this_host("pwd", state).stdout == "/usr\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [("exit", 3), (" exit  7 ", 7), ("exit 256", 0), ("exit x", None), ("exit; ls", None),
     ("exits", None), ("", None), ("exit 1 2", None)],
)  # fmt: skip
def test_exit_ends_the_command_line(line: str, code: int | None):
    assert exit_code_of(line, 3) == code


class Recorder:
    """A lab that notes what it is asked to run; the exit code is the length of the line."""

    machine = find_machine("tiny-2x2")
    ran_out_of_memory = False

    def __init__(self) -> None:
        self.lines: list[str] = []

    def run(self, command: list[str], **options: Any) -> Result:
        self.lines.append(command[-1])
        return Result(exit_code=len(command[-1]))

    def rois(self, counts_from: int) -> tuple[()]:
        return ()


@pytest.mark.parametrize(
    ("text", "lines", "code"),
    [
        ("ls\n\n  \nls -l", ["ls", "ls -l"], 5),
        ("ls\nexit\nls -l\n", ["ls"], 2),
        ("exit 4\n", [], 4),
        ("", [], 0),
    ],
)
def test_lines_run_in_turn_to_the_end(text: str, lines: list[str], code: int):
    lab = Recorder()
    assert Shell(lab, "markers", False).read(io.StringIO(text)) == code  # type: ignore[arg-type]
    assert lab.lines == lines


def test_each_line_has_its_statistics_if_wanted(capsys: pytest.CaptureFixture[str]):
    Shell(Recorder(), None, True).read(io.StringIO("a\nb\n"))  # type: ignore[arg-type]
    assert capsys.readouterr().err.count("nothing was counted") == 2


@pytest.mark.lab
def test_lines_are_programs_of_one_guest(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
):
    lab_or_skip("tiny-2x2", plugin=False)
    text = "cd /proc/sys; export A=1\npwd; echo $A > /tmp/kept\ncat /tmp/kept; exit 6\nfalse\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["enter", "--machine", "tiny-2x2", "--no-plugin"]) == 1
    assert capfdbinary.readouterr().out == b"/proc/sys\n1\n"
