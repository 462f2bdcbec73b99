"""Failure output of tools that nobody knows, by form alone: every reader is off here."""

from __future__ import annotations

import pytest

from caselore.logs import Reading, read
from caselore.logs.signs import book

FRAME = "##[group]Run ./check\n./check\n##[endgroup]\n{}\n##[error]Process completed with exit code 1.\n"
ABOVE = 3


def reading_of(body: str) -> Reading:
    return read(FRAME.format(body).encode(), name="x", using=book(tools=False))


def pointed(body: str) -> str:
    """Give the line of the body that is called the failing one."""
    line = reading_of(body).failing_line
    return "" if line is None else body.split("\n")[line - 1 - ABOVE]


RULE = "=" * 70
THIN = "-" * 70

SHAPES = {
    "a section named in a ruler, told of again in a summary": (
        "===== FAILURES =====\n_____ adds_tea _____\n\n    cart.add(tea)\n>   check cart.total == 9\n"
        "E       Mismatch: check failed, 7 is not 9\n\nshop.zz:12: Mismatch\n===== summary =====\n"
        "FAILED shop.zz::adds_tea - Mismatch: check failed\n1 failed, 3 passed",
        "E       Mismatch: check failed, 7 is not 9",
    ),
    "an item, a ruler, a stack, then what was thrown": (
        f"{RULE}\nERROR: adds_tea (shop)\n{THIN}\nTraceback (most recent call last):\n"
        + "".join(f'  File "shop/a{n}.py", line {n}, in step\n    step()\n' for n in range(8))
        + f"OutOfTea: only 4 left\n\n{THIN}\nRan 3 in 0.1s\n\nFAILED (errors=1)",
        "OutOfTea: only 4 left",
    ),
    "a stack of more steps than a body usually has": (
        "Traceback (most recent call last):\n"
        + "".join(f'  File "shop/a{n}.py", line {n}, in step\n    step()\n' for n in range(60))
        + "OutOfTeaError: only 4 left",
        "OutOfTeaError: only 4 left",
    ),
    "findings that nothing calls an error: the first": (
        "checking 3 files\nsrc/cart.zz:3:1: Q401 imported and not used\nsrc/cart.zz:9:4: Q302 expected two blank lines\n"
        "src/tea.zz:1:1: Q999 undefined name tea",
        "src/cart.zz:3:1: Q401 imported and not used",
    ),
    "findings under the name of their file": (
        "/shop/src/cart.zz\n  1:7   error    tea is set and not used   no-unused\n"
        "  2:21  error    unexpected end of file    syntax\n\n2 problems",
        "  1:7   error    tea is set and not used   no-unused",
    ),
    "a list whose first findings are warnings": (
        "src/a.zz:3:1: warning: long line\nsrc/a.zz:4:1: error: no such name: tea\nsrc/a.zz:9:1: error: invalid and missing",
        "src/a.zz:4:1: error: no such name: tea",
    ),
    "an item marked inline, with its details in the final report": (
        "Suite Cart\n  ✗ adds_tea_to_the_cart, expected 9 and got 7\n  ✓ pours\n\nCart\n"
        "  adds_tea_to_the_cart, expected 9 and got 7\n  /shop/CartSpec.zz:30\n  ```\n      expect(total) == 9\n  ```\n\n"
        "Executed 2 tests, with 1 failure",
        "  adds_tea_to_the_cart, expected 9 and got 7",
    ),
    "a progress line that names a module called Crash": (
        "[  6 of 162] Compiling Shop.Crash\n[ 7 of 162] Compiling Shop.Invalid\n"
        "Shop/Types.zz:40:1: error: [-Wunused, -Werror=unused]\n    The import of Tea is redundant",
        "Shop/Types.zz:40:1: error: [-Wunused, -Werror=unused]",
    ),
    "the message of an exception, below its head, before its steps": (
        "java.lang.AssertionError: \nExpecting:\n <7>\nto be equal to:\n <9>\nbut was not.\n\tat shop.CartTest.adds(CartTest.java:9)",
        "java.lang.AssertionError: ",
    ),
    "a step of a stack that also says what went wrong": (
        "settling\nlib/cart.zz:10:in `add': only 1 of tea left (OutOfTea)\n\tfrom lib/cart.zz:4:in `take'\n\tfrom main.zz:1:in `<main>'",
        "lib/cart.zz:10:in `add': only 1 of tea left (OutOfTea)",
    ),
    "a place, then the verdict": (
        "running 2\ncart_test.zz:5: FAILED:\n  REQUIRE( total == 9 )\nwith expansion:\n  7 == 9\n\n1 of 2 failed",
        "cart_test.zz:5: FAILED:",
    ),
    "an error that its tool puts into brackets": (
        "bundling\n[!] Error: Could not resolve './gone' from roll.zz\nError: Could not resolve './gone' from roll.zz\n    at error (x.js:1:2)",
        "[!] Error: Could not resolve './gone' from roll.zz",
    ),
    "a severity in a log of keys and values": (
        'time="10:00" level=info msg="connected"\ntime="10:01" level=error msg="quota of the tenant is used up"\n'
        'time="10:01" level=info msg="closing"',
        'time="10:01" level=error msg="quota of the tenant is used up"',
    ),
    "a severity in a log of JSON": (
        '{"level":"info","msg":"connected"}\n{"level":"error","msg":"quota of the tenant is used up"}\n{"level":"info","msg":"bye"}',
        '{"level":"error","msg":"quota of the tenant is used up"}',
    ),
    "an error of one step of an image, whose number looks like a comment": (
        "#6 ERROR: failed to copy: could not fetch sha256:df9b\n#7 CANCELED\nwaiting",
        "#6 ERROR: failed to copy: could not fetch sha256:df9b",
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shape_of_a_failure_is_enough(shape: str) -> None:
    body, line = SHAPES[shape]

    assert pointed(body) == line


def test_a_message_and_the_steps_below_it_are_one_range() -> None:
    body = SHAPES["the message of an exception, below its head, before its steps"][0]

    assert (reading_of(body).excerpt[0].first, reading_of(body).excerpt[0].last) == (4, 10)


def test_a_failure_that_is_printed_many_times_is_shown_many_times_and_pointed_at_first() -> None:
    one = "thread 'r{}' panicked at 'no match', shop/ref.zz:125:9\nnote: run again for more\n\n"
    noise = "\n".join(f"compiling part {'x' * n}" for n in range(20))
    reading = reading_of(noise + "\n" + "".join(one.format(n) for n in range(9)))

    assert reading.failing_line == ABOVE + 21
    assert sum("panicked" in part.text for part in reading.excerpt) > 3


def test_an_exit_status_of_a_time_out_is_the_line_even_where_it_is_only_an_exit_line() -> None:
    log = "$ ./wait\nwaiting for the shop\nERROR: Job failed: exit code 124\n"

    assert read(log.encode(), name="x", using=book(tools=False)).failing_line == 3


def test_what_a_command_says_all_the_time_is_less_than_what_it_says_once() -> None:
    noise = "\n\n".join(f"error: no cached copy of part {n}\npacking part {n}" for n in range(70))

    assert pointed(f"{noise}\n\n\npouring\nerror: no tea left\nclosing") == "error: no tea left"
