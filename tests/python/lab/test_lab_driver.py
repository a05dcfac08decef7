"""homenode.lab: patience, sessions, the wire, outputs and diagnoses, all without a guest."""

import io
import json
import os
import pwd
import signal
from pathlib import Path

import pytest

from homenode.lab import Lab, LabError, Result, artefacts, kernel
from homenode.lab.cache import cache_home
from homenode.lab.channel import Channel, Message, parse_message
from homenode.lab.cli import main
from homenode.lab.diagnosis import console_lines, why_lost
from homenode.lab.job import Tail, strings
from homenode.lab.lab import _current_folder, job_environment
from homenode.lab.patience import ANSWER_S, KILLED_S, TERM_TO_KILL_S, Patience
from homenode.lab.session import Session, sweep
from homenode.lab.signals import passed_on


class Clock:
    def __init__(self) -> None:
        self.time = 100.0
        self.sent: list[int] = []

    def patience(self, timeout_s: float | None = None) -> Patience:
        return Patience(lambda: self.time, self.sent.append, timeout_s)


def test_a_program_without_limit_is_left_alone():
    clock = Clock()
    patience = clock.patience()
    clock.time += 1e6
    assert not patience.exhausted()
    assert clock.sent == []


def test_a_time_out_asks_then_kills_then_gives_up():
    clock = Clock()
    patience = clock.patience(10)
    clock.time += 9
    assert not patience.exhausted() and not patience.timed_out
    clock.time += 1
    assert not patience.exhausted() and patience.timed_out
    assert clock.sent == [signal.SIGTERM]
    clock.time += TERM_TO_KILL_S
    assert not patience.exhausted()
    assert clock.sent == [signal.SIGTERM, signal.SIGKILL]
    clock.time += KILLED_S
    assert patience.exhausted()
    assert len(clock.sent) == 2


def test_the_programs_time_begins_when_it_starts():
    clock = Clock()
    patience = clock.patience(10)
    clock.time += 9
    patience.started()
    clock.time += 9
    assert not patience.exhausted() and not patience.timed_out


def test_a_signal_is_passed_on_and_answered_or_not():
    clock = Clock()
    patience = clock.patience()
    patience.interrupt(signal.SIGINT)
    assert clock.sent == [signal.SIGINT]
    clock.time += ANSWER_S - 1
    assert not patience.exhausted()
    clock.time += 1
    assert patience.exhausted()


def test_a_second_signal_ends_the_lab_at_once():
    clock = Clock()
    patience = clock.patience()
    patience.interrupt(signal.SIGINT)
    patience.interrupt(signal.SIGINT)
    assert patience.exhausted()
    assert (clock.sent, patience.interrupted_by) == ([signal.SIGINT], signal.SIGINT)


@pytest.fixture
def own_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / f"homenode-lab-{os.getuid()}"


def test_a_session_is_private_and_removed(own_sessions: Path):
    session = Session.create("m", Path("/r"))
    assert session.folder.parent == own_sessions
    assert session.folder.stat().st_mode & 0o077 == 0
    assert (session.jobs / "machine").read_text() == "m"
    assert (session.jobs / "results").read_text() == "/r"
    session.remove()
    assert not session.folder.exists()


def test_sweeping_takes_dead_sessions_and_leaves_live_ones(own_sessions: Path):
    live = Session.create("m", None)
    dead = own_sessions / "1-dead"
    dead.mkdir()
    (dead / "lock").touch()
    (dead / "console.log").write_text("x")
    broken = own_sessions / "2-without-lock"
    broken.mkdir()
    assert sorted(sweep(own_sessions)) == ["1-dead", "2-without-lock"]
    assert live.folder.exists() and not dead.exists()
    live.remove()


def test_messages_are_words():
    assert parse_message("ready 4039") == Message("ready", "", ("4039",))
    assert parse_message("exited job1 3 20") == Message("exited", "job1", ("3", "20"))
    assert parse_message("exited job1 3 20").number == 3


