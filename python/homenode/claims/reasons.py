"""What the records show of the strategies that a claim compares: where their lines came from. Pure.

Shown beside a verdict, so that a difference to a paper has what the lab counted next to it. It is
taken at the most threads, where placement matters most.
"""

from collections.abc import Sequence
from statistics import fmean

from homenode.claims.gains import PERCENT
from homenode.claims.points import Observed
from homenode.claims.table import Claim
from homenode.study.times import RunTime


def reasons(claim: Claim, cases: Sequence[Observed]) -> str:
    """A sentence for the strategies of a claim; empty where the records hold nothing of it."""
    names = [claim.settings.get("strategy"), *claim.settings.get("than", [])]
    wanted = [str(name) for name in names if name]
    timed = [case for case in cases if case.time is not None and case.placement in wanted]
    if not timed:
        return ""
    most = max(case.point.threads for case in timed)
    parts = [
        part
        for name in wanted
        if (part := _strategy(name, [c.time for c in timed if _is(c, name, most)]))
    ]
    if not parts:
        return ""
    return f"with {most} threads: {'; '.join(parts)}" if most else "; ".join(parts)


def _is(case: Observed, name: str, threads: int) -> bool:
    return case.placement == name and case.point.threads == threads


def _strategy(name: str, times: Sequence[RunTime | None]) -> str:
    local = [t.local_read_share for t in times if t and t.local_read_share is not None]
    busiest = [t.busiest_controller[1] for t in times if t and t.busiest_controller]
    cached = [t.from_caches for t in times if t and t.from_caches is not None]
    facts = []
    if local:
        facts.append(f"{PERCENT * fmean(local):.0f} % of lines from the own node's memory")
    if busiest:
        facts.append(f"busiest controller in use {PERCENT * fmean(busiest):.0f} % of the time")
    if cached:
        facts.append(f"{PERCENT * fmean(cached):.0f} % from other caches")
    return f"{name} {', '.join(facts)}" if facts else ""
