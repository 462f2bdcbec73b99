"""Turns HTML into text as a reader sees it, with the place of every block.

Cells of a row are parted by a tab, blocks by a line break; so every quote within a block is
literal, and one over several blocks differs from the page only in blanks.
Must not let hidden words into the text: they are given apart.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import urljoin

from caselore.intel.collect.burden import check_burden
from caselore.intel.collect.hidden import hiding_selectors, is_hidden
from caselore.intel.collect.page_dates import day_in_markup
from caselore.intel.pages import Block

MAX_NODES = 200_000
_SKIPPED = frozenset(
    {"script", "style", "template", "noscript", "iframe", "svg", "select", "nav", "footer",
     "aside", "form", "button", "dialog", "head", "canvas", "object", "embed", "math", "menu"}
)  # fmt: skip
_UNSEEN = frozenset({"template", "noscript", "iframe"})
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "main", "header", "h1", "h2", "h3", "h4", "h5", "h6",
     "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tfoot", "caption", "figure",
     "figcaption", "blockquote", "pre", "address", "hr", "details", "summary", "body", "tr", "br"}
)  # fmt: skip
_BESIDE = re.compile(
    r"(?:^|[\s_-])(?:related|trending|recommended|read-?next|read-?more|more-?(?:stories|news|posts)|most-?(?:read|popular)"
    r"|popular|sidebar|promo|newsletter|breadcrumbs?|share|social|cookie\w*|teasers?-related)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Classes of what stands beside a page's own matter."""
_CELLS = frozenset({"td", "th"})
_SPOKEN = ("alt", "title", "aria-label", "aria-description", "placeholder", "content", "summary")
_BLANKS = re.compile(r"[\s\u00a0\u202f\u2009]+")


class Read(NamedTuple):
    """What a page's markup gives."""

    text: str
    title: str
    blocks: tuple[Block, ...]
    hidden: tuple[str, ...]
    canonical: str
    refresh: str
    """Where a meta refresh sends its reader."""
    scripts: tuple[str, ...]
    """The page's JSON-LD scripts."""
    metas: dict[str, str]
    times: tuple[str, ...]
    site: str = ""
    """What the page's title ends in behind a bar or a dash: mostly the name of its site."""