def test_the_wire_keeps_lines_whole_and_notices_its_end():
    channel = Channel()
    with os.fdopen(os.dup(channel.descriptor_for_qemu()), "r+b", buffering=0) as guest:
        channel.started()
        guest.write(b"ready 1\nstar")
        assert channel.receive(5) == Message("ready", "", ("1",))
        assert channel.receive(0) is None
        guest.write(b"ted job1 7\n")
        assert channel.receive(5) == Message("started", "job1", ("7",))
        channel.send("kill", "job1", 2)
        assert guest.read(100) == b"kill job1 2\n"
    assert channel.receive(5) is None
    assert channel.closed
    channel.close()


def test_output_is_passed_on_as_it_grows(tmp_path: Path):
    sink = io.BytesIO()
    tail = Tail(tmp_path / "out", sink)
    for text in (b"one", b"two"):
        with (tmp_path / "out").open("ab") as file:
            file.write(text)
        assert tail.forward()
    tail.close()
    assert sink.getvalue() == b"onetwo"


def test_a_reader_that_goes_away_is_said_once(tmp_path: Path):
    reader, writer = os.pipe()
    os.close(reader)
    sink = os.fdopen(writer, "wb", buffering=0)
    tail = Tail(tmp_path / "out", sink)
    (tmp_path / "out").write_bytes(b"x")
    assert not tail.forward()
    assert tail.forward()
    tail.close()
    sink.close()


def test_why_a_machine_was_lost():
    panic = "[    3.1] Kernel panic - not syncing: VFS\r\n[    3.2] more\n"
    assert why_lost(panic, 0, "") == "the guest panicked (Kernel panic - not syncing: VFS)"
    assert why_lost("", -9, "") == "QEMU was killed by signal 9"
    assert why_lost("", 1, "no memory") == "QEMU ended with code 1 (no memory)"
    assert why_lost("", None, "") == "the guest does not answer"
    init = "homenode-lab-init: cannot mount /x: No such device\n"
    assert why_lost(init, 0, "") == "the guest's setup failed (cannot mount /x: No such device)"


def test_console_lines_lose_escapes_and_time_stamps():
    assert console_lines("\x1bc\x1b[?7l\x1b[2JBoot\r\n\n[  1.25] hello\n") == ["Boot", "hello"]


def test_exit_codes_are_a_shells():
    assert Result(exit_code=3).status == 3
    assert Result(signal=9).status == 137
    assert Result(signal=15, timed_out=True).status == 124
    assert Result(failure=("ENOENT", "no")).status == 127
    assert Result(failure=("EACCES", "no")).status == 126


def test_words_for_the_guest_end_in_nul_and_may_hold_none():
    assert strings(["a b", ""]) == b"a b\0\0"
    with pytest.raises(LabError, match="NUL"):
        strings(["a\0b"])


def test_the_hosts_environment_is_passed_without_its_temporary_folders():
    host = {"PATH": "/bin", "TMPDIR": "/scratch", "XDG_RUNTIME_DIR": "/run/user/1"}
    day = {"HOMENODE_MALLOC_PURGE_MS": "86400000"}
    assert job_environment(host, "m") == {"PATH": "/bin", "HOMENODE_LAB": "m"} | day
    own = {"HOMENODE_MALLOC_PURGE_MS": "5"}
    assert job_environment(own, "m") == own | {"HOMENODE_LAB": "m"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "required"),
        (["fly"], "invalid choice"),
        (["run", "--", "true"], "--machine"),
        (["run", "--machine", "tiny-2x2"], "the program is missing"),
        (["run", "--machine", "no-such", "--", "true"], "quad-4x2"),
        (["run", "--machine", "tiny-2x2", "--timeout", "0", "--", "true"], "above 0"),
        (
            ["run", "--machine", "tiny-2x2", "--scale", "0", "--", "true"],
            "whole number of at least 1",
        ),
        (
            ["run", "--machine", "tiny-2x2", "--scale", "x", "--", "true"],
            "whole number of at least 1",
        ),
        (["show", "no-such"], "tiny-2x2"),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert main(arguments) == (125 if arguments[:1] == ["run"] else 2)
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("homenode lab: ") and output.err.count("\n") == 1
    assert said in output.err


