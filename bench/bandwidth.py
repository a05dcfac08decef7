"""`homenode measure` side by side with what others measure, on this machine.

    ./dev bench bandwidth            every kernel on one CPU and on all, latency, `bench seismic`
    ./dev bench bandwidth --rounds 9 --size 768 --kernels copy,triad --cpus 1
    ./dev bench bandwidth --cpu-time   one CPU, where other programs keep the machine busy

Bandwidth against all variants of likwid-bench (Debian's likwid) and plain loops in C, compiled for
this CPU; latency against an independent chase; seismic waves, and arrays like theirs with next to
nothing to compute (streams.c), against the best triad of all. Same bytes counted, same working set,
same CPUs, huge pages on every side, in turn; the machine's noise is met by rounds and the medians
of each round's ratios. With --cpu-time, `measure` and plain loops are rated by the time for which
they had the CPU. Nothing is asserted.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import tables
from heap.store import processor
from ours import homenode

HERE = Path(__file__).parent
RATE = re.compile(r"MByte/s:\s*([\d.]+)")
PASSES = 5  # Over the arrays.
# What likwid-bench calls each kernel; a width, "mem" for non-temporal stores and "fma" follow.
LIKWID = {"read": "load", "write": "store", "write-nt": "store_mem", "copy": "copy",
          "triad": "stream"}  # fmt: skip
LOOPS = {"read": "read", "write": "write", "copy": "copy", "scale": "scale", "add": "add",
         "triad": "triad"}  # fmt: skip
KERNELS = ("read", "write", "write-nt", "copy", "scale", "add", "triad")
# glibc's malloc then asks for huge pages, as our measurement does.
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


Rounds = list[tuple[float, float]]  # Ours and the other's, as they were measured in turn.


def middle(rounds: Rounds) -> float:
    """The median of the ratios of the rounds."""
    return statistics.median(mine / other for mine, other in rounds)


def ratio(rounds: Rounds, best: Callable[[Iterable[float]], float]) -> str:
    """The ratios of the rounds, and that of each side's best round, which noise moves least."""
    ratios = [mine / other for mine, other in rounds]
    top = best(mine for mine, _ in rounds) / best(other for _, other in rounds)
    return (
        f"{middle(rounds):.2f} ({min(ratios):.2f}–{max(ratios):.2f}, {len(rounds)} rounds; "
        f"best to best {top:.2f})"
    )


def output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """What a command prints; an empty text where it fails."""
    variables = None if environment is None else os.environ | environment
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    return result.stdout if result.returncode == 0 else ""


def measure(*words: str) -> dict[str, object]:
    """The JSON of a measurement."""
    command = homenode()
    text = output([command, "measure", "--json", "--no-progress", *words])
    assert text, "homenode measure failed"
    result = json.loads(text)
    assert isinstance(result, dict)
    return result


def compiled(source: str, folder: str, *flags: str) -> str:
    """One of the small C programs beside this file, compiled for this CPU."""
    program = str(Path(folder) / Path(source).stem)
    base = ["cc", "-O3", "-march=native", "-mprefer-vector-width=512"]
    subprocess.run([*base, *flags, "-o", program, str(HERE / source)], check=True)
    return program


def likwid_kernels() -> list[str]:
    """The names of all kernels of the installed likwid-bench."""
    return [line.split(" ")[0] for line in output(["likwid-bench", "-a"]).splitlines()]


def variants(kernel: str, names: Sequence[str]) -> list[str]:
    """Those that compute the same as ours: read and write with plain stores alone."""
    base = LIKWID.get(kernel)
    if base is None:
        return []
    stores = "" if kernel in ("write", "write-nt") else "(_mem)?"
    form = re.compile(rf"{base}{stores}(_sse|_avx|_avx512)?(_fma)?")
    return [name for name in names if form.fullmatch(name)]


def likwid(kernel: str, size_mib: int, cpus: list[int]) -> float | None:
    """MB/s of one likwid kernel; None where this CPU has it not."""
    size = f"{size_mib * 1048576 // 1000}kB"
    listed = ",".join(map(str, cpus))
    command = ["likwid-bench", "-t", kernel, "-i", str(PASSES), "-w", f"M0:{size}:{len(cpus)}"]
    found = RATE.search(output(["taskset", "-c", listed, *command], HUGE_PAGES))
    return float(found.group(1)) if found else None


def one_thread_on_each(cpus: list[int]) -> dict[str, str]:
    """What binds the threads of an OpenMP program."""
    places = ",".join(f"{{{cpu}}}" for cpu in cpus)
    return {"OMP_NUM_THREADS": str(len(cpus)), "OMP_PLACES": places, "OMP_PROC_BIND": "true"}


