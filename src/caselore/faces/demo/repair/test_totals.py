"""What the demonstration's CI checks, one job a behaviour.

Must not be edited by a worker: a green that comes from that is not accepted.
"""

import unittest

import totals  # type: ignore[import-not-found]  # beside it where the CI runs


class Refunds(unittest.TestCase):
    """A refund is taken off."""

    def test_a_refund_is_taken_off(self) -> None:
        """Check a sum with a refund in it."""
        assert totals.total([300, -100]) == 200


class Empty(unittest.TestCase):
    """Nothing has no mean."""

    def test_nothing_has_no_mean(self) -> None:
        """Check the mean of no rows."""
        assert totals.average([]) is None


class Shares(unittest.TestCase):
    """A share is in percent."""

    def test_a_share_is_in_percent(self) -> None:
        """Check a quarter."""
        assert totals.share(1, 4) == 25


if __name__ == "__main__":
    unittest.main()
