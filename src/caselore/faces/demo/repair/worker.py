"""A scripted worker: mends one mistake at an attempt, or, as the hopeless one, none.

Must not look at anything but the event that it is given and the folder that it stands in.
"""

import json
import subprocess
import sys
from pathlib import Path

REPAIRS = (
    ("sum(abs(row) for row in rows)", "sum(rows)"),
    ("return total(rows) / len(rows)\n", "return total(rows) / len(rows) if rows else None\n"),
    ("part * 10 // whole", "part * 100 // whole"),
)


def git(*words: str) -> str:
    """Run git in the current folder."""
    run = ["git", "-c", "user.name=demo-worker", "-c", "user.email=worker@example.invalid", *words]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()


def repaired(text: str, hopeless: bool, attempt: int) -> str:
    """Give the source after one more attempt."""
    if hopeless:
        return f"{text}\n# attempt {attempt}: surely now\n"
    wrong, right = next((one for one in REPAIRS if one[0] in text), ("", ""))
    return text.replace(wrong, right, 1)


def main(how: str, event_file: str, result_file: str) -> None:
    """Repair, commit, push, and say so."""
    event = json.loads(Path(event_file).read_text(encoding="utf-8"))
    git("pull", "--quiet", "--ff-only")
    source = Path("totals.py")
    source.write_text(
        repaired(source.read_text(encoding="utf-8"), how == "hopeless", event["attempt"]),
        encoding="utf-8",
    )
    git("commit", "--quiet", "--all", "--message", f"Attempt {event['attempt']}")
    git("push", "--quiet")
    head = git("rev-parse", "HEAD")
    said = {"event_id": event["id"], "status": "pushed", "head_sha": head, "cost_usd": 0.02}
    Path(result_file).write_text(json.dumps({**said, "summary": "one thing"}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