def plain_loop(program: str, kernel: str, size_mib: int, cpus: list[int], cpu_time: bool) -> float:
    """MB/s of a loop of STREAM in C on these CPUs."""
    words = [program, kernel, str(size_mib), str(PASSES), *(["cpu-time"] if cpu_time else [])]
    return float(output(words, one_thread_on_each(cpus)))


def ours(kernel: str, size_mib: int, node: int, cpu_time: bool) -> dict[int, tuple[float, str]]:
    """MB/s and the variant, by number of CPUs: one, and all of the node."""
    result = measure(
        "--only", "bandwidth", "--kernel", kernel, "--from", str(node), "--to", str(node),
        "--size", f"{size_mib}M", "--runs", "1" if cpu_time else "5",
    )  # fmt: skip
    figures = result["bandwidth"]
    assert isinstance(figures, list)
    rates = {}
    for figure in figures:
        rate = figure["counted_mib_per_s"]
        had_cpu = 1.0 - rate.get("other_work", 0.0) if cpu_time else 1.0
        rates[figure["cpu_count"]] = (
            rate["median"] * 1.048576 / had_cpu,
            figure.get("variant") or "",
        )
    return rates


class Bandwidth:
    """All kernels in turn with their rivals, round by round."""

    def __init__(self, size_mib: int, node: int, cpus: list[int], cpu_time: bool) -> None:
        self.size_mib, self.node, self.cpus, self.cpu_time = size_mib, node, cpus, cpu_time
        self.folder = tempfile.TemporaryDirectory()
        self.loops = compiled("loops.c", self.folder.name, "-fopenmp")
        self.names = likwid_kernels()
        self.rounds: dict[tuple[str, int], dict[str, Rounds]] = {}
        self.forms: dict[tuple[str, int], list[str]] = {}

    def play(self, kernel: str, counts: Sequence[int]) -> None:
        """A round of one kernel."""
        for count, (rate, form) in ours(kernel, self.size_mib, self.node, self.cpu_time).items():
            if count not in counts:
                continue
            self.forms.setdefault((kernel, count), []).append(form)
            found = self.rounds.setdefault((kernel, count), {})
            for name, other in self.rivals(kernel, self.cpus[:count]).items():
                found.setdefault(name, []).append((rate, other))

    def rivals(self, kernel: str, cpus: list[int]) -> dict[str, float]:
        """What the others reach, by name."""
        found = {}
        # likwid-bench rates itself by wall time.
        for name in [] if self.cpu_time else variants(kernel, self.names):
            rate = likwid(name, self.size_mib, cpus)
            if rate is not None:
                found[f"likwid `{name}`"] = rate
        if kernel in LOOPS:
            found["plain loop"] = plain_loop(
                self.loops, LOOPS[kernel], self.size_mib, cpus, self.cpu_time
            )
        return found

    def show(self) -> None:
        """A row for each kernel and number of CPUs: against the best of all rivals."""
        print(
            tables.head(("kernel", "CPUs", "`measure`, GB/s", "best of the others, GB/s", "ratio"))
        )
        for (kernel, count), found in self.rounds.items():
            if not found:
                continue
            best = min(found, key=lambda name: middle(found[name]))
            mine = statistics.median(rate for rate, _ in found[best]) / 1e3
            other = statistics.median(rate for _, rate in found[best]) / 1e3
            form = statistics.mode(self.forms[kernel, count])
            cells = (kernel, str(count), f"{mine:.1f} ({form})", f"{other:.1f} ({best})",
                     ratio(found[best], max))  # fmt: skip
            print(tables.row(cells), flush=True)


def latency(rounds: int, size_mib: int, node: int, cpu: int, folder: str) -> None:
    """Ratios of our idle latency to that of an independent chase of the same size."""
    chase = compiled("chase.c", folder)
    pairs: Rounds = []
    for _ in range(rounds):
        result = measure(
            "--only", "latency", "--from", str(node), "--to", str(node), "--size", f"{size_mib}M",
            "--runs", "5",
        )  # fmt: skip
        figures = result["latency"]
        assert isinstance(figures, list)
        mine = next(f["latency_ns"]["median"] for f in figures if f["access"] == "read")
        command = ["taskset", "-c", str(cpu), chase, str(size_mib), "400000"]
        pairs.append((mine, float(output(command))))
    ns = statistics.median(mine for mine, _ in pairs)
    print(f"idle read latency {ns:.1f} ns, homenode / independent chase: {ratio(pairs, min)}")


