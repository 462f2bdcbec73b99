"""Every described route under made-up requests: no fault, no answer that the description lacks."""

from __future__ import annotations

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS

CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
EXAMPLES = 12


def test_no_made_up_request_makes_it_fail(shared):
    shared.submit(deployment="1")
    schema = schemathesis.openapi.from_url(
        f"{shared.url}/openapi.json", headers={"Authorization": f"Bearer {shared.tokens['human']}"}
    )
    checks = [one for one in CHECKS.get_all() if one.__name__ in CHECKED]
    assert len(checks) == len(CHECKED)
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path == "/api/v1/events":  # answers until its reader leaves
            continue
        tried += 1
        try_out(shared, operation, checks)
    assert tried >= 15
    assert shared.app.memory.ledger_verify().ok


def try_out(shared, operation, checks):
    @seed(7)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def one(data):
        case = data.draw(operation.as_strategy())
        case.call_and_validate(
            checks=checks, headers={"Authorization": f"Bearer {shared.tokens['human']}"}
        )

    one()
