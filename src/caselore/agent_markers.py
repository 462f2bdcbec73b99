"""The variables by which coding agents mark the shells that they open.

Must not read the environment: only settings does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# What coding agents set in the shells that they open. Variables that people export themselves
# (CODEX_HOME, AIDER_MODEL, COPILOT_GITHUB_TOKEN) and those of an editor's own terminal, where
# people type too (CURSOR_TRACE_ID, REPL_ID), are left out on purpose: they would refuse a person.
AGENT_MARKERS: Mapping[str, str] = MappingProxyType(
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
