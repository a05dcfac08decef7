"""How far a matrix is from the best that its pattern allows, weighted by distances. Pure.

The penalty factor is the mean distance of all accesses over that of a local one, and the leakage is
what the measured factor has over the perfect one (after Luo et al., PDCAT 2012).
"""

from collections.abc import Sequence

from homenode.matrix import total
from homenode.study.machine import Machine

LOCAL_DISTANCE = 10


def penalty_factor(rows: Sequence[Sequence[float]], machine: Machine) -> float | None:
    """PF(M) = sum M_ij d_ij / (10 sum M_ij); None without distances or accesses.

    pre: rows and columns are the machine's nodes, in its order.
    """
    everything = total(rows)
    if machine.distances is None or not everything:
        return None
    weighted = sum(
        cell * distance
        for row, line in zip(rows, machine.distances, strict=True)
        for cell, distance in zip(row, line, strict=True)
    )
    return weighted / (LOCAL_DISTANCE * everything)


def leakage(
    measured: Sequence[Sequence[float]], best: Sequence[Sequence[float]], machine: Machine
) -> float | None:
    """PF(measured) - PF(best): 0 when nothing is lost; None where either is not known."""
    found, possible = penalty_factor(measured, machine), penalty_factor(best, machine)
    return None if found is None or possible is None else found - possible
