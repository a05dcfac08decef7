"""The page of a profile: one HTML file with style, script and drawings inside. No network, ever."""

from collections.abc import Iterable
from functools import cache

from jinja2 import Template
from markupsafe import Markup

from homenode.profile import machine_picture, pictures, words
from homenode.profile.advice import Advice, advise
from homenode.profile.correlation import Floats
from homenode.profile.values import ObjectUse, Profile
from homenode.report import matrix_svg
from homenode.report.templating import asset, page_template
from homenode.sizes import size_text

WORST = 3
LEAST = 0.01  # Of all remote use.
STRIPS = 40  # Objects that have one: a page must stay small.
PACKAGE = "homenode.profile"


@cache
def _template() -> Template:
    return page_template(PACKAGE, "profile.html", percent=words.percent, size=size_text)


def _node_matrix(profile: Profile, rows: Floats, noun: str) -> Markup:
    label = f"nodes that ask and nodes that answer, {noun}"
    everything = [[float(cell) for cell in row] for row in rows]
    measured = profile.exact
    return Markup(matrix_svg.draw(everything, profile.nodes, label, noun, measured=measured))


def _matrices(profile: Profile) -> list[tuple[str, Markup, Markup]]:
    """By what is counted: the node x node and the thread x node drawing."""
    kinds = [("uses", profile.by_node.all, profile.by_thread.all)]
    if profile.by_thread.tells_operations:
        kinds += [
            ("reads", profile.by_node.reads, profile.by_thread.reads),
            ("writes", profile.by_node.writes, profile.by_thread.writes),
        ]
    return [
        (
            noun,
            _node_matrix(profile, nodes, noun),
            Markup(pictures.thread_matrix(profile, threads, noun)),
        )
        for noun, nodes, threads in kinds
        if threads.sum() > 0
    ]


def _strip(profile: Profile, use: ObjectUse) -> Markup:
    return Markup(pictures.strip(profile, use))


def _legend(profile: Profile) -> Iterable[tuple[str, int]]:
    """The colour of each node."""
    return [(pictures.node_class(at), node) for at, node in enumerate(profile.nodes)]


def _command(profile: Profile) -> str:
    """How to take the profile again."""
    words_of = " ".join(profile.taken.command)
    target = f"-- {words_of}" if words_of else str(profile.taken.pid)
    return f"homenode profile --with {profile.taken.source} --output profile.html {target}"


def render(profile: Profile, samples_file: str = "") -> str:
    """The whole page as text. `samples_file`: where its samples are, if they are kept."""

    def advice(use: ObjectUse) -> Advice:
        return advise(profile, use)

    listed = [use for use in profile.objects if use.remote_share >= LEAST]
    return _template().render(
        profile=profile,
        taken=profile.taken,
        title=words.program(profile),
        words=words,
        style=asset("page.css") + asset("profile.css", PACKAGE),
        script=asset("profile.js", PACKAGE),
        worst=listed[:WORST],
        strips=STRIPS,
        advise=advice,
        strip=lambda use: _strip(profile, use),
        matrices=_matrices(profile),
        machine=Markup(machine_picture.draw(profile)),
        timeline=Markup(pictures.timeline(profile)),
        legend=_legend(profile),
        command=_command(profile),
        samples_file=samples_file,
    )
