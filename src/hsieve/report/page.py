"""From the analysis of a selection to one page that needs nothing else.

The page holds its styles, its script and its numbers. A policy in its head names both by their
hashes and forbids everything else: no other script runs, whatever a feature is called, and nothing
is loaded from any network. Texts reach the page through Jinja's escaping or, for the script, as
JSON in which no character can end the element.
"""

import base64
import hashlib
import html
import json
import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hsieve.io.writing import written_whole
from hsieve.report.analysis import Analysis
from hsieve.report.shapes import plain_number
from hsieve.text import shortened

if TYPE_CHECKING:
    from jinja2 import Environment

REPORT_ENDINGS = (".html", ".htm")
# Inside a notebook.
FRAME_HEIGHT = 760
LEAST_P_VALUE = 1e-10
LONGEST_NAME = 200
MOST_PAIRS = 50
MOST_STEPS = 60
# Characters that would end a script element or, in some readers, a line of JavaScript.
UNSAFE_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


class Report:
    """A report on a selection: a page, and the analysis it was made from.

    Made by ``selector.report(X, y)``. In a notebook it shows itself.

    Parameters
    ----------
    summary : Analysis
        All that there is to say, as ``selector.summary(X, y)`` gives it, with pictures.

    Attributes
    ----------
    summary : Analysis
        All that is shown.
    html : str
        The page.

    Raises
    ------
    ImportError
        If Jinja is missing.

    Examples
    --------
    >>> from hsieve import N3LARS
    >>> from hsieve.datasets import make_n3lars
    >>> problem = make_n3lars(300, 100, random_state=0)
    >>> report = N3LARS(3).fit(problem.X, problem.y).report(problem.X, problem.y)
    >>> report.summary.n_selected, report.summary.n_shown
    (3, 100)
    """

    def __init__(self, summary: Analysis) -> None:
        require_jinja2()
        self.summary = summary
        self.html = _page(summary)

    def __repr__(self) -> str:
        return f"Report({self.summary.title!r})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : path-like
            A file ending in .html or .htm; an existing one is replaced.

        Raises
        ------
        ValueError
            If the ending is another one, the folder does not exist, or the path is a folder.
        """
        if Path(path).suffix.lower() not in REPORT_ENDINGS:
            msg = f"a report must end in {' or '.join(REPORT_ENDINGS)}, got {os.fspath(path)!r}."
            raise ValueError(msg)
        with written_whole(Path(path)) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame where it meets no other."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            f'title="{html.escape(self.summary.title)}" width="100%" height="{FRAME_HEIGHT}" '
            'style="border: 1px solid #8888; border-radius: 8px"></iframe>'
        )


def require_jinja2() -> None:
    """Raise an ImportError that says what to install, if Jinja is missing."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        msg = 'reports need jinja2, which is not installed: pip install "hsieve[report]"'
        raise ImportError(msg) from error


def _page(summary: Analysis) -> str:
    """Fill the template of a selection."""
    from markupsafe import Markup

    script = _script()
    return page_from(
        "page.html",
        summary=summary,
        features=summary.features[: summary.n_shown],
        pairs=summary.pairs[:MOST_PAIRS],
        steps=summary.steps and summary.steps.rows[:MOST_STEPS],
        beside=[one for one in summary.pictures if one["kind"] == "panels"],
        others=[one for one in summary.pictures if one["kind"] != "panels"],
        wide=_wide(summary.pictures),
        script=Markup(script),
        script_hash=_hash_of(script),
        pictures_json=Markup(_json_for_script(summary.pictures)),
    )


def page_from(template: str, **content: Any) -> str:
    """Fill a template, with the styles and the version."""
    from markupsafe import Markup

    from hsieve import __version__

    style = _style()
    return str(
        _environment()
        .get_template(template)
        .render(version=__version__, style=Markup(style), style_hash=_hash_of(style), **content)
    )


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    """Make Jinja's environment: everything is escaped, and what is missing is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("hsieve.report"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["name"] = lambda value: shortened(value, LONGEST_NAME)
    environment.filters["digits"] = plain_number
    environment.filters["number"] = lambda value: f"{value:.4g}"
    environment.filters["p_value"] = _p_value
    environment.filters["fixed"] = lambda value: f"{value:.2f}"
    environment.filters["whole"] = lambda value: f"{value:,}"
    return environment


def _p_value(value: float) -> str:
    """Write a p-value; far out its law is an approximation, and digits would say too much."""
    return f"{value:.3g}" if value >= LEAST_P_VALUE else f"< {LEAST_P_VALUE:g}"


def _wide(pictures: Sequence[dict[str, Any]]) -> list[str]:
    """Choose the pictures that take a whole row, so that no place beside one stays empty."""
    wide = [one["id"] for one in pictures if one["kind"] in ("panels", "lines")]
    others = [one["id"] for one in pictures if one["id"] not in wide]
    return wide + (others[-1:] if len(others) % 2 else [])


def _style() -> str:
    style: str = _template("style.css").read_text(encoding="utf-8")
    return style


def _script() -> str:
    """Join the scripts, in the order of their names, in a scope of their own."""
    parts = sorted(_template("scripts").iterdir(), key=lambda part: part.name)
    inner = "\n".join(
        part.read_text(encoding="utf-8") for part in parts if part.name.endswith(".js")
    )
    return f'(() => {{\n"use strict";\n{inner}}})();\n'


def _template(name: str) -> Any:
    return files("hsieve.report").joinpath("templates", name)


def _hash_of(text: str) -> str:
    """Hash the content of an element, as a Content-Security-Policy names it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _json_for_script(value: Any) -> str:
    """Write JSON that can stand inside a script element, whatever texts it holds."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(UNSAFE_IN_SCRIPT)
