"""`python3 -m manual FOLDER --version V`: writes the pages into man3, man5, man7 of FOLDER."""

import argparse
from pathlib import Path

from manual.pages import PAGES, aliases, roff_of

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Writes every page, and for each function of the library one that leads to it."""
    parser = argparse.ArgumentParser(prog="python3 -m manual", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--version", required=True)
    given = parser.parse_args()
    for page in PAGES:
        texts = [(page.file, roff_of(page, ROOT, given.version)), *aliases(page, ROOT)]
        for file, text in texts:
            target = given.folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


if __name__ == "__main__":
    main()
