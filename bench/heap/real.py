"""Real programs as benchmarks: a compiler, Python, SQLite, Redis. Each says whether what it did
came out right, so that an allocator that breaks one of them has no figure."""

import random
import subprocess
import sys
import time
from pathlib import Path

from heap.launch import FailedError, Usage
from heap.place import Place

INPUTS = Path(__file__).parent / "inputs"
GXX, SQLITE, REDIS = "/usr/bin/g++", "/usr/bin/sqlite3", "/usr/bin/redis-server"
LUA, XZ = "/usr/bin/lua5.3", "/usr/bin/xz"
# What benchmarks need: the path of a program, and the package that brings it.
NEEDS = {
    "compiler": (GXX, "g++"),
    "sqlite": (SQLITE, "sqlite3"),
    "lua": (LUA, "lua5.3"),
    "xz": (XZ, "xz-utils"),
    "redis": (REDIS, "redis-server"),
}


def compiler(place: Place) -> Usage:
    """One unit full of templates, optimised a little."""
    source = "templates.cpp" if place.percent > 10 else "small.cpp"
    command = [GXX, "-std=c++20", "-O1", "-c", str(INPUTS / source), "-o", "unit.o"]
    usage, _ = place.run(command)
    if not (place.folder / "unit.o").stat().st_size:
        raise FailedError("the compiler left an empty object file")
    return usage


def python(place: Place) -> Usage:
    """JSON, regular expressions, dictionaries and lists, every object from malloc."""
    command = [sys.executable, "-S", str(INPUTS / "script.py"), str(place.percent)]
    usage, printed = place.run(command, {"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "1"})
    if printed.strip() != "ok":
        raise FailedError(f"the script printed {printed!r}")
    return usage


def sqlite(place: Place) -> Usage:
    """A table filled, indexed, joined and searched in memory."""
    rows = 3000 * place.percent
    script = (INPUTS / "load.sql").read_text().replace("ROWS", str(rows))
    (place.folder / "load.sql").write_text(script)
    usage, printed = place.run([SQLITE, "-batch", ":memory:", ".read load.sql"])
    if printed.split() != ["ok", str(rows)]:
        raise FailedError(f"sqlite3 printed {printed!r}")
    return usage


def lua(place: Place) -> Usage:
    """Trees, strings, tables and objects that its collector finds and frees."""
    usage, printed = place.run([LUA, str(INPUTS / "work.lua"), str(place.percent)])
    if printed.split()[:1] != ["ok"]:
        raise FailedError(f"the script printed {printed!r}")
    return usage


def xz(place: Place) -> Usage:
    """Text packed as blocks by two threads, each with buffers and tables of its own."""
    text = place.folder / "text"
    chance = random.Random(1)
    words = [f"{chance.getrandbits(24):x}" for _ in range(5000)]
    text.write_text(" ".join(chance.choices(words, k=20_000 * place.percent)))
    usage, _ = place.run([XZ, "--keep", "--threads=2", "--block-size=4MiB", "-4", str(text)])
    unpacked = subprocess.run([XZ, "-dc", f"{text}.xz"], capture_output=True, check=False).stdout
    if unpacked != text.read_bytes():
        raise FailedError("xz lost a part of the text")
    return usage


def client(socket: Path, *words: str) -> str:
    """What redis-cli says; it runs under the system's own allocator."""
    command = ["redis-cli", "-s", str(socket), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def wait_for(socket: Path, seconds: float = 20.0) -> None:
    """Until the server answers."""
    end = time.monotonic() + seconds
    while client(socket, "ping") != "PONG":
        if time.monotonic() > end:
            raise FailedError(f"redis-server did not answer in {seconds:.0f} s")
        time.sleep(0.05)


def load(socket: Path, percent: int) -> None:
    """The requests: small and larger strings, lists, sets, hashes, sorted sets, over many keys."""
    requests = str(2000 * percent)
    base = ["redis-benchmark", "-s", str(socket), "-q", "-c", "20", "-P", "16", "-r", "100000"]
    tests = "set,get,incr,lpush,rpush,lpop,sadd,hset,zadd"
    for more in (["-d", "64", "-t", tests], ["-d", "2000", "-t", "set"]):
        done = subprocess.run(
            [*base, "-n", requests, *more], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise FailedError(f"redis-benchmark failed: {done.stderr.strip()}")


def redis(place: Place) -> Usage:
    """A server under load through a socket in its own folder: the server's CPU time alone."""
    socket = place.folder / "socket"
    command = [
        REDIS,
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--save",
        "",
        "--appendonly",
        "no",
    ]
    server = place.start(command)
    try:
        wait_for(socket)
        client(socket, "set", "witness", "of these bytes")
        load(socket, place.percent)
        if client(socket, "get", "witness") != "of these bytes":
            raise FailedError("redis lost a value")
        client(socket, "shutdown", "nosave")
    except BaseException:
        server.stop()
        raise
    return server.finish(30.0)[0]
