"""The site in a real browser: nothing foreign, nothing broken, both languages found, read and switched."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from aclnn_spec.spec.files import read_json
from conftest import NAME
from published import LANGUAGES, ROOT, address, pages, published
from web import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = shutil.which("chromium")
MISSING = [name for name in ("playwright", "axe_playwright_python", "mkdocs") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="found no Chromium: apt-get install chromium"),
    pytest.mark.skipif(bool(MISSING), reason=f"found no {', '.join(MISSING)}: pip install -e '.[browser]'"),
]

PAGES = [each for each in pages("zh") if "/mutants-" not in each or NAME in each]
"""The pages, of those that are the same table for each operator one."""
WIDTHS = (390, 1440)
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """The address of the site, below a path as on a project site."""
    site = published()
    with serving(site.parent, f"{site.name}/") as web:
        yield web.url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile."""
    one = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    yield one
    one.close()


@pytest.fixture
def page(context: BrowserContext, base: str) -> Iterator[Page]:
    """A tab; the test fails if it complains, asks another host, or does not get what it asks for."""
    tab = context.new_page()
    faults: list[str] = []
    tab.on("console", lambda message: message.type in ("error", "warning") and faults.append(message.text))
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("request", lambda request: request.url.startswith((base, "data:", "blob:")) or faults.append(request.url))
    tab.on("response", lambda answer: answer.status >= 400 and faults.append(f"{answer.status} {answer.url}"))
    yield tab
    tab.close()
    assert faults == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_loads_and_fits(language: str, page: Page, base: str) -> None:
    """Without an error, without another host, and without a page that scrolls sideways, on a phone and on a desk."""
    for each in PAGES:
        page.goto(f"{base}{language}/{address(each)}", wait_until="networkidle")
        assert page.locator("h1").count() == 1, each
        assert page.evaluate("document.documentElement.lang") == language
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (each, width)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(language: str, scheme: str, browser: Browser, base: str) -> None:
    """Contrast, names, roles and order hold on every page: in light on a desk, in dark on a phone."""
    from axe_playwright_python.sync_playwright import Axe

    # Each page once in every scheme and once in every language; the two most complex ones in all four.
    whole = ("index.md", "data/cases.md")
    chosen = [each for i, each in enumerate(PAGES) if each in whole or (i % 2 == 0) == ((language, scheme) in HALF)]
    width = 1440 if scheme == "light" else 390
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    tab = context.new_page()
    found = {}
    for each in chosen:
        tab.goto(f"{base}{language}/{address(each)}", wait_until="load")
        for fault in Axe().run(tab, options=AXE).response["violations"]:
            found[each, fault["id"]] = [node["html"][:200] for node in fault["nodes"][:3]]
    context.close()
    assert found == {}


HALF = {("zh", "light"), ("en", "dark")}


@pytest.mark.parametrize(
    "where", ["index.md", "start/kernel.md", f"operators/{NAME}.md", "concepts/strides.md", "data/cases.md"]
)
def test_switching_the_language_keeps_the_page(where: str, page: Page, base: str) -> None:
    """From Chinese to English and back, by the button in the header."""
    page.goto(f"{base}zh/{address(where)}")
    for language in ("en", "zh"):
        page.locator(".md-header .md-select button").hover()
        page.locator(f".md-select__link[hreflang={language}]").click()
        page.wait_for_url(f"{base}{language}/{address(where)}")
        assert page.evaluate("document.documentElement.lang") == language


@pytest.mark.parametrize("where", [f"operators/{NAME}/#mean", "data/cases/#group=ties"])
def test_switching_the_language_keeps_the_place(where: str, page: Page, base: str) -> None:
    """The heading, or the filter, that the address names."""
    page.goto(f"{base}zh/{where}", wait_until="networkidle")
    page.locator(".md-header .md-select button").hover()
    page.locator(".md-select__link[hreflang=en]").click()
    page.wait_for_url(f"{base}en/{where}")


