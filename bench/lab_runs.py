"""Programs in the lab, and the modelled time that they take."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from homenode.lab import Lab

HERE = Path(__file__).parent


def modelled_us(lab: Lab, command: list[str]) -> float:
    """The modelled time of a command's regions of interest."""
    result = lab.run(command)
    assert result.status == 0, result.stderr.decode()
    assert result.rois, f"{command} has no region of interest"
    return float(sum(roi.raw["time"]["ps"] for roi in result.rois)) / 1e6


def spread_percent(times: list[float]) -> float:
    """How much longer the slowest of some runs took than the fastest."""
    return 100 * (max(times) / min(times) - 1)


@contextmanager
def compiled(source: str) -> Iterator[str]:
    """A program of this folder, compiled with the project's own markers."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / source.removesuffix(".c"))
        command = ["cc", "-O2", "-static", "-fopenmp", f"-I{HERE.parent / 'src'}"]
        subprocess.run([*command, str(HERE / source), "-o", program], check=True)
        yield program
