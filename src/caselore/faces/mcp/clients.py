"""Writes what each coding agent wants in its settings to find this server.

Must not write any file: it gives the text and says where it goes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

CLIENTS = ("claude", "codex", "cursor", "gemini", "vscode")
TOKEN = "CASELORE_TOKEN"


@dataclass(frozen=True, slots=True)
class Paste:
    """What to paste, and where."""

    client: str
    file: str
    text: str

    def to_json(self) -> dict[str, str]:
        """Give it as one object."""
        return {"client": self.client, "file": self.file, "text": self.text}


def paste(client: str, url: str = "") -> Paste:
    """Give a client's settings for a process of its own, or for a server at `url`."""
    if client == "codex":
        return Paste(client, "~/.codex/config.toml", _toml(url))
    file, key = {
        "claude": (".mcp.json", "mcpServers"),
        "cursor": (".cursor/mcp.json", "mcpServers"),
        "gemini": (".gemini/settings.json", "mcpServers"),
        "vscode": (".vscode/mcp.json", "servers"),
    }[client]
    return Paste(client, file, json.dumps({key: {"caselore": _entry(client, url)}}, indent=2))


def _entry(client: str, url: str) -> dict[str, Any]:
    if not url:
        kind = {"type": "stdio"} if client in ("vscode", "claude") else {}
        return {**kind, "command": "caselore", "args": ["mcp"]}
    address = f"{url.rstrip('/')}/mcp"
    token = {"vscode": "${env:CASELORE_TOKEN}", "cursor": "${env:CASELORE_TOKEN}"}
    headers = {"Authorization": f"Bearer {token.get(client, '${CASELORE_TOKEN}')}"}
    if client == "gemini":
        return {"httpUrl": address, "headers": headers}
    kind = {} if client == "cursor" else {"type": "http"}
    return {**kind, "url": address, "headers": headers}


def _toml(url: str) -> str:
    if not url:
        return '[mcp_servers.caselore]\ncommand = "caselore"\nargs = ["mcp"]'
    address = f"{url.rstrip('/')}/mcp"
    return f'[mcp_servers.caselore]\nurl = "{address}"\nbearer_token_env_var = "{TOKEN}"'
