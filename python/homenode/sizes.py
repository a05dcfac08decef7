"""How every text and drawing writes a size of memory. Pure."""

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def size_text(byte_count: int) -> str:
    """Three significant digits in the largest binary unit that fits: "16 GiB", "1.25 MiB"."""
    value, unit = float(byte_count), 0
    while value >= 1023.5 and unit + 1 < len(UNITS):
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {UNITS[unit]}" if value >= 100 else f"{value:.3g} {UNITS[unit]}"
