"""What is wrong with a page in a real browser: for assistive technology, on a phone, by itself."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1200, "height": 900}


def chromium() -> str:
    """The browser's path; skips the test without one, or fails where one has to be there."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        why = "no chromium on PATH; './dev setup' installs it"
        if os.environ.get("HOMENODE_LAB_REQUIRED"):
            pytest.fail(why)
        pytest.skip(why)
    return path


def faults(page: Path) -> list[str]:
    """Each fault as a line: what axe finds in light and dark colours, what needs the network or
    fails in a script, and a phone's screen that has to be scrolled sideways."""
    sync_api = pytest.importorskip("playwright.sync_api")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        found: list[str] = []
        for scheme in ("light", "dark"):
            tab = _open(browser, page, found, viewport=DESKTOP, color_scheme=scheme)
            found += [f"{scheme}: {fault}" for fault in _violations(axe.run(tab))]
        wide = _open(browser, page, found, viewport=PHONE).evaluate(
            "document.documentElement.scrollWidth"
        )
        browser.close()
    return [*found, *([f"a phone shows {wide} pixels"] if wide != PHONE["width"] else [])]


def _open(browser: Any, page: Path, found: list[str], **options: Any) -> Any:
    url = page.as_uri()
    tab = browser.new_context(**options).new_page()

    def asked(request: Any) -> None:
        if request.url != url and not request.url.startswith("data:"):
            found.append(f"asks for {request.url}")

    tab.on("request", asked)
    tab.on("pageerror", lambda error: found.append(str(error)))
    tab.goto(url)
    return tab


def _violations(result: Any) -> Iterator[str]:
    for one in result.response["violations"]:
        for node in one["nodes"]:
            yield f"{one['id']}: {node['html'][:120]}"


def words(page: str) -> str:
    """The words of a page, without tags and narrow spaces."""
    text = re.sub(r"<(style|title)>.*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text.replace("\N{NARROW NO-BREAK SPACE}", " "))
