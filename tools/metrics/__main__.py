"""The table of `./dev metrics`: each measure, what it is now and what is allowed."""

import argparse
import sys
from pathlib import Path

from metrics.ratchet import FILE, Ratchet, fallen, lower, measure_all, parse_ratchet, risen
from metrics.tree import Measure, read_tree

ROOT = Path(__file__).resolve().parents[2]
SHOWN = 20  # Places of a measure that rose; --show has all.


def table(measures: list[Measure], ratchet: Ratchet) -> str:
    """The measures in columns."""
    width = max(len(m.name) for m in measures)
    rows = [f"{'measure':{width}}   now  allowed"]
    for m in measures:
        allowed = ratchet.allowed.get(m.name, 0)
        mark = "  rose" if m.value > allowed else "  fell" if m.value < allowed else ""
        rows.append(f"{m.name:{width}} {m.value:5} {allowed:8}{mark}")
    return "\n".join(rows)


def main() -> int:
    """Exits with 1 where something rose."""
    parser = argparse.ArgumentParser(prog="./dev metrics", description=__doc__)
    parser.add_argument("--update", action="store_true", help=f"lower the values in {FILE}")
    parser.add_argument("--show", metavar="MEASURE", help="list every place of one measure")
    arguments = parser.parse_args()
    tree = read_tree(ROOT)
    ratchet = parse_ratchet((ROOT / FILE).read_text())
    measures = measure_all(tree, ratchet)
    if arguments.show:
        found = [m for m in measures if m.name == arguments.show]
        if not found:
            parser.error(f"no measure {arguments.show}; they are {[m.name for m in measures]}")
        print("\n".join(found[0].places))
        return 0
    print(table(measures, ratchet))
    for m in risen(measures, ratchet):
        print(f"\n{m.name} rose to {m.value}:", *m.places[:SHOWN], sep="\n  ", file=sys.stderr)
        if len(m.places) > SHOWN:
            print(f"  … all of them: ./dev metrics --show {m.name}", file=sys.stderr)
    if arguments.update:
        lower(ROOT, tree, measures)
    elif fallen(measures, ratchet):
        print("\nSomething fell: ./dev metrics --update lowers what is allowed.")
    return 1 if risen(measures, ratchet) else 0


if __name__ == "__main__":
    sys.exit(main())
