"""The standard input of a program in the lab: what reaches it, and that nothing waits for it."""

import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import NoReturn

import pytest
from lab_driver import ROOT, Start
from lab_start import lab_or_skip

from homenode.lab import Lab

pytestmark = pytest.mark.lab

EVERY_BYTE = bytes(range(256))


def piped(lab: Lab, command: list[str], data: bytes) -> tuple[int, bytes]:
    """A program's status and output with `data` in a pipe, all of which is offered to it."""
    read_end, write_end = os.pipe()

    def write() -> None:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    result = lab.run(command, timeout_s=240, stdin=read_end)
    os.close(read_end)
    writer.join()
    return result.status, result.stdout


def test_a_pipe_reaches_the_program_as_it_is(quad: Lab):
    assert piped(quad, ["cat"], EVERY_BYTE * 3) == (0, EVERY_BYTE * 3)


def test_input_larger_than_any_buffer_is_whole_and_in_order(quad: Lab):
    data = b"".join(number.to_bytes(4, "big") for number in range(1 << 20))
    assert piped(quad, ["cat"], data) == (0, data)


def test_an_empty_input_ends_at_once(quad: Lab):
    assert piped(quad, ["wc", "-c"], b"") == (0, b"0\n")


def test_without_an_input_it_is_empty(quad: Lab):
    assert quad.run(["wc", "-c"]).stdout == b"0\n"


def test_a_program_that_reads_nothing_ends_while_its_input_is_open(quad: Lab):
    read_end, write_end = os.pipe()
    os.write(write_end, b"unread")
    assert quad.run(["true"], timeout_s=120, stdin=read_end).status == 0
    os.close(read_end)
    os.close(write_end)


def test_a_file_goes_on_where_the_program_stopped(quad: Lab, tmp_path: Path):
    file = tmp_path / "lines"
    file.write_bytes(EVERY_BYTE * 4096)
    with file.open("rb", buffering=0) as source:
        result = quad.run(["head", "-c", "1"], stdin=source.fileno())
        assert result.stdout == b"\0"
        assert source.tell() < file.stat().st_size // 2
    with file.open("rb", buffering=0) as source:
        result = quad.run(["dd", "bs=1", "count=3", "status=none"], stdin=source.fileno())
        assert result.stdout == b"\0\1\2"
        assert source.read(1) == b"\3"
        assert quad.run(["wc", "-c"], stdin=source.fileno()).stdout == b"%d\n" % (256 * 4096 - 4)


def test_the_command_passes_its_input_on(start: Start):
    lab_or_skip("tiny-2x2", plugin=False)
    words = [sys.executable, "-m", "homenode.lab", "run", "--machine", "tiny-2x2", "--no-plugin"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    for options, count in (([], b"5\n"), (["--no-input"], b"0\n")):
        done = subprocess.run(
            [*words, *options, "--", "wc", "-c"],
            input=b"data\n",
            capture_output=True,
            env=environment,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, count), done.stderr


def become_run(script: str) -> NoReturn:
    """Makes this process the command that runs a shell script in the lab."""
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    words = ["-m", "homenode.lab", "run", "--machine", "tiny-2x2", "--no-plugin", "--"]
    os.execv(sys.executable, [sys.executable, *words, "sh", "-c", script])


@pytest.mark.parametrize("reads", [True, False])
def test_a_terminal_is_read_while_the_program_runs(reads: bool):
    """A line typed at a terminal arrives; a program that reads none is not waited for."""
    lab_or_skip("tiny-2x2", plugin=False)
    pid, terminal = pty.fork()
    if pid == 0:
        become_run("echo ready; read line; echo got $line" if reads else "echo ready")
    assert b"ready" in os.read(terminal, 4096)
    if reads:
        os.write(terminal, b"typed\n")
    assert os.waitpid(pid, 0)[1] == 0
    said = b""
    try:
        while data := os.read(terminal, 4096):
            said += data
    except OSError:  # As the end of a terminal is told.
        pass
    assert (b"got typed" in said) == reads
    os.close(terminal)


def test_ctrl_c_at_a_terminal_ends_a_program_that_waits_for_input():
    lab_or_skip("tiny-2x2", plugin=False)
    pid, terminal = pty.fork()
    if pid == 0:
        become_run("echo ready; cat; echo no")
    assert b"ready" in os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 128 + signal.SIGINT
    os.close(terminal)
