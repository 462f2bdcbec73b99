"""What is shown of a failing log beside a passing run of the same job."""

from __future__ import annotations

from caselore.logs import GreenLines, Reading, read

FRAMEWORK = [
    f"\tat org.frame.Runner.step{letter}(Runner.java)" for letter in "abcdefghijklmnopqrst"
]
GREEN = ["fetch sources", "cache restored", *FRAMEWORK, "tests ran", "done"]


def against_green(lines: list[str], green: list[str]) -> Reading:
    passing = GreenLines.of("\n".join(green).encode())
    return read("\n".join(lines).encode(), name="x", green=passing)


def numbers(reading: Reading) -> list[int]:
    return [n for part in reading.excerpt for n in range(part.first, part.last + 1)]


def stack(name: str, steps: list[str]) -> list[str]:
    return [f"org.shop.{name}Error: no {name} left", f"\tat shop.{name}.take({name}.java)", *steps]


def test_the_steps_of_a_new_stack_belong_to_it_although_a_passing_run_knows_them() -> None:
    first, second = stack("Tea", FRAMEWORK), stack("Cup", FRAMEWORK)
    log = ["fetch sources", *first, "Caused by: shop.Gone: tea", "cache restored", *second, "done"]

    assert numbers(against_green(log, GREEN))[:23] == list(range(2, 25))


def test_the_failing_line_is_shown_however_much_new_output_stands_above_it() -> None:
    printed = [
        line
        for x in ("Tea", "Cup", "Pot")
        for line in [*stack(x, [f"\tat shop.{x}.{y}(X.java)" for y in FRAMEWORK]), "done"]
    ]
    verdict = [
        "adds(shop.CartTest)  Time elapsed: 0.2 sec  <<< FAILURE!",
        "java.lang.AssertionError: 7 is not 9",
    ]
    verdict += ["\tat shop.CartTest.adds(CartTest.java:9)", ""]
    reading = against_green([*printed, *verdict, "done"], GREEN)

    assert reading.failing_line == len(printed) + 2
    assert reading.failing_line in numbers(reading)[:40]


def test_of_what_else_is_new_the_nearest_comes_first() -> None:
    far = [f"downloaded part {'y' * n}" for n in range(1, 30)]
    known = ["cache restored"] * 5
    log = [*far, *known, "node version v99", *known, "AssertionError: 7 is not 9", "done"]
    shown = numbers(against_green(log, GREEN))

    assert shown.index(35) < shown.index(1)


def test_rulers_and_chatter_at_the_ends_of_new_output_cost_nothing() -> None:
    log = [
        "tests ran", "[INFO] -------", "[INFO] 30 warnings", "[INFO] -------",
        "shop.StockError: only 4 of tea left", "[INFO] 1 error", "[INFO] -------", "done",
    ]  # fmt: skip

    assert numbers(against_green(log, GREEN))[0] == 5
