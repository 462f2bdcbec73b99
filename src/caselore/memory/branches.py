"""Tells of which kind a branch is: what happened on one main branch is near to another's.

Must not know a forge: the name alone decides.
"""

from __future__ import annotations

from functools import lru_cache

_KINDS = {"main": "main", "master": "main", "trunk": "main", "develop": "main", "dev": "main"}


@lru_cache(maxsize=1024)
def branch_kind(branch: str) -> str:
    """Give the kind of a branch: main, release, a prefix such as feature, or other."""
    if not branch:
        return ""
    head, slash, _ = branch.lower().removeprefix("refs/heads/").partition("/")
    if head.startswith(("release", "hotfix", "v0", "v1", "v2")):
        return "release"
    return _KINDS.get(head, head if slash else "other")
