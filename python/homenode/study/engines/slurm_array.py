"""Runs commands as an array job of Slurm. `python -m homenode.study.engines.slurm_array FOLDER` is
what each task of it starts.

The commands and their ends are files in a folder that all computers see. Slurm itself starts the
task of a computer that fails again (--requeue); a task's end is written whole, under its number, so
that one that ran twice has one end. sbatch reads SBATCH_PARTITION and the like.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path

from homenode.errors import NOT_SUPPORTED
from homenode.files import write_whole
from homenode.study.engines.engine import Ended, run_here
from homenode.study.errors import StudyError

COMMANDS = "commands.json"
JOB = "job"
# Slurm's default MaxArraySize allows 1001.
LARGEST_ARRAY = 1000
LOOK_EVERY_S = 1.0


class SlurmArray:
    """Array jobs whose files are in `folder`, which exists while they run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()

    def run(self, commands: Sequence[Sequence[str]]) -> Generator[Ended, None, None]:
        """As engine.Engine; more commands than an array may have become several, one by one."""
        if shutil.which("sbatch") is None:
            raise StudyError(
                "sbatch is not on PATH; run the study where jobs are submitted, or use another "
                "engine with --on",
                NOT_SUPPORTED,
            )
        _end_earlier(self._folder)
        for first in range(0, len(commands), LARGEST_ARRAY):
            yield from self._run_array(commands[first : first + LARGEST_ARRAY], first)

    def _run_array(
        self, commands: Sequence[Sequence[str]], first: int
    ) -> Generator[Ended, None, None]:
        self._folder.mkdir(parents=True)
        text = json.dumps([list(command) for command in commands])
        write_whole(self._folder / COMMANDS, text.encode())
        job = self._submit(len(commands))
        try:
            write_whole(self._folder / JOB, job.encode())
            waiting = set(range(len(commands)))
            queued = True
            while waiting and queued:
                queued = _is_queued(job)  # Before looking: what ends in between is found.
                for index in sorted(waiting):
                    if (end := _end_of(self._folder, index)) is not None:
                        waiting.remove(index)
                        yield Ended(first + index, *end)
                if waiting and queued:
                    time.sleep(LOOK_EVERY_S)
            for index in sorted(waiting):
                yield Ended(first + index, None, "", f"task {index} of job {job} left no result")
        finally:
            _cancel(job)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _submit(self, count: int) -> str:
        task = [sys.executable, "-m", "homenode.study.engines.slurm_array", str(self._folder)]
        command = ["sbatch", "--parsable", "--requeue", "--job-name=homenode-study"]
        command += [f"--array=0-{count - 1}", f"--output={os.devnull}"]
        command.append(f"--wrap=exec {shlex.join(task)}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise StudyError(
                f"sbatch refused the study's job: {_last_line(done.stderr)}; SBATCH_PARTITION, "
                "SBATCH_ACCOUNT and the like say what it asks for"
            )
        return done.stdout.strip().partition(";")[0]


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def _end_earlier(folder: Path) -> None:
    """The job of a study that was killed: its cases that have no record run again."""
    with suppress(OSError):
        _cancel((folder / JOB).read_text())
    shutil.rmtree(folder, ignore_errors=True)


def _cancel(job: str) -> None:
    subprocess.run(["scancel", "--quiet", job], capture_output=True, check=False)


def _is_queued(job: str) -> bool:
    """Whether a task waits or runs. A controller that does not answer may come back."""
    command = ["squeue", "--noheader", "--jobs", job, "--format=%i"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return "Invalid job id" not in done.stderr
    return bool(done.stdout.strip())


def _end_of(folder: Path, index: int) -> tuple[int, str, str] | None:
    try:
        code, output, errors = json.loads((folder / f"{index}.json").read_text())
    except FileNotFoundError:
        return None
    return code, output, errors


def main() -> int:
    """One task: runs its command, and leaves the end."""
    folder = Path(sys.argv[1])
    index = int(os.environ["SLURM_ARRAY_TASK_ID"])
    arguments = json.loads((folder / COMMANDS).read_text())[index]
    write_whole(folder / f"{index}.json", json.dumps(run_here(arguments)).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
