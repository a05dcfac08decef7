"""How the threads of a program used one object: pattern, traits, strip, predictions. Pure."""

from dataclasses import dataclass, replace

import numpy as np

from homenode.profile.correlation import Floats, Uses
from homenode.profile.facts import NOWHERE, Facts, Integers
from homenode.profile.locality import FEWEST, locality, predicted
from homenode.profile.objects import Object
from homenode.profile.patterns import Pattern, Sharing, classify
from homenode.profile.record import Flag, Operation
from homenode.profile.recording import is_closing
from homenode.profile.values import ObjectUse, Predicted, Strip, Table, Trait

PAGE = 4096
STRIP_PARTS = 240
STRIP_THREADS = 64
SAMPLES_PER_PART = 50  # So that the best node of a part is not one by chance.
# A master-initialised object: so much of its memory on one node, so many first touches by one
# thread, and so much of its use by other nodes.
CONCENTRATED, BY_ONE, LEAST_BY_OTHERS = 0.9, 0.9, 0.2
# The others began when they had made so much of their use; the one went through so much of it,
# but for a few strays.
EARLY, STRAYS, BROADLY = 0.001, 0.01, 0.8
# Where every use is counted: so much of the pages that others use was handed over by the one.
MOST_OF_IT = 0.8
# Where its beginning was not seen: so much of it, and so many times what the one used later.
PARTLY, BEYOND_ITS_OWN = 0.4, 1.5
# Of all use: what makes less is not looked at for a pattern.
LEAST_FOR_PATTERN = 0.001
READ_MOSTLY = 0.05


@dataclass(frozen=True)
class Whole:
    """What the objects of a profile are shares of."""

    facts: Facts
    use: float
    remote: float
    memory_nodes: Integers


def _writes_share(facts: Facts, chosen: Integers) -> float | None:
    kinds, weight = facts.operation[chosen], facts.weight[chosen]
    writes = float(weight[kinds == Operation.WRITE].sum())
    reads = float(weight[kinds == Operation.READ].sum())
    return writes / (reads + writes) if reads + writes > 0.5 * float(weight.sum()) else None


def _sampled(facts: Facts, item: Object, chosen: Integers) -> Uses:
    chosen = chosen[~is_closing(facts.samples[chosen])]
    ones = np.ones(len(chosen), np.int64)
    first = (facts.samples["flags"][chosen] & Flag.FIRST_TOUCH) != 0
    return Uses(
        item.bytes,
        facts.offset_of[chosen],
        facts.touched_by[chosen],
        ones,
        exact=False,
        first_touches=bool(first.any()),
    )


def _counted(facts: Facts, item: Object, chosen: Integers) -> Uses:
    """By units, whole as they lie in memory, in which the object need not begin with one. Where
    there were too many, some threads' were counted by larger ones: then all are taken so."""
    samples = facts.samples[chosen]
    unit = 1 << int(samples["page_shift"].max())
    address = samples["address"].astype(np.int64)
    begin = address - facts.offset_of[chosen]
    lead = begin % unit
    places = address // unit * unit - (begin - lead)
    counts = np.maximum(1, np.rint(facts.weight[chosen])).astype(np.int64)
    size = item.bytes + int(lead.max())
    return Uses(size, places, facts.thread[chosen], counts, exact=True, counted_by=unit)


def pattern(facts: Facts, item: Object, chosen: Integers) -> Pattern:
    """Who uses which part: the uses of all instances laid over each other. A sample counts once,
    however much use it stands for: that is what tells chance from a pattern."""
    offsets = facts.offset_of[chosen]
    inside = chosen[(offsets >= 0) & (offsets < item.bytes)]
    if len(inside) == 0:
        return Pattern(Sharing.UNKNOWN, 0.0, 64, 0, why="no sample has its address")
    uses = _counted(facts, item, inside) if facts.exact else _sampled(facts, item, inside)
    found = classify(uses)
    if not facts.exact and found.why.endswith("are needed"):
        why = found.why.replace("accesses are", "samples are")
        return replace(found, why=why)
    return found


@dataclass(frozen=True)
class Filling:
    """How an object began: one thread went through it before others used it.

    `steady` are the samples after that, which show how it is used.
    """

    thread: int
    steady: Integers


def filling(facts: Facts, item: Object, chosen: Integers) -> Filling | None:
    """None where several threads used it from the start, or the source does not tell."""
    return handed_over(facts, chosen) if facts.exact else _by_times(facts, item, chosen)