def test_without_qemu_the_lab_is_not_supported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("HOMENODE_QEMU", "/nonexistent/qemu")
    assert main(["run", "--machine", "tiny-2x2", "--", "true"]) == 125
    assert "./dev setup" in capsys.readouterr().err
    assert main(["run", "--machine", "tiny-2x2", "--as-verb", "--", "homenode", "topology"]) == 3


OLD_QEMU = """#!/bin/sh
case $1 in --version) echo version 9.0;; -L) echo /;; --help) echo -plugin;; esac
"""


@pytest.fixture
def old_qemu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A QEMU whose plugins can count but not model time."""
    program = tmp_path / "qemu"
    program.write_text(OLD_QEMU)
    program.chmod(0o755)
    monkeypatch.setenv("HOMENODE_QEMU", str(program))
    monkeypatch.setattr(kernel, "find_kernel", lambda: None)
    monkeypatch.setattr(artefacts, "find", lambda name: program)


@pytest.mark.usefixtures("old_qemu")
def test_time_that_was_asked_for_and_cannot_be_modelled_is_not_supported(
    capsys: pytest.CaptureFixture[str],
):
    assert main(["run", "--machine", "tiny-2x2", "--time", "--", "true"]) == 125
    said = capsys.readouterr().err
    assert "cannot model time with" in said and "--no-time" in said and said.count("\n") == 1
    assert main(["run", "--machine", "tiny-2x2", "--time", "--no-plugin", "--", "true"]) == 125
    assert "cannot model time without the plugin" in capsys.readouterr().err


@pytest.mark.usefixtures("old_qemu")
def test_where_time_cannot_be_modelled_the_lab_counts_and_says_so(
    capsys: pytest.CaptureFixture[str],
):
    assert not Lab("tiny-2x2", timing=None).timing
    said = capsys.readouterr().err
    assert "only accesses are counted" in said and said.count("\n") == 1
    assert not Lab("tiny-2x2", timing=False).timing
    assert not Lab("tiny-2x2", timing=None, plugin=False).timing
    assert capsys.readouterr().err == ""


def test_a_timed_session_has_the_timing_file_and_tells_the_guest_of_its_clock(own_sessions: Path):
    timed, untimed = Session.create("m", None, "text"), Session.create("m", None)
    assert (timed.folder / "timing").read_text() == "text"
    assert [(one.jobs / "clock").exists() for one in (timed, untimed)] == [True, False]
    assert {(one.folder / "clock").stat().st_size for one in (timed, untimed)} == {65536}
    timed.remove()
    untimed.remove()


def test_machines_are_listed_and_shown(capsys: pytest.CaptureFixture[str]):
    assert main(["list"]) == 0
    assert "quad-4x2" in capsys.readouterr().out
    assert main(["show", "quad-4x2", "--json"]) == 0
    distances = json.loads(capsys.readouterr().out)["distances"]
    assert distances["provenance"] == "declared" and distances["nodes"] == [0, 1, 2, 3]
    assert distances["values"][0] == [10, 16, 16, 22]


def test_an_output_that_has_no_room_is_one_line(tmp_path: Path):
    path = tmp_path / "stdout"
    with Path("/dev/full").open("wb", buffering=0) as full:
        tail = Tail(path, full)
        path.write_bytes(b"text")
        with pytest.raises(LabError, match="cannot write the program's output: No space left"):
            tail.forward()
        tail.close()


@pytest.mark.parametrize("text", ["x", "nan", "inf", "0", "-1"])
def test_a_time_out_that_is_no_time_is_bad_usage(text: str, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "--machine", "tiny-2x2", "--timeout", text, "--", "true"]) == 125
    assert f"'{text}' is not a number of seconds above 0" in capsys.readouterr().err


def test_signals_that_were_ignored_stay_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with passed_on(None):  # type: ignore[arg-type] - no signal comes, so none is asked
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_without_home_the_cache_is_found_by_the_user(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    assert cache_home() == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "homenode"


def test_a_folder_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(LabError, match="cannot start in the current folder"):
        _current_folder()
