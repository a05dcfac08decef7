"""Threads that wait for each other in the lab, against what can be worked out; all modelled."""

import statistics
from dataclasses import dataclass

from lab_runs import compiled, modelled_us, spread_percent
from queues import stream_us

from homenode.lab import Lab
from homenode.lab.machine_model import resolve

MACHINES = ("quad-4x2", "hp-8x4")
LINES_EACH = 20_000
# How near the closed form is to be, by lines between two barriers: the fewer, the more of the time
# is the barrier's own, which depends on the order in which threads come to it.
BARRIER_LINES = {100: 0.10, 300: 0.05, 1000: 0.05, 5000: 0.05}
REPEATS = 3


@dataclass
class Team:
    """Threads of the program `threads` on all CPUs of a lab's machine, or on some."""

    lab: Lab
    program: str
    latency_us: float
    wake_up_us: float

    @property
    def cpus(self) -> int:
        """How many CPUs the machine has."""
        return len(self.lab.machine.cpus)

    def times(self, kind: str, threads: int, lines: int, rounds: int) -> list[float]:
        """The modelled times of so many runs, in microseconds."""
        command = [self.program, kind, str(threads), str(lines), str(rounds)]
        return [modelled_us(self.lab, command) for _ in range(REPEATS)]

    def show(
        self,
        what: str,
        times: list[float],
        closed_us: float,
        tolerance: float,
        against: str = "closed form",
    ) -> None:
        """One line: the median over what it is held against, the spread, and whether it is close
        enough."""
        ratio = statistics.median(times) / closed_us
        verdict = "within" if abs(ratio - 1) <= tolerance else "NOT within"
        print(
            f"{self.lab.machine.name}, {self.cpus} CPUs, {what}: {ratio:.3f} of the {against}, "
            f"{verdict} {100 * tolerance:.0f} %, runs spread "
            f"{spread_percent(times):.2f} %",
            flush=True,
        )


def barriers(team: Team, kind: str) -> None:
    """Rounds of lines and a barrier, whose own time is that of rounds without lines. The region
    begins before the threads do: what they take to begin is that of one such round."""
    all_ = statistics.median(team.times(kind, team.cpus, 0, 101))
    one = statistics.median(team.times(kind, team.cpus, 0, 1))
    alone = (all_ - one) / 100
    begin = one - alone
    print(
        f"{team.lab.machine.name}, {kind} barrier of {team.cpus} threads: {alone:.2f} us; "
        f"the threads begin in {begin:.1f} us"
    )
    for lines, tolerance in BARRIER_LINES.items():
        rounds = max(4, LINES_EACH // lines)
        times = team.times(kind, team.cpus, lines, rounds)
        closed_us = begin + rounds * (lines * team.latency_us + alone)
        team.show(f"{lines} lines and a {kind} barrier", times, closed_us, tolerance)


def ping_pong(team: Team, rounds: int = 200) -> None:
    """Two threads wake each other up: each time at least the wake-up that the machine declares."""
    times = team.times("pingpong", 2, 0, rounds)
    each = statistics.median(times) / (2 * rounds)
    print(
        f"{team.lab.machine.name}, futex ping-pong: {each:.3f} us each way, "
        f"{team.wake_up_us:.3f} of them declared (WakeUpNs), the rest the kernel's instructions; "
        f"runs spread {spread_percent(times):.2f} %",
        flush=True,
    )


def others(team: Team) -> None:
    """What one thread holds up: all the work that is done one after another."""
    lines, rounds = 1000, 30
    times = team.times("queue", 2, lines, rounds)
    team.show("a producer and a consumer", times, rounds * lines * team.latency_us, 0.05)
    lines, rounds = 300, 20
    times = team.times("lock", team.cpus, lines, rounds)
    closed_us = team.cpus * rounds * lines * team.latency_us
    team.show("a lock that all want", times, closed_us, 0.15)
    lines, rounds = 300, 50
    times = team.times("dynamic", team.cpus, lines, rounds)
    team.show("schedule(dynamic)", times, rounds * lines * team.latency_us, 0.05)


def interleaved(team: Team, start: str, pages: int = 512) -> None:
    """All CPUs stream through pages that go round the nodes, against a network of queues."""
    nodes = team.lab.machine.memory_nodes
    read = {
        cpu: [nodes[(cpu * (start == "staggered") + page) % len(nodes)] for page in range(pages)]
        for cpu in range(team.cpus)
    }
    queues_us = stream_us(team.lab.machine, resolve(team.lab.machine), read)
    times = team.times(start, team.cpus, pages, len(nodes))
    team.show(f"interleaved streams ({start})", times, queues_us, 0.2, "network of queues")


def waits() -> None:
    """Barriers of both kinds, a futex, a condition variable, a lock, dynamic schedules, queues."""
    for machine in MACHINES:
        with compiled("threads.c") as program, Lab(machine) as lab:
            figures = resolve(lab.machine)
            team = Team(
                lab, program, figures.latency_ns[0, 0] / 1e3, figures.figures["WakeUpNs"] / 1e3
            )
            for kind in ("spin", "sleep"):
                barriers(team, kind)
            ping_pong(team)
            others(team)
            for start in ("convoy", "staggered"):
                interleaved(team, start)
