"""A C header of include/homenode as a page: each declaration with its comment. Pure."""

import re

from manual.header import BANNER, BODY, COMMENT, TAG, pieces, plain


def _text(text: str) -> str:
    """What has a meaning in C and another in Markdown, as it is."""
    return re.sub(r"([\[\]<>*_])", r"\\\1", text)


def _said(text: str) -> str:
    """The comment of a declaration, with its parameters and result as a list."""
    first, *tagged = TAG.split(" " + _text(text))
    lines = [first.strip(), ""] if first.strip() else []
    for tag, meaning in zip(tagged[::2], tagged[1::2], strict=True):
        name = tag.split()[-1]
        term = "Returns" if name == "return" else f"`{name}`:"
        lines.append(f"- {term} {' '.join(meaning.split())}")
    return "\n".join(lines) + "\n"


def page(header: str, name: str, link: str) -> str:
    """The Markdown of a header whose file is `name`; `link` is what pkg-config calls its
    library."""
    inside = BODY.search(header)
    if inside is None:
        raise ValueError(f"{name} has no block for C++")
    opening = COMMENT.match(header)
    parts = [f"# {name}\n", _text(plain(opening[0])) + "\n" if opening else ""]
    build = f"cc program.c $(pkg-config --cflags --libs {link})"
    parts.append(f"```\n#include <homenode/{name}>\n\n{build}\n```\n")
    for comment, code in pieces(inside[1]):
        banner = BANNER.fullmatch(comment)
        if banner:
            parts.append(f"## {banner[1].capitalize()}\n")
            continue
        if code:
            parts.append("```c\n" + "\n".join(code) + "\n```\n")
        parts.append(_said(plain(comment)))
    return "\n".join(parts)
