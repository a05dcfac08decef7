"""What ends a lab: signals, a killed QEMU, a panic, a full disk. Nothing stays behind."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from compiling import compiled
from lab_driver import ENOUGH_S, ROOT, Start, wait_until_gone
from lab_start import lab_or_skip

from homenode.lab import artefacts

pytestmark = pytest.mark.lab

# The shell waits in a builtin, so that it runs its trap at once.
WAIT = "sleep 1000 & wait"


def left(sessions: Path) -> list[str]:
    return [path.name for path in sessions.glob("homenode-lab-*/*") if path.is_dir()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_program(start: Start, sessions: Path, number: signal.Signals):
    driver = start("echo ready; exec sleep 1000")
    driver.process.send_signal(number)
    code, _, err = driver.end()
    assert (code, err) == (128 + number, "")
    assert left(sessions) == []


def test_a_program_may_answer_a_signal_as_it_likes(start: Start):
    driver = start(f"trap 'echo caught; exit 5' INT; echo ready; {WAIT}")
    driver.process.send_signal(signal.SIGINT)
    assert driver.end() == (5, "caught\n", "")


def test_a_second_signal_ends_a_program_that_does_not_listen(start: Start, sessions: Path):
    driver = start("trap '' INT; echo ready; while :; do echo again; sleep 0.1; done")
    qemu = driver.qemu()
    driver.process.send_signal(signal.SIGINT)
    assert driver.process.stdout is not None
    driver.process.stdout.readline()
    driver.process.send_signal(signal.SIGINT)
    code, _, err = driver.end()
    assert code == 130 and "stopped by signal 2" in err
    wait_until_gone(qemu)
    assert left(sessions) == []


def test_a_time_out_is_124(start: Start):
    code, _, err = start("sleep 1000", "--timeout", "1", ready=False).end()
    assert code == 124
    assert err == "homenode lab: stopped sh after 1 s; raise --timeout\n"


def test_a_killed_qemu_is_one_line(start: Start, sessions: Path):
    driver = start(f"echo ready; {WAIT}")
    os.kill(driver.qemu(), signal.SIGKILL)
    code, _, err = driver.end()
    assert code == 125
    assert "QEMU was killed by signal 9" in err and err.count("\n") == 1
    assert left(sessions) == []


def test_a_panic_is_one_line_and_its_log_is_kept(start: Start, tmp_path: Path):
    kept = tmp_path / "out"
    driver = start("echo c > /proc/sysrq-trigger", "--results", str(kept), ready=False)
    code, _, err = driver.end()
    assert code == 125
    assert "Kernel panic - not syncing: sysrq triggered crash" in err and err.count("\n") == 1
    assert "Kernel panic" in (kept / "lab-console.log").read_text(errors="replace")


def test_a_killed_driver_leaves_no_qemu_and_its_session_is_swept(start: Start, sessions: Path):
    driver = start(f"echo ready; {WAIT}")
    qemu = driver.qemu()
    driver.process.kill()
    wait_until_gone(qemu)
    assert len(left(sessions)) == 1
    assert start("echo ready").end()[0] == 0
    assert left(sessions) == []


def test_a_reader_that_goes_away_ends_the_program(start: Start):
    driver = start("echo ready; yes")
    assert driver.process.stdout is not None
    driver.process.stdout.close()
    driver.process.stdout = None
    assert driver.process.wait(ENOUGH_S) == 128 + signal.SIGPIPE


def test_a_program_that_is_not_there_is_127_and_one_line(start: Start):
    driver = start("exec no-such-program", ready=False)
    assert driver.end()[0] == 127


def test_a_qemu_that_cannot_start_is_one_line(
    start: Start, sessions: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    broken = tmp_path / "qemu"
    broken.write_text(
        "#!/bin/sh\ncase $1 in --version) echo version 9.9;; -L) echo /;; --help) echo -plugin;;\n"
        "*) echo 'no room for the guest' >&2; exit 1;; esac\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("HOMENODE_QEMU", str(broken))
    code, _, err = start("true", ready=False).end()
    assert code == 125 and err.count("\n") == 1
    assert "QEMU ended with code 1 (no room for the guest)" in err
    assert left(sessions) == []


# With its pages locked there is nothing to take from it, so the kernel gives up at once.
FILLS_MEMORY = """exec python3 -c '
import ctypes, itertools
ctypes.CDLL(None).mlockall(3)
print("ready", flush=True)
kept = [bytearray(1 << 20) for _ in itertools.repeat(None)]
'"""
# tail keeps all that it reads until a line ends.
FILLS_MEMORY_SLOWLY = "echo ready; exec tail /dev/zero"


