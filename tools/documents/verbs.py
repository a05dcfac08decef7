"""A page for each verb, from what the verb says of itself for man pages and completions. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

# The documents of docs/ that say more.
MORE = {
    "balance": ("balance.md",),
    "bench": (
        *("map-numa.md", "npb.md", "seismic.md", "messages.md", "numa-mem.md"),
        "the-daemon-stress-test.md",
    ),
    "lab": ("the-labs-clock.md", "add-a-machine.md"),
    "profile": ("profile.md", "profile-sources.md", "profile-pmu.md"),
    "report": ("studies.md", "papers.md"),
    "run": ("placing-from-outside.md", "placing-shared-memory.md", "beside-numactl.md"),
    "sample": ("profile-sources.md", "sample-file.md"),
    "study": ("studies.md", "papers.md"),
    "tune": ("tune.md", "the-model.md", "recipe-file.md"),
    "where": ("where.md",),
}


def _text(text: str) -> str:
    """Paragraphs, in which nothing is HTML."""
    return text.replace("<", "&lt;").replace(">", "&gt;").strip()


def _cell(text: str) -> str:
    """In a table; what stands between < and > is no HTML."""
    return _text(text).replace("|", r"\|")


def _option(option: Mapping[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in option["names"])
    value = option["value"].replace("|", r"\|")
    term = f"{names} `{value}`" if value else names
    return f"| {term.strip()} | {_cell(option['text'])} |"


def options(given: Iterable[Mapping[str, Any]]) -> str:
    """A table of options and of what may stand without one."""
    rows = [_option(option) for option in given if "--help" not in option["names"]]
    return "\n".join(["| option | what it does |", "|---|---|", *rows]) + "\n" if rows else ""


def page(verb: str, summary: str, said: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """The Markdown of a verb. `titles` are those of the documents, by file."""
    parts = [f"# homenode {verb}\n", f"{summary[0].upper()}{summary[1:]}.\n"]
    links = [f"[{titles[name]}](../{name})" for name in MORE.get(verb, ())]
    if links:
        parts.append(f"More: {', '.join(links)}.\n")
    parts.append(_text(said["description"]) + "\n")
    parts.append("## Examples\n")
    parts += [f"{what}:\n\n```\n{command}\n```\n" for command, what in said["examples"]]
    parts += ["## Options\n", options(said["options"])]
    for command in said["commands"]:
        text = command["text"].rstrip(".")
        parts.append(f"## homenode {verb} {command['name']}\n")
        parts.append(f"{text[0].upper()}{text[1:]}.\n")
        parts.append(options(command["options"]))
    return "\n".join(parts)
