"""The arrays of the workloads, from exact counts: found by their names, and each with the pattern
that docs/npb.md says."""

import re
from pathlib import Path

import pytest
from exact_map import COMMAND
from lab_driver import ROOT
from lab_start import lab_or_skip

from homenode.profile import Sharing
from homenode.profile.analysis import analyse
from homenode.profile.lab_source import record
from homenode.profile.objects import Kind
from homenode.profile.recording import read_recording

pytestmark = pytest.mark.lab

# Of all uses of a program; of less there are too few lines.
LEAST_SHARE = 0.005
OFTEN = ("MG",)


def documented() -> dict[str, dict[str, set[str]]]:
    """For each kernel the patterns of its arrays: several, where none holds for all its phases."""
    text = (ROOT / "docs" / "npb.md").read_text()
    section = text.partition("## Who uses which array")[2].partition("\n## ")[0]
    found: dict[str, dict[str, set[str]]] = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or not (names := re.findall("`([^`]+)`", cells[1])):
            continue
        for kernel in cells[0].split(", "):
            found.setdefault(kernel, {}).update({one: set(cells[2].split(", ")) for one in names})
    return found


TABLE = documented()


@pytest.mark.parametrize(
    "kernel",
    [pytest.param(one, marks=[] if one in OFTEN else pytest.mark.long) for one in sorted(TABLE)],
)
def test_arrays_have_the_patterns_that_the_documentation_says(kernel: str, tmp_path: Path) -> None:
    lab_or_skip("quad-4x2")
    words = [COMMAND, "bench", "npb", kernel.lower(), "--class", "S", "--threads", "8"]
    result = record("quad-4x2", words, tmp_path / "samples", roi="markers")
    assert result.status == 0
    uses = {
        use.object.name: use
        for use in analyse(read_recording(tmp_path / "samples")).objects
        if use.object.kind is Kind.REGION and use.share >= LEAST_SHARE
    }
    assert uses and set(uses) <= set(TABLE[kernel])
    wrong = []
    for array, use in uses.items():
        found = use.pattern
        line = f"{array}: {found.sharing}, sure: {found.sure}, {use.share:.1%} of all uses"
        print(line)
        expected = TABLE[kernel][array]
        if (len(expected) == 1 and not found.sure) or str(found.sharing) not in expected:
            wrong.append(line)
    assert not wrong


def test_the_table_has_no_other_names() -> None:
    names = {str(one) for one in Sharing}
    assert all(patterns <= names for arrays in TABLE.values() for patterns in arrays.values())
    assert {"CG", "MG", "FT", "SP"} <= set(TABLE)
