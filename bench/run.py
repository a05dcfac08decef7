"""The figures that docs/figures.md quotes. Each is a ratio or a time measured here and now, printed
with the number of runs and the spread; nothing is asserted.

    ./dev bench            every benchmark
    ./dev bench boot       one of them: boot, lab, lab-profile, start, bandwidth, closure, waits,
                           scaling, symmetry, independence, where, place, heap, heap-placement,
                           heap-programs, npb, messages, stress, profile, profile-names,
                           profile-cost, numactl, tune, balance, decides
    ./dev bench heap --help   the allocators side by side, which take options
    ./dev bench heap-placement --help   where they put blocks; which machines, how many blocks
    ./dev bench heap-programs [NAME...]   large real programs under the allocator
    ./dev bench bandwidth --help   bandwidth and latency beside likwid-bench and plain loops
    ./dev bench npb --help    the NAS Parallel Benchmarks, beside other builds of them, or verified
    ./dev bench messages --help   kNeighbor and Molecular2D, beside charm4py or in the lab
    ./dev bench numactl --help    numactl's own test suite, with homenode run in its place
    ./dev bench stress --help the daemon stress test in the lab, mode by mode
    ./dev bench profile --help  samples of every source beside exact counts, in the lab
    ./dev bench profile-names --help  the names that profiles give patterns, in the lab
    ./dev bench profile-cost --help  what sampling costs the program that it watches
    ./dev bench tune --help   tune's models beside runs of every candidate, in the lab
    ./dev bench decides --help  which placement wins on machines and programs drawn by chance
    ./dev bench balance --help  the balancer beside numad, the kernel's and none, in the lab
"""

import statistics
import sys
import time
from collections.abc import Callable

from balance.main import balance
from balance.main import main as balance_main
from bandwidth import bandwidth
from bandwidth import main as bandwidth_main
from clock import closure, independence, scaling, symmetry
from decides import decides
from decides import main as decides_main
from heap.main import heap
from heap.main import main as heap_main
from heap_placement import heap_placement
from heap_placement import main as heap_placement_main
from heap_programs import heap_programs
from heap_programs import main as heap_programs_main
from lab_cost import lab_cost
from lab_profile import lab_profile
from messages import main as messages_main
from messages import messages
from npb import main as npb_main
from npb import npb
from place import place
from profile_cost import main as profile_cost_main
from profile_cost import profile_cost
from profile_names import main as profile_names_main
from profile_names import profile_names
from profile_sources import main as profile_main
from profile_sources import profile
from start import start
from stress import main as stress_main
from stress import stress
from tune import main as tune_main
from tune import tune
from waits import waits
from where import where

from beside.suite import numactl_suite
from homenode.lab import Lab, catalogue


def spread(values: list[float]) -> str:
    """Median, minimum and maximum of some runs."""
    return (
        f"{statistics.median(values):.2f} (min {min(values):.2f}, max {max(values):.2f}, "
        f"{len(values)} runs)"
    )


def first_command(machine: str, warm: bool) -> float:
    """Seconds from nothing to the end of the first command, on the host's clock."""
    started = time.monotonic()
    with Lab(machine, warm=warm) as lab:
        lab.run(["true"])
        return time.monotonic() - started


def boot(runs: int = 3) -> None:
    """The first command of every machine, after a boot and from a snapshot, and the next ones."""
    for machine in catalogue.names():
        cold = [first_command(machine, warm=False) for _ in range(runs)]
        first_command(machine, warm=True)  # Leaves a snapshot where there is none yet.
        warm = [first_command(machine, warm=True) for _ in range(runs)]
        for how, seconds in (("after a boot", cold), ("from a snapshot", warm)):
            print(f"first command, {machine}, {how}: {spread(seconds)} s", flush=True)
        print(f"next commands, {machine}: {spread(next_commands(machine, runs))} s", flush=True)


def next_commands(machine: str, runs: int) -> list[float]:
    """Seconds of each further command in a guest that has run one, on the host's clock."""
    seconds = []
    with Lab(machine) as lab:
        lab.run(["true"])
        for _ in range(runs):
            started = time.monotonic()
            lab.run(["true"])
            seconds.append(time.monotonic() - started)
    return seconds


BENCHMARKS: dict[str, Callable[[], None]] = {
    "boot": boot,
    "lab": lab_cost,
    "lab-profile": lab_profile,
    "start": start,
    "where": where,
    "place": place,
    "bandwidth": bandwidth,
    "closure": closure,
    "waits": waits,
    "scaling": scaling,
    "symmetry": symmetry,
    "independence": independence,
    "heap": heap,
    "heap-placement": heap_placement,
    "heap-programs": heap_programs,
    "npb": npb,
    "messages": messages,
    "stress": stress,
    "profile": profile,
    "profile-names": profile_names,
    "profile-cost": profile_cost,
    "numactl": numactl_suite,
    "tune": tune,
    "balance": balance,
    "decides": decides,
}

if __name__ == "__main__":
    with_options = {
        "heap": heap_main,
        "heap-placement": heap_placement_main,
        "heap-programs": heap_programs_main,
        "bandwidth": bandwidth_main,
        "npb": npb_main,
        "messages": messages_main,
        "stress": stress_main,
        "profile": profile_main,
        "profile-names": profile_names_main,
        "profile-cost": profile_cost_main,
        "numactl": numactl_suite,
        "tune": tune_main,
        "balance": balance_main,
        "decides": decides_main,
    }
    if sys.argv[1:] and sys.argv[1] in with_options:
        sys.exit(with_options[sys.argv[1]](sys.argv[2:]))
    for name in sys.argv[1:] or BENCHMARKS:
        if name not in BENCHMARKS:
            sys.exit(f"bench: no benchmark '{name}'; there are {', '.join(BENCHMARKS)}")
        BENCHMARKS[name]()
