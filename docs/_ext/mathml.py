"""Formulas as MathML, which browsers draw by themselves: no script, no fonts from elsewhere."""

import xml.etree.ElementTree as ET

from docutils import nodes
from latex2mathml.converter import convert

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
# Operators whose limits stand below and above them on a line of their own.
WITH_LIMITS = ("min", "max", "argmax", "∑", "∬")
BELOW_AND_ABOVE = {"msub": "munder", "msubsup": "munderover"}


def mathml(formula, *, display):
    """Turn a formula in the language of LaTeX into MathML."""
    written = convert(formula, display=display)
    if "\\" in written:
        msg = f"this formula holds a command that latex2mathml does not know: {formula}"
        raise ValueError(msg)
    if display == "inline":
        return written
    ET.register_namespace("", NAMESPACE)
    tree = ET.fromstring(written)
    for element in tree.iter():
        name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
        if name in BELOW_AND_ABOVE and element[0].text in WITH_LIMITS:
            element.tag = f"{{{NAMESPACE}}}{BELOW_AND_ABOVE[name]}"
        if element.text == "‖":
            element.attrib.setdefault("stretchy", "false")  # unless it was written with \left
    return ET.tostring(tree, encoding="unicode")


def draw_inline(writer, node):
    """Write a formula in a line of text."""
    writer.body.append(mathml(node.astext(), display="inline"))
    raise nodes.SkipNode


def draw_display(writer, node):
    """Write a formula on a line of its own, which may be scrolled where it is too wide."""
    writer.body.append('<div class="math-display" tabindex="0">')
    writer.body.append(mathml(node.astext(), display="block"))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Offer the renderer to Sphinx."""
    app.add_html_math_renderer("mathml", (draw_inline, None), (draw_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
