"""The table of these pages: what each is made from."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manual import header, markdown, roff


@dataclass(frozen=True)
class Page:
    """A man page and the file of the source tree that it is made from."""

    name: str
    section: int
    source: str
    summary: str
    see_also: tuple[str, ...]
    link: str = ""  # Of a header: its library's name for pkg-config.

    @property
    def file(self) -> str:
        """Where it is below a folder of man pages."""
        return f"man{self.section}/{self.name}.{self.section}"


PAGES = (
    Page(
        "homenode",
        3,
        "include/homenode/homenode.h",
        "machines, threads and regions of memory on NUMA nodes",
        ("homenode-heap(3)", "homenode(7)", "numa(3)", "hwloc(7)"),
        "homenode",
    ),
    Page(
        "homenode-heap",
        3,
        "include/homenode/heap.h",
        "private heaps on NUMA nodes",
        ("homenode(3)", "homenode(7)", "malloc(3)"),
        "homenode-malloc",
    ),
    Page(
        "homenode-machine",
        5,
        "docs/add-a-machine.md",
        "files of the lab's machines",
        ("homenode-lab(1)", "homenode-topology(1)", "homenode-measure(1)", "lstopo(1)"),
    ),
    Page(
        "homenode-study",
        5,
        "docs/studies.md",
        "files that declare an experiment",
        ("homenode-study(1)", "homenode-report(1)", "homenode-bench(1)"),
    ),
    Page(
        "homenode-balance",
        5,
        "docs/balance-file.md",
        "settings of the balancer",
        ("homenode-balance(1)", "homenode(7)"),
    ),
    Page(
        "homenode-recipe",
        5,
        "docs/recipe-file.md",
        "files of options that were found to be fastest",
        ("homenode-tune(1)", "homenode-run(1)"),
    ),
    Page(
        "homenode-sample",
        5,
        "docs/sample-file.md",
        "files of samples of which thread uses which memory",
        ("homenode-sample(1)", "homenode-profile(1)", "homenode-lab(1)"),
    ),
    Page(
        "homenode",
        7,
        "docs/overview.md",
        "what homenode is made of, and where to begin",
        ("homenode(1)", "homenode(3)", "homenode-glossary(7)", "numa(7)", "numactl(8)"),
    ),
    Page(
        "homenode-glossary",
        7,
        "docs/glossary.md",
        "the terms that homenode uses",
        ("homenode(7)", "numa(7)"),
    ),
)


def roff_of(page: Page, root: Path, version: str) -> str:
    """The page, from the source tree `root`."""
    text = (root / page.source).read_text()
    if page.link:
        made = header.body(text, Path(page.source).name, page.link)
    else:
        made = markdown.body(text)
    return (
        roff.head(page.name, page.section, page.summary, version)
        + made
        + roff.see_also(list(page.see_also))
    )


def aliases(page: Page, root: Path) -> Iterator[tuple[str, str]]:
    """For each function of a header, the file that leads `man` to its page, and its content."""
    if page.link:
        for function in header.functions((root / page.source).read_text()):
            yield f"man{page.section}/{function}.{page.section}", f".so {page.file}\n"
