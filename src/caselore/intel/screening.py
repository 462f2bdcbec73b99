"""Finds on a page what is written for machines rather than for its readers.

Must not let anything of such a page into a claim: it is held whole.
"""

from __future__ import annotations

import re

from caselore.guards import injection
from caselore.intel.lexicon import pattern
from caselore.intel.pages import Page

_MACHINE = r"(?:AI|A\.I\.|LLMs?|(?:large )?language models?|chat ?bots?|bots?|crawlers?|scrapers?|automated (?:readers?|systems?|agents?|tools?|analysts?)|machine readers?|(?:AI |virtual |research |reading )?assistants?|agents?|summari[sz]ers?|analysts? bots?|parsers?)"
# What a reader is told to do with a page's words, and what of: a manual tells its reader to report bugs, too.
_NOTES = r"(?:record|report|store|state|conclude|remember|output|add|mark|rate|set|treat|write|say|include|ignore|recommend)"
_OF_OURS = r"(?:acqui\w+|merger|takeover|events?|deals?|funding|bankrupt\w*|insolven\w*|risks?|critical|impact|sold|bought|competitors?|memory|database|briefings?|summar\w+|facts?|verified|confirmed|instructions?|prompts?|other (?:pages|sources|reports))"
_ADDRESSED = re.compile(
    rf"\b(?:notes?|messages?|instructions?|attention|notice|important|reminder|directives?)\s*(?:to|for|:)\s*(?:all |any |the |every )*{_MACHINE}\b"
    rf"|\bfor (?:all |any )?(?:automated|machine|AI|LLM) (?:readers?|systems?|agents?|assistants?|tools?|crawlers?)\b\s*(?:only)?\s*[:,]"
    rf"|\bif you are (?:an? |the )?(?:\w+ )?{_MACHINE}\b"
    rf"|\b(?:dear|hey|hello|hi),? {_MACHINE}\b"
    rf"|\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every |these |those |of )*(?:previous|prior|above|earlier|preceding|other|existing|system|former)\b.{{0,40}}\b(?:instructions?|rules?|prompts?|sources?|directions?|guidelines?|pages?|reports?|context|messages?|content)\b"
    rf"|\b(?:system|assistant|developer)\s*(?:prompt|message)?\s*:\s*(?:you|ignore|record|from now)"
    rf"|\byou (?:must|should|are (?:(?:instructed|required|asked|told) )?to) (?:now )?{_NOTES}\b(?: that (?-i:[A-Z])| (?-i:[A-Z])\w|[^.]{{0,60}}\b{_OF_OURS}\b)"
    rf"|\b(?:record|report|store|log|remember|treat|mark|note) (?:that|this|it|the following) (?:as|in|to) (?:a |an |the )?(?:verified|confirmed|fact|critical|true|high[- ]impact|your (?:memory|database|report|summary|briefing))\b"
    rf"|\b{_MACHINE}(?:,| must| should| are asked to| reading this| processing this| parsing this)[^.]{{0,60}}\b(?:record|report|store|state|conclude|remember|output|ignore|treat|mark|set|write|include)\b",
    re.IGNORECASE,
)
_HIDDEN_ORDER = pattern("screening", "hidden_order", re.IGNORECASE)


def screen(page: Page) -> tuple[str, ...]:
    """Give the rules that a page trips; empty where it may be read."""
    found = dict.fromkeys(one.rule for one in injection.scan(page.text))
    if _ADDRESSED.search(page.text) or _ADDRESSED.search(page.title):
        found["addressed-to-machines"] = None
    for words in page.hidden:
        found |= dict.fromkeys(f"hidden:{one.rule}" for one in injection.scan(words))
        if _ADDRESSED.search(words) or (len(words.split()) >= 5 and _HIDDEN_ORDER.search(words)):
            found["hidden-instruction"] = None
    return tuple(found)
