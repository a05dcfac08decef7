"""The page in a real browser: a phone's width, dark mode, values, keyboard, no network."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import chromium
from synthetic import MakeRecords

from homenode.report import cli

sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.browser

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1200, "height": 900}
Browser = Any
Tab = Any


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def page_url(make_records: MakeRecords, tmp_path_factory: pytest.TempPathFactory) -> str:
    out: Path = tmp_path_factory.mktemp("browser") / "report.html"
    assert cli.main([str(make_records("luo2012")), "-o", str(out)]) == 0
    return out.as_uri()


@pytest.fixture
def open_page(browser: Browser, page_url: str) -> Iterator[Any]:
    """Opens the page in a new context; fails the test on any script error or network request."""
    contexts: list[Any] = []
    asked: list[str] = []
    errors: list[str] = []

    def make(viewport: dict[str, int], **options: Any) -> Tab:
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(page_url)
        return tab

    yield make
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in asked if url != page_url and not url.startswith("data:")] == []


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_nothing_stands_in_the_way_of_assistive_technology(open_page: Any, scheme: str) -> None:
    found = axe.Axe().run(open_page(DESKTOP, color_scheme=scheme)).response["violations"]
    places = {one["id"]: [node["html"][:120] for node in one["nodes"]] for one in found}
    assert places == {}


def plain(text: str) -> str:
    return text.replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(open_page: Any, scheme: str) -> None:
    tab = open_page(PHONE, color_scheme=scheme)
    tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") == 360
    wide = tab.evaluate(
        "[...document.querySelectorAll('main *')]"
        ".filter(e => !e.closest('.scroll, pre, svg, .hidden'))"
        ".filter(e => e.getBoundingClientRect().right > 360.5)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    sides = tab.evaluate(
        "[...document.querySelectorAll('.grid svg')].map(s => s.getBoundingClientRect().width)"
    )
    assert len(sides) == 50 and min(sides) >= 48


@pytest.mark.parametrize("width", [1000, 1200])
def test_no_table_is_cut_at_the_right_edge(open_page: Any, width: int) -> None:
    tab = open_page(DESKTOP | {"width": width})
    tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    cut = tab.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => [e.getAttribute('aria-label') || e.innerText.slice(0, 60), e.scrollWidth])"
    )
    assert cut == []


def luminance(colour: str) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(v) / 255 for v in re.findall(r"\d+", colour)[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


COLOURS = """() => {
  const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  return { paper: of('body', 'backgroundColor'), ink: of('body', 'color'),
           cell: of('svg.matrix .cells rect', 'fill'), soft: of('.fine', 'color'),
           bar: of('svg.times text', 'fill'),
           good: of('.healed', 'color'), fair: of('.flattened', 'color'),
           bad: of('.not_healed', 'color') };
}"""


def test_dark_mode_has_colours_of_its_own_and_both_are_legible(open_page: Any) -> None:
    light = open_page(DESKTOP, color_scheme="light").evaluate(COLOURS)
    dark = open_page(DESKTOP, color_scheme="dark").evaluate(COLOURS)
    assert all(light[name] != dark[name] for name in light)
    assert luminance(light["paper"]) > 0.8 and luminance(dark["paper"]) < 0.05
    for theme in (light, dark):
        ratios = {name: contrast(theme["paper"], theme[name]) for name in theme if name != "paper"}
        assert min(ratios.values()) >= 4.5, ratios


def cell(tab: Tab, case: str, row: int, column: int) -> Any:
    return tab.locator(f'button[data-says^="{case}"] rect[data-value]').nth(8 * row + column)


def test_all_lines_of_the_read_write_chart_have_one_scale(open_page: Any) -> None:
    widths = "[...document.querySelectorAll('.track')].map(t => t.getBoundingClientRect())"
    for viewport in (PHONE, DESKTOP):
        lines = open_page(viewport).evaluate(f"{widths}.map(b => [b.left, b.width])")
        assert len(lines) == 20 and all(line == lines[0] for line in lines)


def test_the_pointer_shows_a_cells_value(open_page: Any) -> None:
    tab = open_page(DESKTOP)
    assert tab.locator("#tip").is_hidden()
    cell(tab, "divided, reads, API", 3, 3).hover()
    assert (
        plain(tab.locator("#tip").inner_text()) == "node 3 → node 3: 400 000 reads, 12.5 % of all"
    )
    tab.locator("h1").hover()
    assert tab.locator("#tip").is_hidden()


def test_the_keyboard_reaches_every_value(open_page: Any) -> None:
    tab = open_page(DESKTOP)
    tab.keyboard.press("Tab")  # The table of claims, which scrolls where a screen is narrow.
    tab.keyboard.press("Tab")
    tip = tab.locator("#tip")
    assert plain(tip.inner_text()).startswith("shared, reads, default: 12.5 % local")
    tab.keyboard.press("ArrowRight")
    assert plain(tip.inner_text()) == "node 0 → node 0: 400 000 reads, 12.5 % of all"
    tab.keyboard.press("ArrowDown")
    assert plain(tip.inner_text()) == "node 1 → node 0: 400 000 reads, 12.5 % of all"
    tab.keyboard.press("ArrowRight")
    assert plain(tip.inner_text()) == "node 1 → node 1: 0 reads, 0 % of all"
    tab.keyboard.press("Enter")
    assert tab.locator("dialog").is_visible()
    tab.keyboard.press("ArrowRight")
    assert plain(tab.locator("#readout").inner_text()).startswith("node 0 → node 0")
    tab.keyboard.press("Escape")
    assert tab.locator("dialog").is_hidden()


def test_the_pointer_shows_a_bars_value(open_page: Any) -> None:
    tab = open_page(DESKTOP)
    bar = tab.locator("svg.times g.bar[data-value^='divided, reads, API']")
    bar.hover()
    said = plain(tab.locator("#tip").inner_text())
    assert said.startswith("divided, reads, API: 400 µs modelled by the lab; 0.12 of the default's")
    tab.locator("h1").hover()
    assert tab.locator("#tip").is_hidden()


def test_the_keyboard_walks_the_bars_of_a_chart(open_page: Any) -> None:
    tab = open_page(DESKTOP)
    chart = tab.locator("figure.bars").first
    chart.focus()
    tip = tab.locator("#tip")
    for key, start in [
        ("ArrowDown", "shared, sequential order, reads, default: 3.24"),
        ("ArrowDown", "shared, sequential order, reads, command line: 435"),
        ("ArrowUp", "shared, sequential order, reads, default: 3.24"),
        ("ArrowUp", "shared, sequential order, reads, default: 3.24"),
    ]:
        tab.keyboard.press(key)
        sync_api.expect(tip).to_contain_text(start)
        sync_api.expect(tip).to_be_visible()
        assert chart.locator(".on").count() == 1
    tab.keyboard.press("Tab")
    sync_api.expect(tip).to_be_hidden()
    assert chart.locator(".on").count() == 0


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_no_text_of_a_chart_is_cut_off_or_covers_another(
    open_page: Any, viewport: dict[str, int]
) -> None:
    tab = open_page(viewport)
    for chart in tab.locator("svg.times").all():
        around = chart.bounding_box()
        boxes = chart.locator("text").evaluate_all(
            "all => all.map(t => { const b = t.getBoundingClientRect();"
            " return [b.left, b.right, b.top + 2, b.bottom - 2]; })"
        )
        assert len(boxes) == 5 * (1 + 4 * 4) + 3
        assert min(box[0] for box in boxes) >= around["x"] - 0.5
        assert max(box[1] for box in boxes) <= around["x"] + around["width"] + 0.5
        over = [
            (one, other)
            for i, one in enumerate(boxes)
            for other in boxes[i + 1 :]
            if one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
        ]
        assert over == []


def test_a_tap_enlarges_a_matrix_and_a_tap_in_it_shows_the_value(open_page: Any) -> None:
    tab = open_page(PHONE, has_touch=True, is_mobile=True)
    tab.locator('button[data-says^="divided, writes, rewrite"]').tap()
    dialog = tab.locator("dialog")
    assert dialog.is_visible() and dialog.locator("svg").count() == 2
    assert plain(dialog.locator("h3").inner_text()).startswith("divided, writes, rewrite: 100 %")
    dialog.locator("svg").first.locator("rect[data-value]").nth(9).tap()
    said = plain(tab.locator("#readout").inner_text())
    assert said == "node 1 → node 1: 400 000 writes, 12.5 % of all"
    assert tab.evaluate("document.documentElement.scrollWidth") == 360
    dialog.get_by_label("close").tap()
    assert dialog.is_hidden()


def test_without_scripts_the_values_are_still_there(open_page: Any) -> None:
    tab = open_page(DESKTOP, java_script_enabled=False)
    titles = tab.locator("svg.matrix title")
    assert titles.count() > 40 * 64
    assert "node 0 → node 0" in titles.nth(0).text_content()
    assert tab.locator("table.cells").count() == 40
