"""What the options of a workload may be in a study's file, by the workload's own description."""

from collections.abc import Collection, Mapping
from typing import Any

from homenode.study.case import Option
from homenode.study.description import Description, Parameter
from homenode.study.errors import StudyError

# What a value of each kind may be in TOML, and how a person is told.
KINDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "whole": (int, "a whole number"),
    "real": ((int, float), "a number"),
    "size": (str, 'text, such as "16M"'),
    "text": (str, 'text, such as "0,4"'),
    "flag": (bool, "true or false"),
}


def option_value(workload: Description, name: str, value: Any) -> Option:
    """The value of an option as a case has it. Raises StudyError for a name or a value that the
    workload does not know."""
    known = workload.parameters
    if name not in known:
        raise StudyError(f"{workload.name} has no option '{name}'; it has: {', '.join(known)}")
    wanted = known[name]
    if wanted.kind == "choice":
        if value not in (choice.name for choice in wanted.choices):
            raise StudyError(f"{name} cannot be {value!r}; it can be: {_choices(wanted)}")
        return str(value)
    types, form = KINDS[wanted.kind]
    if not isinstance(value, types) or (isinstance(value, bool) and wanted.kind != "flag"):
        raise StudyError(f"{name} cannot be {value!r}; it must be {form}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_limits(wanted, value)
    return value if isinstance(value, int | float) else str(value)


def require_choices(workload: Description, chosen: Collection[str], where: str) -> None:
    """Raises StudyError for a choice without a default that is not among the options `chosen`;
    `where` is told as the place to set it."""
    for name, parameter in workload.parameters.items():
        if parameter.kind == "choice" and parameter.standard is None and name not in chosen:
            raise StudyError(
                f"{workload.name} needs '{name}'; set it in {where} to: {_choices(parameter)}"
            )


def _choices(parameter: Parameter) -> str:
    return ", ".join(choice.name for choice in parameter.choices)


def _check_limits(parameter: Parameter, value: float) -> None:
    if parameter.least is not None and value < parameter.least:
        limit = f"at least {parameter.least:g}"
    elif parameter.most is not None and value > parameter.most:
        limit = f"at most {parameter.most:g}"
    else:
        return
    raise StudyError(f"{parameter.name} cannot be {value!r}; it must be {limit}")
