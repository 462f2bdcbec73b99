"""Measures Chroma and LanceDB over the same texts; runs in a virtual environment of its own.

Usage: peers.py FOLDER, in which texts.json and asked.json lie: texts[n] is of the family
n % asked["families"], and each question names its family. Vectors are passed in: counts of runs
of four characters, hashed to 384 places. Prints one line a figure; milliseconds are CPU.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

PLACES, BATCH = 384, 2_000


def vector(text: str) -> np.ndarray:
    """Hash the runs of a text; length one."""
    low = " ".join(text.lower().split())[:900]
    found = np.zeros(PLACES, dtype=np.float32)
    for at in range(max(1, len(low) - 3)):
        found[zlib.crc32(low[at : at + 4].encode()) % PLACES] += 1
    return found / max(1e-9, float(np.linalg.norm(found)))


def cpu(work: Callable[[], object]) -> float:
    """Give the CPU seconds of a call, of all threads."""
    before = time.process_time()
    work()
    return time.process_time() - before


def spread(taken: list[float]) -> str:
    """Write median and 99th percentile in milliseconds."""
    ordered = sorted(taken)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"{ordered[len(ordered) // 2] * 1e3:8.1f} {last * 1e3:8.1f}"


def megabytes(folder: Path) -> float:
    """Give the size of all files of a folder."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6


def resident() -> float:
    """Give the main memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def hit_at_1(found: list[int], asked: dict) -> str:
    """Give the part of the questions whose first answer is of their family."""
    pairs = zip(found, asked["family"], strict=False)
    right = [number % asked["families"] == family for number, family in pairs]
    return f"{sum(right) / len(right):8.2f}"


def say(what: str, words: str) -> None:
    """Print one line of the table."""
    print(f"  {what:<44} {words}", flush=True)


def chroma(folder: Path, texts: list[str], vectors: np.ndarray, asked: dict) -> None:
    """Fill and ask a Chroma collection."""
    import chromadb

    client = chromadb.PersistentClient(
        str(folder), settings=chromadb.Settings(anonymized_telemetry=False)
    )
    held = client.create_collection("texts", metadata={"hnsw:space": "cosine"})

    def fill() -> None:
        for at in range(0, len(texts), BATCH):
            some = slice(at, at + BATCH)
            ids = [str(n) for n in range(at, min(at + BATCH, len(texts)))]
            held.add(ids=ids, embeddings=vectors[some], documents=texts[some])

    say("Chroma: rows a second, vectors ready", f"{len(texts) / cpu(fill):8.0f}")
    questions = [vector(text) for text in asked["text"]]
    calls = [cpu(lambda v=v: held.query(query_embeddings=[v], n_results=50)) for v in questions]
    say("Chroma: p50, p99 ms, vector ready", spread(calls))
    first = [int(held.query(query_embeddings=[v], n_results=1)["ids"][0][0]) for v in questions]
    say("Chroma: near-duplicates, hit@1", hit_at_1(first, asked))
    say("Chroma: main memory, MB", f"{resident():8.0f}")
    say("Chroma: MB", f"{megabytes(folder):8.1f}")


def lance(folder: Path, texts: list[str], vectors: np.ndarray, asked: dict) -> None:
    """Fill and ask a LanceDB table: its full text index, then vectors."""
    import lancedb

    base = lancedb.connect(str(folder))
    rows = [
        {"id": n, "text": text, "vector": v}
        for n, (text, v) in enumerate(zip(texts, vectors, strict=True))
    ]

    def fill() -> None:
        table = base.create_table("texts", rows[:BATCH])
        for at in range(BATCH, len(rows), BATCH):
            table.add(rows[at : at + BATCH])
        table.create_fts_index("text")

    say("LanceDB: rows a second, vectors ready", f"{len(texts) / cpu(fill):8.0f}")
    table = base.open_table("texts")
    texts_asked = asked["text"]
    words = [
        " ".join("".join(c if c.isalnum() else " " for c in t).split()[:60]) for t in texts_asked
    ]
    calls = [cpu(lambda w=w: table.search(w, query_type="fts").limit(50).to_list()) for w in words]
    say("LanceDB full text: p50, p99 ms", spread(calls))
    first = [table.search(w, query_type="fts").limit(1).to_list()[0]["id"] for w in words]
    say("LanceDB full text: near-duplicates, hit@1", hit_at_1(first, asked))
    some = [vector(text) for text in texts_asked[:30]]
    flat = [cpu(lambda v=v: table.search(v).limit(50).to_list()) for v in some]
    say("LanceDB vectors, no index: p50, p99 ms", spread(flat))
    first = [table.search(v).limit(1).to_list()[0]["id"] for v in some]
    say("LanceDB vectors: near-duplicates, hit@1", hit_at_1(first, asked))
    say("LanceDB, Chroma loaded too: main memory, MB", f"{resident():8.0f}")
    say("LanceDB: MB", f"{megabytes(folder):8.1f}")


def main() -> None:
    """Measure both."""
    folder = Path(sys.argv[1])
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    asked = json.loads((folder / "asked.json").read_text("utf-8"))
    vectors = np.stack([vector(text) for text in texts])
    chroma(folder / "chroma", texts, vectors, asked)
    lance(folder / "lance", texts, vectors, asked)


if __name__ == "__main__":
    main()