@pytest.mark.parametrize(
    "program", [FILLS_MEMORY, pytest.param(FILLS_MEMORY_SLOWLY, marks=pytest.mark.long)]
)
def test_memory_that_runs_out_is_said(start: Start, program: str):
    code, _, err = start(program, "--node-memory", "96").end()
    assert code == 137
    assert "raise --node-memory" in err


def test_a_program_that_fills_a_node_goes_on_with_another():
    fills = "b = bytearray(300 << 20)\nfor _ in range(20): b[::4096] = bytes(len(b[::4096]))"
    with lab_or_skip("tiny-2x2", plugin=False, node_memory_mib=256) as lab:
        result = lab.run(["python3", "-c", fills], timeout_s=120)
    assert result.status == 0, result.stderr


def test_several_labs_run_at_once():
    first = lab_or_skip("tiny-2x2", plugin=False)
    second = lab_or_skip("tiny-2x2", plugin=False)
    with first as a, second as b:
        results = [lab.run(["sh", "-c", f"echo {name}"]) for name, lab in (("a", a), ("b", b))]
        assert a.pid != b.pid
    assert [result.stdout for result in results] == [b"a\n", b"b\n"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_results_disk_is_said(start: Start, small_disk: Path):
    code, _, err = start(
        f"echo ready; head -c 3000000 /dev/zero > {small_disk}/big", "--results", str(small_disk)
    ).end()
    assert code == 1
    assert "No space left on device" in err
    assert f"the results folder {small_disk} is full" in err


NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3"]


def test_output_that_the_session_cannot_hold_is_said(start: Start, small_disk: Path):
    driver = start("echo ready; head -c 3000000 /dev/zero", runtime=small_disk)
    code, out, err = driver.end()
    assert code == 125 and len(out) < 3_000_000
    assert "output was lost" in err


def test_an_ordinary_user_without_a_home_can_run_the_lab():
    lab = lab_or_skip("tiny-2x2")
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "python"),
        "HOMENODE_LAB_KERNEL": str(lab.kernel.image),
        "HOMENODE_LIBEXEC": f"{artefacts.find(artefacts.PLUGIN).parent}:"
        f"{artefacts.find(artefacts.INIT).parent}",
        "HOMENODE_QEMU": str(lab.emulator.path),
    }
    probe = (
        "import sys, homenode.lab as lab; assert sys.version_info > (3, 11); lab.Lab('tiny-2x2')"
    )
    if os.geteuid() != 0 or subprocess.run([*NOBODY, "-c", probe], env=env, check=False).returncode:
        pytest.skip("needs root, and a Python and a build that another user can read")
    script = "id -u; cat /etc/shadow"
    words = [
        *NOBODY,
        "-m",
        "homenode.lab",
        "run",
        "--machine",
        "tiny-2x2",
        "--",
        "sh",
        "-c",
        script,
    ]
    done = subprocess.run(words, env=env, cwd="/", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "0\n")
    assert "/etc/shadow: Permission denied" in done.stderr


def test_page_fault_events_come_and_go_on_a_busy_machine(tmp_path: Path):
    program = compiled(Path(__file__).with_name("fault_events.c"), tmp_path)
    with lab_or_skip("quad-4x2", plugin=False) as lab:
        # Without init's own event a few hundred times are a panic.
        for _ in range(2):
            result = lab.run([program], timeout_s=120)
            assert (result.status, result.stdout) == (0, b"done\n")
