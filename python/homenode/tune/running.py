"""Runs a candidate once on this machine, and says what came out: a number, or why there is none."""

import hashlib
import os
import shlex
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Protocol, Self

from homenode.tune.candidate import Candidate
from homenode.tune.candidates import Allowed, candidates, memory_nodes
from homenode.tune.errors import TuneError
from homenode.tune.listening import listens
from homenode.tune.metric import Metric
from homenode.tune.processes import NOT_STARTED, Command, Ended, Processes
from homenode.tune.rule import by_rule

SAMPLES = "profile.samples"
READY_S = 60.0  # A server that is not ready by then hangs.
LOOK_S = 0.02


@dataclass(frozen=True)
class Order:
    """What is to be run, and what is measured of it. `load` is a command for the shell, run against
    the program once `ready` succeeds, or the program listens; `prepare` precedes every run, and
    `check` must succeed after it, with what the program printed as its input."""

    program: tuple[str, ...]
    metric: Metric = field(default_factory=Metric)
    load: str | None = None
    ready: str | None = None
    prepare: str | None = None
    check: str | None = None
    timeout_s: float | None = None


@dataclass(frozen=True)
class Run:
    """What came out of one run: a value, or an error in a few words. `output` is a digest of what
    the program printed, where that is compared."""

    value: float | None
    wall_s: float
    error: str | None = None
    output: str | None = None


Note = Callable[[str], None]


