"""The raw results: a file of JSON lines, a header and then one line for each run, written as they
come, so that nothing measured is lost and an interrupted comparison can go on."""

import hashlib
import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from heap.allocators import Allocator, commit
from heap.figures import Rounds
from homenode.lab.preload import cpu_line


class MismatchError(Exception):
    """A file of results that were measured otherwise."""


@dataclass(frozen=True)
class Run:
    """One run of one benchmark under one allocator; `failed` says why there is no figure."""

    benchmark: str
    group: str
    allocator: str
    round: int
    user_s: float = 0.0
    system_s: float = 0.0
    wall_s: float = 0.0
    peak_kib: int = 0
    load_1min: float = 0.0
    failed: str = ""

    @property
    def cpu_s(self) -> float:
        """User and system time together."""
        return self.user_s + self.system_s


def processor() -> str:
    """The processor's name, as the kernel has it."""
    return cpu_line("model name").partition(":")[2].strip() or platform.machine()


def header(allocators: Sequence[Allocator], percent: int, seed: int) -> dict[str, object]:
    """What must be the same for runs to be comparable, and where they were measured."""
    return {
        "version": 1,
        "percent": percent,
        "seed": seed,
        "processor": processor(),
        "cpus": os.cpu_count(),
        "kernel": platform.release(),
        "allocators": {
            one.name: {
                "library": one.library,
                "version": one.version,
                "sha256": hashlib.sha256(Path(one.library).read_bytes()).hexdigest(),
            }
            for one in allocators
        },
    }


class Store:
    """The file of one comparison; opened again, it knows what has been measured."""

    def __init__(self, path: Path, head: dict[str, object]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.runs: list[Run] = []
        if path.exists() and path.stat().st_size:
            old, self.runs = read(path)
            different = [key for key in head if old.get(key) != head[key]]
            if different:
                raise MismatchError(
                    f"{path} was measured with another {', '.join(different)}: choose another --raw"
                )
            whole = "".join(line + "\n" for line in lines(path))
            if whole != path.read_text():  # The last line was cut off in the middle.
                path.write_text(whole)
            self._file = path.open("a")
        else:
            self._file = path.open("w")
            started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self._write({**head, "started": started, "commit": commit()})

    def _write(self, line: dict[str, object]) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def add(self, run: Run) -> None:
        """Keeps a run, here and in the file."""
        self.runs.append(run)
        self._write(asdict(run))

    def done(self, benchmark: str, allocator: str, round_: int) -> bool:
        """Whether this has been measured; what failed once is not tried again."""
        return any(
            run.benchmark == benchmark
            and run.allocator == allocator
            and (run.round == round_ or run.failed != "")
            for run in self.runs
        )

    def close(self) -> None:
        """Ends the writing."""
        self._file.close()


def lines(path: Path) -> list[str]:
    """The whole lines of a file."""
    text = path.read_text()
    return text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]


def read(path: Path) -> tuple[dict[str, object], list[Run]]:
    """Header and runs of a file."""
    whole = lines(path)
    if not whole:
        raise MismatchError(f"{path} has no header: choose another --raw")
    try:
        head = json.loads(whole[0])
        runs = [Run(**json.loads(line)) for line in whole[1:]]
    except (ValueError, TypeError) as error:
        raise MismatchError(f"{path} is no file of these results ({error})") from error
    if not isinstance(head, dict) or head.get("version") != 1:
        raise MismatchError(f"{path} is no file of these results")
    return head, runs


def rounds(runs: Sequence[Run], figure: str) -> Rounds:
    """One figure of each run ("cpu_s", "peak_kib"), by benchmark and allocator without those that
    failed."""
    out = {(run.benchmark, run.allocator) for run in runs if run.failed}
    found: dict[str, dict[str, list[float]]] = {}
    for run in sorted(runs, key=lambda run: run.round):
        if (run.benchmark, run.allocator) not in out:
            values = found.setdefault(run.benchmark, {}).setdefault(run.allocator, [])
            values.append(float(getattr(run, figure)))
    return found
