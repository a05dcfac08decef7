"""Text as roff prints it unchanged, and the parts that pages are built from. Pure."""

import re

NAMED = {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "~": r"\(ti", "`": r"\(ga", "^": r"\(ha"}
INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|!?\[([^\]]*)\]\(([^)]*)\)")
TABLE_RULE = re.compile(r"^\|[\s|:-]+\|$")


def escape(text: str) -> str:
    """Plain text; hyphens stay ASCII, so that commands can be copied."""
    plain = "".join(NAMED.get(c, c) if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return re.sub(r"^\.", r"\\&.", plain, flags=re.MULTILINE)


def bold(text: str) -> str:
    """Escaped, in bold."""
    return rf"\fB{escape(text)}\fR"


def italic(text: str) -> str:
    """Escaped, in italics or underlined."""
    return rf"\fI{escape(text)}\fR"


def inline(text: str) -> str:
    """Markdown: code and strong words in bold, emphasis in italics, links as their text."""
    parts, end = [], 0
    for found in INLINE.finditer(text):
        code, strong, emphasis, link, target = found.groups()
        parts.append(escape(text[end : found.start()]))
        if emphasis:
            parts.append(italic(emphasis))
        elif link is None:
            parts.append(bold(code or strong))
        else:
            parts.append(_link(link, target))
        end = found.end()
    parts.append(escape(text[end:]))
    return re.sub(r"^(['.])", r"\\&\1", "".join(parts))


def _link(text: str, target: str) -> str:
    """What a link says, and the document that it names where the text does not."""
    file = target.partition("#")[0].rpartition("/")[2]
    named = not file or file in text or "://" in target
    return inline(text) + ("" if named else f" ({italic(file)})")


def head(name: str, section: int, summary: str, version: str) -> str:
    """The title line and NAME."""
    volume = {3: "Library Functions", 5: "File Formats", 7: "Miscellaneous"}[section]
    return (
        f'.TH {escape(name.upper())} {section} "" "homenode {escape(version)}" "{volume}"\n'
        f".nh\n.ad l\n.SH NAME\n{escape(name)} \\- {escape(summary)}\n"
    )


def block(lines: list[str]) -> str:
    """Lines as they are, indented: code."""
    return ".PP\n.RS 4\n.nf\n" + "".join(f"{_line(line)}\n" for line in lines) + ".fi\n.RE\n"


def _line(line: str) -> str:
    return escape(line) if line.strip() else r"\&"


def entry(term: str, text: str) -> str:
    """A term and what it means; both are roff already."""
    return f".TP\n{term}\n{text}\n"


def see_also(pages: list[str]) -> str:
    """SEE ALSO: references such as homenode-run(1)."""
    references = [re.sub(r"^(.*)(\(.*\))$", lambda m: bold(m[1]) + m[2], page) for page in pages]
    return ".SH SEE ALSO\n" + ",\n".join(references) + "\n"
