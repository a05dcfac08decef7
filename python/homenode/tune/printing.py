"""What a tune prints and writes: text or JSON, the recipe, the page, and other tools' words."""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from homenode.files import write_whole
from homenode.study.command import find_command
from homenode.tune import document, text
from homenode.tune.answer import Answer
from homenode.tune.errors import TuneError
from homenode.tune.recipe import recipe


def show(options: argparse.Namespace, answer: Answer) -> None:
    """All that was asked for. Raises TuneError where a file cannot be written."""
    if options.json != "-" and answer.values:
        columns = min(100, shutil.get_terminal_size((100, 24)).columns)
        print(text.summary(answer, columns), end="")
    if options.json is not None:
        _json(options.json, "--json", document.as_json(answer))
    if options.recipe is not None:
        found = recipe(answer)
        if found is None:
            _say(f"{options.recipe} was not written: no placement is surely better")
        else:
            _json(options.recipe, "--recipe", found)
    if options.output is not None and answer.values:
        from homenode.tune import page

        _write(options.output, "--output", page.render(answer).encode())
    if options.emit is not None:
        _emit(options.emit, answer)


def _emit(tool: str, answer: Answer) -> None:
    """The same placement for another tool, as `homenode run --emit` has it."""
    winner = answer.verdict.winner
    if winner is None:
        _say(f"nothing to write for {tool}: no placement is surely better")
        return
    command = [str(find_command()), "run", *winner.candidate.options, "--emit", tool, "--"]
    sys.stdout.flush()
    subprocess.run([*command, *answer.program], check=False)


def _say(what: str) -> None:
    print(f"homenode tune: {what}", file=sys.stderr)


def _json(name: str | Path, option: str, value: dict[str, Any]) -> None:
    content = json.dumps(value, ensure_ascii=False)
    if name == "-":
        print(content)
        return
    _write(Path(name), option, content.encode() + b"\n")


def _write(path: Path, option: str, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise TuneError(
            f"cannot write {path}: {error.strerror}; name another file with {option}"
        ) from error
