"""The Python verbs as commands: what each starts with, and how it ends when a stream fails it.

`python3 -m homenode.command VERB ...`. The verbs themselves are imported only once an interrupt and
a module that is not there can be answered in one line.
"""

import errno
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

from homenode.arguments import names_program
from homenode.errors import DONE, FAILED, NOT_SUPPORTED, USAGE, own_failure
from homenode.places import SOURCE
from homenode.verbs import PYTHON

# The distributions that pyproject.toml names.
NEEDED = ("jinja2", "numpy", "pyelftools", "rich", "scipy")
INTERRUPTED = 128 + signal.SIGINT
READER_GONE = 128 + signal.SIGPIPE
# What writing to a standard stream fails with. An error with a file's name is another matter.
STREAM_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)


def start(name: str) -> int:
    """Runs the verb `name` on the words of the command line; returns its exit code."""
    _open_missing_streams()
    own = partial(own_failure, names_program=names_program(name, sys.argv[1:]))
    try:
        return _finish(import_module(f"homenode.{name}.cli").main)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ImportError, AttributeError, PermissionError) as error:
        module = _module_of(error)
        hidden = _hidden_from_this_user(error, module)
        if hidden:
            _say(
                name,
                f"the Python module {module} is not found: this user may not read '{hidden}' "
                "(permission denied); run it as a user who may, or install homenode where this one "
                "may",
            )
            return own(FAILED)
        if not isinstance(error, ModuleNotFoundError) or module == "homenode":
            raise
        _say(name, f"the Python module {error.name} is missing; {_remedy()}")
        return own(NOT_SUPPORTED)
    except BrokenPipeError:
        _discard_output()
        return READER_GONE
    except OSError as error:
        if error.filename is not None or error.errno not in STREAM_ERRORS:
            raise
        _discard_output()
        _say(
            name,
            f"cannot write the output: {error.strerror}; free some space, or send it elsewhere",
        )
        return own(FAILED)


def _module_of(error: BaseException) -> str:
    """The package that an error of importing is about; "homenode" where none is named."""
    name = getattr(error, "name", None)
    if isinstance(error, AttributeError):  # A folder that cannot be read is an empty package.
        name = error.obj.__name__ if isinstance(error.obj, ModuleType) else None
    return str(name or "homenode").partition(".")[0]


def _first_closed(path: str) -> str:
    """The file or folder on the way to `path` that this user may not read; "" where all may be, or
    nothing is there."""
    whole = Path(os.path.realpath(path))
    for part in [*reversed(whole.parents), whole]:
        if not part.exists():
            return ""
        wanted = (os.X_OK if part.is_dir() else 0) | (os.R_OK if part == whole else 0)
        if not os.access(part, wanted):
            return str(part)
    return ""


def _hidden_from_this_user(error: BaseException, module: str) -> str:
    """What has the modules but may not be read: the import system passes over it in silence."""
    if isinstance(error, PermissionError):
        file = str(error.filename or "")
        places = [place for place in sys.path if place and file.startswith(place + os.sep)]
        return _first_closed(file) if places else ""
    if module == "homenode":
        return ""
    places = [place for place in sys.path if place]
    if (SOURCE / "dev").is_file():  # The environment of './dev setup', which is not used then.
        places.append(str(SOURCE / ".venv" / "bin" / "python"))
    inside = [str(Path(place) / module) for place in places]
    return next((found for path in inside + places if (found := _first_closed(path))), "")


def _remedy() -> str:
    """How the modules that the verbs need are had, here."""
    if (SOURCE / "dev").is_file():
        return "run './dev setup'"
    return f"run '{sys.executable} -m pip install {' '.join(NEEDED)}'"


def _finish(main: Callable[[], int]) -> int:
    """Runs `main` and sees to it that what it printed has left."""
    try:
        code = main()
    except SystemExit as end:  # argparse: --help, or bad usage.
        code = end.code if isinstance(end.code, int) else DONE if end.code is None else FAILED
    try:
        sys.stdout.flush()
    except OSError:
        if code == DONE:
            raise
        _discard_output()  # What failed before has been said.
    return code


def _open_missing_streams() -> None:
    """Gives each closed standard stream a file that fails like it: no other may get its number."""
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


def _discard_output() -> None:
    """What is still to be printed goes nowhere: the interpreter flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _say(name: str, text: str) -> None:
    with suppress(OSError):
        print(f"homenode {name}: {text}", file=sys.stderr, flush=True)


COMMANDS: dict[str, Callable[[], int]] = {name: partial(start, name) for name in PYTHON}


def __getattr__(name: str) -> Callable[[], int]:
    """What the scripts homenode-VERB of the package start: homenode.command:VERB."""
    if name in COMMANDS:
        return COMMANDS[name]
    raise AttributeError(name)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print(f"usage: python3 -m homenode.command {'|'.join(COMMANDS)} ...", file=sys.stderr)
        sys.exit(USAGE)
    sys.exit(COMMANDS[sys.argv.pop(1)]())
