"""The links between nodes that pairs share, and the ways over them. Pure.

`homenode:Links` is "0-1:6400,1-2:6400": MiB/s in each direction. `homenode:Routes` is
"0>5:0,4,5; 5>0:5,4,0": where the hardware does not take the default, which is the fewest links,
then the lowest node ids.
"""

import re
from collections.abc import Mapping
from itertools import pairwise

Links = dict[tuple[int, int], int]
Routes = dict[tuple[int, int], tuple[int, ...]]

_LINK = re.compile(r"\s*(\d{1,5})-(\d{1,5}):(\d{1,10})\s*")
_ROUTE = re.compile(r"\s*(\d{1,5})>(\d{1,5}):\s*(\d{1,5}(?:\s*,\s*\d{1,5})*)\s*")


def parse_links(text: str) -> Links:
    """Shared links by (lower, higher) node. Raises ValueError."""
    links: Links = {}
    for part in text.split(","):
        found = _LINK.fullmatch(part)
        if found is None:
            raise ValueError(
                f"homenode:Links has {part.strip()[:40]!r}, which is not of the form 0-1:6400"
            )
        a, b, mib = map(int, found.groups())
        if a == b or (min(a, b), max(a, b)) in links:
            raise ValueError(f"homenode:Links has the link {a}-{b} twice, or from a node to itself")
        links[min(a, b), max(a, b)] = mib
    return links


def parse_routes(text: str) -> Routes:
    """Declared ways by (from, to). Raises ValueError."""
    routes: Routes = {}
    for part in filter(str.strip, text.split(";")):
        found = _ROUTE.fullmatch(part)
        if found is None:
            raise ValueError(
                f"homenode:Routes has {part.strip()[:40]!r}, which is not of the form 0>5:0,4,5"
            )
        a, b = int(found[1]), int(found[2])
        way = tuple(int(word) for word in found[3].split(","))
        if way[0] != a or way[-1] != b or len(way) < 2 or len(set(way)) != len(way):
            raise ValueError(f"homenode:Routes: the route {a}>{b} does not lead from {a} to {b}")
        if (a, b) in routes:
            raise ValueError(f"homenode:Routes has {a}>{b} twice")
        routes[a, b] = way
    return routes


def shortest(links: Mapping[tuple[int, int], int], source: int, target: int) -> tuple[int, ...]:
    """The way of the fewest links, then of the lowest node ids; () where there is none."""
    near: dict[int, list[int]] = {}
    for a, b in links:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    ways: list[tuple[int, ...]] = [(source,)]
    seen = {source}
    # Ways of one length are kept in the order of their ids, so the first to arrive is the lowest.
    while ways:
        longer: list[tuple[int, ...]] = []
        for way in ways:
            if way[-1] == target:
                return way
            for node in sorted(near.get(way[-1], ())):
                if node not in seen:
                    seen.add(node)
                    longer.append((*way, node))
        ways = longer
    return ()


def steps(way: tuple[int, ...]) -> list[tuple[int, int]]:
    """The links of a way, each by (lower, higher) node."""
    return [(min(a, b), max(a, b)) for a, b in pairwise(way)]
