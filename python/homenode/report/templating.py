"""What the pages of all verbs are made of: templates, set up alike, and styles and scripts, which
stand inside a page, because none may need the network."""

from collections.abc import Callable
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

REPORT = "homenode.report"
FOLDER = "templates"


def page_template(package: str, name: str, **filters: Callable[..., str]) -> Template:
    """A template of a package, which may extend the report's, with filters."""
    packages = dict.fromkeys((package, REPORT))
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each, FOLDER) for each in packages]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(filters)
    return environment.get_template(name)


def asset(name: str, package: str = REPORT) -> Markup:
    """A style or script that stands inside a page."""
    return Markup((files(package) / FOLDER / name).read_text(encoding="utf-8"))
