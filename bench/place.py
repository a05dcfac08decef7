"""Placing 1 GiB page by page against a plain populate, and the audit of it, on this host.

CPU seconds of one process, in turn, on fresh memory of small pages; tests/support/place_cost.cpp
says what is done on a machine of fewer than four nodes.
"""

import json
import shutil
import statistics
import subprocess


def spread(values: list[float], digits: int) -> str:
    """Median, minimum and maximum of some rounds."""
    return (
        f"{statistics.median(values):.{digits}f} (min {min(values):.{digits}f}, "
        f"max {max(values):.{digits}f}, {len(values)} rounds)"
    )


def place(rounds: int = 11, size_mib: int = 1024) -> None:
    """Ratios of placements to a populate, mappings that they add, ns of an audit per page."""
    program = shutil.which("place_cost")
    assert program, "place_cost is not on PATH; './dev build' makes it"
    output = subprocess.run(
        [program, str(size_mib), str(rounds)], check=True, capture_output=True, text=True
    ).stdout
    found = [json.loads(line) for line in output.splitlines()]
    assert all(row["as_planned"] == row["pages"] for row in found), "pages are elsewhere"
    nanoseconds = [row["audit_s"] / row["pages"] * 1e9 for row in found]
    folded = ", four nodes folded onto one" if found[0]["folded"] else ""
    for order in ("cyclic", "random"):
        ratios = [row[f"{order}_s"] / row["populate_s"] for row in found]
        print(f"placing {size_mib} MiB, {order} pages / populating it{folded}: {spread(ratios, 2)}")
    print(f"mappings that a placement adds: {max(row['mappings_added'] for row in found)}")
    print(f"audit, ns per page: {spread(nanoseconds, 0)}")


if __name__ == "__main__":
    place()