def search_for(page: Page, words: str) -> None:
    """Type words; Chinese ones come without a key, and the theme looks when a key is let go."""
    page.locator("input.md-search__input").press_sequentially(words)
    page.keyboard.press("End")


@pytest.mark.parametrize(
    ("language", "words"), [("zh", "广播"), ("zh", "非连续"), ("zh", "gradOutput"), ("zh", "161002"),
                            ("en", "broadcast"), ("en", "gradOutput"), ("en", "161002"), ("en", "strides")],
)  # fmt: skip
def test_search_finds_words_in_the_right_language(language: str, words: str, page: Page, base: str) -> None:
    """Chinese words and identifiers are found, in pages of the reader's language, and the first result opens."""
    page.goto(f"{base}{language}/start/golden/")
    page.locator("input.md-search__input").click()
    search_for(page, words)
    results = page.locator("a.md-search-result__link")
    results.first.wait_for()
    links = results.evaluate_all("all => all.map((each) => each.href)")
    assert all(link.startswith(f"{base}{language}/") for link in links)
    results.first.click()
    page.wait_for_load_state()
    assert words.lower() in page.locator("article").inner_text().lower()


def test_search_keeps_the_languages_apart(page: Page, base: str) -> None:
    """A Chinese word is not found in the English pages."""
    page.goto(f"{base}en/")
    page.locator("input.md-search__input").click()
    search_for(page, "strides")
    page.locator("a.md-search-result__link").first.wait_for()  # now the index is loaded
    page.keyboard.press("Control+a")
    search_for(page, "非连续")
    page.locator(".md-search-result__meta", has_text="No matching documents").wait_for()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_cases_filters(language: str, page: Page, base: str) -> None:
    """By clause, by text and by the address, with as many cases as the golden data has."""
    core = ROOT / "golden" / "core"
    files = [core / each["name"] for each in read_json(core / "manifest.json")["files"] if "cases" in each]
    cases = [case for file in files for case in read_json(file)["cases"]]
    page.goto(f"{base}{language}/data/cases/", wait_until="networkidle")
    status, rows = page.locator(".cases [role=status]"), page.locator(".cases-all tbody tr")
    assert str(len(cases)) in status.inner_text()
    wanted = [case["id"] for case in cases if "determinism" in case["clauses"]]
    page.locator("[data-filter=clause]").select_option("determinism")
    assert str(len(wanted)) in status.inner_text()
    assert rows.first.locator("td").first.inner_text() == wanted[0]
    page.locator("[data-filter=q]").fill("page-example")
    assert rows.count() == sum("page-example" in each for each in wanted)
    page.locator("[data-filter=q]").fill("")
    page.locator("[data-filter=operator]").select_option(NAME)
    assert str(sum(each.startswith(f"{NAME}/") for each in wanted)) in status.inner_text()
    assert rows.first.locator("td").first.inner_text().startswith(f"{NAME}/")
    page.goto(f"{base}{language}/data/cases/#clause=aliasing", wait_until="networkidle")
    page.reload(wait_until="networkidle")
    assert rows.count() == min(sum("aliasing" in case["clauses"] for case in cases), 100)


def test_the_table_of_cases_leads_to_clauses(page: Page, base: str) -> None:
    """A case's clauses are links to what the operator's page says of them."""
    page.goto(f"{base}en/data/cases/#operator={NAME}&clause=aliasing", wait_until="networkidle")
    page.locator(".cases-all tbody a", has_text="aliasing").first.click()
    page.wait_for_url(f"{base}en/operators/{NAME}/#aliasing")
    assert page.locator("#aliasing").is_visible()


