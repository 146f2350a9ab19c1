"""Draws "Which method?" into docs/pictures, once for wide screens and once for phones.

The questions and answers are below; the rest lays them out. Inside a page the colours are those of
its theme; as a file by itself the picture follows the reader's choice of light or dark.
"""

import textwrap
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "pictures"

TITLE = "Which method?"
FIRST_CHOICE = (
    "N3LARS",
    "../reference/methods/n3lars.html",
    "the first choice: relevant, not redundant, any shape",
)


@dataclass(frozen=True)
class Step:
    """A question, and the method that a yes leads to."""

    question: str
    method: str
    link: str
    why: str


STEPS = (
    Step(
        "Do you want p-values, or every associated feature, duplicates too?",
        "feature_tests, MaxRelevance",
        "../reference/methods/max_relevance.html",
        "each feature by itself, adjusted for their number",
    ),
    Step(
        "Must the selection be stable, with few false features?",
        "StabilitySelection",
        "../reference/methods/stability_selection.html",
        "around any method below, with a bound",
    ),
    Step(
        "Do you look for pairs (or triples) that matter only together?",
        "InteractionScan",
        "../reference/methods/interaction_scan.html",
        "every pair, with p-values; up to 100,000 features",
    ),
    Step(
        "May larger groups of features matter only together?",
        "BAHSIC, RandSel",
        "../reference/methods/bahsic.html",
        "up to some 10,000 samples and features; keeps duplicates",
    ),
    Step(
        "Together, without redundant features, among at most some hundreds?",
        "L1LSMI",
        "../reference/methods/l1_lsmi.html",
        "a set by its information; not convex",
    ),
    Step(
        "Are linear effects enough, or do you want a baseline?",
        "LassoSelector, MRMR",
        "../reference/methods/lasso_selector.html",
        "fast; compare with it before anything else",
    ),
)

# What is drawn, which property, the variable of the pages' theme, and the colours without one.
COLOURS = (
    (".box", "fill", "surface", "#f3f4f5", "#29313d"),
    (".box", "stroke", "border", "#b9c2cc", "#48566b"),
    (".method", "fill", "background", "#ffffff", "#14181e"),
    (".method", "stroke", "primary", "#0a7d91", "#3fb1c5"),
    (".line", "stroke", "text-muted", "#48566b", "#9ca4af"),
    (".head", "fill", "text-muted", "#48566b", "#9ca4af"),
    ("text", "fill", "text-base", "#1a2230", "#ced6dd"),
    (".name", "fill", "link", "#0a7d91", "#3fb1c5"),
    (".small", "fill", "text-muted", "#48566b", "#9ca4af"),
)
FONT = 'system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif'
SHAPES = f"""
.which-method text {{ font-family: {FONT}; }}
.which-method .name {{ font-weight: 600; }}
.which-method .box {{ stroke-width: 1.2; }}
.which-method .line {{ stroke-width: 1.6; fill: none; }}
.which-method .method {{ stroke-width: 2; }}
.which-method a:focus .method, .which-method a:hover .method {{ stroke-width: 3.5; }}
"""


def style():
    """Rules of both schemes; the dark one is for the picture as a file by itself."""
    light = [
        f".which-method {what} {{ {prop}: var(--pst-color-{variable}, {colour}); }}"
        for what, prop, variable, colour, _ in COLOURS
    ]
    dark = [f"svg:root {what} {{ {prop}: {colour}; }}" for what, prop, _, _, colour in COLOURS]
    chosen = "@media (prefers-color-scheme: dark) {"
    return "\n".join(["<style>", SHAPES, *light, chosen, *dark, "}", "</style>"])


@dataclass(frozen=True)
class Layout:
    """Where things stand: beside each other, or below each other on a narrow screen."""

    width: int
    question_width: int
    method_x: int
    method_width: int
    font: int
    beside: bool

    @property
    def line(self):
        """Height of a line of text."""
        return round(1.35 * self.font)

    def wrapped(self, text, width):
        """Lines of a text in a box; a letter takes a little over half of its height."""
        return textwrap.wrap(text, max(8, int((width - 24) / (0.53 * self.font))))


WIDE = Layout(width=860, question_width=400, method_x=480, method_width=370, font=16, beside=True)
NARROW = Layout(width=380, question_width=378, method_x=44, method_width=334, font=16, beside=False)


