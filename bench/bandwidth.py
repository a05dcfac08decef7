"""`homenode measure` side by side with what others measure, on this machine.

Bandwidth against likwid-bench (Debian's likwid) and a plain STREAM triad in C; latency against an
independent chase. Same bytes counted, same working set, same CPUs, in turn; the machine's noise is
met by many rounds and medians of the ratios of each round. Nothing is asserted.
"""

import json
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ours import homenode

HERE = Path(__file__).parent
RATE = re.compile(r"MByte/s:\s*([\d.]+)")
LIKWID = {
    "read": ("load_avx512", "load_avx", "load_sse", "load"),
    "copy": ("copy_avx512", "copy_avx", "copy_sse", "copy"),
    "triad": ("stream_avx512_fma", "stream_avx512", "stream_avx_fma", "stream_avx", "stream"),
}


Rounds = list[tuple[float, float]]  # Ours and the other's, as they were measured in turn.


def middle(rounds: Rounds) -> float:
    """The median of the ratios of the rounds."""
    return statistics.median(mine / other for mine, other in rounds)


def ratio(rounds: Rounds, best: Callable[[Iterable[float]], float]) -> str:
    """The ratios of the rounds, and that of each side's best round, which noise moves least."""
    ratios = [mine / other for mine, other in rounds]
    top = best(mine for mine, _ in rounds) / best(other for _, other in rounds)
    return (
        f"{middle(rounds):.3f} (min {min(ratios):.3f}, max {max(ratios):.3f}, {len(rounds)} "
        f"rounds; best to best {top:.3f})"
    )


def output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """What a command prints; an empty text where it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
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
    """One of the small C programs beside this file, with the flags of our own kernels."""
    program = str(Path(folder) / Path(source).stem)
    base = ["cc", "-O3", "-march=native", "-mprefer-vector-width=512"]
    subprocess.run([*base, *flags, "-o", program, str(HERE / source)], check=True)
    return program


def likwid(kernel: str, size_mib: int, threads: int) -> float | None:
    """MB/s of one likwid kernel; None where this CPU or this likwid has it not."""
    text = output(
        ["likwid-bench", "-t", kernel, "-w", f"M0:{size_mib * 1048576 // 1000}kB:{threads}",
         "-i", "5"]
    )  # fmt: skip
    found = RATE.search(text)
    return float(found.group(1)) if found else None


def plain_triad(program: str, size_mib: int, cpus: list[int]) -> float:
    """MB/s of STREAM's triad in C on these CPUs."""
    places = ",".join(f"{{{cpu}}}" for cpu in cpus)
    environment = {"OMP_NUM_THREADS": str(len(cpus)), "OMP_PLACES": places, "OMP_PROC_BIND": "true"}
    return float(output([program, str(size_mib), "5"], environment))


def ours(kernel: str, size_mib: int, node: int) -> dict[int, float]:
    """MB/s by number of CPUs: one, and all of the node."""
    result = measure(
        "--only", "bandwidth", "--kernel", kernel, "--from", str(node), "--to", str(node),
        "--size", f"{size_mib}M", "--runs", "5",
    )  # fmt: skip
    figures = result["bandwidth"]
    assert isinstance(figures, list)
    return {f["cpu_count"]: f["counted_mib_per_s"]["median"] * 1.048576 for f in figures}


def rivals(kernel: str, size_mib: int, cpus: list[int], triad: str) -> dict[str, float]:
    """What the others reach, by name."""
    rates = {name: likwid(name, size_mib, len(cpus)) for name in LIKWID[kernel]}
    found = {f"likwid {name}": rate for name, rate in rates.items() if rate is not None}
    if kernel == "triad":
        found["plain C triad"] = plain_triad(triad, size_mib, cpus)
    return found


def bandwidth(rounds: int, size_mib: int, node: int, cpus: list[int], folder: str) -> None:
    """Ratios of our bandwidths to each rival's, by kernel and number of CPUs."""
    triad = compiled("triad.c", folder, "-fopenmp")
    pairs: dict[tuple[str, int, str], Rounds] = {}
    for _ in range(rounds):
        for kernel in LIKWID:
            for count, rate in ours(kernel, size_mib, node).items():
                for name, other in rivals(kernel, size_mib, cpus[:count], triad).items():
                    pairs.setdefault((kernel, count, name), []).append((rate, other))
    for kernel in LIKWID:
        for count in sorted({key[1] for key in pairs}):
            found = {k[2]: v for k, v in pairs.items() if k[:2] == (kernel, count)}
            best = min(found, key=lambda name: middle(found[name]))
            for name, pair in found.items():
                mark = "  <- the best of them" if name == best else ""
                print(f"{kernel}, {count} CPU(s), homenode / {name}: {ratio(pair, max)}{mark}")


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
    print(f"idle read latency, homenode / independent chase: {ratio(pairs, min)}")


def kernels(rounds: int = 9, size_mib: int = 1024) -> None:
    """Bandwidth and latency of this machine's first node, by us and by others."""
    if shutil.which("likwid-bench") is None:
        print("kernels: likwid-bench is missing (Debian's package likwid); left out")
        return
    probe = measure("--only", "latency", "--runs", "1", "--quick", "--size", "2M")
    machine = probe["machine"]
    assert isinstance(machine, dict)
    node = next(n for n in machine["nodes"] if n["allowed_cpus"] and n["memory_bytes"])
    cpus = node["allowed_cpus"]
    with tempfile.TemporaryDirectory() as folder:
        latency(rounds, size_mib, node["id"], cpus[0], folder)
        bandwidth(rounds, size_mib, node["id"], cpus, folder)


if __name__ == "__main__":
    kernels()