def test_odd_addresses_of_the_table_of_cases(page: Page, base: str) -> None:
    """A choice that does not exist is none, text is only text, and going to a heading keeps the filter."""
    status, group = page.locator(".cases [role=status]"), page.locator("[data-filter=group]")
    for odd in ("group=nonsense", "clause=%E0%A4%A", "GROUP=basic", "cases"):
        page.goto("about:blank")
        page.goto(f"{base}en/data/cases/#{odd}", wait_until="networkidle")
        total = status.inner_text().split()[-2]
        assert status.inner_text() == f"{total} of {total} cases"
        assert group.evaluate("each => each.selectedIndex") == 0
    page.locator("[data-filter=q]").fill("<img src=x onerror=alert(1)>")
    assert status.inner_text() == f"0 of {total} cases"
    page.locator(".cases-filter button").click()
    group.select_option("ties")
    few = status.inner_text()
    page.evaluate("location.hash = 'groups'")
    page.wait_for_timeout(100)
    assert (status.inner_text(), group.input_value()) == (few, "ties")


def test_the_table_of_cases_without_scripts(browser: Browser, base: str) -> None:
    """It says what is missing and leads to the files, and shows no filter that does nothing."""
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{base}en/data/cases/")
    assert tab.locator("noscript a").get_attribute("href") == "../"
    assert not tab.locator(".cases-filter").is_visible()
    assert not tab.locator(".cases-table").is_visible()
    context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_download_has_the_stated_sum(language: str, page: Page, base: str) -> None:
    """The bytes behind each link of the data page hash to what SHA256SUMS says, and to what the page itself says."""
    page.goto(f"{base}{language}/data/")
    links = set(page.locator("article a").evaluate_all("all => all.map((each) => each.href)"))
    files = {link.rpartition("/")[2]: link for link in links if "/data/core/" in link}
    sums = page.request.get(files.pop("SHA256SUMS")).text().splitlines()
    stated = {name: digest for digest, name in (line.split("  ") for line in sums)}
    assert files.keys() >= stated.keys()
    text = page.locator("article").inner_text()
    for name, link in files.items():
        digest = hashlib.sha256(page.request.get(link).body()).hexdigest()
        if name in stated:
            assert digest == stated[name]
        if name.startswith(NAME):
            assert digest in text


def test_the_formula_is_rendered(page: Page, base: str) -> None:
    """KaTeX has drawn it: letters of its own, and no source left."""
    page.goto(f"{base}en/operators/{NAME}/", wait_until="networkidle")
    page.locator(".arithmatex .katex-html").first.wait_for()
    assert page.locator(".arithmatex").count() == page.locator(".arithmatex .katex").count()
    assert page.locator(".katex-error").count() == 0
    assert page.evaluate("document.fonts.check('16px KaTeX_Main')")


def test_the_keyboard_reaches_content_and_tables(page: Page, base: str) -> None:
    """The first stop skips to the content; a table that does not fit can be focused and scrolled."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{base}en/concepts/deduction/", wait_until="networkidle")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.md-skip')")
    wrap = page.locator(".md-typeset__scrollwrap").first
    wrap.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def test_print_shows_the_page_alone(page: Page, base: str) -> None:
    """On paper there is no header, no navigation and no button."""
    page.goto(f"{base}en/concepts/strides/")
    page.emulate_media(media="print")
    assert page.locator("h1").is_visible()
    for each in (".md-header", ".md-sidebar", ".md-footer"):
        assert not page.locator(each).first.is_visible()


def test_print_cuts_nothing_off(page: Page, base: str) -> None:
    """Paper does not scroll: on A4 the widest tables of the operator's page fit between the margins."""
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    page.goto(f"{base}en/operators/{NAME}/", wait_until="networkidle")
    boxes = page.locator(".types, .md-typeset__scrollwrap")
    assert boxes.count() > 3
    assert boxes.evaluate_all("all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length") == 0


@pytest.mark.parametrize(("locale", "language"), [("zh-CN", "zh"), ("en-GB", "en"), ("fr-FR", "en")])
def test_the_root_leads_to_the_reader_s_language(locale: str, language: str, browser: Browser, base: str) -> None:
    """By the browser's languages; without scripts both links are there."""
    context = browser.new_context(locale=locale)
    tab = context.new_page()
    tab.goto(base)
    tab.wait_for_url(f"{base}{language}/")
    context.close()
    context = browser.new_context(locale=locale, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(base)
    assert [link.get_attribute("href") for link in tab.locator("a").all()] == ["zh/", "en/"]
    context.close()
