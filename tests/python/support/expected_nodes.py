"""Where each page must be under each memory rule, written from the definitions alone."""

from collections.abc import Callable, Iterator

PAGES = 61
WEIGHTS = {0: 2, 1: 3, 2: 1, 3: 4, 4: 5}  # By node: the kernel's, as the test sets them.
MASK = (1 << 64) - 1

Expected = Callable[[int], list[int]]
"""The nodes of the region's pages, by the number of its first page."""


def each_page(node: Callable[[int], int]) -> Expected:
    """A rule for which only a page's place in the region counts."""
    return lambda _first: [node(page) for page in range(PAGES)]


def always(nodes: list[int]) -> Expected:
    return lambda _first: nodes


def in_turn(turns: list[int]) -> Expected:
    """The kernel's interleaving, which goes by the address."""
    return lambda first: [turns[(first + page) % len(turns)] for page in range(PAGES)]


def block(nodes: list[int]) -> list[int]:
    short, longer = divmod(PAGES, len(nodes))
    return [n for i, n in enumerate(nodes) for _ in range(short + (i < longer))]


def skew(nodes: list[int], b: int) -> int:
    return nodes[(b + b // len(nodes) + 1) % len(nodes)]


def prime(nodes: list[int], p: int, b: int) -> int:
    m, r = len(nodes), b % p
    return nodes[r] if r < m else nodes[((b // p) * (p - m) + r - m) % m]


def splitmix(seed: int) -> Iterator[int]:
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        value = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        yield value ^ (value >> 31)


def shuffled(nodes: list[int], seed: int) -> list[int]:
    """Fisher-Yates twice: the order of the nodes, then as many pages of each."""
    chance = splitmix(seed)

    def shuffle(items: list[int]) -> list[int]:
        for left in range(len(items), 1, -1):
            at = next(n for n in chance if n >= (MASK + 1 - left) % left) % left
            items[left - 1], items[at] = items[at], items[left - 1]
        return items

    order = shuffle(list(nodes))
    return shuffle([order[i % len(order)] for i in range(PAGES)])


def page_maps(nodes: list[int]) -> dict[str, Expected]:
    """Our own page maps, by rule."""
    m, last = len(nodes), nodes[-1]
    above = next(p for p in (3, 5, 7) if p > m)
    runs = [(PAGES - 9, last), (2, nodes[0]), (7, nodes[1])]
    return {
        "block": always(block(nodes)),
        "cyclic": each_page(lambda page: nodes[page % m]),
        "cyclic:3": each_page(lambda page: nodes[page // 3 % m]),
        f"cyclic@{last}": each_page(lambda _page: last),
        "skew": each_page(lambda page: skew(nodes, page)),
        "skew:2": each_page(lambda page: skew(nodes, page // 2)),
        "prime": each_page(lambda page: prime(nodes, above, page)),
        "prime:11,2": each_page(lambda page: prime(nodes, 11, page // 2)),
        "random:7": always(shuffled(nodes, 7)),
        "map:" + ",".join(f"{n}x{node}" for n, node in runs): always(
            [node for n, node in runs for _ in range(n)]
        ),
    }


def policies(nodes: list[int], local: int) -> dict[str, Expected]:
    """The kernel's own policies, by rule; `local` is the nearest node with memory."""
    last, some = nodes[-1], nodes[1:]
    at_last = each_page(lambda _page: last)
    here = each_page(lambda _page: local)
    return {
        "default": here,
        "local": here,
        "bind": here,
        f"bind@{last}": at_last,
        f"bind:balancing@{last}": at_last,
        f"preferred@{last}": at_last,
        "preferred-many": here,
        f"preferred-many@{last}": at_last,
        "interleave": in_turn(nodes),
        f"interleave@{','.join(map(str, some))}": in_turn(some),
        "weighted-interleave": in_turn([n for n in nodes for _ in range(WEIGHTS[n])]),
    }


def homes(nodes: list[int], local: int) -> dict[str, Expected]:
    """Policies that look at home first; for pages that are not there yet."""
    other = next(node for node in nodes if node != local)
    at_home = each_page(lambda _page: other)
    return {f"bind:home={other}": at_home, f"preferred-many:home={other}": at_home}


def weighted_rule(nodes: list[int]) -> str:
    return "weighted:" + ",".join(str(WEIGHTS[node]) for node in nodes)
