"""The oldest QEMU and kernel that the lab promises: 7.2 and 6.1.

HOMENODE_OLD_LAB names a folder with qemu/usr/bin/qemu-system-x86_64, kernel/boot and kernel/lib.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab, access_matrix

OLD = os.environ.get("HOMENODE_OLD_LAB", "")

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not OLD, reason="HOMENODE_OLD_LAB does not name a folder"),
]


@pytest.fixture(scope="module")
def old() -> Iterator[Lab]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOMENODE_QEMU", str(Path(OLD) / "qemu/usr/bin/qemu-system-x86_64"))
        patch.setenv("HOMENODE_LAB_KERNEL", str(Path(OLD) / "kernel"))
        lab = lab_or_skip("quad-4x2")
    with lab:
        yield lab


def test_it_is_the_old_one(old: Lab):
    assert old.emulator.version[:2] == (7, 2)
    assert old.run(["uname", "-r"]).stdout.startswith(b"6.1.")


def test_it_counts_what_went_where_but_cannot_tell_processes_apart(
    old: Lab, reader_and_writer: str
):
    result = old.run([reader_and_writer], timeout_s=120)
    assert result.status == 0
    assert [roi.registers for roi in result.rois] == [False]
    assert result.rois[0].threads == ()
    matrix = access_matrix(result.rois, old.machine)
    lines = (8 << 20) // 64
    assert matrix.loads[0][2] == pytest.approx(lines, rel=0.02)
    assert matrix.stores[1][2] == pytest.approx(lines, rel=0.02)
