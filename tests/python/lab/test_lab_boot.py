"""A guest that dies while it boots is booted a second time; one that cannot boot is not."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from homenode.lab import Lab, LabError, artefacts, initramfs, kernel
from homenode.lab.diagnosis import guest_died
from homenode.lab.kernel import Kernel

# A QEMU of which each start does what the next line of a file says.
QEMU = """#!{python}
import socket, sys
from pathlib import Path
words = sys.argv[1:]
if words[0] == "--version":
    sys.exit(print("version 9.9"))
if words[0] in ("-L", "--help"):
    sys.exit(print("/"))
plan = Path("{plan}")
what, *rest = plan.read_text().splitlines()
plan.write_text("\\n".join(rest))
option = {{word.split(",")[1]: word.split("=")[-1] for word in words if "id=con" in word}}
wire = socket.socket(fileno=int(option["id=control"]))
if what == "ready":
    wire.sendall(b"ready\\n")
    wire.recv(1)
Path(option["id=console"]).write_text(what)
"""
PANIC = "Kernel panic - not syncing: early"
FAILED_INIT = "homenode-lab-init: cannot mount / " + PANIC


@pytest.fixture
def boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Lab]:
    """A lab whose QEMU ends its boots as it is told."""
    nothing = tmp_path / "nothing"
    nothing.touch()
    monkeypatch.setenv("HOMENODE_QEMU", str(tmp_path / "qemu"))
    monkeypatch.setattr(kernel, "find_kernel", lambda: Kernel(nothing, tmp_path))
    monkeypatch.setattr(kernel, "bootable", lambda found: nothing)
    monkeypatch.setattr(initramfs, "build", lambda found, init: nothing)
    monkeypatch.setattr(artefacts, "find", lambda name: nothing)

    def make(*boots: str) -> Lab:
        plan = tmp_path / "plan"
        plan.write_text("\n".join(boots))
        (tmp_path / "qemu").write_text(QEMU.format(python=sys.executable, plan=plan))
        (tmp_path / "qemu").chmod(0o755)
        return Lab("tiny-2x2", tmp_path / "results", plugin=False)

    return make


def test_a_guest_that_panics_is_booted_a_second_time(
    boot: Callable[..., Lab], capfd: pytest.CaptureFixture[str]
):
    with boot(PANIC, "ready") as lab:
        assert lab.boot_s > 0
    said = capfd.readouterr().err
    assert said.startswith(f"homenode lab: while it booted, the guest panicked ({PANIC})")
    assert said.endswith("booting it a second time\n") and said.count("\n") == 1


def test_a_guest_that_panics_twice_is_lost(
    boot: Callable[..., Lab], tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    with pytest.raises(LabError, match="early") as raised, boot(PANIC, PANIC, "ready"):
        pass
    assert str(raised.value).startswith("the lab machine was lost: the guest panicked")
    assert (tmp_path / "plan").read_text() == "ready"
    assert capfd.readouterr().err.count("\n") == 1


def test_a_guest_that_cannot_be_set_up_is_booted_once(
    boot: Callable[..., Lab], tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    with pytest.raises(LabError, match="could not be set up"), boot(FAILED_INIT, "ready"):
        pass
    assert (tmp_path / "plan").read_text() == "ready"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("console", "code", "qemu_said", "died"),
    [
        (PANIC, 0, "", True),
        ("", 0, "", True),
        ("", 0, "terminating on signal 15", False),
        ("", 1, "no memory", False),
        ("", -9, "", False),
        ("", None, "", False),
        (FAILED_INIT, 0, "", False),
    ],
)
def test_only_the_guests_own_death_is_worth_another_boot(
    console: str, code: int | None, qemu_said: str, died: bool
):
    assert guest_died(console, code, qemu_said) is died
