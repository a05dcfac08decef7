"""A C header as the body of a man page: each declaration with its comment. Pure.

It reads the headers of include/homenode as they are written: `/** ... */` before what it is about,
@param and @return inside, and `/* ---- title */` before a group.
"""

import re
from collections.abc import Iterator

from manual import roff

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BANNER = re.compile(r"/\* -{10,} (.+?) \*/")
FUNCTION = re.compile(r"\b(hn_\w+)\([^;]*\);", re.DOTALL)
TAG = re.compile(r"\s@(param\s+\w+|return)\s+")
# The header's own text, from behind its guard to the end of its C++ block.
BODY = re.compile(r"extern \"C\" \{\n#endif\n(.*)#ifdef __cplusplus\n\}", re.DOTALL)


def functions(header: str) -> list[str]:
    """The names of all functions that a header declares, in its order."""
    return FUNCTION.findall(COMMENT.sub("", header))


def plain(comment: str) -> str:
    """What a comment says, on one line for each paragraph."""
    inner = re.sub(r"^\s*\*? ?", "", comment.strip("/*"), flags=re.MULTILINE).strip()
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", inner))


def _paragraphs(text: str) -> str:
    return "".join(f".PP\n{roff.escape(part)}\n" for part in text.split("\n\n") if part)


def _said(text: str) -> str:
    """The comment of a declaration, with its parameters and result as entries."""
    first, *tagged = TAG.split(" " + text)
    roffed = _paragraphs(first.strip())
    for tag, meaning in zip(tagged[::2], tagged[1::2], strict=True):
        name = tag.split()[-1]
        term = "Returns" if name == "return" else roff.italic(name)
        roffed += roff.entry(term, roff.escape(meaning.strip()))
    return roffed


def pieces(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each comment that opens a paragraph, with the lines of code below it."""
    for paragraph in re.split(r"\n\s*\n(?=/\*|typedef|enum)", text.strip()):
        found = COMMENT.match(paragraph)
        comment = found[0] if found else ""
        code = paragraph[len(comment) :].replace("/**", "/*").replace("/*<", "/*").strip("\n")
        yield comment, code.splitlines()


def body(header: str, name: str, link: str) -> str:
    """The roff of a header whose file is `name`; `link` is what pkg-config calls its library."""
    inside = BODY.search(header)
    if inside is None:
        raise ValueError(f"{name} has no block for C++")
    opening = COMMENT.match(header)
    include = [
        f"#include <homenode/{name}>",
        "",
        f"cc program.c $(pkg-config --cflags --libs {link})",
    ]
    text = ".SH SYNOPSIS\n" + roff.block(include)
    text += ".SH DESCRIPTION\n" + _paragraphs(plain(opening[0]) if opening else "")
    text += ".SH INTERFACE\n"
    for comment, code in pieces(inside[1]):
        banner = BANNER.fullmatch(comment)
        if banner:
            text += f".SS {roff.escape(banner[1].capitalize())}\n"
            continue
        text += (roff.block(code) if code else "") + _said(plain(comment))
    return text
