"""A process that embeds a bank, to be killed at any moment: `vector_writer.py DATABASE`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from caselore.memory.stores.folder_vectors import FolderVectors
from caselore.memory.stores.sqlite import SqliteStore
from fakes.embedder import TableEmbedder


def main() -> None:
    """Embed all of the default bank, telling each step."""
    path = Path(sys.argv[1])
    store = SqliteStore(path)
    vectors = FolderVectors(store, path.with_name(f"{path.name}-vectors"), TableEmbedder())
    print("ready", flush=True)
    vectors.catch_up("default", lambda done: print(done, flush=True))


if __name__ == "__main__":
    main()
