"""Tells the names of coding agents and of bots from those of people.

Must not guess: a name is an agent's only where it is one of these as a whole, or says so itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_LISTED = """
agent aider amazon-q antigravity any-agent augment bot chatgpt claude claude-code
claude-cowork cline codex copilot crush cursor cursor-agent devin-ai devin-ai-integration
gemini gemini-cli github-actions github-copilot gitlab-ci goose gpt hermes-agent jenkins
openai-codex openclaw opencode openhands pi renovate roo-code dependabot snyk-bot
sweep-ai trae windsurf
"""
AGENTS = frozenset(_LISTED.split())

# What coding agents set in the shells that they open. Variables that people export themselves
# (CODEX_HOME, AIDER_MODEL, COPILOT_GITHUB_TOKEN) and those of an editor's own terminal, where
# people type too (CURSOR_TRACE_ID, REPL_ID), are left out on purpose: they would refuse a person.
MARKERS: Mapping[str, str] = MappingProxyType(
    {
        "AI_AGENT": "any agent",  # cross-tool convention, the value names the agent
        "AGENT": "any agent",  # the same convention's other name: Goose, Amp, Pi
        "CLAUDECODE": "Claude Code",  # "1" in every shell it runs
        "CLAUDE_CODE": "Claude Code",  # older name of the same
        "CLAUDE_CODE_ENTRYPOINT": "Claude Code",  # how it was started: cli, sdk, action
        "CLAUDE_CODE_IS_COWORK": "Claude Cowork",  # the same engine for office work
        "CODEX_SANDBOX": "OpenAI Codex",  # the sandbox's kind, "seatbelt"
        "CODEX_SANDBOX_NETWORK_DISABLED": "OpenAI Codex",  # "1" inside its sandbox
        "CODEX_CI": "OpenAI Codex",  # set for commands of its shell tool
        "CODEX_THREAD_ID": "OpenAI Codex",  # the conversation that runs the command
        "CURSOR_AGENT": "Cursor",  # "1" in shells of its agent, not in its terminal
        "GEMINI_CLI": "Gemini CLI",  # "1" in its shell tool
        "OPENCODE": "opencode",  # "1" in its shell tool
        "OPENCODE_CLIENT": "opencode",  # which client drives it
        "CLINE_ACTIVE": "Cline",  # "true" in terminals that it opens
        "ROO_ACTIVE": "Roo Code",  # the same of its fork
        "AUGMENT_AGENT": "Augment",  # "1" in its command environment
        "ANTIGRAVITY_AGENT": "Antigravity",
        "COPILOT_AGENT": "GitHub Copilot",
        "COPILOT_CLI": "GitHub Copilot",
        "COPILOT_AGENT_SESSION_ID": "GitHub Copilot",  # its hosted coding agent
        "GOOSE_TERMINAL": "Goose",
        "TRAE_AI_SHELL_ID": "Trae",
        "CRUSH": "Crush",
        "PI_CODING_AGENT": "Pi",
        "OPENCLAW_SHELL": "OpenClaw",
        "HERMES_SESSION_ID": "Hermes Agent",
        "AIDER_ACTIVE": "Aider",
    }
)

_VERSION = re.compile(r"[\s/@_-]*v?\d[\d.]*$")
_SAYS_SO = re.compile(r"\[bot\]$|[\s_-]bot$|^bot[\s_-]|[\s_-]agent$")


def is_agent(name: str) -> bool:
    """Say whether a name is a coding agent's or a bot's, however it is spaced or capitalised."""
    plain = _VERSION.sub("", name.strip().casefold()) or name.casefold()
    return bool(_SAYS_SO.search(plain)) or re.sub(r"[\s_-]+", "-", plain) in AGENTS
