"""The table of environment variables; `python3 -m homenode.environment` makes a page of it."""

from dataclasses import dataclass
from pathlib import Path

from homenode import tables


@dataclass(frozen=True)
class Variable:
    """A variable, the parts of homenode that use it, how they do, and what it means."""

    name: str
    parts: str
    use: str
    meaning: str


def variables() -> tuple[Variable, ...]:
    """The rows of environment.inc, in its order."""
    table = tables.rows(Path(__file__).with_name("environment.inc"))
    return tuple(Variable(*map(str, row)) for row in table)


def page() -> str:
    """docs/environment.md."""
    lines = [
        "# Environment variables",
        "",
        "Every variable that homenode reads or sets; made by `python3 -m homenode.environment`.",
        "",
        "| variable | part | use | meaning |",
        "|---|---|---|---|",
        *(f"| `{v.name}` | {v.parts} | {v.use} | {v.meaning} |" for v in variables()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
