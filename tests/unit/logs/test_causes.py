"""Several failures of one job are kept apart, the first real one first; consequences are none."""

from __future__ import annotations

from caselore.logs import Reading, read

TRAVIS = (
    "travis_time:start:{0}\r\x1b[0K$ ./{0}\n{1}\ntravis_time:end:{0}:start=1,finish=2,duration=1\r\x1b[0K\n"
    '\x1b[31;1mThe command "./{0}" exited with 1.\x1b[0m\n'
)
LINT = "src/cart.py:3:1: F401 'os' imported but unused\nsrc/cart.py:9:80: E501 line too long (90 > 79)"
TEST = (
    "=========== FAILURES ===========\n______ test_total ______\n\n    def test_total():\n>       assert total() == 9\n"
    "E       assert 7 == 9\n\ntests/test_cart.py:4: AssertionError\n=========== 1 failed in 0.1s ==========="
)


def of(log: str, budget: int = 40) -> Reading:
    return read(log.encode(), name="x", budget=budget)


def two_commands() -> Reading:
    build = "src/cart.c:3:5: error: 'tea' undeclared\n    3 | tea();\n      | ^~~"
    return of(TRAVIS.format("check", TEST) + TRAVIS.format("build", build))


def test_each_failed_command_is_a_cause_and_each_range_says_of_which() -> None:
    reading = two_commands()
    whys = [part.why for part in reading.excerpt if part.why.startswith("cause ")]

    assert [cause.line for cause in reading.causes] == [reading.failing_line, 14]
    assert any(why.startswith("cause 1 of 2: ") for why in whys)
    assert any(why.startswith("cause 2 of 2: ") for why in whys)


def test_the_first_cause_is_the_failing_line_although_a_later_one_weighs_more() -> None:
    reading = two_commands()

    assert reading.failing_line == 7
    assert [(c.tool, c.unit) for c in reading.causes] == [
        ("pytest", "test_total"),
        ("gcc", "src/cart.c"),
    ]


def test_what_follows_from_a_compiler_error_is_no_cause() -> None:
    reading = of(
        "$ make\ncart.c:3:5: error: 'tea' undeclared\n    3 | tea();\n      | ^~~\nmake: *** [Makefile:2: cart.o] Error 1\n"
        "make: *** No rule to make target 'cart.o'.  Stop.\nERROR: Job failed: exit code 2\n"
    )

    assert [cause.line for cause in reading.causes] == [2]
    assert not any(part.why.startswith("cause ") for part in reading.excerpt)


def test_a_summary_that_repeats_a_failed_test_is_no_cause_of_its_own() -> None:
    log = TEST.replace(
        "=========== 1 failed",
        "=== short test summary info ===\nFAILED tests/test_cart.py::test_total - assert 7 == 9\n=========== 1 failed",
    )

    assert len(of(log).causes) == 1


def test_the_line_of_a_second_cause_is_shown_however_long_the_first_one_is() -> None:
    steps = "\n".join(f"    step_{n}()" for n in range(60))
    long = TEST.replace("    def test_total():", f"    def test_total():\n{steps}")
    reading = of(TRAVIS.format("check", long) + TRAVIS.format("lint", LINT))
    shown = [n for part in reading.excerpt for n in range(part.first, part.last + 1)]

    assert len(reading.causes) == 2
    assert {cause.line for cause in reading.causes} <= set(shown)
    assert len(shown) <= 40


def test_a_log_without_a_failure_has_no_cause() -> None:
    assert of("all is well\nJob succeeded\n").causes == ()


def test_a_secret_in_the_name_of_a_failed_item_does_not_leave() -> None:
    token = "ghp_" + "9XbQ2vLm7RtK4wYz8NcD" + "1sHf6JgP3aEo5UiT"
    name = f"test_total[{token}]"
    reading = of(TEST.replace("test_total ______", f"{name} ______"))

    assert reading.causes[0].unit
    assert token not in str(reading.to_json())
