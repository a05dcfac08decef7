"""The order in which to try placements that no model has judged: the rule that docs/what-decides.md
found. Pure.

Put each part of the data at the node of the thread that uses it; spread the pages where that has
one node asked for too much; never put everything on one node. Which of the first two holds depends
on what nobody has seen, so they take turns.
"""

from collections.abc import Sequence
from itertools import chain, zip_longest

from homenode.tune.candidate import Candidate


def by_rule(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The program as it is first, what puts everything on one node last."""
    groups: dict[str, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(_group(one), []).append(one)
    turns = zip_longest(groups.get("own", []), groups.get("spread", []))
    return [
        *groups.get("as it is", []),
        *(one for one in chain.from_iterable(turns) if one is not None),
        *groups.get("other", []),
        *groups.get("central", []),
    ]


def _group(candidate: Candidate) -> str:
    """What a placement does with the memory. Threads that keep to their CPUs keep what they touch
    first at their nodes."""
    rules = [rule for _, rule in candidate.memory]
    if not candidate.options:
        return "as it is"
    if any(rule.startswith(("interleave", "cyclic", "weighted", "skew")) for rule in rules):
        return "spread"
    if any(rule.startswith(("preferred", "bind")) for rule in rules):
        return "central"
    only_threads = candidate.threads is not None and not rules
    if "block" in rules or (only_threads and _only(candidate, "--threads")):
        return "own"
    return "other"


def _only(candidate: Candidate, option: str) -> bool:
    """Whether it has no other option."""
    return all(word == option for word in candidate.options if word.startswith("--"))
