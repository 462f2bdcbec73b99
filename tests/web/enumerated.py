"""Every route that a server answers, found in the server itself, so that none can be forgotten."""

from __future__ import annotations

from caselore.faces import server


def routes(app) -> set[tuple[str, str]]:
    """Give every method and path template, described or not."""
    return {
        (method, path)
        for methods, path in _walk(server.create(app).routes, "")
        for method in methods - {"HEAD"}
    }


def _walk(some, prefix):
    for one in some:
        inner = getattr(one, "original_router", None)
        if inner is not None:
            yield from _walk(inner.routes, prefix + one.include_context.prefix)
        else:
            methods = getattr(one, "methods", None) or {"GET", "POST", "DELETE"}
            yield set(methods), prefix + one.path


def pages(app) -> set[str]:
    """Give the template of every page that a person may look at."""
    program = ("/api/", "/hooks/", "/mcp", "/openapi", "/static/", "/healthz", "/readyz")
    return {
        path
        for method, path in routes(app)
        if method == "GET"
        and not path.startswith(program)
        and not path.endswith((".json", "/metrics"))
    }
