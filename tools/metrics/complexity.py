"""Cyclomatic complexity of functions, as lizard counts it."""

import lizard

from metrics.tree import SOURCES, Measure, Tree

LIMIT = 15


def measure_complexity(tree: Tree) -> list[Measure]:
    """The functions of src, python and tools with more than LIMIT paths, the worst first."""
    above = []
    for file in tree.under(("src", "python", "tools"), SOURCES):
        found = lizard.analyze_file.analyze_source_code(file, tree.text(file))
        above += [
            (function.cyclomatic_complexity, f"{file}:{function.start_line}: {function.name}")
            for function in found.function_list
            if function.cyclomatic_complexity > LIMIT
        ]
    above.sort(key=lambda entry: (-entry[0], entry[1]))
    places = [f"{place} has {complexity}" for complexity, place in above]
    worst = above[0][0] if above else 0
    return [
        Measure("functions_above_complexity_15", len(places), places),
        Measure("highest_complexity", worst, places[:1]),
    ]
