"""Lists of ids as the kernel and homenode's JSON write them: "0-3,8"."""

from collections.abc import Iterable


def parse(text: str) -> list[int]:
    """The ids of a list, in its order; raises ValueError when it is none."""
    ids: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        ids.extend(range(int(first), int(last or first) + 1))
    return ids


def join(ids: Iterable[int]) -> str:
    """The list of these ids, in rising order, neighbours joined."""
    parts: list[str] = []
    first = last = -2
    for number in sorted(set(ids)):
        if number != last + 1:
            first = number
            parts.append("")
        last = number
        parts[-1] = str(first) if first == last else f"{first}-{last}"
    return ",".join(parts)
