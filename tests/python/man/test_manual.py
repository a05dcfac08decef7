"""The man pages of the library, of files and of terms: whole, taken by roff, and in step."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from manual import markdown
from manual.pages import PAGES, Page, aliases, roff_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = {f"{page.name}({page.section})": page for page in PAGES}


def text_of(page: Page) -> str:
    return roff_of(page, ROOT, "1.2.3")


def exported() -> set[str]:
    """What the shared library exports; a test holds the header against the same list."""
    lines = (ROOT / "tests/golden/capi/symbols.txt").read_text().split()
    return {line.partition("@")[0] for line in lines}


def declared(header: str) -> set[str]:
    text = (ROOT / "include/homenode" / header).read_text()
    return set(re.findall(r"\b(hn_\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))


@pytest.mark.parametrize(
    ("page", "functions"),
    [("homenode(3)", exported()), ("homenode-heap(3)", declared("heap.h"))],
)
def test_each_function_is_named_and_leads_to_the_page(page: str, functions: set[str]) -> None:
    assert len(functions) > 10
    text = text_of(PAGE[page])
    for function in functions:
        assert re.search(rf"\b{function}\(", text), function
    files = dict(aliases(PAGE[page], ROOT))
    assert set(files) == {f"man3/{function}.3" for function in functions}
    assert set(files.values()) == {f".so {PAGE[page].file}\n"}


def test_every_parameter_and_result_of_the_header_is_an_entry() -> None:
    header = (ROOT / "include/homenode/homenode.h").read_text()
    text = text_of(PAGE["homenode(3)"])
    named = re.findall(r"@param (\w+)", header)
    assert named
    assert len(re.findall(r"^\.TP$", text, re.MULTILINE)) == len(named) + header.count("@return")
    assert all(f"\\fI{name}\\fR" in text for name in named)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_roff_takes_a_page_without_a_warning(page: Page) -> None:
    text = text_of(page)
    assert text.isascii()
    title = page.name.upper().replace("-", r"\-")
    assert text.startswith(f".TH {title} {page.section} ")
    assert {"NAME", "DESCRIPTION", "SEE ALSO"} <= set(re.findall(r"^\.SH (.*)$", text, re.M))
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-z"], input=text, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


@pytest.mark.parametrize("page", [p for p in PAGES if not p.link], ids=lambda page: page.file)
def test_nothing_of_a_document_is_lost(page: Page) -> None:
    source = (ROOT / page.source).read_text()
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\]\([^)]*\)|!\[.*?\]|```\w*", " ", source))
    printed = re.sub(r"\\f[BIR]|\\&", "", text_of(page))
    known = set(re.findall(r"[A-Za-z]{3,}", re.sub(r"\\\((?:aq|rs|ti|ga|ha)", " ", printed)))
    known |= {word.lower() for word in known}
    missing = {word for word in words if word not in known and word.lower() not in known}
    # The title is DESCRIPTION, and a list of entries has no heads of columns.
    heads = re.findall(r"^(?:# .*|\|.*\|(?=\n\|[-|]+\|$))", source, re.MULTILINE)
    assert missing <= set(re.findall(r"[A-Za-z]{3,}", " ".join(heads)))


def test_markdown_becomes_roff() -> None:
    made = markdown.body(
        "# Title\n\nA `word-x` and [a page](other.md)\nof it.\n\n- one\n- two\n\n## Part\n\n"
        "```\n.code 'x'\n```\n\n| a | b | c |\n|---|---|---|\n| `k` | v | w |\n"
    )
    assert made == (
        ".SH DESCRIPTION\n.PP\nA \\fBword\\-x\\fR and a page (\\fIother.md\\fR) of it.\n"
        ".IP \\(bu 2\none\n.IP \\(bu 2\ntwo\n.SH PART\n"
        ".PP\n.RS 4\n.nf\n\\&.code \\(aqx\\(aq\n.fi\n.RE\n"
        ".TP\n\\fBk\\fR\nb: v\n.br\nc: w\n"
    )


def test_the_pages_that_a_page_refers_to_exist() -> None:
    own = {*PAGE, "homenode(1)"}
    for page in PAGES:
        for name in re.findall(r"homenode[\w-]*\([1-8]\)", " ".join(page.see_also)):
            assert name in own or name.endswith("(1)"), name


def test_the_recipe_in_the_document_is_one() -> None:
    document = (ROOT / "docs/recipe-file.md").read_text()
    example = re.search(r"```json\n(.*?)```", document, re.DOTALL)
    assert example
    schema = json.loads((ROOT / "docs/schemas/homenode.recipe.json").read_text())
    jsonschema.validate(json.loads(example[1]), schema)
    rows = set(re.findall(r"^\| `(\w+)` \|", document, re.MULTILINE))
    assert rows == set(schema["properties"])
