"""Large real programs under the allocator: each is run with libc's malloc and with ours, and must
do the same. What each process said of itself at its end shows that it was ours that served it.

    ./dev bench heap-programs [NAME...]

Nothing is installed: what is not here is named and left out. Servers listen on sockets in folders
of their own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INPUTS = ROOT / "bench/heap/inputs"
LIBRARY = ROOT / "build/release/lib/libhomenode-malloc.so"
POSTGRES = Path("/usr/lib/postgresql/15/bin")
PYTHON_TESTS = [
    *("array", "base64", "bytes", "collections", "dict", "fork1", "functools", "gc", "generators"),
    *("heapq", "itertools", "json", "list", "memoryview", "queue", "re", "set", "sort", "struct"),
    *("thread", "tuple", "weakref", "zlib"),
]
ENOUGH_S = 3600


class MissingError(Exception):
    """A program that is not here; the text is its package."""


@dataclass
class Run:
    """One run of a program and of what it starts: with which malloc, where, and who served."""

    library: str  # Empty: libc's.
    folder: Path
    served: list[dict[str, int]] = field(default_factory=list)

    def environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        """Ours, and the allocator's."""
        ours = {"LD_PRELOAD": self.library, "HOMENODE_MALLOC_STATISTICS": "1"}
        return {**os.environ, **(ours if self.library else {}), **extra}

    def __call__(self, *words: str | Path, cwd: Path | None = None, **extra: str) -> str:
        """What a command prints; it must succeed."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=cwd or self.folder,
            env=self.environment(extra),
            capture_output=True,
            text=True,
            timeout=ENOUGH_S,
        )
        self.read(done.stderr + done.stdout)
        if done.returncode != 0:
            raise AssertionError(
                f"{words[0]}: {done.returncode}: {done.stdout}{done.stderr}"[-3000:]
            )
        return "\n".join(line for line in done.stdout.splitlines() if "homenode.malloc" not in line)

    def read(self, text: str) -> None:
        """Keeps what processes said of themselves."""
        lines = re.findall(r'^\{"schema": "homenode.malloc/2".*\}$', text, re.MULTILINE)
        self.served += [json.loads(line) for line in lines]


def needs(program: str | Path, package: str) -> str:
    """The path of a program."""
    found = shutil.which(program)
    if found is None:
        raise MissingError(package)
    return found


def compiler(run: Run) -> str:
    """This project's allocator, built: cmake, ninja, compilers and linkers; every object's sum."""
    run("cmake", "-S", ROOT, "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", "build", "--target", "homenode_malloc", "heap_operators")
    made = sorted(run.folder.glob("build/src/heap/**/homenode_malloc.dir/*.o"))
    assert len(made) > 10
    return run("sha256sum", *(path.relative_to(run.folder) for path in made))


def python(run: Run) -> str:
    """A part of Python's own tests, with every object from malloc.

    They look at what is said on stderr, so that only a process before them tells who serves.
    """
    run(sys.executable, "-c", "pass")
    tests = [f"test_{name}" for name in PYTHON_TESTS]
    quiet = {"PYTHONMALLOC": "malloc", "HOMENODE_MALLOC_STATISTICS": "0"}
    said = run(sys.executable, "-m", "test", "-q", *tests, **quiet)
    return re.findall(r"Result: (\w+)|$", said)[0]


def wait_for(answers: Callable[[], bool], what: str) -> None:
    """Until a server is there."""
    end = time.monotonic() + 300
    while not answers():
        assert time.monotonic() < end, f"{what} does not answer"
        time.sleep(0.1)


def redis(run: Run) -> str:
    """A server that is loaded, forks to save, and reads what it saved."""
    server, socket = needs("redis-server", "redis-server"), run.folder / "socket"
    log = run.folder / "log"
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(run.folder)]

    def ask(*words: str) -> str:
        command = ["redis-cli", "-s", str(socket), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    with log.open("w") as file:
        started = subprocess.Popen(
            [server, *options, "--enable-debug-command", "yes"],
            stdout=file, stderr=file, env=run.environment({}),
        )  # fmt: skip
        try:
            wait_for(lambda: ask("ping") == "PONG", "redis-server")
            load = ["redis-benchmark", "-s", socket, "-q", "-n", "20000", "-P", "16", "-r", "10000"]
            subprocess.run(
                [*load, "-t", "set,lpush,sadd,hset,zadd"], check=True, capture_output=True
            )
            before = ask("debug", "digest")
            assert ask("bgsave") and ask("debug", "reload") == "OK"
            same = ask("debug", "digest") == before
            keys = ask("dbsize")
        finally:
            ask("shutdown", "nosave")
            started.wait(60)
    run.read(log.read_text(errors="replace"))
    return f"{'the same after a reload' if same else 'changed'}, {int(keys) > 1000}"


def postgres(run: Run) -> str:
    """initdb, a server, and pgbench's transactions, whose sums must agree."""
    initdb = needs(POSTGRES / "initdb", "postgresql-15")
    user: list[str] = []
    if os.geteuid() == 0:  # The server refuses to run as root.
        user = [needs("runuser", "util-linux"), "-u", "postgres", "--preserve-environment", "--"]
        run.folder.chmod(0o755)
        shutil.chown(run.folder, "postgres")
    data, log = run.folder / "data", run.folder / "log"
    at = ["-h", str(run.folder), "-d", "postgres"]
    run(*user, initdb, "-D", data, "--no-sync", "-A", "trust")
    options = f"-c listen_addresses='' -k {run.folder} -c fsync=off"
    control = [*user, POSTGRES / "pg_ctl", "-D", data, "-w", "-l", log]
    run(*control, "-o", options, "start")
    try:
        run(*user, "pgbench", "-i", "-s", "2", "-q", *at)
        said = run(*user, "pgbench", "-c", "4", "-j", "2", "-t", "250", *at)
        sums = [f"(select sum({t[0]}balance) from pgbench_{t})" for t in ("accounts", "branches")]
        sums += ["(select sum(tbalance) from pgbench_tellers)"]
        delta = "(select sum(delta) from pgbench_history)"
        agree = run(
            *user, "psql", "-At", *at, "-c", f"select {delta} = all(array[{','.join(sums)}])"
        )
    finally:
        run(*control, "stop")
    run.read(log.read_text(errors="replace"))
    done = re.findall(r"transactions actually processed: (\S+)", said)
    return f"{done}, sums agree: {agree}"


