"""Reports in a real browser: they work without a network, for mouse, keyboard and small screens."""

import os
import time
from pathlib import Path

import pytest

from tests.report.pages import HOSTILE, LONG, REPORTS, browser_path, needs_browser, report_of

pytestmark = needs_browser

ARTEFACTS = Path(os.environ.get("HSIEVE_ARTEFACTS", "artefacts"))
WIDTHS, SCHEMES = (390, 1100, 1400), ("light", "dark")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--headless=new"]
# Names of elements that only a name taken for markup could bring into the page.
FOREIGN = "img, iframe, object, embed, i, b, base, form, link"


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        yield opened
        opened.close()


def wait_until(page, condition, seconds=120.0):
    """Ask a page, or a frame, again and again.

    Playwright's own way asks from inside the page, where the report's policy forbids to evaluate
    text: it fails as soon as the first answer is no.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not so after {seconds:g} s: {condition}"
        page.wait_for_timeout(20)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """All reports, written once."""
    folder = tmp_path_factory.mktemp("reports")
    found = {}
    for name in REPORTS:
        found[name] = folder / f"{name}.html"
        report_of(name).save(found[name])
    return found


@pytest.fixture
def opened(browser, files):
    """Open a report; whatever goes wrong on the page, or is asked of a network, fails the test."""
    contexts, troubles = [], []

    def open_page(name, width=1400, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
            offline=True,
        )
        contexts.append(context)
        context.set_default_timeout(120_000)  # a busy machine is no fault of the page
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        address = files[name].as_uri()

        def judge(route):
            if route.request.url.partition("#")[0] == address:
                route.continue_()
            else:
                troubles.append(f"asked for {route.request.url}")
                route.abort()

        page.route("**/*", judge)
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (troubles.append("a dialog"), dialog.dismiss()))
        page.goto(address)
        page.wait_for_selector(".plot svg")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def names_in_table(page):
    return page.eval_on_selector_all(
        "#feature-table tbody tr:not([hidden]) th", "cells => cells.map((c) => c.textContent)"
    )


def test_table_sorts_by_click_and_by_keyboard(opened):
    page = opened("classes")
    by_rank = names_in_table(page)
    heading = page.locator("th[data-key=name]")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert page.locator("th[data-key=rank]").get_attribute("aria-sort") is None
    rising = names_in_table(page)
    assert rising == sorted(by_rank, key=str.lower) != by_rank
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert names_in_table(page) == rising[::-1]
    page.locator("th[data-key=rank] button").press("Space")
    assert names_in_table(page) == by_rank


def test_unknown_values_stay_last_when_sorted(opened):
    page = opened("skewed")
    heading = page.locator("th[data-key=p_value] button")
    values = "cells => cells.map((c) => c.dataset.value)"
    column = page.eval_on_selector_all(
        "#feature-table thead th", "cells => cells.findIndex((c) => c.dataset.key === 'p_value')"
    )
    for direction in (1, -1):
        heading.click()
        found = page.eval_on_selector_all(
            f"#feature-table tbody tr :nth-child({column + 1})", values
        )
        known = [float(value) for value in found if value != ""]
        assert 0 < len(known) < len(found)
        assert "" not in found[: len(known)]
        assert known == sorted(known, reverse=direction < 0)


def test_search_filters_and_says_how_many(opened):
    page = opened("classes")
    page.get_by_label("Search names").fill("MARKER 1")
    assert sorted(names_in_table(page)) == ["marker 1", "marker 10", "marker 11"]
    assert page.locator("#count").text_content() == "3 of 13 shown"
    page.get_by_label("chosen only").check()
    assert set(names_in_table(page)) <= {"marker 1", "marker 10", "marker 11"}
    page.get_by_label("Search names").fill("")
    assert page.locator("#count").text_content() == "5 of 13 shown"


def test_pictures_tell_values_to_mouse_and_keyboard(opened):
    page = opened("classes")
    for picture in ("path", "landscape", "scores", "heat", "panels"):
        assert_tells_values(page, picture)


def assert_tells_values(page, picture):
    mark = page.locator(f"[data-picture={picture}] .mark[tabindex='0']").first
    tip = page.locator("#tip")
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    if picture == "path":  # on the beginning of the line, not in the middle of its box
        page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 2)
    else:
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert tip.is_visible()
    assert tip.text_content().split("\n")[0] in mark.get_attribute("aria-label")
    page.mouse.move(1, 1)
    assert not tip.is_visible()
    mark.focus()
    assert tip.is_visible()
    before = tip.text_content()
    page.keyboard.press("ArrowDown" if picture in ("path", "heat") else "ArrowRight")
    after = tip.text_content()
    assert after != before
    assert any(character.isdigit() for character in after)
    focused = page.evaluate("document.activeElement.closest('[data-picture]').dataset.picture")
    assert focused == picture


def test_arrow_keys_walk_along_a_line(opened):
    page = opened("classes")
    line = page.locator("[data-picture=path] .mark[tabindex='0']")
    line.focus()
    told = [page.locator("#tip").text_content()]
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        told.append(page.locator("#tip").text_content())
    assert len(set(told)) == 4
    assert page.locator("#live").text_content().startswith(told[-1].split("\n")[0])


def test_one_tab_stop_a_picture(opened):
    page = opened("classes")
    stops = page.eval_on_selector_all(
        "figure svg[role=group]",
        "all => all.map((svg) => svg.querySelectorAll('.mark[tabindex=\"0\"]').length)",
    )
    assert set(stops) == {1}


def test_a_feature_is_marked_everywhere_and_let_go(opened):
    page = opened("classes")
    for way in ("click", "Enter", "table"):
        assert_marks(page, way)


def assert_marks(page, way):
    mark = page.locator("[data-picture=scores] .mark").first
    feature = mark.get_attribute("data-feature")
    if way == "click":
        mark.click()
    elif way == "Enter":
        mark.press("Enter")
    else:
        page.locator(f"#feature-table button[data-feature='{feature}']").click()
    where = page.eval_on_selector_all(
        ".marked",
        "all => all.map((n) => (n.closest('[data-picture]') || n.closest('table')).id"
        " || n.closest('[data-picture]').dataset.picture)",
    )
    assert {"feature-table", "path", "scores", "landscape", "heat", "panels"} <= set(where)
    assert mark.get_attribute("aria-pressed") == "true"
    assert page.locator(f"#feature-table tr.marked[data-feature='{feature}']").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".marked").count() == 0
    assert mark.get_attribute("aria-pressed") == "false"


TOUCH_EVERYTHING = """() => {
  for (const node of document.querySelectorAll(".mark, button.feature")) {
    node.dispatchEvent(new PointerEvent("pointerenter"));
    node.focus();
    node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
}"""


def test_hostile_names_are_just_names(opened):
    page = opened("hostile")
    page.evaluate(TOUCH_EVERYTHING)
    assert page.evaluate("window.hacked") is None
    assert page.locator(FOREIGN).count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("style").count() == 1
    shown = names_in_table(page)
    assert shown.count(HOSTILE[0]) == 1
    assert "two\\nlines\\tand a tab" in shown
    assert "\\u202eright to left\\u202c" in shown
    assert "שלום عربى" in shown
    assert [len(name) for name in shown if name.startswith(LONG[:20])] == [200]
    attributes = page.eval_on_selector_all(
        "*", "all => all.flatMap((n) => n.getAttributeNames()).filter((a) => /^on|^style$/.test(a))"
    )
    assert set(attributes) <= {"style"}  # the script places the tip and nothing else
    assert page.locator("[style]").evaluate_all("all => all.map((n) => n.id)") in ([], ["tip"])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REPORTS)
def test_legible_on_small_and_large_screens_in_light_and_dark(opened, name, width):
    page = opened(name, width)
    pictures, drawn = page.locator("figure").count(), page.locator("figure:has(svg)").count()
    assert pictures == drawn >= 3
    assert page.evaluate(UNDESCRIBED) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(EMPTY_BELOW) < 50
    assert page.evaluate(SMALLEST_TEXT) >= 14
    assert page.evaluate(CUT_OR_OVERLAPPING) == []
    assert page.evaluate(STRAYING) == []
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, colour[4:-1].split(","))) < 200) == (scheme == "dark")
        page.screenshot(path=ARTEFACTS / f"report-{name}-{width}-{scheme}.png", full_page=True)


def test_a_phone_shows_that_the_table_goes_on_and_all_links(opened):
    page = opened("classes", 390)
    box, cue = page.locator("#features .scroll"), page.locator("#features .cue")
    assert cue.is_visible()
    assert "more-right" in box.get_attribute("class")
    box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    wait_until(page, "document.querySelector('#features .scroll.more-left:not(.more-right)')")
    outside = "links => links.filter((a) => a.getBoundingClientRect().right > 390).length"
    assert page.eval_on_selector_all("nav a", outside) == 0
    wide = opened("classes", 1400)
    assert not wide.locator("#features .cue").is_visible()


def test_small_tables_are_no_wider_than_what_they_hold(opened):
    page = opened("classes", 1400)
    widths = "boxes => boxes.map((b) => [b.clientWidth, b.querySelector('table').offsetWidth])"
    found = page.eval_on_selector_all("#data .scroll", widths)
    assert found
    assert all(box - table < 10 for box, table in found)


def test_many_panels_are_shown_on_demand(opened):
    page = opened("many", 390)
    panels = page.locator("[data-picture=panels] .panel")
    assert panels.count() == 4
    page.get_by_role("button", name="Show 20 more").click()
    assert panels.count() == 24
    assert page.evaluate("document.activeElement.closest('.panel') !== null")
    page.set_viewport_size({"width": 500, "height": 900})
    wait_until(page, "document.querySelector('[data-picture=panels] svg').clientWidth > 400")
    assert panels.count() == 24


def test_a_feature_is_as_dark_beside_itself_as_the_legend_says(opened):
    page = opened("classes")
    cells = page.locator("[data-picture=heat] .mark .cell")
    opacities = cells.evaluate_all("all => all.map((cell) => +cell.getAttribute('fill-opacity'))")
    side = round(len(opacities) ** 0.5)
    assert opacities[:: side + 1] == pytest.approx([1.0] * side, abs=1e-6)


UNDESCRIBED = """() => Array.from(document.querySelectorAll(".plot svg[role=group]"))
  .map((svg) => document.getElementById(svg.getAttribute("aria-describedby")).textContent)
  .filter((words) => words.length < 20).length"""

EMPTY_BELOW = """() => document.documentElement.scrollHeight - window.scrollY
  - document.querySelector("footer").getBoundingClientRect().bottom"""

SMALLEST_TEXT = """() => {
  const sizes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const around = node.parentNode;
    if (!node.textContent.trim() || ["SCRIPT", "NOSCRIPT"].includes(around.nodeName)) continue;
    sizes.push(parseFloat(getComputedStyle(around).fontSize));
  }
  return Math.min(...sizes);
}"""

# Marks that leave their picture by more than the room around a dot.
STRAYING = """() => Array.from(document.querySelectorAll(".plot svg .mark")).filter((mark) => {
  const [own, all] = [mark, mark.closest("svg")].map((node) => node.getBoundingClientRect());
  return own.left < all.left - 14 || own.right > all.right + 14
    || own.top < all.top - 14 || own.bottom > all.bottom + 14;
}).map((mark) => mark.getAttribute("aria-label"))"""

# Texts of a picture that leave it, or the page, or lie on one another.
CUT_OR_OVERLAPPING = """() => {
  const wrong = [];
  for (const svg of document.querySelectorAll(".plot svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = Array.from(svg.querySelectorAll("text")).map((node) => ({
      words: node.textContent, box: node.getBoundingClientRect(),
    }));
    for (const { words, box } of texts) {
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1
        && box.top >= frame.top - 2 && box.bottom <= frame.bottom + 2;
      if (!inside) wrong.push(`cut: ${words}`);
    }
    texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
      // Boxes are higher than letters: two lines may share three pixels of air.
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > 1 && down > 3) wrong.push(`${a.words} | ${b.words}`);
    }));
  }
  return wrong;
}"""


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("classes", 1400, "light"), ("classes", 390, "dark"), ("pairs", 1400, "dark")],
)
def test_axe_finds_nothing_serious(opened, name, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(name, width, scheme)
    for details in page.locator("summary").all():
        details.click()
    found = axe.run(page).response["violations"]
    serious = [
        (one["id"], [node["html"] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_colours_can_be_switched(opened):
    page = opened("numbers", 1400, "light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(background) != light
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(background) == light


def test_code_is_copied(opened):
    page = opened("numbers")
    page.locator("button.copy").last.click()
    wait_until(page, "navigator.clipboard.readText().then(text => text !== '')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#code-python").text_content()
    assert "StabilitySelection(" in copied


def test_pictures_follow_the_width_of_the_page(opened):
    page = opened("classes", 1400)
    page.set_viewport_size({"width": 500, "height": 900})
    width = "document.querySelector('[data-picture=path] svg').getBoundingClientRect().width"
    wait_until(page, f"{width} < 480")
    assert page.evaluate("document.documentElement.scrollWidth") <= 500


def test_two_reports_in_one_notebook_do_not_meet(browser):
    report = report_of("numbers")
    # Both in sight: a browser hardly works on frames that nobody sees.
    page = browser.new_page(
        viewport={"width": 1000, "height": 1700}, reduced_motion="reduce", offline=True
    )
    try:
        page.set_content(f"<style>svg {{ display: none }}</style>{report._repr_html_() * 2}")
        frames = [frame for frame in page.frames if frame.parent_frame]
        assert len(frames) == 2
        for frame in frames:
            frame.wait_for_selector(".plot svg")
        frames[0].locator("button.feature").first.click()
        assert frames[0].locator(".marked").count() > 0
        assert frames[1].locator(".marked").count() == 0
        frames[1].get_by_role("link", name="Repeat it").click()
        wait_until(frames[1], "window.scrollY > 500")
        assert frames[1].locator(".plot svg").count() > 0
    finally:
        page.close()
