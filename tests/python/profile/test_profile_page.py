"""The page of a profile: whole without a network, and in a real browser legible and sortable."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import chromium
from recordings import solver

from homenode.profile import page
from homenode.profile.load_file import read

PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1200, "height": 900}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    _, profile = read(solver(folder / "solver.hns"))
    out = folder / "page.html"
    out.write_text(page.render(profile, "solver.hns"))
    return out


def test_the_page_asks_for_no_other_file(written: Path) -> None:
    text = written.read_text()
    assert re.findall(r"""(?:src|href)=["'](?!data:)""", text) == []
    assert "@import" not in text and "url(" not in text
    assert "sampled by pkeys" in text and "homenode profile show solver.hns" in text


def test_names_of_objects_cannot_break_the_page(written: Path, tmp_path: Path) -> None:
    from recordings import documents, recording, samples

    docs = documents(command=["</title><script>alert(1)</script>"])
    docs[1]["mappings"][1]["path"] = '/dev/shm/<b>"&'
    from homenode.profile.analysis import analyse

    text = page.render(analyse(recording(tmp_path / "samples", samples(2000), docs)))
    assert "<script>alert" not in text and '<b>"&' not in text
    assert "&lt;b&gt;" in text


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any, written: Path) -> Iterator[Any]:
    contexts, wrong = [], []

    def make(viewport: dict[str, int], **options: Any) -> Any:
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: wrong.append(request.url))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.goto(written.as_uri())
        return tab

    yield make
    for context in contexts:
        context.close()
    assert [one for one in wrong if one != written.as_uri() and not one.startswith("data:")] == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(open_page: Any, scheme: str) -> None:
    tab = open_page(PHONE, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") == 360
    wide = tab.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, pre, svg'))"
        ".filter(e => e.getBoundingClientRect().right > 360.5).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_assistive_technology(open_page: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(open_page(DESKTOP, color_scheme=scheme)).response["violations"]
    places = {one["id"]: [node["html"][:120] for node in one["nodes"]] for one in found}
    assert places == {}


NAMES = "[...document.querySelectorAll('#objects ~ .scroll tbody th code')].map(e => e.textContent)"


@pytest.mark.browser
def test_a_click_sorts_the_objects(open_page: Any) -> None:
    tab = open_page(DESKTOP)
    remote = ["/dev/shm/u", "/dev/shm/table", "anonymous memory at 0x30000000", "[heap]"]
    assert tab.evaluate(NAMES) == remote
    local = tab.locator("th", has_text="local").first
    local.locator("button").click()
    assert tab.evaluate(NAMES)[0] == "[heap]"
    assert local.get_attribute("aria-sort") == "descending"
    local.locator("button").click()
    assert tab.evaluate(NAMES)[-1] == "[heap]"
    tab.locator("th button", has_text="size").click()
    assert tab.evaluate(NAMES)[0] == "/dev/shm/u"


@pytest.mark.browser
def test_the_pointer_shows_what_a_cell_says(open_page: Any) -> None:
    tab = open_page(DESKTOP)
    tab.locator("svg.threads rect").nth(4 * 4).hover()
    assert "solver 704 · node 2 → node 0" in tab.locator("#tip").inner_text()
    tab.locator("article.worst svg.strip g").nth(3).hover()
    assert "solver 703 on node 1: uses" in tab.locator("#tip").inner_text()


@pytest.mark.browser
def test_without_scripts_the_values_are_still_there(open_page: Any) -> None:
    tab = open_page(DESKTOP, java_script_enabled=False)
    assert tab.locator("svg.matrix title").count() >= 16 + 32
    assert tab.locator("svg.strip title").count() > 20


@pytest.mark.browser
def test_colours_of_nodes_differ_in_both_themes(open_page: Any) -> None:
    for scheme in ("light", "dark"):
        tab = open_page(DESKTOP, color_scheme=scheme)
        colours = tab.evaluate(
            "[...document.querySelectorAll('.nodes-legend')][0]"
            " && [...document.querySelector('.nodes-legend').querySelectorAll('i')]"
            ".map(e => getComputedStyle(e).backgroundColor)"
        )
        assert len(set(colours)) == 4
