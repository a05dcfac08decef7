"""What MkDocs calls while it builds the site (mkdocs.yml): it adds the pages that nobody writes.

The verbs' pages are made of what the command of the release build says of itself, those of the C
library of its headers, the list of schemas of docs/schemas. Documents that lie beside docs/ become
pages too.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from documents import reference, verbs
from homenode.verbs import BUILT_IN, VERBS

ROOT = Path(__file__).resolve().parents[2]
HOMENODE = ROOT / "build" / "release" / "bin" / "homenode"
# The C headers, and what pkg-config calls the library of each.
HEADERS = {"homenode.h": "homenode", "heap.h": "homenode-malloc"}
BESIDE = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]+)((?:#[^)\s]+)?)\)")


def _printed(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def _verb(name: str, titles: dict[str, str]) -> str:
    if name in BUILT_IN:
        said = _printed(str(HOMENODE), "--describe-verb", name)
    else:
        said = _printed(sys.executable, "-m", "homenode.man", name)
    return verbs.page(name, VERBS[name].summary, json.loads(said), titles)


def _schemas() -> str:
    lines = [
        "# Schemas of the JSON outputs",
        "",
        "[Conventions](json.md) hold for all of them.",
        "",
    ]
    lines += ["| schema | what it describes |", "|---|---|"]
    for path in sorted((ROOT / "docs" / "schemas").glob("*.json")):
        schema = json.loads(path.read_text())
        what = " ".join(str(schema.get("description", schema.get("title", ""))).split())
        lines.append(f"| [{path.stem}](schemas/{path.name}) | {what.replace('|', ' or ')} |")
    return "\n".join(lines) + "\n"


def _beside(path: Path) -> str:
    """A document of the root as a page of docs/: what is no page is a name."""

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found.groups()
        inside = target.removeprefix("docs/")
        if target in BESIDE:
            return f"[{text}]({target.lower()}{anchor})"
        is_page = target.startswith("docs/") and (ROOT / target).is_file()
        return f"[{text}]({inside}{anchor})" if is_page else text

    return LINK.sub(link, path.read_text())


def _pages() -> Iterator[tuple[str, str]]:
    titles = {}
    for path in (ROOT / "docs").glob("*.md"):
        title = TITLE.search(path.read_text())
        titles[path.name] = title[1] if title else path.stem
    for name in VERBS:
        yield f"verbs/{name}.md", _verb(name, titles)
    for header, link in HEADERS.items():
        text = (ROOT / "include" / "homenode" / header).read_text()
        yield f"reference/{header.replace('.', '-')}.md", reference.page(text, header, link)
    yield "schemas.md", _schemas()
    for name in BESIDE:
        yield name.lower(), _beside(ROOT / name)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages."""
    for name, text in _pages():
        files.append(File.generated(config, name, content=text))
    return files
