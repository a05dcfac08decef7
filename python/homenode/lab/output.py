"""Carries a job's output from its file in the session to where the caller wants it."""

from pathlib import Path
from typing import IO

from homenode.lab.errors import LabError

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
                        f"cannot write the program's output: {error.strerror}; make room, or send "
                        "it elsewhere"
                    ) from error
        return True

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()
