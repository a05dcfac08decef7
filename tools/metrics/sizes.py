"""Sizes of files: what is too long to read at once, and what is too short to be an idea."""

from metrics.tree import NATIVE, SOURCES, Measure, Tree

LONG_LINES = 400
SHORT_LINES = 30
FOLDERS = ("src", "python", "tests", "bench", "tools", "include")


def measure_sizes(tree: Tree) -> list[Measure]:
    """The longest source file, how many are long, how many of src are short, and cli's files."""
    lines = {file: tree.lines(file) for file in tree.under(FOLDERS, SOURCES)}
    by_length = sorted(lines, key=lambda file: -lines[file])
    short = [f for f in tree.under(("src",), NATIVE) if lines[f] < SHORT_LINES]
    long = [file for file in by_length if lines[file] > LONG_LINES]
    cli = tree.under(("src/cli",), ("",))

    def with_lines(files: list[str]) -> list[str]:
        return [f"{file}: {lines[file]} lines" for file in files]

    return [
        Measure("longest_file_lines", max(lines.values(), default=0), with_lines(by_length[:1])),
        Measure("files_above_400_lines", len(long), with_lines(long)),
        Measure("src_files_below_30_lines", len(short), with_lines(short)),
        Measure("src_cli_files", len(cli), cli),
    ]
