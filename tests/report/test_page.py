"""The page: valid, of one piece, safe whatever features are called, and small whatever the data."""

import base64
import hashlib
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import hsieve
from hsieve import N3LARS, MaxRelevance
from hsieve.report.page import Report
from tests.report.pages import HOSTILE, REPORTS, report_of

VOID = {"meta", "input", "br", "link", "img", "hr"}
LARGEST = 5_000_000


class Checker(HTMLParser):
    """Follows the elements of a page; what a browser would have to mend is an error."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.references, self.links = [], [], [], []
        self.headings, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute of {tag} is repeated"
        given = dict(attrs)
        assert not any(name.startswith("on") or name == "style" for name in given)
        self.ids += [given["id"]] if "id" in given else []
        for name in ("aria-labelledby", "for", "data-copies"):
            self.references += [given[name]] if name in given else []
        self.links += [given[name] for name in ("href", "src") if name in given]
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} ends where it is not open"

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


@pytest.fixture(scope="module")
def hostile():
    return report_of("hostile")


@pytest.mark.parametrize("name", REPORTS)
def test_pages_are_well_formed_and_of_one_piece(name):
    page = report_of(name).html
    checker = Checker(page)
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert set(checker.references) <= set(checker.ids)
    assert {link for link in checker.links if not link.startswith("#")} == set()
    assert {link[1:] for link in checker.links} <= set(checker.ids)
    # One first heading, and none that skips a level.
    assert checker.headings[0] == 1
    assert checker.headings.count(1) == 1
    steps = np.diff(checker.headings)
    assert steps.max() <= 1


def test_the_policy_names_the_one_script_and_the_one_style_by_their_hashes(hostile):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', hostile.html)[1]
    scripts = re.findall(r"<script>(.*?)</script>", hostile.html, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", hostile.html, re.DOTALL)
    assert [len(scripts), len(styles)] == [1, 1]
    for kind, [text] in (("script", scripts), ("style", styles)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    # The one address is the name of the language of drawings, which nobody looks up.
    assert set(
        re.findall(r"(?:https?:)?//[\w.]+[^\s\"';]*", hostile.html.split("<script>")[1])
    ) <= {"http://www.w3.org/2000/svg"} | set(re.findall(r"// .*", hostile.html))


def test_hostile_names_are_escaped_everywhere(hostile):
    page = hostile.html
    assert "<script>window" not in page
    assert "<img" not in page
    assert "<i>target" not in page
    assert page.count("<script") == 2
    assert "\u202e" not in page
    assert "\u2028" not in page
    data = re.search(r'id="report-data">(.*?)</script>', page, re.DOTALL)[1]
    assert not set("<>&") & set(data)
    assert json.loads(data) == json.loads(json.dumps(hostile.summary.pictures))
    texts = "".join(Checker(page).texts)
    for name in HOSTILE[:7]:
        assert name in texts


def test_names_of_any_kind_reach_the_command_line_and_the_code_as_names(hostile):
    code = hostile.summary.repeat.python
    assert code.isprintable() or all(line.isprintable() for line in code.split("\n"))
    assert hostile.summary.repeat.command.startswith(
        "hsieve select data.csv --target '<i>target</i>' --method n3lars"
    )


def test_the_page_stays_small_whatever_the_data():
    n_features = 20_000
    X = np.random.default_rng(0).normal(size=(30, n_features)).astype(np.float32)
    # Names of 10,000 characters of four bytes, long labels, and all is chosen.
    tail = "🧬" * 10_000
    y = [f"{sample % 15}{tail}" for sample in range(30)]
    selector = MaxRelevance(n_features).fit(X, y)
    names = [f"{feature}" for feature in range(n_features)]
    for feature in selector.selected_indices_[:1000]:
        names[feature] += tail
    report = selector.report(X, y, feature_names=names, n_shown=500, title=tail, target_name=tail)
    assert len(report.html.encode()) < LARGEST
    assert report.summary.n_shown == 500
    assert "19,500 of lower rank are left out" in report.html
    assert "Of 20,000 chosen features, 19,500 are among those left out" in report.html


def test_a_long_path_of_many_features_stays_small():
    X = np.random.default_rng(0).normal(size=(150, 400))
    selector = N3LARS(120).fit(X, X[:, :60].sum(axis=1))
    report = selector.report(X, X[:, :60].sum(axis=1), p_values="none")
    assert len(report.html.encode()) < LARGEST
    path = report.summary.pictures[-1]
    assert len(path["series"]) == 60
    assert "Not drawn:" in path["caption"]


def test_what_was_found_stands_first_and_the_path_last():
    report = report_of("classes")
    ids = [picture["id"] for picture in report.summary.pictures]
    assert ids[0] == "panels"
    assert ids[-1] == "path"
    places = [report.html.index(f'data-picture="{one}"') for one in ids]
    assert places[0] < report.html.index('id="feature-table"') < min(places[1:])
    assert "How the method searched." in report.summary.pictures[-1]["caption"]


def test_reasons_of_auto_have_a_heading_of_their_own():
    _, X, y = REPORTS["explained"]()
    report = hsieve.select(X, y).report(X, y)
    after = report.html.split(">Why this method</h2>")[1].split("</section>")[0]
    assert report.summary.reasons
    assert [html.escape(one) for one in report.summary.reasons] == re.findall(
        r"<li>(.*?)</li>", after
    )


def test_the_same_selection_gives_the_same_page():
    assert report_of("classes").html == report_of.__wrapped__("classes").html


def test_save_writes_the_page_or_nothing(hostile, tmp_path):
    path = tmp_path / "report.HTML"
    hostile.save(path)
    assert path.read_text(encoding="utf-8") == hostile.html
    with pytest.raises(ValueError, match=r"a report must end in .html or .htm, got '.*page.pdf'"):
        hostile.save(tmp_path / "page.pdf")
    with pytest.raises(ValueError, match="the folder to write to does not exist"):
        hostile.save(tmp_path / "no" / "page.html")
    with pytest.raises(ValueError, match=r"a{300}.html: cannot be written \("):
        hostile.save(tmp_path / f"{300 * 'a'}.html")
    assert [one.name for one in tmp_path.iterdir()] == ["report.HTML"]


def test_an_old_report_stays_if_the_new_one_cannot_be_written(hostile, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    broken = Report(hostile.summary)
    monkeypatch.setattr(broken, "html", "\ud800")  # no encoding has it
    with pytest.raises(UnicodeEncodeError):
        broken.save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_notebook_gets_a_frame_without_rights(hostile):
    shown = hostile._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" title="[^"]*".*', shown)
    assert html.unescape(frame[1]) == hostile.html


def test_without_jinja_the_message_says_what_to_install(monkeypatch):
    selector, X, y = REPORTS["classes"]()
    fitted = selector.fit(X, y)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "hsieve\[report\]"'):
        fitted.report(X, y)


def test_jinja_is_imported_by_reports_only():
    script = (
        "import sys, numpy as np, hsieve\n"
        "selector = hsieve.MaxRelevance(2).fit(np.eye(9)[:, :4], np.arange(9) % 2)\n"
        "assert not {'jinja2', 'hsieve.report', 'hsieve.report.page'} & set(sys.modules)\n"
        "assert '<table' in selector.report().html\n"
        "assert not {'matplotlib', 'hsieve.comparison'} & set(sys.modules)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert finished.returncode == 0, finished.stderr
