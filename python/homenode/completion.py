"""`python3 -m homenode.completion SHELL FILE.json ...`: completions for bash, zsh or fish.

Each file describes a verb: what `homenode --describe-verb` and `python3 -m homenode.man` print. The
order of verbs and what each does come from their table; of a verb without a file, the name alone is
offered. The build makes the three scripts with this.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homenode.places import shipped
from homenode.verbs import VERBS

WORD = re.compile(r"[a-z0-9][a-z0-9.-]*")
FILES = {"FILE", "FOLDER", "DIR", "PATH", "KEYFILE"}
TOP = ("--help", "--version")


@dataclass(frozen=True)
class Option:
    """An option, and what its value may be."""

    names: tuple[str, ...]
    text: str
    takes_value: bool
    choices: tuple[str, ...]
    is_file: bool


@dataclass(frozen=True)
class Place:
    """A verb, or a command of it: what may stand after `path`."""

    path: str
    commands: dict[str, str]
    options: tuple[Option, ...]
    runs_program: bool

    @property
    def names(self) -> list[str]:
        """Every option's every name."""
        return [name for option in self.options for name in option.names]


def machines() -> tuple[str, ...]:
    """The machines of the catalogue: what --machine takes besides a file."""
    folders = (folder for folder in shipped("machines") if folder.is_dir())
    return tuple(sorted(path.stem for folder in folders for path in folder.glob("*.xml")))


def _option(given: dict[str, Any]) -> Option:
    alternatives = given["value"].split("|")
    words = tuple(word for word in alternatives if WORD.fullmatch(word))
    if "--machine" in given["names"]:
        words = machines()
    return Option(
        tuple(given["names"]),
        given["text"].rstrip("."),
        bool(given["value"]),
        words,
        not FILES.isdisjoint(alternatives),
    )


def _options(given: Iterable[dict[str, Any]]) -> tuple[Option, ...]:
    return tuple(_option(option) for option in given if option["names"])


def places(descriptions: Iterable[dict[str, Any]]) -> list[Place]:
    """Every verb and every command of one, in the order of the table of verbs."""
    by_verb = {given["name"].removeprefix("homenode-"): given for given in descriptions}
    found = []
    for verb in VERBS:
        given = by_verb.get(verb, {"commands": [], "options": []})
        commands = {command["name"]: command["text"].rstrip(".") for command in given["commands"]}
        runs = bool(given.get("runs_program"))
        of_verb = _options(given["options"])
        found.append(Place(verb, commands, of_verb, runs))
        for command in given["commands"]:
            own = _options(command["options"])
            named = {name for option in own for name in option.names}
            # A command takes the options of its verb too, such as --machine.
            more = (option for option in of_verb if named.isdisjoint(option.names))
            found.append(Place(f"{verb} {command['name']}", {}, (*own, *more), runs))
    return found


BASH = """\
# bash completion of homenode, made from its table of verbs.
_homenode() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} place= word=
  local commands= options= program= i
  COMPREPLY=()
  if [ "$current" = = ]; then current=; elif [ "$option" = = ]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "@VERBS@" -- "$current")
    return
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [ "$word" = -- ]; then  # What follows is another program's.
      if [ $((i + 1)) = "$COMP_CWORD" ]; then mapfile -t COMPREPLY < <(compgen -c -- "$current"); fi
      return
    fi
    case "${place:+$place }$word" in
      @PATHS@) place=${place:+$place }$word ;;
    esac
  done
  case "$place:$option" in
@VALUES@
  esac
  case "$place" in
@PLACES@
  esac
  case "$current" in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$commands" ${program:+-c} -- "$current") ;;
  esac
}
complete -o default -F _homenode homenode
"""


def bash(found: list[Place]) -> str:
    """The script for bash, which needs bash alone; where it offers nothing, bash has files."""
    values, texts = [], []
    for place in found:
        for option in place.options:
            keys = "|".join(f'"{place.path}:{name}"' for name in option.names)
            files = " -f" if option.is_file else ""
            offered = f'compgen -W "{" ".join(option.choices)}"{files} -- "$current"'
            if option.choices:
                values.append(f"    {keys}) mapfile -t COMPREPLY < <({offered}); return ;;")
            elif option.takes_value:
                values.append(f"    {keys}) return ;;")
        runs = " program=1" if place.runs_program else ""
        texts.append(
            f'    "{place.path}") commands="{" ".join(place.commands)}"'
            f' options="{" ".join(place.names)}"{runs} ;;'
        )
    return _filled(
        BASH,
        VERBS=" ".join((*VERBS, *TOP)),
        PATHS="|".join(f'"{place.path}"' for place in found),
        VALUES="\n".join(values),
        PLACES="\n".join(texts),
    )