def read_html(markup: str, url: str = "") -> Read:
    """Read one page."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only collecting needs it

    check_burden(markup)
    tree = LexborHTMLParser(markup)
    selectors = hiding_selectors("\n".join(one.text() for one in tree.css("style")))
    body = tree.body
    root = _content(tree) or body
    writer = _Writer(selectors)
    if root is not None:
        writer.walk(root)
    hidden = list(writer.hidden)
    if body is not None:
        hidden += _unseen(body, selectors)
    metas = _metas(tree)
    canonical = next(
        (one.attributes.get("href") or "" for one in tree.css("link[rel=canonical]")), ""
    )
    return Read(
        text=writer.text,
        title=_title(tree, writer, metas),
        blocks=tuple(writer.blocks),
        hidden=tuple(dict.fromkeys(one for one in hidden if one)),
        canonical=urljoin(url, canonical) if canonical else "",
        refresh=_refresh(tree, url),
        scripts=tuple(one.text() for one in tree.css("script[type='application/ld+json']")),
        metas=metas,
        times=tuple(one.attributes.get("datetime") or "" for one in tree.css("time[datetime]")),
        site=_site(tree),
    )


def _site(tree: Any) -> str:
    node = tree.css_first("head > title") or tree.css_first("title")
    parts = re.split(r"\s+[|–—·:-]\s+", _flat(node.text())) if node is not None else []
    return parts[-1] if len(parts) > 1 else ""


def _content(tree: Any) -> Any:
    """Give the one main part of a page, if it names one."""
    for name in ("main", "article", "[role=main]"):
        found = tree.css(name)
        if len(found) == 1 and len(found[0].text()) > 60:
            return found[0]
    return None


def _title(tree: Any, writer: _Writer, metas: dict[str, str]) -> str:
    heads = [writer.text[one.first : one.last] for one in writer.blocks if one.kind == "heading"]
    if heads:
        top = min((one.level for one in writer.blocks if one.kind == "heading"), default=1)
        levels = [one.level for one in writer.blocks if one.kind == "heading"]
        if levels.count(top) == 1 and top <= 2:
            return str(heads[levels.index(top)])
    outside = tree.css("h1")
    if len(outside) == 1:
        return _flat(outside[0].text())
    node = tree.css_first("head > title") or tree.css_first("title")
    title = _flat(node.text()) if node is not None else ""
    return title or metas.get("og:title", "")


def _metas(tree: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        values = node.attributes
        name = values.get("property") or values.get("name") or values.get("itemprop") or ""
        if name:
            found.setdefault(name.lower(), values.get("content") or "")
    for node in tree.css("[itemprop=datePublished]"):
        said = node.attributes.get("content") or node.attributes.get("datetime") or ""
        found.setdefault("datepublished", said)
    return found


def _refresh(tree: Any, url: str) -> str:
    for node in tree.css("meta[http-equiv]"):
        if (node.attributes.get("http-equiv") or "").lower() == "refresh":
            found = re.search(
                r"url\s*=\s*['\"]?([^'\";]+)", node.attributes.get("content") or "", re.I
            )
            if found:
                return urljoin(url, str(found[1]).strip())
    return ""


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _unseen(body: Any, selectors: frozenset[str]) -> list[str]:
    """Give the words of a page that no reader sees, wherever they stand in it."""
    found = []
    for node in body.traverse(include_text=False):
        values = node.attributes
        found += [_flat(values.get(name) or "") for name in _SPOKEN if values.get(name)]
        found += [_flat(v) for k, v in values.items() if k.startswith("data-") and v and " " in v]
        if node.tag in _UNSEEN or is_hidden(node.tag, values, selectors):
            found.append(_flat(node.text(deep=True, separator=" ")))
    for comment in re.findall(r"<!--(.*?)-->", body.html or "", re.DOTALL):
        found.append(_flat(comment))
    return [one for one in found if " " in one]


class _Writer:
    """Walks a tree and writes what is seen."""

    def __init__(self, selectors: frozenset[str]) -> None:
        self.selectors = selectors
        self.blocks: list[Block] = []
        self.hidden: list[str] = []
        self._out: list[str] = []
        self._length = 0
        self._pieces: list[str] = []
        self._row = self._in_link = 0
        self._layouts: list[bool] = []
        self._linked = True
        self._kind, self._level, self._day = "text", 0, ""

    @property
    def text(self) -> str:
        return "".join(self._out)

    def walk(self, root: Any) -> None:
        """Write the tree below a node; a stack instead of calls, so that depth is no danger."""
        stack: list[tuple[Any, bool]] = [(root, False)]
        left = MAX_NODES
        while stack and left:
            left -= 1
            node, leaving = stack.pop()
            if leaving:
                self._leave(node.tag)
                continue
            if node.tag == "-text":
                words = node.text(deep=False)
                self._pieces.append(words)
                self._linked = self._linked and (self._in_link > 0 or not words.strip())
                continue
            if node.tag in _SKIPPED or node.tag.startswith("-") or self._unseen(node):
                continue
            self._enter(node)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(node.iter(include_text=True))))
        self._flush()

    def _unseen(self, node: Any) -> bool:
        values = node.attributes
        beside = f"{values.get('class') or ''} {values.get('id') or ''}"
        if node.tag in _BLOCKS and node.tag != "body" and _BESIDE.search(beside):
            return True
        return is_hidden(node.tag, values, self.selectors)

    def _enter(self, node: Any) -> None:
        tag = node.tag
        self._in_link += tag == "a"
        if tag == "tr":
            self._flush()
            self._layouts.append(_is_layout(node))
            if not self._layouts[-1]:
                self._row += 1
                self._kind = "row"
        elif tag in _CELLS and not self._row:
            self._flush()
        elif tag in _BLOCKS:
            self._break()
            if not self._row:
                self._kind, self._level = _kind_of(tag)
        elif tag == "span" and self._pieces and node.attributes.get("class"):
            if _set_apart(self._pieces[-1], node.text(deep=True)):
                self._pieces.append(" ")
        elif tag == "time":
            self._day = self._day or day_in_markup(node.attributes.get("datetime") or "")

    def _leave(self, tag: str) -> None:
        self._in_link -= tag == "a"
        if tag in _CELLS:
            self._pieces.append("\t" if self._row else "")
            self._break_cell()
        elif tag == "tr":
            self._flush()
            if not (self._layouts.pop() if self._layouts else False):
                self._row = max(0, self._row - 1)
        elif tag in _BLOCKS:
            self._break()

    def _break_cell(self) -> None:
        if not self._row:
            self._flush()

    def _break(self) -> None:
        if self._row:
            self._pieces.append(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        raw = "".join(self._pieces)
        self._pieces = []
        cells = [_flat(cell) for cell in raw.split("\t")] if self._kind == "row" else [_flat(raw)]
        line = "\t".join(cells).rstrip("\t") if any(cells) else ""
        if line:
            if self._out:
                self._out.append("\n")
                self._length += 1
            last = self._length + len(line)
            self.blocks.append(
                Block(self._kind, self._length, last, self._level, self._day, self._linked)
            )
            self._out.append(line)
            self._length = last
            self._day = ""
        self._linked = True
        if not self._row:
            self._kind, self._level = "text", 0


_PROSE = re.compile(r"[a-z][.!?]\s+[A-Z“\"(].{30}", re.DOTALL)


def _is_layout(row: Any) -> bool:
    """Say whether a row of a table only arranges the page: its cells hold headings, tables or running text."""
    if row.css_first("table, h1, h2, article"):
        return True
    texts = [cell.text() for cell in row.css("td")]
    return any(len(one) > 180 and _PROSE.search(one) for one in texts) and len(texts) <= 3


def _set_apart(before: str, after: str) -> bool:
    """Say whether two styled spans without a blank between are two things: a name, its price, its period.

    Never within a word or a figure: neither `i` and `Phone`, nor `69` and `.99`, `1` and `st`.
    """
    if len(before.strip()) < 2 or len(after.strip()) < 2:
        return False
    last, first = before[-1], after[0]
    name = last.isalpha() and len(before.strip()) > 2
    figure = last.isdigit()
    return (name and (first in "$€£¥₹" or first.isdigit())) or (
        figure and first.isalpha() and len(after) > 4
    )


def _kind_of(tag: str) -> tuple[str, int]:
    if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
        return "heading", int(tag[1])
    return {
        "li": "item",
        "dt": "term",
        "dd": "item",
        "caption": "caption",
        "blockquote": "quote",
    }.get(tag, "text"), 0
