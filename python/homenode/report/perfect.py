"""The matrix that a pattern would have with the best possible placement of its memory. Pure.

It follows from the pattern's logic alone (Luo et al. 2012, Fig. 1) and from where the threads ran:
what everybody uses can only be spread evenly; what one thread owns can lie on that thread's node.
"""

from collections.abc import Sequence

Shares = list[list[float]]


def perfect_matrix(
    pattern: str,
    thread_nodes: Sequence[int],
    nodes: Sequence[int],
    memory_nodes: Sequence[int],
    overlap_percent: int = 0,
) -> Shares:
    """Shares of all accesses, [issuing node][node with the memory]; they add up to 1.

    `thread_nodes` is each thread's node by rank. A thread on a node without memory is not helped by
    any placement, so its share is spread over the nodes that have memory.
    """
    row_of = {node: row for row, node in enumerate(nodes)}
    cells = [[0.0] * len(nodes) for _ in nodes]

    def add(thread: int, owner: int, amount: float) -> None:
        row = cells[row_of[thread_nodes[thread]]]
        home = thread_nodes[owner]
        if pattern != "shared" and home in memory_nodes:
            row[row_of[home]] += amount
            return
        for node in memory_nodes:
            row[row_of[node]] += amount / len(memory_nodes)

    for thread in range(len(thread_nodes)):
        add(thread, thread, 1.0)
        if pattern == "partial":
            for neighbour in (thread - 1, thread + 1):
                if 0 <= neighbour < len(thread_nodes):
                    add(thread, neighbour, overlap_percent / 100)
    everything = sum(map(sum, cells))
    return [[cell / everything for cell in row] for row in cells]
