"""Tell which of many patterns a text may match, by the fixed text that each of them needs.

Must not leave out a pattern that `re` would match: what is not sure may match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import re2

_AHEAD = re.compile(r"(?<![\[\\])\(\?![^()]*\)")  # what must not follow: without it more matches
_READ_OTHERWISE = ("{,", "[:")  # means something else to re2
# What `re` takes for an i, a digit or white space, and re2 does not.
_OTHERS = re.compile("[\u0130\u0131]|[^\\D0-9]|[^\\S \\t\\n\\r\\f]")


class Sieve:
    """Patterns behind one pass for their fixed text; asking costs about a microsecond a line."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        """Find the fixed text of each pattern."""
        self._all = tuple(range(len(patterns)))
        self._numbers: list[int] = []
        self._filter = re2.Filter()
        unknown = []
        for number, pattern in enumerate(patterns):
            if self._takes(pattern.pattern):
                self._numbers.append(number)
            else:
                unknown.append(number)
        self._unknown = tuple(unknown)
        if self._numbers:
            self._filter.Compile()

    def _takes(self, pattern: str) -> bool:
        """Add a pattern; not every one of `re` can be taken apart."""
        if not pattern.isascii() or any(one in pattern for one in _READ_OTHERWISE):
            return False
        options = re2.Options()
        options.case_sensitive = False
        options.log_errors = False
        try:
            self._filter.Add(_AHEAD.sub("", pattern), options)
        except re2.error:
            return False
        return True

    def may_match(self, text: str) -> tuple[int, ...]:
        """Give the numbers of the patterns that may match, in order."""
        if not (text.isascii() and text.isprintable()) and _OTHERS.search(text):
            return self._all
        data: Any = text.encode("utf-8", "surrogatepass")
        found = self._filter.Match(data, potential=True) if self._numbers else None
        return tuple(sorted([*self._unknown, *(self._numbers[at] for at in found or ())]))
