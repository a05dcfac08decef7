"""The rule about pages that were moved to no avail. Pure."""

from collections.abc import Sequence

from homenode.claims.gains import PERCENT
from homenode.claims.points import Observed
from homenode.claims.table import Claim
from homenode.claims.verdict import Finding, Verdict, undecided


def mostly_useless(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """More than half of the moves under a placement brought the page no nearer to its users."""
    own = [case.figures for case in cases if case.placement == claim.text("strategy")]
    seen = [each for each in own if "moves" in each and "useless" in each]
    if not seen:
        return undecided("the records have no moves of it")
    moves = sum(sum(each["moves"]) for each in seen)
    useless = sum(sum(each["useless"]) for each in seen)
    runs = sum(len(each["moves"]) for each in seen)
    if not moves:
        return undecided("it moved none of the pages that were looked at", f"0 in {runs} runs")
    share = useless / moves
    text = f"{useless:.0f} of {moves:.0f} moves, in {runs} runs"
    verdict = Verdict.AGREES if share > 0.5 else Verdict.DIFFERS
    why = f"{PERCENT * share:.0f} % of the moves brought the page no nearer to its users"
    return Finding(verdict, text, why, PERCENT * share, "%")