ZSH = """\
#compdef homenode
# zsh completion of homenode, made from its table of verbs.
local context state state_descr line
typeset -A opt_args
_homenode_at() {
  case "$1" in
@PLACES@
    *) _normal ;;
  esac
}
_homenode_command() {
  local place="$1 $words[1]"
  _homenode_at $place
}
_arguments -C '--help[list the verbs]' '--version[print the version]' '1:verb:((@VERBS@))' \\
  '*::argument:->verb'
if [ "$state" = verb ]; then _homenode_at $words[1]; fi
"""


def zsh(found: list[Place]) -> str:
    """The script for zsh."""
    texts = []
    for place in found:
        words = [word for option in place.options for word in _zsh_option(option)]
        if place.commands:
            words += [f"'1:command:(({_zsh_list(place.commands)}))'"]
            words += [f"'*::argument:{{_homenode_command {place.path}}}'"]
        else:
            words += ["'*::program:_normal'" if place.runs_program else "'*:argument:_files'"]
        joined = " \\\n        ".join(words)
        texts.append(f"    '{place.path}') _arguments \\\n        {joined} ;;")
    verbs = {verb.name: verb.summary for verb in VERBS.values()}
    return _filled(ZSH, VERBS=_zsh_list(verbs), PLACES="\n".join(texts))


def _zsh_text(text: str) -> str:
    """Text between single quotes, without what _arguments reads as its own."""
    return re.sub(r"([\[\]:\\()\" ])", r"\\\1", text.replace("'", "’"))


def _zsh_list(meanings: dict[str, str]) -> str:
    return " ".join(f"{word}\\:{_zsh_text(text)}" for word, text in meanings.items())


def _zsh_option(option: Option) -> Iterator[str]:
    text = re.sub(r"([\[\]\\])", r"\\\1", option.text.replace("'", "’").replace(":", "\\:"))
    value = ""
    if option.choices and option.is_file:
        words = f'"words\\:name\\:({" ".join(option.choices)})"'
        value = f':value:_alternative {words} "files\\:file\\:_files"'
    elif option.choices:
        value = f":value:({' '.join(option.choices)})"
    elif option.takes_value:
        value = ":value:_files" if option.is_file else ":value: "
    for name in option.names:
        joiner = "=" if value and name.startswith("--") else ""
        yield f"'{name}{joiner}[{text}]{value}'"


FISH = """\
# fish completion of homenode, made from its table of verbs.
function __homenode_at
    set -l place
    for word in (commandline -opc)[2..-1]
        test "$word" = --; and return 1
        switch (string join ' ' -- $place $word)
            case @PATHS@
                set place $place $word
        end
    end
    test "$place" = "$argv"
end
"""


def fish(found: list[Place]) -> str:
    """The script for fish."""
    lines = [_filled(FISH, PATHS=" ".join(f"'{place.path}'" for place in found))]
    for verb in VERBS.values():
        lines.append(_fish("", f"-f -a {verb.name}", verb.summary))
    lines += [_fish("", f"-l {name.removeprefix('--')}", "") for name in TOP]
    for place in found:
        for command, text in place.commands.items():
            lines.append(_fish(place.path, f"-f -a {command}", text))
        for option in place.options:
            lines.append(_fish(place.path, _fish_option(option), option.text))
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    words = []
    for name in option.names:
        short = len(name) == len("-x")
        words.append(f"-s {name[1:]}" if short else f"-l {name.removeprefix('--')}")
    if option.takes_value:
        words.append("-r" if option.is_file else "-x")
    if option.choices:
        words.append(f"-a '{' '.join(option.choices)}'")
    return " ".join(words)


def _fish(path: str, what: str, text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c homenode -n '__homenode_at {path}' {what}" + (
        f" -d '{quoted}'" if text else ""
    )


def _filled(template: str, **parts: str) -> str:
    for name, text in parts.items():
        template = template.replace(f"@{name}@", text)
    return template


SHELLS: dict[str, Callable[[list[Place]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def main(arguments: list[str] | None = None) -> int:
    """Prints the script of a shell; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m homenode.completion", description=__doc__)
    parser.add_argument("shell", choices=SHELLS)
    parser.add_argument("file", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    found = places([json.loads(file.read_text()) for file in given.file])
    sys.stdout.write(SHELLS[given.shell](found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
