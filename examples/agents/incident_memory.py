"""Code that knows two verbs, `retain_incident` and `recall`, over caselore. No server, no model.

CASELORE_HOME=/tmp/lore python examples/agents/incident_memory.py
"""

from caselore import IncidentMemory

FAILED = {
    "deployment_id": "1017",
    "service": "payment-service",
    "branch": "main",
    "environment": "production",
    "error": "psycopg.errors.QueryCanceled: canceling statement due to statement timeout",
    "root_cause": "one transaction updates all rows of payments",
    "resolution": "run the migration in batches of 500 records",
    "outcome": "resolved",
}

with IncidentMemory() as memory:
    # An agent's conclusion: kept, waiting for a person, and not recalled.
    memory.retain_incident(FAILED)
    print("before anybody confirmed:", len(memory.recall("statement timeout in the migration")))

    # A person's: the row names who confirmed it, and when.
    said = {"confirmed_by": "ana", "confirmed_at": "2026-03-03T10:00:00Z"}
    memory.retain_incident({**FAILED, "deployment_id": "1018"}, **said)
    for found in memory.recall("statement timeout in the migration", limit=3):
        print(found["deployment_id"], found["resolution"], found["confirmed_by"], found["score"])
