"""Writes logs as the test jobs of a large browser print them: much noise, one first true failure.

Must not hold a line of anyone's job: the formats are the harnesses', the words are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

Prefix = Callable[[int, str], str]
Line = tuple[str, str]  # level, text


def mozharness(n: int, level: str) -> str:
    return f"{9 + n // 36000:02d}:{n // 600 % 60:02d}:{n // 10 % 60:02d} {level:>8s} -  "


def task(n: int, level: str) -> str:
    return f"[task 2023-05-11T{9 + n // 36000:02d}:{n // 600 % 60:02d}:{n // 10 % 60:02d}.{n % 1000:03d}Z] {mozharness(n, level)[:-1]}"


def bare(n: int, level: str) -> str:
    return ""


PREFIXES: dict[str, Prefix] = {"mozharness": mozharness, "task": task, "bare": bare}


def _noise(count: int) -> Iterator[Line]:
    """What a passing run prints, too: passes, expected failures, warnings and errors of the product."""
    for n in range(count):
        yield "INFO", f"TEST-START | shop/tests/test_cart_{n}.html"
        yield "INFO", f"TEST-PASS | shop/tests/test_cart_{n}.html | the cart is empty "
        if n % 7 == 0:
            yield (
                "INFO",
                f"TEST-KNOWN-FAIL | shop/tests/test_cart_{n}.html | should be equal - got 1, expected 2",
            )
            yield (
                "INFO",
                f"GECKO(1234) | ###!!! ASSERTION: Should not be here: 'Not Reached', file shop.cpp, line {n}",
            )
            yield (
                "INFO",
                f"GECKO(1234) | JavaScript error: chrome://shop/cart.js, line {n}: TypeError: tea is undefined",
            )
            yield (
                "INFO",
                f'GECKO(1234) | console.error: (new Error("no tea {n}", "resource://shop/tea.jsm", {n}))',
            )
        yield "INFO", f"TEST-OK | shop/tests/test_cart_{n}.html | took {n}ms"


def _set_up() -> Iterator[Line]:
    yield from [
        ("INFO", "Run as scripts/desktop_unittest.py --mochitest-suite=plain-chunked"),
        ("INFO", "{'error_list': [{'level': 'error', 'substr': 'TEST-UNEXPECTED'},"),
        (
            "INFO",
            "  Could not find a version that satisfies the requirement psutil>=3.1.1 (from versions: )",
        ),
        ("WARNING", "pip: No matching distribution found for psutil>=3.1.1"),
        ("INFO", "Return code: 0"),
    ]


def _summary() -> Iterator[Line]:
    yield from [
        ("INFO", "TEST-INFO | Main app process: exit 0"),
        ("INFO", "0 INFO TEST-START | Shutdown"),
        ("INFO", "2 INFO Failed:  1"),
        ("ERROR", "Return code: 1"),
        ("INFO", 'TinderboxPrint: mochitest-plain<br/>51234/<em class="testfail">1</em>/812'),
        ("WARNING", "# TBPL WARNING #"),
        ("WARNING", "The mochitest suite: plain ran with return status: WARNING"),
        ("INFO", "Copying logs to upload dir..."),
    ]


FAILURES: dict[str, list[Line]] = {
    "mochitest": [
        (
            "WARNING",
            "TEST-UNEXPECTED-FAIL | shop/tests/browser_tea.js | Test timed out - expected PASS",
        ),
        ("INFO", "Stack trace:"),
        ("INFO", "    chrome://mochikit/content/browser-test.js:Tester_execTest/<:991"),
    ],
    "crash": [
        (
            "ERROR",
            "PROCESS-CRASH | shop/tests/test_tea.html | application crashed [@ shop::Tea::Pour()]",
        ),
        ("INFO", "Crash dump filename: /tmp/tmp.mozrunner/minidumps/a.dmp"),
        *[
            ("INFO", f" {n}  libxul.so!shop::Step{n}::Run() [Step.cpp:0a1b2c : {n} + 0x5]")
            for n in range(200)
        ],
    ],
    "xpcshell": [
        (
            "WARNING",
            "TEST-UNEXPECTED-FAIL | shop/tests/unit/test_tea.js | xpcshell return code: 0",
        ),
        ("INFO", ">>>>>>>"),
        ("INFO", "PID 81 | WARNING: 'NS_FAILED(rv)', file shop.cpp, line 3"),
        (
            "WARNING",
            "TEST-UNEXPECTED-FAIL | shop/tests/unit/test_tea.js | run_test - [run_test : 14] 3 == 4",
        ),
        ("INFO", "<<<<<<<"),
    ],
    "reftest": [
        (
            "WARNING",
            "REFTEST TEST-UNEXPECTED-FAIL | shop/reftests/tea-1.html | image comparison (==), max difference: 255",
        ),
        ("INFO", "REFTEST   IMAGE 1 (TEST): data:image/png;base64," + "iVBORw0KGgo" * 300),
        ("INFO", "REFTEST INFO | Unexpected: 1 (1 unexpected fail, 0 unexpected pass)"),
    ],
    "error with a stack": [
        (
            "ERROR",
            "TEST-UNEXPECTED-ERROR | shop/tests/test_tea.py TestTea.test_pour | NoTeaException: none left",
        ),
        ("INFO", "Traceback (most recent call last):"),
        ("INFO", '  File "testcases.py", line 189, in run'),
        ("INFO", "    testMethod()"),
        ("INFO", "NoTeaException: none left"),
    ],
    "time-out of the harness": [
        (
            "ERROR",
            "TEST-UNEXPECTED-TIMEOUT | shop/tests/test_tea.html | application timed out after 330 seconds with no output",
        ),
        ("INFO", "Automation Error: the harness killed the application"),
    ],
}


def job(prefix: Prefix, failure: list[Line], noise: int = 4000) -> tuple[bytes, int]:
    """Give a log and the number of its first true failure."""
    above = [*_set_up(), *_noise(noise)]
    lines = [*above, *failure, *_noise(noise // 2), *_summary()]
    text = "".join(f"{prefix(n, level)}{told}\n" for n, (level, told) in enumerate(lines))
    end = "[taskcluster 2023-05-11 09:55:01.000Z] Unsuccessful task run with exit code: 1 completed in 71.2 seconds\n"
    return (text + end).encode(), len(above) + 1
