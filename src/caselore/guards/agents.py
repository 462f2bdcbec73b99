"""Tells the names of coding agents and of bots from those of people.

Must not guess: a name is an agent's only where it is one of these as a whole, or says so itself.
"""

from __future__ import annotations

import re

_LISTED = """
agent aider amazon-q antigravity any-agent augment bot chatgpt claude claude-code
claude-cowork cline codex copilot crush cursor cursor-agent devin-ai devin-ai-integration
gemini gemini-cli github-actions github-copilot gitlab-ci goose gpt hermes-agent jenkins
openai-codex openclaw opencode openhands pi renovate roo-code dependabot snyk-bot
sweep-ai trae windsurf
"""
AGENTS = frozenset(_LISTED.split())

_VERSION = re.compile(r"[\s/@_-]*v?\d[\d.]*$")
_SAYS_SO = re.compile(r"\[bot\]$|[\s_-]bot$|^bot[\s_-]|[\s_-]agent$")


def is_agent(name: str) -> bool:
    """Say whether a name is a coding agent's or a bot's, however it is spaced or capitalised."""
    plain = _VERSION.sub("", name.strip().casefold()) or name.casefold()
    return bool(_SAYS_SO.search(plain)) or re.sub(r"[\s_-]+", "-", plain) in AGENTS
