"""Runs candidates in the lab, in one boot: what is measured is modelled time, and says so."""

from pathlib import Path
from typing import Any, Literal, Self

from homenode import lab
from homenode.lab.catalogue import find_file
from homenode.lab.result import Result
from homenode.lab.stats import PS_PER_S
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import Allowed, candidates
from homenode.tune.errors import TuneError
from homenode.tune.looking import keep_recording, promising, run_recorded, seen_at
from homenode.tune.rule import by_rule
from homenode.tune.running import SAMPLES, Note, Order, Run, digest_of

PAGE = 4096
NO_REGION = (
    "it marks no region of interest whose time could be compared; count all of it with --roi all"
)


class LabRunner:
    """A machine of the catalogue, or of a file. Entering boots it. Raises TuneError."""

    def __init__(
        self,
        order: Order,
        command: Path,
        machine: str,
        roi: Literal["markers", "all"],
        *,
        scale: int = 1,
    ) -> None:
        """`scale` divides the machine's caches and memory."""
        self._order = order
        self._command = command
        self._roi: Literal["markers", "all"] = roi
        try:
            self._lab = lab.Lab(machine, timing=True, scale=scale, sample_unit=PAGE)
        except lab.LabError as error:
            raise TuneError(str(error), error.exit_code) from error

    def __enter__(self) -> Self:
        try:
            self._lab.__enter__()
        except lab.LabError as error:
            raise TuneError(str(error), error.exit_code) from error
        return self

    def __exit__(self, *error: object) -> None:
        self._lab.__exit__(*error)

    def look(
        self, machine: dict[str, Any], allowed: Allowed, folder: Path, note: Note
    ) -> list[Candidate]:
        """Runs the program once; its exact profile stays in `folder`."""
        words, path = self._words(Candidate("as it is", ())), folder / SAMPLES
        try:
            timeout_s = self._order.timeout_s
            result, allocated = run_recorded(self._lab, words, self._roi, timeout_s)
        except lab.LabError as error:
            raise TuneError(str(error), error.exit_code) from error
        why = self._valued(result).error
        if why is None:
            try:
                keep_recording(self._lab, result, allocated, words, self._roi, path)
                seen = seen_at(path, result.rois, self._lab.machine.node_of_vcpu)
                return promising(str(find_file(self._lab.source)), seen, machine, allowed)
            except TuneError as error:
                why = str(error)
        note(f"nothing is predicted: {why}")
        return by_rule(candidates(machine, None, allowed=allowed))

    def run(self, candidate: Candidate, limit_s: float | None) -> Run:
        """One job. `limit_s` bounds the emulator's time, which is not what is measured."""
        limits = [limit for limit in (limit_s, self._order.timeout_s) if limit is not None]
        timeout_s = min(limits, default=None)
        try:
            result = self._lab.run(self._words(candidate), timeout_s=timeout_s, roi=self._roi)
        except lab.LabError as error:
            raise TuneError(str(error), error.exit_code) from error
        return self._valued(result)

    def _words(self, candidate: Candidate) -> list[str]:
        words = list(self._order.program)
        if candidate.options or self._roi == "all":
            # Where all is counted, its own start is in both.
            words = [str(self._command), "run", *candidate.options, "--", *words]
        return words

    def _valued(self, result: Result) -> Run:
        wall_s = result.guest_ms / 1000
        if result.status != 0:
            said = result.stderr.decode(errors="replace").strip().splitlines()
            last = f": {said[-1][:200]}" if said else ""
            return Run(None, wall_s, f"it ended with exit code {result.status}{last}")
        times = [roi.ended_ps for roi in result.rois if roi.ended_ps is not None]
        if not sum(times):
            return Run(None, wall_s, NO_REGION)
        return Run(sum(times) / PS_PER_S, wall_s, None, digest_of(result.stdout))
