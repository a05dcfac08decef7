"""Rows of a matrix where the threads are that work on them, in Python: rows.py rows 0-7."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import homenode
from homenode import threads

ROWS = COLUMNS = 1024


def main(rule: str = "rows", thread_map: str = "") -> None:
    """Places the matrix, works on it with a thread for each CPU of the map, shows where it is."""
    matrix = homenode.zeros((ROWS, COLUMNS), rule)

    def work(rows: slice) -> float:
        matrix[rows] += 1.0
        return float(np.sum(matrix[rows]))

    parts = [slice(start, start + ROWS // 8) for start in range(0, ROWS, ROWS // 8)]
    bind = threads.in_order(thread_map) if thread_map else None
    with ThreadPoolExecutor(8, initializer=bind) as pool:
        print(f"sum {sum(pool.map(work, parts)):.0f}")
    for node, pages in sorted(homenode.where(matrix).pages_on_node.items()):
        print(f"node {node}: {pages} pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
