"""What the site needs beyond MkDocs and its theme: two languages in one build, downloads, and figures from the spec.

The theme speaks one language. This hook gives each page its own: language, navigation, twin page, search index.
It uses three internals of mkdocs-material 9.8: `base_url` is where the search index lies, `nav` is what is drawn,
and `config.extra.alternate` is what the language switch shows. tests/test_browser.py holds them to it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from aclnn_spec.emit.pages.figures import figures_of, filled_in

_ROOT = Path(__file__).resolve().parents[1]
_GOLDEN = _ROOT / "golden"
_DOWNLOADS = "data"
_SUMS = "SHA256SUMS"
_CODE = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
_BREAK = re.compile(r"(?<=[，。；：、！？）”…])\n|(?<=[\u4e00-\u9fff])\n(?=[\u4e00-\u9fff“（])")
"""The end of a line between Chinese letters, which a browser would show as a space."""
_INDEX = Path("search", "search_index.json")

Context = MutableMapping[str, Any]
Item = Page | Section | Link


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Count once for all pages what their figures are taken from."""
    config.extra["figures"] = dict(figures_of(_ROOT))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add golden data and certificates to what is copied, so that links to them are checked like any other."""
    for folder in ("core", "smoke", "certificates"):
        paths = sorted(path for path in (_GOLDEN / folder).iterdir() if path.is_file() and path.name != _SUMS)
        for path in paths:
            files.append(File.generated(config, f"{_DOWNLOADS}/{folder}/{path.name}", abs_src_path=str(path)))
        sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)
        files.append(File.generated(config, f"{_DOWNLOADS}/{folder}/{_SUMS}", content=sums))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:  # noqa: ARG001  # MkDocs names them
    """Name and order each language's sections, and let previous and next stay within the language."""
    for top in nav.items:
        if not isinstance(top, Section):
            continue
        language = _language(next(_pages(top.children)).file)
        for section in top.children:
            section.parent = None
            if isinstance(section, Section):
                about = config.extra["sections"][_name(section)]
                section.title = about[language]
                order = {name: place for place, name in enumerate(about["pages"])}
                section.children.sort(key=lambda item, order=order: (order.get(_name(item), len(order)), _name(item)))
        places = {name: place for place, name in enumerate(config.extra["sections"])}
        top.children.sort(key=lambda item, places=places: places.get(_name(item), -1))
        pages = list(_pages(top.children))
        for before, page, after in zip([None, *pages], pages, [*pages[1:], None], strict=False):
            page.previous_page, page.next_page = before, after
    return nav


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put in the figures that a page asks for as {{ figures.cases }}."""
    try:
        return filled_in(markdown, config.extra["figures"])
    except KeyError as error:
        known = ", ".join(config.extra["figures"])
        raise PluginError(f"{page.file.src_uri}: found figures.{error.args[0]}, expected one of {known}") from None


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Join lines of Chinese text without a space."""
    if _language(page.file) != "zh":
        return html
    return "".join(part if _CODE.match(part) else _BREAK.sub("", part) for part in _CODE.split(html))


def on_page_context(context: Context, page: Page, config: MkDocsConfig, nav: Navigation) -> Context:
    """Let the theme draw the page in its own language."""
    language = _language(page.file)
    here = {_tail(each.file): each for each in nav.pages if _language(each.file) == language}
    _speak(config, language)
    config.extra["homepage"] = here["index.md"].url
    config.extra["alternate"] = [
        {"lang": code, "name": about["name"], "link": _twin(page, nav, code).url}
        for code, about in config.extra["languages"].items()
    ]
    tree = next(item for item in nav.items if isinstance(item, Section) and here["index.md"] in item.children)
    context["nav"] = Navigation(tree.children, list(here.values()))
    context["nav"].homepage = here["index.md"]
    context["base_url"] = get_relative_url(f"{language}/", page.url).rstrip("/")
    return context


def on_pre_template(template: Any, template_name: str, config: MkDocsConfig) -> Any:  # noqa: ARG001
    """Take back what the last page left behind: 404.html belongs to no language."""
    languages = config.extra["languages"]
    _speak(config, next(iter(languages)))
    config.extra["homepage"] = "."
    config.extra["alternate"] = [
        {"lang": code, "name": about["name"], "link": f"{code}/"} for code, about in languages.items()
    ]
    return template


def on_template_context(context: Context, template_name: str, config: MkDocsConfig) -> Context:  # noqa: ARG001
    """Draw no navigation where there is no page."""
    context["nav"] = Navigation([], [])
    return context


def on_post_build(config: MkDocsConfig) -> None:
    """Split the search index: each language searches its own pages."""
    site = Path(config.site_dir)
    index = json.loads((site / _INDEX).read_text(encoding="utf-8"))
    for language in config.extra["languages"]:
        prefix = f"{language}/"
        docs = [
            doc | {"location": doc["location"].removeprefix(prefix)}
            for doc in index["docs"]
            if doc["location"].startswith(prefix)
        ]
        path = site / language / _INDEX
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(index | {"docs": docs}, ensure_ascii=False), encoding="utf-8")


def _speak(config: MkDocsConfig, language: str) -> None:
    """Set what the theme says in the configuration's words."""
    about = config.extra["languages"][language]
    config.theme["language"] = language
    config.site_description = about["description"]
    for scheme, says in zip(config.theme["palette"], about["palette"].values(), strict=True):
        scheme["toggle"]["name"] = says


def _language(file: File) -> str:
    return file.src_uri.partition("/")[0]


def _tail(file: File) -> str:
    """The path that a page and its twins have in common."""
    return file.src_uri.partition("/")[2]


def _name(item: Item) -> str:
    """How mkdocs.yml names a page or a section: by its file or its folder."""
    if isinstance(item, Page):
        return Path(item.file.src_uri).stem
    return Path(next(_pages(item.children or [])).file.src_uri).parent.name


def _pages(items: list[Any]) -> Iterator[Page]:
    for item in items:
        if isinstance(item, Page):
            yield item
        else:
            yield from _pages(item.children or [])


def _twin(page: Page, nav: Navigation, language: str) -> Page:
    """The same page in the language, or its home where there is none."""
    there = {_tail(each.file): each for each in nav.pages if _language(each.file) == language}
    return there.get(_tail(page.file), there["index.md"])
