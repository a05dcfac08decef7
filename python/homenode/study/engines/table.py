"""The engines by what `--on` names: a line each."""

from collections.abc import Callable, Mapping
from pathlib import Path

from homenode.errors import USAGE
from homenode.study.engines.dask_cluster import DaskCluster
from homenode.study.engines.engine import Engine
from homenode.study.engines.slurm_array import SlurmArray
from homenode.study.errors import StudyError


def _dask(rest: str, folder: Path) -> Engine | None:
    host, _, port = rest.removeprefix("//").rpartition(":")
    named = rest.startswith("//") and host and port.isdecimal()
    return DaskCluster(f"tcp://{host}:{port}") if named else None


def _local(rest: str, folder: Path) -> Engine | None:
    return DaskCluster(workers=int(rest)) if rest.isdecimal() and int(rest) > 0 else None


def _slurm(rest: str, folder: Path) -> Engine | None:
    return None if rest else SlurmArray(folder / "slurm")


# What makes an engine of the text after the name and the study's folder; None where it cannot.
MAKERS: Mapping[str, Callable[[str, Path], Engine | None]] = {
    "dask": _dask,
    "local": _local,
    "slurm": _slurm,
}


def engine_of(text: str, folder: Path) -> Engine:
    """The engine that `--on` names; its own files go into `folder`. Raises StudyError (usage)."""
    name, _, rest = text.partition(":")
    engine = MAKERS[name](rest, folder) if name in MAKERS else None
    if engine is None:
        raise StudyError(
            f"--on {text} names no engine; it can be dask://HOST:PORT, local:N or slurm", USAGE
        )
    return engine
