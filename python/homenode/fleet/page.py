"""The comparison as text, and as one self-contained HTML page."""

import jinja2

from homenode.fleet.compare import LEAST_SHARE, MOST_DEVIATIONS, Comparison, Unlike

RULE = (
    f"Unlike is what is more than {MOST_DEVIATIONS:g} scaled MADs, and more than "
    f"{LEAST_SHARE:.0%}, off the median of all."
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem .2rem 0; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
</style></head><body><main>
<h1>{{ title }}</h1>
<p>{{ summary }} {{ rule }}</p>
{% if found.odd %}<h2>Settings</h2>
<table><tr><th>computer</th><th>setting</th><th>it has</th><th>most have</th></tr>
{% for o in found.odd %}<tr><td>{{ o.computer }}</td><td>{{ o.setting }}</td><td>{{ o.value }}</td>
<td>{{ o.usual }}</td></tr>
{% endfor %}</table>{% endif %}
{% if found.unlike %}<h2>Figures that are far off</h2>
<table><tr><th>computer</th><th>figure</th><th>it has</th><th>median</th><th>off</th></tr>
{% for u in found.unlike %}<tr><td>{{ u.computer }}</td><td>{{ u.spread.key }}</td>
<td class="n">{{ "%.4g"|format(u.value) }} {{ u.spread.key.unit }}</td>
<td class="n">{{ "%.4g"|format(u.spread.median) }}</td>
<td class="n">{{ "%+.1f"|format(100 * u.share) }} %</td></tr>
{% endfor %}</table>{% endif %}
<h2>All figures</h2>
<table><tr><th>figure</th><th>unit</th><th>median</th><th>MAD</th><th>computers</th></tr>
{% for s in found.spreads %}<tr><td>{{ s.key }}</td><td>{{ s.key.unit }}</td>
<td class="n">{{ "%.4g"|format(s.median) }}</td><td class="n">{{ "%.2g"|format(s.mad) }}</td>
<td class="n">{{ s.count }}</td></tr>
{% endfor %}</table>
</main></body></html>
"""


def summary(found: Comparison) -> str:
    """One sentence."""
    names = dict.fromkeys([o.computer for o in found.odd] + [u.computer for u in found.unlike])
    if not names:
        return f"All {len(found.computers)} computers are alike."
    verb = "is" if len(names) == 1 else "are"
    return f"Of {len(found.computers)} computers, {', '.join(names)} {verb} unlike the others."


def _line(u: Unlike) -> str:
    unit = u.spread.key.unit
    return (
        f"{u.computer}: {u.spread.key} is {u.value:.4g} {unit}, {u.share:+.1%} off the median "
        f"{u.spread.median:.4g} {unit} (MAD {u.spread.mad:.2g})"
    )


def text(found: Comparison) -> str:
    """For a terminal."""
    lines = [summary(found), RULE]
    lines += [f"{o.computer}: {o.setting} {o.value}; most have {o.usual}" for o in found.odd]
    return "\n".join(lines + [_line(u) for u in found.unlike])


def html(found: Comparison) -> str:
    """The page; nothing in it comes from elsewhere."""
    page = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(PAGE)
    title = "Nodes unlike their siblings"
    return page.render(found=found, title=title, summary=summary(found), rule=RULE)
