"""A machine file (hwloc version 2 XML) as a machine, or one line that says why not. Pure."""

import xml.etree.ElementTree as ET

from homenode.errors import USAGE
from homenode.lab.errors import LabError
from homenode.lab.machine import Machine
from homenode.lab.machine_check import find_problem
from homenode.lab.machine_xml import read_machine


def parse_machine(text: str, name: str) -> Machine:
    """Reads a machine file. Raises LabError, with one line, when the lab cannot use it."""
    root, machine = parse_topology(text, name)
    if root.get("version", "1").split(".")[0] != "2":
        raise bad_machine(name, "it is not in hwloc's version 2 format")
    try:
        result = read_machine(root, machine, name)
        problem = find_problem(result)
    except KeyError as error:
        raise bad_machine(name, f"an attribute is missing ({error})") from error
    except ValueError as error:
        raise bad_machine(name, str(error)) from error
    if problem:
        raise bad_machine(name, problem)
    return result


def parse_topology(text: str, name: str) -> tuple[ET.Element, ET.Element]:
    """The root of an hwloc topology and its Machine object. Raises LabError when it is none."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise bad_machine(name, f"it is not well-formed XML ({error})") from error
    machine = root.find("object")
    if root.tag != "topology" or machine is None or machine.get("type") != "Machine":
        raise bad_machine(name, "it is not an hwloc topology (no Machine object)")
    return root, machine


def bad_machine(name: str, why: str) -> LabError:
    """What is said of a file that is no machine for the lab."""
    said = " ".join(why.split())
    return LabError(
        f"cannot use the machine file {name}: {said}; correct it, or make one with 'homenode "
        "topology --xml=FILE' and 'homenode lab new FILE'",
        USAGE,
    )
