"""The runs of one `homenode tune`: what was asked, then a JSON line for each run, appended whole.

It may be killed at any byte; what had run stays, and the same command goes on from there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from homenode.appended_lines import AppendedLines, DamagedLineError, sound_lines
from homenode.files import write_whole
from homenode.tune.candidate import Candidate
from homenode.tune.errors import TuneError
from homenode.tune.running import Run

ORDER_SCHEMA = "homenode.tune.order/1"
RUN_SCHEMA = "homenode.tune.run/1"
RUNS, ORDER = "runs.jsonl", "order.json"

WARM_UP = 0  # The round of the runs before the first one.


@dataclass(frozen=True)
class Kept:
    """A run of a candidate in a round."""

    round: int
    candidate: str
    run: Run

    def to_json(self) -> dict[str, Any]:
        """Its line."""
        return {
            "schema": RUN_SCHEMA,
            "round": self.round,
            "candidate": self.candidate,
            "value": self.run.value,
            "wall_s": round(self.run.wall_s, 6),
            "error": self.run.error,
            "output": self.run.output,
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    @staticmethod
    def from_json(line: Mapping[str, Any]) -> "Kept":
        """The run of a line; raises KeyError, TypeError or ValueError when it is none."""
        if line["schema"] != RUN_SCHEMA:
            raise ValueError(f"no {RUN_SCHEMA}")
        value = None if line["value"] is None else float(line["value"])
        run = Run(value, float(line["wall_s"]), line["error"], line["output"])
        return Kept(int(line["round"]), str(line["candidate"]), run)


class Journal:
    """The folder of one tune, locked against another. `asked` is what makes its runs comparable."""

    def __init__(self, folder: Path, asked: Mapping[str, Any], *, fresh: bool = False) -> None:
        """Opens and repairs it. Raises TuneError when it is of another command, or in use."""
        self.folder = folder
        self.asked = dict(asked)
        self._left_out: list[str] = []
        try:
            self._lines = AppendedLines(folder / RUNS)
        except BlockingIOError as error:
            raise TuneError(
                f"another 'homenode tune' is writing to {folder}; wait for it, or name "
                "another folder with --results"
            ) from error
        except OSError as error:
            raise TuneError(
                f"cannot create the folder {folder}: {error.strerror}; name another with --results"
            ) from error
        try:
            self.order = self._same_order(fresh=fresh)
            self._open()
        except BaseException:
            self._lines.close()
            raise

    def _same_order(self, *, fresh: bool) -> Mapping[str, Any] | None:
        """What was asked for the runs that are there; None if there are none."""
        path = self.folder / ORDER
        if fresh:
            self._lines.set_aside()
            path.unlink(missing_ok=True)
            return None
        try:
            order = json.loads(path.read_text(encoding="utf-8"))
            if order["schema"] != ORDER_SCHEMA:
                raise ValueError(f"no {ORDER_SCHEMA}")
            asked = order["asked"]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise TuneError(
                f"cannot use {path}: {error}; measure everything again with --fresh"
            ) from error
        for key, value in json.loads(json.dumps(self.asked)).items():
            if asked.get(key) != value:
                raise TuneError(
                    f"{self.folder} has the runs of another command (its {key} differs); name "
                    "another folder with --results, or measure everything again with --fresh"
                )
        return dict(order)

    def _open(self) -> None:
        path = self._lines.path
        try:
            self.runs = self._lines.open(self._parsed)
        except OSError as error:
            raise TuneError(f"cannot open {path}: {error.strerror}; check who may write") from error

    def _parsed(self, data: bytes) -> tuple[list[Kept], int]:
        try:
            return sound_lines(data, Kept.from_json)
        except DamagedLineError as error:
            raise TuneError(
                f"line {error.number} of {self._lines.path} is no run ({error}); remove it, or "
                "measure everything again with --fresh"
            ) from error

    def candidates(self) -> list[Candidate] | None:
        """Those that the runs are of; None if nothing has run."""
        if self.order is None:
            return None
        try:
            return [Candidate.from_json(one) for one in self.order["candidates"]]
        except (KeyError, TypeError, ValueError) as error:
            raise TuneError(
                f"cannot use {self.folder / ORDER}: {error}; measure everything again with --fresh"
            ) from error

    def left_out(self) -> list[str]:
        """The names of placements that do not take part."""
        if self.order is None:
            return self._left_out
        return [str(name) for name in self.order.get("left_out", [])]

    def begin(self, candidates: Sequence[Candidate], left_out: Sequence[str] = ()) -> None:
        """Writes down what is asked, who takes part and who does not."""
        self._left_out = list(left_out)
        order = {
            "schema": ORDER_SCHEMA,
            "asked": self.asked,
            "candidates": [asdict(one) for one in candidates],
            "left_out": self._left_out,
        }
        try:
            text = json.dumps(order, indent=1, ensure_ascii=False)
            write_whole(self.folder / ORDER, text.encode() + b"\n")
        except OSError as error:
            raise self._full(error) from error

    def append(self, kept: Kept) -> None:
        """Writes one run and waits until it is on the disk; on failure the file is as before."""
        line = json.dumps(kept.to_json(), ensure_ascii=False)
        try:
            self._lines.append(line)
        except OSError as error:
            raise self._full(error) from error
        self.runs.append(kept)

    def _full(self, error: OSError) -> TuneError:
        return TuneError(
            f"cannot write to {self.folder}: {error.strerror}; the earlier runs are complete: free "
            "some space, then run the same command again to resume"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
