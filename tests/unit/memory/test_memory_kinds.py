"""In which way a failure speaks of failing."""

from __future__ import annotations

import pytest

from caselore.memory.kinds import kinds


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("ERROR: deployment timed out after 300s", {"time"}),
        ("DeploymentTimeout: migration of orders took longer than 600 s", {"time"}),
        ("deploy aborted: schema change on orders ran into the 900 second limit", {"time"}),
        ("[deploy] FAILED: gave up waiting for 0042_backfill", {"time"}),
        ("canceling statement due to statement timeout", {"time"}),
        ("Django migration killed: no response from it for 1800 seconds", {"time"}),
        ("migration failed: permission denied for table orders", {"permission"}),
        ("migration failed: connect: Connection refused", {"connection"}),
        ('relation "orders" does not exist', {"absent"}),
        ("cannot run migrations: environment variable DATABASE_URL is not set", {"variable"}),
        ('syntax error at or near "SELCT"', {"syntax"}),
        ("PG::DuplicateColumn: column already exists", {"conflict"}),
        ("java.lang.OutOfMemoryError: Java heap space", {"memory"}),
        ("write /var/lib/x: no space left on device", {"disk"}),
        ("value too long for type character varying(20)", {"constraint"}),
        ("curl: (6) Could not resolve host: git.shop.example", {"name"}),
        ("getaddrinfo ENOTFOUND db.internal", {"name"}),
        ("curl: (60) SSL certificate problem: certificate has expired", {"certificate"}),
        ("x509: certificate signed by unknown authority", {"certificate"}),
        ("rolled back", set()),
    ],
)
def test_the_words_of_the_failing_line_tell_the_way(title, expected):
    assert kinds(title) == expected


def test_the_block_is_asked_only_where_the_line_tells_nothing():
    assert kinds("rolled back", "migration timed out\nrolled back") == {"time"}
    assert kinds("permission denied", "migration timed out") == {"permission"}
