"""`homenode lab run --samples`: what is refused before a boot, and the file of a run."""

import os
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.errors import LAUNCHER_FAILED
from homenode.lab.cli import main
from homenode.lab.errors import LabError
from homenode.lab.lab import check_unit
from homenode.lab.samples import check_samples
from homenode.profile.recording import read_recording

RUN = ["run", "--machine", "tiny-2x2"]


@pytest.mark.parametrize("unit", ["32", "100", "0", "-64", "4194304"])
def test_a_unit_that_cannot_be_counted_is_refused(
    unit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*RUN, "--samples", str(tmp_path / "s"), f"--sample-unit={unit}", "--", "true"]
    assert main(words) == LAUNCHER_FAILED
    err = capsys.readouterr().err
    assert f"a unit of {unit} bytes cannot be counted; give a power of two" in err or "lab" in err
    with pytest.raises(LabError, match="give a power of two from 64 to 2097152"):
        check_unit(int(unit), counted=True)


def test_nothing_is_sampled_without_the_plugin() -> None:
    with pytest.raises(LabError, match="run without --no-plugin"):
        check_unit(64, counted=False)
    check_unit(64, counted=True)


def test_a_place_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="does not exist; create it"):
        check_samples(str(tmp_path / "none" / "samples"))
    with pytest.raises(LabError, match="it is a folder"):
        check_samples(str(tmp_path))
    assert check_samples(str(tmp_path / "samples")) == tmp_path / "samples"


@pytest.mark.lab
def test_the_file_is_of_the_program_that_ran(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "samples"
    # Of two at one time, neither can get the other's page tables: `cat` is there before and after.
    script = "coproc cat; echo >&${COPROC[1]}; read -u ${COPROC[0]}; ls / > /dev/null"
    command = ["bash", "-c", f'{script}; eval "exec ${{COPROC[1]}}>&-"; wait; exit 5']
    words = [*RUN, "--no-input", "--no-time", "--roi", "all", "--samples", str(path), "--"]
    assert main([*words, *command]) == 5
    recording = read_recording(path)
    assert recording.begin["command"] == command
    assert recording.begin["hostname"] == "tiny-2x2"
    assert recording.end is not None
    assert recording.end["exit_code"] == 5
    assert recording.end["samples"] == len(recording.samples) > 0
    assert len(set(recording.samples["pid"].tolist())) == 3  # bash, cat and ls.
    assert set(recording.samples["page_shift"]) == {12}
    shell = recording.begin["pid"]
    paths = {one["path"] for look in recording.of("mappings") for one in look["mappings"]}
    assert any(os.path.basename(path) in ("sh", "dash", "bash") for path in paths)  # noqa: PTH119
    assert any(look["pid"] == shell for look in recording.of("threads"))


@pytest.mark.lab
def test_without_samples_the_guest_watches_nothing(tmp_path: Path) -> None:
    assert main([*RUN, "--no-input", "--no-time", "--json", str(tmp_path / "j"), "--", "true"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["j"]


@pytest.mark.lab
def test_a_process_that_runs_is_sampled_from_within(tmp_path: Path) -> None:
    """By the lab's counts of a while, as a processor would sample it."""
    program = (
        "homenode bench map --pattern divided --op write --threads 4 --size 8M --passes 1000000 "
        "--pages small > /dev/null & P=$!; sleep 4;"
    )
    sample = f"homenode sample --with lab --duration 0.5 --output {tmp_path}/s $P; kill $P"
    with lab_or_skip("tiny-2x2", tmp_path, timing=False, sample_unit=4096) as lab:
        result = lab.run(["sh", "-c", f"{program} {sample}"], timeout_s=200)
    assert result.status == 0, result.stderr.decode()
    recording = read_recording(tmp_path / "s")
    named = {one["tid"] for look in recording.of("threads") for one in look["threads"]}
    users: dict[int, set[int]] = {}
    for address, tid in zip(recording.samples["address"], recording.samples["tid"], strict=True):
        users.setdefault(int(address) >> 12, set()).add(int(tid))
    assert set().union(*users.values()) <= named
    # Each of the four has a quarter of the array for itself.
    assert len(users) > 1000
    assert sum(len(threads) == 1 for threads in users.values()) >= 0.95 * len(users)
