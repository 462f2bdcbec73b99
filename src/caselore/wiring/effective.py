"""Says which settings are in effect, for whoever keeps the house.

Must not show a secret: only whether there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from caselore.settings import Settings


def effective(settings: Settings) -> dict[str, Any]:
    """Give what is set, by subject; the values of secrets are left out."""
    oidc = settings.sign_in.get("oidc", {})
    return {
        "store": {
            "home": str(settings.home),
            "database": _place(settings.database_url) or str(settings.database),
            "bank": settings.bank,
            "files": [str(one) for one in settings.files],
        },
        "door": {
            "auth_required": settings.auth_required,
            "hosts": list(settings.hosts),
            "proxy_header": settings.proxy_header,
            "proxy_from": list(settings.proxy_from) if settings.proxy_header else [],
            "provider": oidc.get("issuer", ""),
            "people": settings.sign_in.get("people", {}),
            "session_key": "set" if settings.session_key else "of this home",
        },
        "model": {
            "model": settings.model,
            "model_url": _place(settings.model_url),
            "model_temperature": settings.model_temperature,
            "model_limits": dict(settings.model_limits),
        },
        "hooks": {kind or "any": "secret set" for kind in sorted(settings.hook_secrets)},
        "forges": sorted(settings.forges),
        "masked_variables": len(settings.masked),
        "telemetry": _place(settings.telemetry),
    }


def _place(address: str) -> str:
    """Give an address without the password that it may hold."""
    if not address:
        return ""
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"
