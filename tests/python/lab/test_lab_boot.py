"""Boots that fail, and snapshots that spare a boot, with a QEMU that does as it is told."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from homenode.lab import Lab, LabError, artefacts, find_machine, initramfs, kernel
from homenode.lab.diagnosis import guest_died
from homenode.lab.kernel import Kernel

# A QEMU of which each start does what the next line of a file says: it comes up from a boot or from
# a snapshot, or says something else on its console and ends. A start from a snapshot leaves a line
# that is about a boot to the next start.
QEMU = """#!{python}
import json, os, socket, sys
from pathlib import Path
words = sys.argv[1:]
if words[0] == "--version":
    sys.exit(print("version 9.9"))
if words[0] in ("-L", "--help"):
    sys.exit(print("/"))
plan = Path("{plan}")
started_from = "snapshot" if "-incoming" in words else "boot"
what, *rest = plan.read_text().splitlines()
if what == "boot" and started_from == "snapshot":
    sys.exit(1)
plan.write_text("\\n".join(rest))
option = {{word.split(",")[1]: word.split("=")[-1] for word in words
          if word.startswith(("file,id=", "socket,id="))}}
cpus = int(words[words.index("-smp") + 1].split(",")[0])
wire = socket.socket(fileno=int(option["id=control"]))

# As the true one: it lets the machine go on only some time after it said that it is done.
patience = [1, 2, 3]

def serve_monitor():
    monitor = socket.socket(fileno=int(option["id=monitor"]))
    monitor.sendall(b'{{"QMP": {{}}}}\\n')
    for line in monitor.makefile():
        request = json.loads(line)
        if request["execute"] == "migrate":
            path = Path(request["arguments"]["uri"].removeprefix("file:"))
            path.write_text(f"snapshot by {{os.getpid()}}")
            event = {{"event": "MIGRATION", "data": {{"status": "{migration}"}}}}
            monitor.sendall(json.dumps(event).encode() + b"\\n")
        if request["execute"] == "cont" and patience:
            patience.pop()
            monitor.sendall(b'{{"error": {{"desc": "Migration is not finalized yet"}}}}\\n')
            continue
        monitor.sendall(b'{{"return": {{}}}}\\n')
        if request["execute"] == "cont":
            return

if what.split()[0] == started_from:
    if started_from == "boot":
        wire.sendall(b"booted 1 %d\\n" % (1 if "one-cpu" in what else cpus))
        if "id=monitor" in option:
            serve_monitor()
    lines = wire.makefile()
    for line in lines:
        if line.startswith("hello"):
            wire.sendall(b"booted 1 %d\\n" % cpus)
        elif line.startswith("go"):
            wire.sendall(b"ready 1\\n")
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

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(*boots: str, warm: bool = False, migration: str = "completed") -> Lab:
        plan = tmp_path / "plan"
        plan.write_text("\n".join(boots))
        qemu = QEMU.format(python=sys.executable, plan=plan, migration=migration)
        (tmp_path / "qemu").write_text(qemu)
        (tmp_path / "qemu").chmod(0o755)
        os.utime(tmp_path / "qemu", (0, 0))
        return Lab("tiny-2x2", tmp_path / "results", plugin=False, warm=warm)

    return make


@pytest.fixture
def snapshots(tmp_path: Path) -> Callable[[], list[Path]]:
    """The snapshots that there are."""
    return lambda: sorted((tmp_path / "cache/homenode/lab/snapshots").glob("*"))


def test_a_guest_that_panics_is_booted_a_second_time(
    boot: Callable[..., Lab], capfd: pytest.CaptureFixture[str]
):
    with boot(PANIC, "boot") as lab:
        assert lab.boot_s > 0
    said = capfd.readouterr().err
    assert said.startswith(f"homenode lab: while booting, the guest panicked ({PANIC})")
    assert said.endswith("booting a second time\n") and said.count("\n") == 1