def handed_over(facts: Facts, chosen: Integers) -> Filling | None:
    """From what the lab counted apart: uses of a page before any other thread used it.

    Pages that one thread wrote to before others came were handed over by it. That was a filling if
    nearly all such pages are one thread's, and most of what others use of the object.
    """
    alone = (facts.samples["flags"][chosen] & Flag.ALONE) != 0
    if not alone.any():
        return None
    pages, page = np.unique(facts.offset_of[chosen] // PAGE, return_inverse=True)
    thread = facts.thread[chosen]
    owner = np.full(len(pages), NOWHERE, np.int64)
    owner[page[alone]] = thread[alone]
    wrote = np.zeros(len(pages), bool)
    wrote[page[alone & (facts.operation[chosen] == Operation.WRITE)]] = True
    by_others = np.zeros(len(pages), bool)
    by_others[page[thread != owner[page]]] = True
    begun = owner[wrote & by_others]
    if len(begun) == 0:
        return None
    first = int(np.bincount(begun).argmax())
    passed = wrote & by_others & (owner == first)
    others = np.zeros(len(pages), bool)
    others[page[thread != first]] = True
    if passed.sum() < BY_ONE * len(begun) or passed.sum() < MOST_OF_IT * others.sum():
        return None
    return Filling(first, chosen[~(alone & passed[page])])


def _first_user(facts: Facts, chosen: Integers) -> int:
    return int(facts.touched_by[chosen[facts.samples["time_ns"][chosen].argmin()]])


def _by_times(facts: Facts, item: Object, chosen: Integers) -> Filling | None:
    """From the times of samples."""
    times = facts.samples["time_ns"][chosen]
    if len(chosen) < 2 * FEWEST or times.min() == times.max():
        return None
    first = _first_user(facts, chosen)
    others = facts.touched_by[chosen] != first
    if others.sum() < FEWEST:
        return None
    began = np.quantile(times[others], EARLY)
    before = times < began
    mine = before & ~others
    if mine.sum() < FEWEST or (steady := chosen[~before]).size < FEWEST:
        return None
    offsets = facts.offset_of[chosen]
    early, later = _span(offsets[mine]), _span(offsets[~before & ~others])
    covers = early >= BROADLY * item.bytes or (
        early >= PARTLY * item.bytes and early >= BEYOND_ITS_OWN * later
    )
    return Filling(first, steady) if covers and mine.sum() >= BY_ONE * before.sum() else None


def _without_beginning(facts: Facts, chosen: Integers) -> Integers:
    """Without what the first user did before any other came, where that is a few samples only: too
    few to call it a filling, and enough to hide that each thread has a part of its own."""
    if facts.exact or len(chosen) == 0:
        return chosen
    others = facts.touched_by[chosen] != _first_user(facts, chosen)
    if not others.any():
        return chosen
    times = facts.samples["time_ns"][chosen]
    before = times < times[others].min()
    return chosen if before.sum() >= FEWEST else chosen[~before]


def _span(offsets: Integers) -> float:
    """From the first to the last byte, but for a few strays."""
    if len(offsets) == 0:
        return 0.0
    first, last = np.quantile(offsets, (STRAYS, 1 - STRAYS))
    return float(last - first)


def _is_concentrated(facts: Facts, chosen: Integers) -> bool:
    """Nearly all uses go to one node's memory, and many of them come from others."""
    homes, sources, weight = (
        column[chosen] for column in (facts.memory_node, facts.cpu_node, facts.weight)
    )
    known = (homes != NOWHERE) & (sources != NOWHERE)
    if len(chosen) < FEWEST or not known.any():
        return False
    on = np.bincount(homes[known], weights=weight[known])
    home = int(on.argmax())
    from_home = float(weight[known & (sources == home)].sum())
    return bool(
        on[home] >= CONCENTRATED * on.sum() and from_home <= (1 - LEAST_BY_OTHERS) * on.sum()
    )


def traits(
    facts: Facts, chosen: Integers, first: int | None, writes_share: float | None
) -> tuple[Trait, ...]:
    """What else shows. Who touched it first is not seen where the profile began later: memory on
    one node and users on several are then the only trace."""
    found = []
    times = facts.samples["time_ns"][chosen]
    unseen = len(times) == 0 or times.min() == times.max()
    if (first is not None or unseen) and _is_concentrated(facts, chosen):
        found.append(Trait.MASTER_INITIALISED)
    if writes_share is not None and writes_share <= READ_MOSTLY and len(chosen) >= FEWEST:
        found.append(Trait.READ_MOSTLY)
    return tuple(found)


def _by_part(facts: Facts, chosen: Integers, rows: Integers, count: int, parts: Integers) -> Floats:
    """The use [row, part]; entries of `rows` below 0 are left out."""
    known = rows >= 0
    many = int(parts.max(initial=0)) + 1
    cells = rows[known] * many + parts[known]
    summed = np.bincount(cells, weights=facts.weight[chosen][known], minlength=count * many)
    return summed.astype(np.float64).reshape(count, many)


def _parts(facts: Facts, item: Object, chosen: Integers, count: int) -> Integers:
    """In which of `count` equal parts each sample is; the last one is never left out."""
    scaled = facts.offset_of[chosen].astype(np.float64) * (count / max(1, item.bytes))
    return np.clip(scaled.astype(np.int64), 0, count - 1)


def strip(facts: Facts, item: Object, chosen: Integers) -> Strip | None:
    """Who used which part, for the eye; None where nothing has a place."""
    if len(chosen) == 0 or item.bytes <= 0:
        return None
    count = max(1, min(STRIP_PARTS, item.bytes // 64, 4 * len(chosen)))
    parts = _parts(facts, item, chosen, count)
    whose = facts.thread[chosen]
    busiest = np.bincount(whose, weights=facts.weight[chosen], minlength=len(facts.threads))
    shown = np.sort(np.argsort(-busiest, kind="stable")[:STRIP_THREADS])
    shown = shown[busiest[shown] > 0]
    row_of = np.full(len(facts.threads), NOWHERE, np.int64)
    row_of[shown] = np.arange(len(shown))

    def spread(rows: Integers, many: int) -> Floats:
        found = _by_part(facts, chosen, rows, many, parts)
        return np.pad(found, ((0, 0), (0, count - found.shape[1])))

    homes = spread(facts.memory_node[chosen], len(facts.nodes))
    home = np.full(count, NOWHERE, np.int64)
    if len(facts.nodes):
        home = np.where(homes.sum(axis=0) > 0, homes.argmax(axis=0), NOWHERE)
    return Strip(
        threads=tuple(int(thread) for thread in shown),
        users=spread(row_of[whose], len(shown)),
        from_node=spread(facts.cpu_node[chosen], len(facts.nodes)),
        home=tuple(int(node) for node in home),
        part_bytes=item.bytes / count,
    )


def predictions(whole: Whole, item: Object, chosen: Integers) -> Predicted:
    """What other placements would make of the same use; nothing where samples are too few."""
    facts = whole.facts
    if not facts.nodes or (len(chosen) < FEWEST and not facts.exact):
        return Predicted()
    pages = -(-item.bytes // PAGE)
    count = pages if facts.exact else len(chosen) // SAMPLES_PER_PART
    # In whole rounds of the nodes, so that a part does not lie on a boundary of the equal parts.
    most = max(1, min(1 << 16, pages, max(count, 4 * len(facts.nodes))))
    many = len(whole.memory_nodes)
    count = most - most % many if many and most >= many else most
    parts = _parts(facts, item, chosen, count)
    rows = facts.cpu_node[chosen]
    found = _by_part(facts, chosen, rows, len(facts.nodes), parts)
    padded = np.pad(found, ((0, 0), (0, count - found.shape[1])))
    return predicted(padded, whole.memory_nodes)


def object_use(whole: Whole, item: Object, chosen: Integers) -> ObjectUse:
    """How one object was used. pre: `chosen` are the indices of its samples."""
    facts = whole.facts
    found = locality(facts, chosen)
    filled = filling(facts, item, chosen)
    steady = chosen if filled is None else filled.steady
    writes = _writes_share(facts, steady)
    cells = facts.table(facts.thread, len(facts.threads), chosen)
    share = float(facts.weight[chosen].sum()) / whole.use if whole.use else 0.0
    little = Pattern(
        Sharing.UNKNOWN, 0.0, 64, len(chosen), why="it makes less than 0.1 % of all uses"
    )
    found_pattern = little
    if share >= LEAST_FOR_PATTERN:
        found_pattern = pattern(facts, item, _without_beginning(facts, steady))
    first = found_pattern.swept_by if filled is None else filled.thread
    return ObjectUse(
        object=item,
        samples=len(chosen),
        share=share,
        remote_share=found.remote / whole.remote if whole.remote else 0.0,
        locality=found,
        writes_share=writes,
        table=Table(facts.nodes, cells),
        pattern=found_pattern,
        traits=traits(facts, chosen, first, writes),
        first_toucher=first,
        strip=strip(facts, item, steady),
        later=None if filled is None else locality(facts, steady),
        predicted=predictions(whole, item, steady),
    )