class Runner(Protocol):
    """Who runs candidates: this machine, or one in the lab."""

    def look(
        self, machine: dict[str, Any], allowed: Allowed, folder: Path, note: Note
    ) -> list[Candidate]:
        """The allowed placements that are worth a run, after the program as it is."""

    def run(self, candidate: Candidate, limit_s: float | None) -> Run:
        """One run; `limit_s` is the time after which it has lost anyway."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


AUTO, NONE = "auto", "none"


@dataclass(frozen=True)
class Sampling:
    """How a program is looked at: AUTO, NONE or a source of `homenode sample`, and what that may
    cost."""

    source: str = NONE
    overhead: str = "10%"


class HostRunner:
    """This machine. What is printed goes to files in `folder`, those of the last run."""

    def __init__(
        self, order: Order, command: Path, folder: Path, sampling: Sampling = Sampling()
    ) -> None:
        self._order = order
        self._sampling = sampling
        self._command = command
        self._output, self._errors = folder / "last.out", folder / "last.err"
        self._load_output = folder / "last-load.out"
        self._processes = Processes(folder)

    def __enter__(self) -> Self:
        self._processes.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._processes.__exit__(*error)

    def words(self, candidate: Candidate) -> list[str]:
        """What is started: the program itself if it is to be as it is."""
        program = list(self._order.program)
        if not candidate.options:
            return program
        return [str(self._command), "run", *candidate.options, "--", *program]

    def look(
        self, machine: dict[str, Any], allowed: Allowed, folder: Path, note: Note
    ) -> list[Candidate]:
        """As the models order them, from samples of one run; by a rule where there are none. On one
        node there is nothing to predict."""
        if len(memory_nodes(machine)) < 2:
            return candidates(machine, None, allowed=allowed)
        if self._sampling.source != NONE:
            note("looks at the program first, in a run of its own")
            try:
                return self._predicted(machine, allowed, folder / SAMPLES)
            except TuneError as error:
                note(f"nothing is predicted: {error}")
        return by_rule(candidates(machine, None, allowed=allowed))

    def _predicted(
        self, machine: dict[str, Any], allowed: Allowed, samples: Path
    ) -> list[Candidate]:
        """Runs the program once under a sampler. Raises TuneError."""
        from homenode.tune.looking import promising, seen_by_samples  # NumPy, which --help spares.

        words = [str(self._command), "sample", "--with", self._sampling.source]
        words += ["--overhead", self._sampling.overhead, "--output", str(samples)]
        wrong = self._run([*words, "--", *self._order.program], None).error
        if wrong is not None:
            raise TuneError(f"{wrong}, while it was sampled")
        found = promising("live", seen_by_samples(samples, machine), machine, allowed)
        # How far the models err was found with exact counts.
        return [replace(one, sure=None) for one in found]

    def run(self, candidate: Candidate, limit_s: float | None) -> Run:
        """One run with all that belongs to it. Raises TuneError where files cannot be written."""
        return self._run(self.words(candidate), limit_s)

    def _run(self, words: Sequence[str], limit_s: float | None) -> Run:
        order = self._order
        limits = [limit for limit in (limit_s, order.timeout_s) if limit is not None]
        limit = min(limits, default=None)
        try:
            if order.prepare is not None:
                failed = self._shell("prepare", order.prepare)
                if failed:
                    return Run(None, 0.0, failed)
            measured = self._served if order.load is not None else self._alone
            run = measured(words, limit)
            if run.error is None and order.check is not None:
                failed = self._shell("check", order.check, self._output)
                if failed:
                    return Run(None, run.wall_s, failed)
            return run
        except OSError as error:
            raise TuneError(
                f"cannot write to {self._output.parent}: {error.strerror}; free some space"
            ) from error

    def _alone(self, words: Sequence[str], limit: float | None) -> Run:
        with (
            self._output.open("wb") as out,
            self._errors.open("wb") as err,
            _own_input() as stdin,
            self._processes.started(words, out, err, stdin) as command,
        ):
            ended = command.wait(limit)
        wrong = self._wrong(ended, limit)
        if wrong is not None:
            return Run(None, ended.seconds, wrong)
        return self._valued(ended, self._output, self._errors)

    def _served(self, words: Sequence[str], limit: float | None) -> Run:
        """The program is a server: started, put under load, ended."""
        assert self._order.load is not None
        with (
            self._output.open("wb") as out,
            self._errors.open("wb") as err,
            self._load_output.open("wb") as load_out,
            self._processes.started(words, out, err) as server,
        ):
            wrong = self._await(server)
            if wrong is not None:
                return Run(None, server.seconds, wrong)
            load = ["/bin/sh", "-c", self._order.load]
            with self._processes.started(load, load_out, load_out) as command:
                ended = command.wait(limit)
            died = server.process.poll()
            server.end()
        if ended.timed_out:
            return Run(None, ended.seconds, f"the load did not end within {limit:.3g} s")
        if died is not None:
            return Run(None, ended.seconds, f"it ended under the load with {_code(died)}")
        if ended.code != 0:
            said = _last_line(self._load_output)
            return Run(None, ended.seconds, f"the load ended with {_code(ended.code)}{said}")
        return self._valued(ended, self._load_output)

    def _await(self, server: Command) -> str | None:
        """Waits until the server is ready; says why it is not."""
        while server.seconds < READY_S:
            if server.process.poll() is not None:
                return f"it ended with {_code(server.process.returncode)}{_last_line(self._errors)}"
            if self._ready(server):
                return None
            time.sleep(LOOK_S)
        return f"it was not ready within {READY_S:g} s; say with --ready how to find out"

    def _ready(self, server: Command) -> bool:
        if self._order.ready is None:
            return listens(server.process.pid)
        silence = subprocess.DEVNULL
        return (
            subprocess.run(
                ["/bin/sh", "-c", self._order.ready],
                stdin=silence,
                stdout=silence,
                stderr=silence,
                check=False,
            ).returncode
            == 0
        )

    def _valued(self, ended: Ended, *printed: Path) -> Run:
        metric = self._order.metric
        if metric.pattern is None:
            same = None if self._order.load is not None else digest_of(self._output.read_bytes())
            return Run(ended.seconds, ended.seconds, None, same)
        value = metric.read("\n".join(path.read_text(errors="replace") for path in printed))
        if isinstance(value, str):
            return Run(None, ended.seconds, value)
        return Run(value, ended.seconds)

    def _wrong(self, ended: Ended, limit: float | None) -> str | None:
        if ended.timed_out:
            return f"it did not end within {limit:.3g} s"
        if ended.code in NOT_STARTED:
            return f"it could not be started{_last_line(self._errors)}"
        if ended.code != 0:
            return f"it ended with {_code(ended.code)}{_last_line(self._errors)}"
        return None

    def _shell(self, option: str, text: str, stdin: Path | None = None) -> str | None:
        """Runs --prepare or --check; says how it failed."""
        limit = self._order.timeout_s
        log = self._output.with_name(f"last-{option}.out")
        with (
            (stdin or Path(os.devnull)).open("rb") as source,
            log.open("wb") as out,
            self._processes.started(["/bin/sh", "-c", text], out, out, source.fileno()) as command,
        ):
            ended = command.wait(limit)
        if ended.timed_out:
            return f"--{option} did not end within {limit:.3g} s"
        if ended.code != 0:
            return f"--{option} failed after it with {_code(ended.code)}{_last_line(log)}"
        return None


@contextmanager
def _own_input() -> Iterator[int]:
    """A file that is this command's input is read by each run from its beginning."""
    try:
        regular = stat.S_ISREG(os.fstat(0).st_mode)
    except OSError:
        regular = False
    if not regular:
        yield subprocess.DEVNULL
        return
    with Path("/proc/self/fd/0").open("rb") as file:
        yield file.fileno()


def digest_of(printed: bytes) -> str:
    """What tells one output from another."""
    return hashlib.sha256(printed).hexdigest()[:16]


def _code(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_line(path: Path, most: int = 200) -> str:
    """What was printed last, as the end of a sentence; nothing if nothing was."""
    file: IO[bytes]
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        lines = file.read().decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {last[:most]}" if last else ""


def command_text(candidate: Candidate, program: Sequence[str]) -> str:
    """The command line that a person types for a candidate."""
    return shlex.join(["homenode", "run", *candidate.options, "--", *program])
