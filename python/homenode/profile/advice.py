"""What would heal the use of an object, and why: one table of rules, the first that fits counts.

A rule reads what was seen and what other placements would have made of the same use (`predicted`),
and never says more than follows from these. Pure.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from homenode.profile.actions import place, program, thread_map
from homenode.profile.objects import Kind
from homenode.profile.patterns import Sharing
from homenode.profile.values import ObjectUse, Profile, Trait
from homenode.profile.words import percent
from homenode.sizes import size_text

LOCAL = 0.9  # From here on there is nothing to gain.
SMALL = 0.01  # Of all use: not worth a rule.
GAIN = 0.1  # What a placement must add to the local share.
HOT = 1.5  # A controller with so many times its part of the load is a bottleneck.
PAGE = 4096
CONTIGUOUS = (Sharing.DIVIDED, Sharing.PARTIAL)
CUTS = (Sharing.BANDS, Sharing.MESH, Sharing.PENCILS, Sharing.BLOCKS)
SYSTEM = (Kind.FILE, Kind.KERNEL)


@dataclass(frozen=True)
class Advice:
    """What to do, in homenode's words; "" where there is nothing to do. `why` is one sentence.

    `local_share`: what follows from the samples for it, if threads do the same again.
    """

    rule: str
    action: str
    why: str
    local_share: float | None = None


@dataclass(frozen=True)
class Case:
    """An object, and the profile that it belongs to."""

    profile: Profile
    use: ObjectUse

    @property
    def local(self) -> float:
        """The local share of its uses after it was filled; 1 where it is not known."""
        share = (self.use.later or self.use.locality).share
        return 1.0 if share is None else share

    @property
    def sharing(self) -> Sharing:
        """The name of its pattern."""
        return self.use.pattern.sharing

    def gains(self, predicted: float | None) -> bool:
        """Whether a placement is worth its trouble."""
        return predicted is not None and predicted >= self.local + GAIN

    @property
    def hottest(self) -> float:
        """Which share of its uses goes to the memory of one node."""
        answered = self.use.table.all.sum(axis=0)
        return float(answered.max() / answered.sum()) if answered.sum() > 0 else 0.0

    @property
    def is_crowded(self) -> bool:
        """Its memory is on fewer nodes than could serve it."""
        nodes = len(self.profile.controllers)
        return nodes > 1 and self.hottest >= min(1.0, HOT / nodes)

    @property
    def node_of_user(self) -> int | None:
        """Where the thread runs that uses it most."""
        rows = self.use.table.cells.sum(axis=(0, 2))
        return self.profile.threads[int(rows.argmax())].node if len(rows) else None

    @property
    def smallest_part(self) -> int:
        """The bytes of its smallest part that belongs to one thread; 0 where nothing recurs."""
        return min((level.part for level in self.use.pattern.levels), default=0)

    @property
    def longest_period(self) -> int:
        """After how many bytes its outermost parts come again."""
        return max((level.period for level in self.use.pattern.levels), default=0)


@dataclass(frozen=True)
class Rule:
    """When it applies, what to do, why, and which local share that would give."""

    name: str
    applies: Callable[[Case], bool]
    action: Callable[[Case], str]
    why: Callable[[Case], str]
    local_share: Callable[[Case], float | None] = lambda case: None


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.0f} %"


def _turn(case: Case) -> float | None:
    return case.use.predicted.parts_in_turn


def _spread(case: Case) -> float | None:
    return case.use.predicted.spread


def _best(case: Case) -> float | None:
    return case.use.predicted.best


def _nothing(case: Case) -> str:
    return ""


def _master(case: Case) -> str:
    if Trait.MASTER_INITIALISED not in case.use.traits:
        return ""
    return "; one thread touched it first, so all of it is on that thread's node"


def _uses(case: Case) -> str:
    """Which of its uses the local shares are of."""
    return "its uses" if case.use.later is None else "its later uses"


def _blocks(case: Case) -> str:
    return place(case.profile, case.use, "block", bound=True)


def _bound(case: Case) -> str:
    return program(case.profile, f" --threads {thread_map(case.profile) or 'M:scatter'}")


def _array_rule(case: Case) -> str:
    return {Sharing.BANDS: "columns", Sharing.MESH: "blocks"}.get(case.sharing, "blocks")


def _laid_out_anew(case: Case) -> str:
    return (
        "lay the data out anew: give each thread a contiguous part of its own"
        f", and until then {place(case.profile, case.use, 'interleave')}"
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "one node",
        lambda case: len(case.profile.controllers) < 2 and len(case.profile.nodes) < 2,
        _nothing,
        lambda case: "nothing to gain: the machine has one node",
    ),
    Rule(
        "small",
        lambda case: case.use.share < SMALL,
        _nothing,
        lambda case: f"nothing to gain: it makes {percent(case.use.share)} of all uses",
    ),
    Rule(
        "not enough samples",
        lambda case: case.use.locality.margin is None,
        lambda case: "profile longer (--duration), or with more samples (--overhead 5%)",
        lambda case: f"{case.use.locality.samples} samples with both nodes say too little",
    ),
    Rule(
        "local",
        lambda case: case.local >= LOCAL,
        _nothing,
        lambda case: f"nothing to gain: {_percent(case.local)} of {_uses(case)} are local",
    ),
    Rule(
        "of the system",
        lambda case: case.use.object.kind in SYSTEM,
        _nothing,
        lambda case: (
            "its pages are the system's, and other processes share them: no rule of one "
            "program places them"
        ),
    ),
    Rule(
        "stack",
        lambda case: case.use.object.kind == Kind.STACK,
        _bound,
        lambda case: (
            "a stack is on the node where its thread began, and the thread ran elsewhere "
            "later: bind it from the start"
        ),
    ),
    Rule(
        "private, on another node",
        lambda case: case.sharing == Sharing.PRIVATE and case.node_of_user is not None,
        lambda case: place(case.profile, case.use, f"bind@{case.node_of_user}", bound=True),
        lambda case: (
            f"one thread makes nearly all of its uses, on node {case.node_of_user}" + _master(case)
        ),
        lambda case: _best(case),
    ),
    Rule(
        "read by all",
        lambda case: (
            case.sharing == Sharing.SHARED
            and Trait.READ_MOSTLY in case.use.traits
            and case.is_crowded
        ),
        lambda case: (
            "give each node a copy (a region for each, bound to it), or "
            + place(case.profile, case.use, "interleave")
        ),
        lambda case: (
            "all threads read all of it and hardly any writes: copies would be local, and spread, "
            f"no node would answer {_percent(case.hottest)} of its uses alone"
        ),
        _spread,
    ),
    Rule(
        "used by all",
        lambda case: case.sharing == Sharing.SHARED and case.is_crowded,
        lambda case: place(case.profile, case.use, "interleave"),
        lambda case: (
            f"all threads use all of it, and {_percent(case.hottest)} of that goes to one "
            "node: spread, all controllers share the load" + _master(case)
        ),
        _spread,
    ),
    Rule(
        "shared, already spread",
        lambda case: case.sharing == Sharing.SHARED,
        _nothing,
        lambda case: "nothing to gain: all threads use all of it, and it is spread over the nodes",
    ),
    Rule(
        "parts in turn",
        lambda case: (
            case.sharing in CONTIGUOUS
            and case.gains(_turn(case))
            and (_turn(case) or 0) >= (_best(case) or 0) - GAIN
        ),
        _blocks,
        lambda case: (
            "each thread uses a contiguous part, in the order of the nodes: equal parts "
            f"would make {_percent(_turn(case))} of {_uses(case)} local" + _master(case)
        ),
        _turn,
    ),
    Rule(
        "parts of threads",
        lambda case: case.sharing in CONTIGUOUS and case.gains(_best(case)),
        lambda case: (
            "let each thread touch its own part first (as --strategy parallel-init and "
            f"hn_strategy_apply do), or, with threads in the order of the parts, {_blocks(case)}"
        ),
        lambda case: (
            "each thread uses a contiguous part: with it on the thread's node "
            f"{_percent(_best(case))} of {_uses(case)} would be local" + _master(case)
        ),
        _best,
    ),
    Rule(
        "neighbours of different threads",
        lambda case: (
            case.sharing == Sharing.INTERLEAVED
            or (case.sharing in CUTS and case.smallest_part < PAGE)
        ),
        _laid_out_anew,
        lambda case: (
            "parts of different threads share pages "
            f"(of {case.smallest_part} bytes each), and a page has one node"
        ),
        _spread,
    ),
    Rule(
        "cut along several axes",
        lambda case: case.sharing in CUTS and case.gains(_best(case)),
        lambda case: (
            f'hn_region_place_array(region, &shape, "{_array_rule(case)}", &error), or '
            "let each thread touch its own parts first"
        ),
        lambda case: (
            "each thread's part consists of pieces that come again every "
            f"{size_text(case.longest_period)}: with each at its thread "
            f"{_percent(_best(case))} would be local"
        ),
        _best,
    ),
    Rule(
        "scattered pages of one node each",
        lambda case: (
            case.sharing not in (Sharing.UNKNOWN, Sharing.SHARED)
            and case.gains(_best(case))
            and case.use.pattern.exclusivity >= 0.8
        ),
        lambda case: 'hn_region_place(region, "next-touch", &error) before the phase that uses it',
        lambda case: (
            "pages have one user each, in no order: moved to it, "
            f"{_percent(_best(case))} of the uses would be local"
        ),
        _best,
    ),
    Rule(
        "crowded",
        lambda case: case.is_crowded,
        lambda case: place(case.profile, case.use, "interleave"),
        lambda case: (
            f"{_percent(case.hottest)} of its uses go to one node, and no order shows in "
            "who uses what: spread, all controllers share the load" + _master(case)
        ),
        _spread,
    ),
    Rule(
        "nothing known",
        lambda case: True,
        _nothing,
        lambda case: "no placement of pages is seen that would make it more local",
    ),
)


def advise(profile: Profile, use: ObjectUse) -> Advice:
    """What to do about one object."""
    case = Case(profile, use)
    rule = next(rule for rule in RULES if rule.applies(case))
    why = re.sub(r"\s+", " ", rule.why(case))
    return Advice(rule.name, rule.action(case), why, rule.local_share(case))