def waves(cpus: list[int], edge: int, block: str) -> tuple[float, float] | None:
    """A run of `bench seismic`: its traffic and the triad's, both on the bus, in MB/s. None where
    the caches hold it."""
    text = output(
        ["taskset", "-c", ",".join(map(str, cpus)), homenode(), "bench", "seismic",
         "--size", str(edge), "--steps", "60", "--threads", str(len(cpus)),
         "--time-block", block, "--json"]
    )  # fmt: skip
    assert text, "homenode bench seismic failed"
    what = json.loads(text)["what"]
    if what["fraction_of_triad"] is None:
        return None
    return what["fraction_of_triad"] * what["triad_mb_per_s"], what["triad_mb_per_s"]


def streams(program: str, cpus: list[int], edge: int, beside: int) -> float:
    """MB/s of arrays like the waves' with next to nothing to compute (streams.c)."""
    return float(output([program, str(beside), str(edge), "10"], one_thread_on_each(cpus)))


def seismic(rounds: int, cpus: list[int], counts: Sequence[int], edge: int, folder: str) -> None:
    """The bus traffic of `bench seismic` on a cube of so many points each way over that of the
    triad: step by step, blocked, and that of its arrays alone."""
    program = compiled("streams.c", folder, "-fopenmp")
    for count in counts:
        shares: dict[str, list[float]] = {}
        for _ in range(rounds):
            for block in ("1", "4"):
                found = waves(cpus[:count], edge, block)
                if found is None:
                    print(f"bench seismic: the caches hold a cube of {edge}; give a longer --edge")
                    return
                rate, triad = found
                name = f"bench seismic, {block} step(s) together"
                shares.setdefault(name, []).append(rate / triad)
            for beside in (0, 2, 4, 6):
                name = f"three of nine arrays updated, {beside} rows read beside each"
                rate = streams(program, cpus[:count], edge, beside)
                shares.setdefault(name, []).append(rate / triad)
        for name, found_shares in shares.items():
            print(
                f"{name}, {count} CPU(s), its traffic over the triad's, both on the bus: "
                f"{statistics.median(found_shares):.2f} "
                f"({min(found_shares):.2f}–{max(found_shares):.2f}, {rounds} rounds)",
                flush=True,
            )


def main(words: list[str] | None = None) -> int:
    """Runs what the options ask for; without any, all of it."""
    parser = argparse.ArgumentParser(
        prog="./dev bench bandwidth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=768, help="MiB of a kernel's arrays together")
    parser.add_argument("--kernels", default=",".join(KERNELS), help="of measure, or none")
    parser.add_argument("--edge", type=int, default=160, help="points of the waves' cube each way")
    parser.add_argument("--cpus", help="how many CPUs, such as 1,2 (default: one, and all)")
    parser.add_argument("--cpu-time", action="store_true", help="rate all by the CPU's time")
    parser.add_argument("--only", choices=("bandwidth", "latency", "seismic"))
    options = parser.parse_args(words or [])
    if shutil.which("likwid-bench") is None:
        print("bandwidth: likwid-bench is missing (Debian's package likwid); left out")
        return 0
    probe = measure("--only", "latency", "--runs", "1", "--quick", "--size", "2M")
    machine = probe["machine"]
    assert isinstance(machine, dict)
    node = next(n for n in machine["nodes"] if n["allowed_cpus"] and n["memory_bytes"])
    cpus = node["allowed_cpus"]
    counts = [int(n) for n in options.cpus.split(",")] if options.cpus else sorted({1, len(cpus)})
    how = "rated by wall time"
    if options.cpu_time:
        counts, how = [1], "rated by CPU time"  # Several CPUs would not work at the same time.
    print(f"{datetime.date.today()}, {processor()}, {len(cpus)} CPUs, {options.size} MiB, {how}")
    with tempfile.TemporaryDirectory() as folder:
        if options.only in (None, "bandwidth"):
            played = Bandwidth(options.size, node["id"], cpus, options.cpu_time)
            for _ in range(options.rounds):
                for kernel in options.kernels.split(","):
                    played.play(kernel, counts)
            played.show()
        if options.only in (None, "latency"):
            latency(options.rounds, options.size, node["id"], cpus[0], folder)
        if options.only in (None, "seismic"):
            seismic(options.rounds, cpus, counts, options.edge, folder)
    return 0


def bandwidth() -> None:
    """All of it."""
    main()


if __name__ == "__main__":
    main()
