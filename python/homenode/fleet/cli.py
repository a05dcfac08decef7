"""`homenode fleet report`: from what was measured on each computer to those that are unlike."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from homenode import errors
from homenode.arguments import Parser
from homenode.errors import UserError
from homenode.files import write_whole
from homenode.fleet import page
from homenode.fleet.compare import LEAST_SIBLINGS, compare
from homenode.fleet.documents import read_folder


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    parser = Parser(
        prog="homenode fleet",
        description="Compares what 'homenode measure --json' and 'homenode topology --json' "
        "printed on each node of a cluster, in files NAME.measure.json and NAME.topology.json, and "
        "names the nodes that are unlike the others.",
        epilog="Exit codes: 0 done, 1 failed, 2 bad usage, 3 a Python module is missing.",
    )
    parser.add_argument("command", metavar="report", choices=["report"], help="what to do")
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder with the files")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.add_argument(
        "--html", metavar="FILE", type=Path, help="write a self-contained page to this file too"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the verb and returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        computers = read_folder(options.folder)
        if len(computers) < LEAST_SIBLINGS:
            raise UserError(
                f"{options.folder} has files of {len(computers)} computers, and a comparison needs "
                f"at least {LEAST_SIBLINGS}; measure more of them"
            )
        found = compare(computers)
        if options.html:
            _write(options.html, page.html(found))
    except UserError as error:
        print(f"homenode fleet: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found.to_json(), ensure_ascii=False) if options.json else page.text(found))
    return errors.DONE


def _write(file: Path, text: str) -> None:
    try:
        write_whole(file, text.encode())
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}; name another file") from error
