"""Computes small charts as shapes; the templates draw them as SVG, with the numbers beside.

Must not draw what was not measured: a day without a count is a day of none, within the range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

HEIGHT, STEP = 60, 10  # of a chart of bars, in its own units


class Bar(NamedTuple):
    """One bar."""

    x: float
    y: float
    height: float
    label: str
    value: int


class Bars(NamedTuple):
    """A chart of bars."""

    width: int
    height: int
    bars: tuple[Bar, ...]
    most: int


def daily(counts: Mapping[str, int], until: date, days: int) -> Bars:
    """Give one bar a day, up to and with a day."""
    every = [(until - timedelta(days=back)).isoformat() for back in range(days - 1, -1, -1)]
    most = max((counts.get(day, 0) for day in every), default=0)
    bars = []
    for place, day in enumerate(every):
        value = counts.get(day, 0)
        high = round(HEIGHT * value / most, 1) if most else 0.0
        bars.append(Bar(place * STEP, round(HEIGHT - high, 1), high, day, value))
    return Bars(days * STEP, HEIGHT, tuple(bars), most)


class Node(NamedTuple):
    """One incident in a graph."""

    x: int
    y: int
    case: dict[str, Any]
    own: bool


class Edge(NamedTuple):
    """One incident follows another."""

    x1: int
    y1: int
    x2: int
    y2: int


class Graph(NamedTuple):
    """A chain of precedents, from the oldest on the left."""

    width: int
    height: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


WIDE, HIGH, APART_X, APART_Y = 110, 30, 40, 12
SHOWN = 24  # incidents that a graph shows; the list beside it has all


def graph(chain: Sequence[dict[str, Any]]) -> Graph:
    """Lay out a chain: one column a step, one row an incident of the same step."""
    columns: dict[int, list[dict[str, Any]]] = {}
    for case in chain[:SHOWN]:
        columns.setdefault(case["depth"], []).append(case)
    nodes: dict[str, Node] = {}
    for at, depth in enumerate(sorted(columns)):
        for row, case in enumerate(columns[depth]):
            x, y = at * (WIDE + APART_X), row * (HIGH + APART_Y)
            nodes[case["incident"]] = Node(x + 1, y + 1, case, depth == 0)
    edges = [
        Edge(nodes[one].x + WIDE, nodes[one].y + HIGH // 2, node.x, node.y + HIGH // 2)
        for node in nodes.values()
        for one in node.case["precedents"]
        if one in nodes
    ]
    tallest = max((len(some) for some in columns.values()), default=1)
    width = len(columns) * (WIDE + APART_X) - APART_X + 2
    return Graph(width, tallest * (HIGH + APART_Y) - APART_Y + 2, tuple(nodes.values()), (*edges,))
