"""`homenode profile`: take or read samples, and show who uses what."""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from homenode import errors
from homenode.arguments import names_program
from homenode.errors import UserError, own_failure
from homenode.files import write_whole
from homenode.profile import document, text
from homenode.profile.errors import ProfileError
from homenode.profile.load_file import profile_of, read
from homenode.profile.options import parsed, parser
from homenode.profile.recording import read_recording
from homenode.profile.taking import Request, take
from homenode.profile.values import Profile

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the verb and returns its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    own = partial(own_failure, names_program=names_program("profile", words))
    try:
        options = parsed(words)
        return COMMANDS[options.command](options)
    except SystemExit as end:  # argparse: --help, or bad usage.
        raise SystemExit(own(end.code) if isinstance(end.code, int) else end.code) from None
    except UserError as error:
        print(f"homenode profile: {error}", file=sys.stderr)
        return own(error.exit_code)


def _take(options: argparse.Namespace) -> int:
    with ExitStack() as ends:
        samples = options.samples
        if samples is None:
            folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="homenode-profile-"))
            samples = Path(folder) / "samples"
        elif not samples.absolute().parent.is_dir():
            raise ProfileError(
                f"cannot write {samples}: No such file or directory; make its folder first"
            )
        before = _state(samples)
        request = Request(
            options.source,
            options.pid,
            tuple(options.program),
            options.machine,
            options.duration,
            options.overhead,
        )
        code = take(request, samples)
        if code != errors.DONE and _state(samples) == before:
            return code  # What was to write it has said why it did not.
        recording = read_recording(samples)
        _show(profile_of(recording, str(samples)), options, str(options.samples or ""))
        return code


def _state(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _show(profile: Profile, options: argparse.Namespace, samples: str) -> None:
    if options.json:
        print(json.dumps(document.as_json(profile), ensure_ascii=False))
    else:
        columns = min(100, shutil.get_terminal_size((100, 24)).columns)
        print(text.summary(profile, columns), end="")
    if options.output is not None:
        from homenode.profile import page

        _write(options.output, page.render(profile, samples).encode())
        if not options.json:
            print(f"\npage: {options.output}")


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise ProfileError(
            f"cannot write {path}: {error.strerror}; free some space, or name another file with "
            "--output"
        ) from error


def _show_file(options: argparse.Namespace) -> int:
    _, profile = read(options.file)
    _show(profile, options, str(options.file))
    return errors.DONE


def _diff(options: argparse.Namespace) -> int:
    from homenode.profile import diff

    (_, before), (_, after) = read(options.before), read(options.after)
    found = diff.compare(before, after)
    print(json.dumps(diff.as_json(found)) if options.json else diff.summary(found))
    return errors.DONE


def _export(options: argparse.Namespace) -> int:
    from homenode.profile.export import FORMATS, collected

    recording, profile = read(options.file)
    form = FORMATS[options.form]
    output = options.output or options.file.with_name(options.file.name + form.ending)
    _write(output, form.write(collected(recording, profile)))
    print(f"{output}: {len(recording.samples)} samples as {options.form}")
    return errors.DONE


def _topology(path: Path | None) -> dict[str, Any] | None:
    """What `homenode topology --json` printed to a file."""
    if path is None:
        return None
    try:
        found = json.loads(path.read_text())
    except OSError as error:
        raise ProfileError(f"cannot read {path}: {error.strerror}; check its name") from error
    except (ValueError, RecursionError) as error:
        raise ProfileError(
            f"{path} is no JSON ({error}); 'homenode topology --json' prints what is wanted"
        ) from error
    if not isinstance(found, dict):
        raise ProfileError(f"{path} is no machine; 'homenode topology --json' prints one")
    return found


def _import(options: argparse.Namespace) -> int:
    from homenode.profile.perf_import import import_perf

    fields = options.fields.split(",") if options.fields else None
    machine = _topology(options.topology)
    done = import_perf(
        options.file, options.samples, fields=fields, machine=machine, ghz=options.ghz
    )
    print(f"{options.samples}: {done.samples} samples; 'homenode profile show' shows them")
    for reason, count in done.dropped.items():
        print(f"left out: {count} samples ({reason})", file=sys.stderr)
    if done.skipped_lines:
        print(f"left out: {done.skipped_lines} lines that are no samples", file=sys.stderr)
    return errors.DONE


def _objects(options: argparse.Namespace) -> int:
    from homenode.profile.residence import as_json, as_text, residence, taken

    found = residence(taken(options.pid))
    print(as_json(found) if options.json else as_text(found), end="\n" if options.json else "")
    return errors.DONE


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "take": _take,
    "show": _show_file,
    "diff": _diff,
    "export": _export,
    "import": _import,
    "objects": _objects,
}
