"""One program in the guest: its files in the session, its output, and its end."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from homenode.errors import USAGE
from homenode.lab.channel import Channel, Message
from homenode.lab.counts import Roi
from homenode.lab.errors import LabError
from homenode.lab.input import Input
from homenode.lab.outputs import Output
from homenode.lab.own_region import RoiChoice
from homenode.lab.result import Result

ENDS = ("exited", "signalled", "failed")


@dataclass(frozen=True)
class JobSpec:
    """What to run: words, environment, folder, what is counted, the files for the host, and
    whether the guest watches its mappings and threads."""

    command: list[str]
    env: dict[str, str]
    cwd: str
    roi: RoiChoice = "markers"
    outputs: tuple[Output, ...] = ()
    watch: bool = False


@dataclass(frozen=True)
class End:
    """The guest's last word about a job, and what the driver knows besides."""

    message: Message
    timed_out: bool = False
    lost: tuple[str, ...] = ()
    strays: int = 0
    pid: int = 0


def strings(words: list[str]) -> bytes:
    """Words as the guest reads them: each ended by a NUL. Raises LabError. Pure."""
    if any("\0" in word for word in words):
        raise LabError("an argument or an environment variable contains a NUL byte", USAGE)
    return b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in words)


CHUNK = 1 << 20


class Tail:
    """Follows one growing file. `sink` None: what comes is kept in `kept`."""

    def __init__(self, path: Path, sink: IO[bytes] | None):
        path.touch(mode=0o600)
        self._file = path.open("rb", buffering=0)
        self._sink = sink
        self.kept = b""
        self.broken = False

    def forward(self) -> bool:
        """Passes on what is new. False once, when the reader of the sink has gone away.

        Raises LabError when the sink cannot take it, for want of room for one.
        """
        while data := self._file.read(CHUNK):
            if self._sink is None:
                self.kept += data
            elif not self.broken:
                try:
                    self._sink.write(data)
                    self._sink.flush()
                except BrokenPipeError:
                    self.broken = True
                    return False
                except OSError as error:
                    raise LabError(
                        f"cannot write the program's output: {error.strerror}; free some space, "
                        "or send it elsewhere"
                    ) from error
        return True

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()


class Job:
    """A context manager: makes the job's files, follows its output, removes the files."""

    def __init__(
        self,
        name: str,
        folder: Path,
        spec: JobSpec,
        stdout: IO[bytes] | None,
        stderr: IO[bytes] | None,
        source: Input | None = None,
    ):
        self.name = name
        self._source = source
        self._folder = folder / name
        self._spec = spec
        self._sinks = {"stdout": stdout, "stderr": stderr}

    def __enter__(self) -> Self:
        if not self._spec.command:
            raise LabError("the program to run is missing", USAGE)
        env = [f"{key}={value}" for key, value in self._spec.env.items()]
        files = {
            "argv": strings(self._spec.command),
            "env": strings(env),
            "cwd": self._spec.cwd.encode("utf-8", "surrogateescape"),
            "roi": self._spec.roi.encode(),
        }
        if self._spec.outputs:
            files["outputs"] = strings([str(output.path) for output in self._spec.outputs])
        if self._spec.watch:
            files["watch"] = b""
        if self._source is not None:
            files["stdin"] = b""
        try:
            self._folder.mkdir(mode=0o700)
            for name, content in files.items():
                (self._folder / name).write_bytes(content)
            self._tails = {
                name: Tail(self._folder / name, sink) for name, sink in self._sinks.items()
            }
        except OSError as error:
            raise LabError(
                f"cannot write the job's files in {self._folder}: {error.strerror}; free some "
                "space there"
            ) from error
        return self

    def __exit__(self, *error: object) -> None:
        for tail in self._tails.values():
            tail.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def forward(self) -> bool:
        """Passes on new output. False when a reader of it has just gone away."""
        readers = [tail.forward() for tail in self._tails.values()]
        return all(readers)

    @property
    def waits_for(self) -> int | None:
        """The descriptor of the input to wait for; None while the guest wants none of it."""
        return None if self._source is None else self._source.waits_for

    def hear_of_input(self, message: Message) -> None:
        """What the guest says of the program's standard input: it wants more, or had so much."""
        if self._source is not None and message.kind == "wants":
            self._source.want()
        elif self._source is not None and message.kind == "read":
            self._source.give_back(message.number)

    def feed(self, channel: Channel) -> None:
        """Passes on input that the guest wants. Raises LabError when there is no room for it."""
        if self._source is None:
            return
        try:
            self._source.feed(self.name, self._folder / "stdin", channel)
        except OSError as error:
            raise LabError(
                f"cannot pass on the standard input: {error.strerror}; free some space, or set "
                "TMPDIR to another folder"
            ) from error

    def land_outputs(self) -> None:
        """Brings the files that the program wrote to the host. Raises LabError."""
        for number, output in enumerate(self._spec.outputs):
            content = self._folder / f"output.{number}"
            if content.exists():
                output.land(content)

    def result(
        self, end: End, rois: tuple[Roi, ...], counts_from: int, samples_from: int
    ) -> Result:
        """The job's end as the caller sees it."""
        kind, words = end.message.kind, end.message.words
        failure = (words[0], " ".join(words[1:])) if kind == "failed" else None
        return Result(
            exit_code=end.message.number if kind == "exited" else None,
            signal=end.message.number if kind == "signalled" else None,
            failure=failure,
            timed_out=end.timed_out,
            guest_ms=int(words[1]) if failure is None else 0,
            stdout=self._tails["stdout"].kept,
            stderr=self._tails["stderr"].kept,
            lost=end.lost,
            strays=end.strays,
            pid=end.pid,
            watched=(self._folder / "watch").read_bytes() if self._spec.watch else b"",
            rois=rois,
            counts_from=counts_from,
            samples_from=samples_from,
        )
