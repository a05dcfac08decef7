"""A page as HTML: one file with its style and drawings inside, in the look of all of homenode's."""

from functools import cache

from jinja2 import Template
from markupsafe import Markup

from homenode.pages.content import Matrix, Page
from homenode.report import matrix_svg
from homenode.report.templating import asset, page_template

PACKAGE = "homenode.pages"


@cache
def _template() -> Template:
    return page_template(PACKAGE, "run.html")


def render(page: Page) -> str:
    """The whole page as text."""
    return _template().render(
        page=page,
        title=page.title,
        kind=lambda element: type(element).__name__.lower(),
        matrices_of=lambda section: [e for e in section.elements if isinstance(e, Matrix)],
        svg=Markup,
        draw_matrix=_draw_matrix,
        style=asset("page.css") + asset("run.css", PACKAGE),
    )


def _draw_matrix(matrix: Matrix) -> Markup:
    return Markup(matrix_svg.draw(matrix.rows, matrix.nodes, matrix.title, matrix.noun))