def test_a_guest_that_panics_twice_is_lost(
    boot: Callable[..., Lab], tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    with pytest.raises(LabError, match="early") as raised, boot(PANIC, PANIC, "boot"):
        pass
    assert str(raised.value).startswith("the lab machine was lost: the guest panicked")
    assert (tmp_path / "plan").read_text() == "boot"
    assert capfd.readouterr().err.count("\n") == 1


def test_a_guest_that_cannot_be_set_up_is_booted_once(
    boot: Callable[..., Lab], tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    with pytest.raises(LabError, match="setup failed"), boot(FAILED_INIT, "boot"):
        pass
    assert (tmp_path / "plan").read_text() == "boot"
    assert capfd.readouterr().err == ""


def test_the_second_lab_goes_on_from_the_first_ones_snapshot(
    boot: Callable[..., Lab], snapshots: Callable[[], list[Path]], tmp_path: Path
):
    for plan in ("boot", "snapshot", "snapshot"):
        with boot(plan, warm=True):
            pass
        assert (tmp_path / "plan").read_text() == ""
        assert len(snapshots()) == 1


def test_a_cold_lab_neither_uses_nor_keeps_a_snapshot(
    boot: Callable[..., Lab], snapshots: Callable[[], list[Path]]
):
    with boot("boot"):
        assert snapshots() == []
    with boot("boot", warm=True), boot("boot"):
        assert len(snapshots()) == 1


def test_another_machine_has_another_snapshot(
    boot: Callable[..., Lab], snapshots: Callable[[], list[Path]]
):
    with boot("boot", warm=True):
        pass
    other = boot("boot", warm=True)
    other.machine = find_machine("quad-4x2")
    with other:
        assert len(snapshots()) == 2


def test_a_machine_with_other_figures_has_the_same_snapshot(
    boot: Callable[..., Lab], snapshots: Callable[[], list[Path]], tmp_path: Path
):
    with boot("boot", warm=True):
        pass
    faster = boot("snapshot", warm=True)
    faster.machine = replace(
        faster.machine,
        caches=tuple(
            replace(cache, shape=replace(cache.shape, size=2 * cache.shape.size))
            for cache in faster.machine.caches
        ),
    )
    with faster:
        assert (tmp_path / "plan").read_text() == "" and len(snapshots()) == 1


def test_a_machine_whose_caches_are_shared_otherwise_has_another_snapshot(
    boot: Callable[..., Lab], snapshots: Callable[[], list[Path]]
):
    with boot("boot", warm=True):
        pass
    other = boot("boot", warm=True)
    other.machine = replace(other.machine, caches=other.machine.caches[:1])
    with other:
        assert len(snapshots()) == 2


def test_a_damaged_snapshot_is_thrown_away_and_the_guest_boots(
    boot: Callable[..., Lab],
    snapshots: Callable[[], list[Path]],
    capfd: pytest.CaptureFixture[str],
):
    with boot("boot", warm=True):
        pass
    damaged = snapshots()[0]
    damaged.write_text("Snapshot")
    with boot("boot", warm=True):
        assert len(snapshots()) == 1 and snapshots() != [damaged]
    assert capfd.readouterr().err == ""


def test_a_snapshot_that_qemu_cannot_use_is_thrown_away_and_the_guest_boots(
    boot: Callable[..., Lab],
    snapshots: Callable[[], list[Path]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
):
    with boot("boot", warm=True):
        pass
    before = snapshots()
    with boot("error", "boot", warm=True):
        assert (tmp_path / "plan").read_text() == ""
    assert len(snapshots()) == 1 and snapshots() != before
    assert capfd.readouterr().err == ""
    assert not (tmp_path / "results/lab-console.log").exists()


def test_a_snapshot_that_cannot_be_written_is_not_kept_and_not_missed(
    boot: Callable[..., Lab],
    snapshots: Callable[[], list[Path]],
    capfd: pytest.CaptureFixture[str],
):
    with boot("boot", warm=True, migration="failed"):
        assert snapshots() == []
    assert capfd.readouterr().err == ""


def test_a_guest_whose_init_did_not_start_its_cpus_is_refused(boot: Callable[..., Lab]):
    with pytest.raises(LabError, match=r"start all of its 4 CPUs.*dev build"), boot("boot one-cpu"):
        pass


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