def node(run: Run) -> str:
    """JavaScript with threads of its own, buffers and compression."""
    return run(needs("node", "nodejs"), INPUTS / "work.js")


def java(run: Run) -> str:
    """The Java machine: its compiler, its collector, its threads."""
    return run(needs("java", "default-jdk-headless"), INPUTS / "Work.java")


def mpi(run: Run) -> str:
    """Four processes of each MPI that pass a ring and add up."""
    said = []
    for name, options in (("openmpi", "--allow-run-as-root --oversubscribe"), ("mpich", "")):
        compiler_of = needs(f"mpicc.{name}", f"lib{name}-dev")
        launcher = needs(f"mpirun.{name}", f"{name}-bin" if name == "openmpi" else name)
        subprocess.run([compiler_of, INPUTS / "ring.c", "-o", run.folder / name], check=True)
        said.append(run(launcher, *options.split(), "-n", "4", run.folder / name))
    return " ".join(said)


PROGRAMS: dict[str, Callable[[Run], str]] = {
    "compiler": compiler, "python": python, "redis": redis, "postgres": postgres,
    "node": node, "java": java, "mpi": mpi,
}  # fmt: skip


def outcome(program: Callable[[Run], str], library: str) -> tuple[str, Run]:
    """What a program comes to; under a folder of the same name each time."""
    folder = Path(tempfile.gettempdir()) / f"heap-programs-{os.getpid()}"
    folder.mkdir()
    run = Run(library, folder)
    try:
        return program(run), run
    finally:
        shutil.rmtree(folder)


def main(names: list[str]) -> int:
    """Runs the programs that are named, or all; the exit code."""
    if unknown := set(names) - set(PROGRAMS):
        print(f"bench heap-programs: there is no {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    if not LIBRARY.exists():
        print(f"bench heap-programs: {LIBRARY} is not there; './dev build'", file=sys.stderr)
        return 3
    failed = False
    for name in names or PROGRAMS:
        try:
            plain, _ = outcome(PROGRAMS[name], "")
            ours, run = outcome(PROGRAMS[name], str(LIBRARY))
        except MissingError as missing:
            print(f"{name}: left out; 'apt install {missing}'", flush=True)
            continue
        except (AssertionError, subprocess.SubprocessError) as error:
            print(f"{name}: FAILED: {error}", flush=True)
            failed = True
            continue
        same = plain == ours and bool(run.served)
        failed = failed or not same
        peak = max((one["peak_bytes"] for one in run.served), default=0) / 2**20
        how = "the same with and without" if same else f"DIFFERS: {plain!r} and {ours!r}"
        print(f"{name}: {how}; {len(run.served)} processes, the largest {peak:.0f} MiB", flush=True)
    return 1 if failed else 0


def heap_programs() -> None:
    """As one of all benchmarks."""
    main([])
