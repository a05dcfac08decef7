"""Commands, each of their system calls refused once, and what is wrong with how they take it.

Left out are the calls that bring a command to its main(), and those of the program that it becomes.
A process that it starts is refused its own call of the same number.
"""

import os
import re
import shutil
import stat
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

# EPERM, which filters of system calls give, for all others.
ERRORS = {
    "clone": "EAGAIN",
    "clone3": "EAGAIN",
    "connect": "ENETUNREACH",
    "execve": "ENOMEM",
    "fsync": "EIO",
    "getdents64": "EIO",
    "getrandom": "ENOSYS",
    "getsockname": "ENOBUFS",
    "mmap": "ENOMEM",
    "mprotect": "ENOMEM",
    "munmap": "ENOMEM",
    "newfstatat": "EIO",
    "openat": "EMFILE",
    "pipe2": "EMFILE",
    "poll": "ENOMEM",
    "pread64": "EIO",
    "read": "EIO",
    "readlink": "EIO",
    "readlinkat": "EIO",
    "recvmsg": "ENOMEM",
    "rename": "EIO",
    "sendto": "ENOBUFS",
    "set_mempolicy": "ENOMEM",
    "socket": "EMFILE",
    "wait4": "ECHILD",
    "write": "ENOSPC",
}
# The kernel refuses none of them for reasons of its own, and libc takes that for granted; a close
# that fails has closed all the same, which strace cannot do.
NEVER_REFUSED = {"close", "exit", "exit_group", "futex", "getpid", "gettid", "rt_sigprocmask"}
MOST = 100  # Of one call in one command: large machines have thousands of files.
SECONDS = 20
FAILURES = {1, 3, 125, 126}
ONE_LINE = re.compile(r"homenode( [a-z-]+)*: .+; .+\n")


@dataclass(frozen=True)
class Done:
    """What a run came to; the files are those of its folder."""

    code: int
    out: str
    err: str
    before: dict[str, tuple[int, str]]
    files: dict[str, tuple[int, str]]


@dataclass(frozen=True)
class Command:
    words: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    prepare: Callable[[Path], None] = lambda folder: None
    after: str = ""  # Left out are the calls before the first one with this in it.


def files_in(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        path.name: (stat.S_IMODE(path.stat().st_mode), path.read_text())
        for path in folder.iterdir()
    }


def run(command: Command, folder: Path, options: list[str]) -> Done:
    """Nothing lies at random in memory: libc then asks for more as often in each run."""
    folder.mkdir()
    command.prepare(folder)
    before = files_in(folder)
    log = f"--output={folder}.log"
    done = subprocess.run(
        ["timeout", "-sKILL", str(SECONDS), "setarch", "-R", "strace", "-fqq", log, *options]
        + [shutil.which("homenode") or "homenode"]
        + [word.format(folder=folder) for word in command.words],
        env=os.environ | {"PATH": "/usr/bin:/bin"} | command.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    told = re.sub(r"^strace: Injected .*\n", "", done.stderr, flags=re.MULTILINE)
    said = [text.replace(str(folder), "FOLDER") for text in (done.stdout, told)]
    return Done(done.returncode, *said, before, files_in(folder))


def calls_before_main(lines: list[str]) -> int:
    """The loader last gives back its list of libraries; without it, data is made constant."""
    text = "\n".join(lines)
    cache = re.search(r'"/etc/ld.so.cache".*?mmap\([^\n]*= (0x\w+)\n', text, re.DOTALL)
    last = f"munmap({cache[1]}," if cache else "mprotect("
    return next((i for i, line in enumerate(lines) if last in line), -1) + 1


def own_calls(log: Path, after: str) -> Iterator[tuple[str, int, str]]:
    """Each call to refuse, the how manieth of its name it is, and what strace is to make of it."""
    lines = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    mine = [text for process, text in lines if process == lines[0][0] and re.match(r"\w+\(", text)]
    starts = [i for i, text in enumerate(mine) if re.match(r"execve\(.* = 0$", text)]
    left_out = {0}
    for start, end in zip(starts, [*starts[1:], len(mine)], strict=True):
        homenode = "/homenode" in mine[start].split('"')[1]
        length = calls_before_main(mine[start:end]) if homenode else end - start
        left_out |= set(range(start + 1, start + length))
    left_out |= set(range(next(i for i, text in enumerate(mine) if after in text)))
    counts: Counter[str] = Counter()
    heap_end = "0"
    for i, text in enumerate(mine):
        name = text.partition("(")[0]
        counts[name] += 1
        # A refused brk leaves the end where it was, and says so.
        how = (
            f"retval={int(heap_end, 16)}" if name == "brk" else f"error={ERRORS.get(name, 'EPERM')}"
        )
        if i not in left_out and name not in NEVER_REFUSED and not text.startswith("write(2,"):
            yield name, counts[name], how
        if name == "brk":
            heap_end = text.rpartition(" ")[2]


def each_refusal(command: Command, folder: Path) -> Iterator[tuple[str, Done, Done]]:
    """What was refused, the run without a refusal, and the run with it."""
    clean = run(command, folder / "clean", [])
    if "Operation not permitted" in clean.err:
        pytest.skip(f"the kernel of this machine refuses it: {clean.err}")
    by_name: dict[str, list[tuple[str, int, str]]] = {}
    for call in own_calls(folder / "clean.log", command.after):
        by_name.setdefault(call[0], []).append(call)
    calls = [call for same in by_name.values() for call in same[:: len(same) // MOST + 1]]

    def refuse(call: tuple[str, int, str]) -> tuple[str, Done]:
        name, number, how = call
        inject = ["--seccomp-bpf", f"--trace={name}", f"--inject={name}:{how}:when={number}"]
        done = run(command, folder / f"{name}-{number}", inject)
        log = (folder / f"{name}-{number}.log").read_text().splitlines()
        return "\n".join(line for line in log if line.endswith("(INJECTED)")), done

    with ThreadPoolExecutor(2) as pool:
        for refused, done in pool.map(refuse, calls):
            if refused:
                yield refused, clean, done


def problem(
    refused: str, clean: Done, done: Done, says_the_truth: Callable[[str, str], bool]
) -> str:
    """What is wrong with a run with a refusal, or nothing."""
    if done.code < 0:
        return f"was ended by a signal, or not within {SECONDS} s"
    if (done.code, done.err, done.files) == (clean.code, clean.err, clean.files):
        return "" if says_the_truth(clean.out, done.out) else "says something else"
    if done.files not in (done.before, clean.files):
        return "leaves other files behind"
    if done.code not in FAILURES:
        return "is no failure"
    if not ONE_LINE.fullmatch(done.err) and " write(2," not in refused:
        return "does not say why in one line"
    return ""


def check(
    command: Command, folder: Path, says_the_truth: Callable[[str, str], bool] = str.__eq__
) -> None:
    refusals = list(each_refusal(command, folder))
    assert len(refusals) > 10
    problems = [
        f"{refused}\n  {what}: {done.code} {done.err}"
        for refused, clean, done in refusals
        if (what := problem(refused, clean, done, says_the_truth))
    ]
    assert not problems, "\n".join(problems[:20])