def text_lines(lines, x, y, layout, css=""):
    """Write lines of text, the first one's baseline at y."""
    size = layout.font - 2 if css == "small" else layout.font
    return "".join(
        f'<text x="{x}" y="{y + place * layout.line}" font-size="{size}" class="{css}">'
        f"{escape(line)}</text>"
        for place, line in enumerate(lines)
    )


def box(x, y, width, height, css):
    """Draw a rounded box."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" class="{css}"/>'


def arrow(points, label, at, layout):
    """Draw an arrow along points, with a word beside it."""
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    return (
        f'<path d="{path}" class="line" marker-end="url(#head-{layout.width})"/>'
        f'<text x="{at[0]}" y="{at[1]}" font-size="{layout.font - 2}" class="small">{label}</text>'
    )


def method_box(name, link, why, y, layout):
    """Draw the box of a method, which leads to its page; give its height, too."""
    names = layout.wrapped(name, layout.method_width)
    reasons = textwrap.wrap(why, int((layout.method_width - 24) / (0.55 * (layout.font - 2))))
    height = 20 + layout.line * (len(names) + len(reasons))
    x = layout.method_x
    drawing = (
        f'<a href="{link}">'
        + box(x, y, layout.method_width, height, "method")
        + text_lines(names, x + 12, y + 6 + layout.line, layout, "name")
        + text_lines(reasons, x + 12, y + 6 + layout.line * (1 + len(names)), layout, "small")
        + "</a>"
    )
    return drawing, height


def drawn_step(step, y, layout, *, last):
    """Draw a question with its answer; give the place of the next one, too."""
    lines = layout.wrapped(step.question, layout.question_width)
    height = 20 + layout.line * len(lines)
    parts = []
    if layout.beside:
        answer, answer_height = method_box(step.method, step.link, step.why, y, layout)
        height = max(height, answer_height)
        middle = y + height // 2
        start, end = layout.question_width + 1, layout.method_x - 4
        parts.append(
            arrow([(start, middle), (end, middle)], "yes", (start + 18, middle - 7), layout)
        )
        bottom, below = y + height, y + height + 34
        down = layout.question_width // 2
    else:
        answer_y = y + height + 14
        answer, answer_height = method_box(step.method, step.link, step.why, answer_y, layout)
        middle = answer_y + answer_height // 2
        parts.append(
            arrow(
                [(24, y + height), (24, middle), (layout.method_x - 4, middle)],
                "yes",
                (29, answer_y - 2),
                layout,
            )
        )
        bottom, below = y + height, answer_y + answer_height + 34
        down = 8
    top = y + 6 + layout.line + (height - 20 - layout.line * len(lines)) // 2
    parts.append(
        box(1, y, layout.question_width, height, "box") + text_lines(lines, 13, top, layout)
    )
    parts.append(answer)
    word = "no" if not last else "no, none of these"
    parts.append(arrow([(down, bottom), (down, below - 4)], word, (down + 6, below - 12), layout))
    return "".join(parts), below


def drawing(layout):
    """Draw the whole picture."""
    parts, y = [], 1
    for place, step in enumerate(STEPS):
        part, y = drawn_step(step, y, layout, last=place == len(STEPS) - 1)
        parts.append(part)
    name, link, why = FIRST_CHOICE
    shifted = Layout(
        layout.width, layout.question_width, 1, layout.question_width, layout.font, layout.beside
    )
    end, height = method_box(name, link, why, y, shifted)
    parts.append(end)
    words = "; ".join(f"{step.question} Yes: {step.method}" for step in STEPS)
    number = layout.width  # keeps the names of both pictures apart inside one page
    head = (
        f'<marker id="head-{number}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" class="head"/></marker>'
    )
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number} {y + height + 2}" '
        f'role="group" class="which-method" aria-labelledby="title-{number} desc-{number}">'
    )
    return "\n".join(
        [
            opening,
            f'<title id="title-{number}">{TITLE}</title>',
            f'<desc id="desc-{number}">{escape(words)}; else {name}: {why}.</desc>',
            style(),
            f"<defs>{head}</defs>",
            *parts,
            "</svg>\n",
        ]
    )


def draw():
    """Write both pictures."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "which_method.svg").write_text(drawing(WIDE), encoding="utf-8")
    (FOLDER / "which_method_narrow.svg").write_text(drawing(NARROW), encoding="utf-8")


if __name__ == "__main__":
    draw()
