"""The subcommands of homenode-lab that need no virtual machine: list, show and new."""

import argparse
import json
import sys
from pathlib import Path

from homenode.errors import USAGE
from homenode.files import write_whole
from homenode.lab import catalogue, machine_text
from homenode.lab.errors import LabError
from homenode.lab.machine import Machine
from homenode.lab.machine_file import bad_machine
from homenode.lab.new import NewMachine, new_machine
from homenode.lab.text import say


def add_parsers(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the options of the three; VERBS runs them."""
    listing = verbs.add_parser(
        "list",
        help="list the machines of the catalogue",
        description="Lists the machines of the catalogue: nodes, CPUs per node (+ nodes without "
        "CPUs), and how much longer a remote access takes.",
    )
    listing.add_argument("--json", action="store_true", help="print JSON")
    show = verbs.add_parser(
        "show",
        help="show one machine",
        description="Shows everything that the lab models: nodes, caches, the core, distances, "
        "latencies, bandwidths, links, their sources, what is assumed, and whether "
        "the machine closes: whether its cores can request the bandwidths that it "
        "declares.",
    )
    show.add_argument("machine", metavar="NAME|FILE", help="a machine from the list, or its file")
    show.add_argument("--json", action="store_true", help="print JSON")
    new = verbs.add_parser(
        "new",
        help="add a real machine to the catalogue",
        description="Makes a machine of the lab from the hwloc XML of a real one, as 'homenode "
        "topology --xml', 'homenode measure --output' and lstopo write it. Devices, host names and "
        "serial numbers are dropped; latencies and bandwidths are kept, missing ones assumed.",
    )
    new.add_argument("file", metavar="FILE|-", help="hwloc XML, or - for the standard input")
    new.add_argument("--name", help="the machine's name (default: the name in the file)")
    new.add_argument(
        "--output",
        metavar="FILE|-",
        help="write the machine file here, not into your catalogue "
        "($XDG_DATA_HOME/homenode/machines)",
    )


def list_machines(options: argparse.Namespace) -> int:
    """The subcommand list. A file that is no machine is said, and the others listed."""
    machines: list[Machine] = []
    for name in catalogue.names():
        try:
            machines.append(catalogue.find_machine(name))
        except LabError as error:
            say(str(error))
    if options.json:
        print(json.dumps(machine_text.list_json(machines)))
    else:
        print(machine_text.list_text(machines))
    return 0


def show(options: argparse.Namespace) -> int:
    """The subcommand show."""
    machine = catalogue.find_machine(options.machine)
    if options.json:
        print(json.dumps(machine_text.show_json(machine)))
    else:
        print(machine_text.show_text(machine))
    return 0


def new(options: argparse.Namespace) -> int:
    """The subcommand new."""
    made = new_machine(_current(options.file), _stem(options.file), options.name)
    for note in made.notes:
        say(note)
    if options.output == "-":
        print(made.text, end="")
        return 0
    path = _install_path(made) if options.output is None else Path(options.output)
    try:
        if options.output is None:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, made.text.encode())
    except OSError as error:
        raise LabError(
            f"cannot write {path}: {error.strerror}; name another file with --output"
        ) from error
    name = made.machine.name if options.output is None else path
    say(f"wrote {path}; use it with 'homenode lab run --machine {name} -- CMD'")
    return 0


VERBS = {"list": list_machines, "show": show, "new": new}


def _stem(file: str) -> str:
    return "machine" if file == "-" else Path(file).stem


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode()
    except OSError as error:
        raise LabError(
            f"cannot read {file}: {error.strerror}; make one with 'homenode topology --xml=FILE'"
        ) from error
    except UnicodeDecodeError as error:
        raise bad_machine(file, "it is not a text file") from error


def _current(file: str) -> str:
    return catalogue.current_format(_read(file), _stem(file))


def _install_path(made: NewMachine) -> Path:
    name = made.machine.name
    if name in catalogue.names():
        raise LabError(
            f"a machine is already called {name}, in {catalogue.find_file(name)}; give this one "
            "another name with --name",
            USAGE,
        )
    return catalogue.user_folder() / f"{name}.xml"
