"""Adds up payments, with three mistakes in it.

Must not be mended here: the demonstration's worker does that, one mistake at an attempt.
"""


def total(rows: list[int]) -> int:
    """Add up amounts in cents; a refund counts as negative."""
    return sum(abs(row) for row in rows)


def average(rows: list[int]) -> float | None:
    """Give the mean, and nothing where there are no rows."""
    return total(rows) / len(rows)


def share(part: int, whole: int) -> int:
    """Give a share in percent, rounded."""
    return part * 10 // whole
