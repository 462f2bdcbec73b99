"""Holds a writer's own words to the evidence: an act that no source names was invented.

Values are checked elsewhere; this looks at plain words. A recommended act (drop, restart, raise)
must stand in a source, and not only under a negation; and most words of a fix must come from the
records that it cites. Must not judge whether an act is wise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

LEAST_SHARED = 0.5  # of a fix's content words that its sources must hold
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = re.compile(r"[.!?;:\n]")
_REACH = 4  # words before an act in which a negation takes it back


ENDINGS = ("ions", "ion", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


def stem(word: str) -> str:
    """Give a word without its ending: reduce, reduced and reducing are one."""
    bare = word.casefold().replace("’", "'").removesuffix("'s")
    ending = next((e for e in ENDINGS if bare.endswith(e) and len(bare) - len(e) >= 3), "")
    bare = bare.removesuffix(ending)
    doubled = len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsz"
    return bare[:-1] if doubled else bare


ACTS = _stems(
    """add adjust allow apply block bump bypass cancel change chmod chown clean clear configure
    cordon create decrease delete deny deploy disable disconnect double downgrade drain drop edit
    eject enable erase evict expand expire export extend fail-over failover flush force format
    freeze grant halve ignore import increase install isolate kill limit lock lower mask merge
    migrate modify mount move mute open overwrite patch pause pin promote provision prune purge
    quarantine raise reboot rebuild recreate redeploy reduce refresh regenerate reindex reinstall
    release reload remove rename renew repair replace replicate requeue rerun reset resize restart
    restore resume retry revert revoke rewrite roll rollback rotate scale schedule set shorten
    shrink shut skip split stop suppress suspend switch terminate throttle truncate uncomment
    uninstall unlock unmount unpin unset update upgrade upload vacuum wait whitelist widen wipe"""
)
NEGATIONS = frozenset(
    {"no", "not", "never", "don't", "doesn't", "didn't", "won't", "cannot", "can't", "without"}
    | {"avoid", "avoided", "nor", "neither"}
)
# Words of grammar and of speaking about precedents; they claim nothing about a system.
PLAIN = _stems(
    """a about above after again all also although an and another any are as at be because been
    before below between both but by can case cause confirm could did do does done during each
    earlier either every evidence failure first fix follow for from had has have here how if in
    incident into is it its just last later like log make may might more most must name need new
    next now of on once one only or other our out over own past people person precedent problem
    recommend record repeat resolution resolve same say see seen should show signature similar
    since so solution some still success such take team than that the their them then there these
    they this those though through time to too tried try under until up use using used very was
    way we were what when where which while who why will with work would you your"""
)


def invented_act(text: str, sources: Iterable[str]) -> str:
    """Give the first act of a text that no source names, or none but under a negation."""
    known = {act for source in sources for act, denied in _acts(source) if not denied}
    for word in _WORD.findall(text):
        act = stem(word)
        if act in ACTS and act not in known and not _denied_in(text, act):
            return str(word)
    return ""


def unlike_sources(text: str, sources: Iterable[str]) -> bool:
    """Say whether most content words of a text stand in none of its sources."""
    own = [word for word in map(stem, _WORD.findall(text)) if word not in PLAIN and len(word) > 2]
    known = {stem(word) for source in sources for word in _WORD.findall(source)}
    shared = sum(word in known for word in own)
    return bool(own) and shared < LEAST_SHARED * len(own)


def _acts(text: str) -> Iterator[tuple[str, bool]]:
    """Give the acts of a text, each with whether a negation stands close before it."""
    for clause in _SENTENCE_END.split(text):
        words = [word.casefold().replace("’", "'") for word in _WORD.findall(clause)]
        for at, word in enumerate(words):
            if stem(word) in ACTS:
                yield stem(word), bool(NEGATIONS & set(words[max(0, at - _REACH) : at]))


def _denied_in(text: str, act: str) -> bool:
    """Say whether a text names an act only to say that it is not to be done."""
    found = [denied for one, denied in _acts(text) if one == act]
    return bool(found) and all(found)
