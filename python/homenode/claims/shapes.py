"""The rule about access matrices: concentrated, flat or diagonal. Pure.

What a paper draws is made a number: the largest share of a column, and the share of the diagonal.
"""

from collections.abc import Callable, Mapping, Sequence

from homenode.claims.gains import PERCENT
from homenode.claims.points import Observed
from homenode.claims.table import Claim
from homenode.claims.verdict import Finding, Verdict, undecided
from homenode.matrix import hottest_share, local_share

CONCENTRATED = 0.9  # The least share of the hottest column.
FLAT = 1.25  # The most that the hottest column has, in even shares.
DIAGONAL = 0.95  # The least share of the diagonal.

# By shape: from the hottest column's share, the local share and the number of nodes.
SHAPES: Mapping[str, Callable[[float, float, int], bool]] = {
    "concentrated": lambda hottest, local, nodes: hottest >= CONCENTRATED,
    "flat": lambda hottest, local, nodes: hottest <= FLAT / nodes and local <= FLAT / nodes,
    "diagonal": lambda hottest, local, nodes: local >= DIAGONAL,
}


def shape(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """Every case of a placement has a matrix of this shape."""
    wanted = claim.text("shape")
    if wanted not in SHAPES:
        return undecided(f"there is no shape '{wanted}'")
    columns: list[float] = []  # The hottest of each case.
    diagonals: list[float] = []
    wrong = 0
    for case in cases:
        if case.matrix is None or case.placement != claim.text("strategy"):
            continue
        rows = case.matrix.of(case.operation)
        columns.append(hottest_share(rows))
        diagonals.append(local_share(rows))
        wrong += not SHAPES[wanted](columns[-1], diagonals[-1], len(case.matrix.nodes))
    if not columns:
        return undecided("the records have no matrix of these cases")
    found = f"hottest column {_span(columns)}, local {_span(diagonals)}"
    many = len(columns)
    if wrong:
        return Finding(Verdict.DIFFERS, found, f"{wrong} of {many} matrices are not {wanted}")
    return Finding(Verdict.AGREES, found, f"all {many} matrices are {wanted}")


def _span(shares: Sequence[float]) -> str:
    return f"{PERCENT * min(shares):.1f} to {PERCENT * max(shares):.1f} %"
