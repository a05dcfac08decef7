"""`homenode draw`: from homenode's JSON to a picture; the verbs' options for pictures use it."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homenode import errors
from homenode.arguments import Parser
from homenode.draw import measure, seismogram, snapshot, topology
from homenode.draw.words import Json
from homenode.errors import UserError
from homenode.files import write_whole
from homenode.pages import bench, where
from homenode.pages.content import Page

FORMATS = ("svg", "png", "html")
# What JSON of another shape ends in.
ODD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class Kind:
    """A kind of picture: the JSON that it is made from, and its form by each file's ending."""

    schemas: Sequence[str]
    what: str
    forms: Mapping[str, Callable[[Json], str | bytes]]


def _rendered(make: Callable[[Json], Page]) -> Callable[[Json], str]:
    """A page as HTML. A picture needs no templates, so that these are loaded for a page alone."""

    def draw(facts: Json) -> str:
        from homenode.pages import html

        return html.render(make(facts))

    return draw


KINDS: Mapping[str, Kind] = {
    "topology": Kind([topology.SCHEMA], "a machine", {"svg": topology.draw}),
    "measure": Kind([measure.SCHEMA], "a measurement", {"svg": measure.draw}),
    "snapshot": Kind(
        [snapshot.SCHEMA],
        "the waves of bench seismic",
        {"svg": snapshot.draw, "png": snapshot.draw_png},
    ),
    "seismogram": Kind(
        [seismogram.SCHEMA], "the traces of bench seismic", {"svg": seismogram.draw}
    ),
    "where": Kind(list(where.PAGES), "what where shows", {"html": _rendered(where.page)}),
    "bench": Kind(bench.SCHEMAS, "a run of bench", {"html": _rendered(bench.page)}),
}


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    parser = Parser(
        prog="homenode draw",
        description="Draws a picture from the JSON that 'homenode topology --json' and "
        "'homenode measure --json' print, and a page from that of 'homenode where' and "
        "'homenode bench'. Other verbs use it for their options --svg, --html, --snapshot and "
        "--seismogram.",
        epilog="Exit codes: 0 done, 1 failed, 2 bad usage, 3 a Python module is missing.",
    )
    parser.add_argument(
        "kind",
        metavar="KIND",
        choices=list(KINDS),
        help="what to draw: " + ", ".join(f"{name} ({kind.what})" for name, kind in KINDS.items()),
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        help="the JSON to draw from (default: the standard input)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="the file for the picture (default: the standard output); it is written whole or "
        "not at all",
    )
    parser.add_argument(
        "--format",
        metavar="svg|png|html",
        choices=FORMATS,
        help="the format: svg, png for a snapshot's cells alone, or html for a page of where or "
        "bench (default: that of --output's name, else the kind's first)",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the verb and returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        picture = _draw(options)
        if options.output is None:
            sys.stdout.flush()
            sys.stdout.buffer.write(picture)
            sys.stdout.buffer.flush()
        else:
            _write(options.output, picture)
    except UserError as error:
        print(f"homenode draw: {error}", file=sys.stderr)
        return error.exit_code
    return errors.DONE


def _draw(options: argparse.Namespace) -> bytes:
    kind = KINDS[options.kind]
    form = options.format
    if form is None and options.output is not None:
        form = options.output.suffix.removeprefix(".").lower()
    make = kind.forms.get(form if form in FORMATS else next(iter(kind.forms)))
    if make is None:
        raise UserError(
            f"{options.kind} cannot be drawn as {form}; choose among {', '.join(kind.forms)}",
            errors.USAGE,
        )
    name = "the standard input" if options.file is None else str(options.file)
    facts = _read(options.file, name, kind)
    try:
        picture = make(facts)
    except ODD as error:
        raise UserError(
            f"cannot draw {name}: its JSON is inconsistent ({error!r}); create it again with "
            "this version of homenode"
        ) from error
    return picture.encode() if isinstance(picture, str) else picture


def _read(file: Path | None, name: str, kind: Kind) -> Json:
    try:
        text = sys.stdin.buffer.read() if file is None else file.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {name}: {error.strerror}; check the path") from error
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise UserError(f"{name} is not JSON: {error}; pass what --json prints") from error
    schema = facts.get("schema") if isinstance(facts, dict) else None
    if not isinstance(facts, dict) or schema not in kind.schemas:
        raise UserError(_refusal(name, kind.schemas, str(schema or "something else")))
    return facts


def _refusal(name: str, wanted: Sequence[str], given: str) -> str:
    families = dict(one.split("/") for one in wanted)
    version = families.get(given.rpartition("/")[0])
    if version is None:
        known = wanted[0] if len(wanted) == 1 else f"one of {', '.join(wanted)}"
        return f"{name} is not {known} but {given}; pass what --json prints"
    return (
        f"{name} is {given}, but this homenode draws version {version}; "
        "print it again with --json of this homenode"
    )


def _write(path: Path, picture: bytes) -> None:
    try:
        write_whole(path, picture)
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror}; free some space, or name another file with -o"
        ) from error
