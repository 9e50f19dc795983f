# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of graphs as SVG, without other packages."""

from __future__ import annotations

import os
from html import escape
from typing import Any

import numpy as np

# Paul Tol's light colour set, distinguishable with all types of colour vision.
_COLOURS = ("#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00", "#dddddd")
_MOST_CIRCLES = 4096


class Drawing:
    """A picture of a graph; notebooks show it.

    Attributes
    ----------
    svg : str, the SVG file
    positions : (n, 2) array, the positions of the vertices; edges have a mean length of 1

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> coppice.graph.draw(csr_array([[0, 1], [1, 0]])).positions.shape
    (2, 2)
    """

    def __init__(self, svg: str, positions: np.ndarray):
        self.svg, self.positions = svg, positions

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, file: str | os.PathLike) -> None:
        """Write the SVG file.

        Parameters
        ----------
        file : str or path, whose name ends in .svg
        """
        name = os.fspath(file)
        if not str(name).endswith(".svg"):
            raise ValueError(f"file is {name!r}, expected a name that ends in .svg")
        with open(name, "w", encoding="utf-8") as out:
            out.write(self.svg)


def drawing(positions: np.ndarray, start: np.ndarray, end: np.ndarray, taken: Any, values: Any, names: list | None) -> Drawing:
    """Draw edges, then edges in `taken`, then vertices in colours by value, with names as tooltips."""
    margin = 0.6
    low = positions.min(axis=0) - margin if len(positions) else np.zeros(2)
    size = (positions.max(axis=0) + margin if len(positions) else np.ones(2)) - low
    x, y = (list(map(_coordinate, column)) for column in (positions - low).T)
    fills = _fills(values, len(positions))
    body = _lines(x, y, start, end, "#9aa5b1", 0.035)
    if taken is not None:
        body += _lines(x, y, *taken, "#0b5cad", 0.14)
    if len(positions) > _MOST_CIRCLES:
        body += _points(x, y, fills)
    else:
        titles = [""] * len(x) if names is None else [f"<title>{escape(str(name))}</title>" for name in names]
        body += "".join(f'<circle cx="{a}" cy="{b}" r="0.2" fill="{fill}" stroke="#1b1f24" stroke-width="0.03">{title}</circle>'
                        for a, b, fill, title in zip(x, y, fills, titles))
    width, height = map(_coordinate, size)
    return Drawing(f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
                   f'style="max-width:{min(1040.0, 60 * size[0]):.0f}px"><title>a graph</title>{body}</svg>', positions)


def _coordinate(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _lines(x, y, start, end, colour, width):
    path = "".join(f"M{x[u]} {y[u]}L{x[v]} {y[v]}" for u, v in zip(start.tolist(), end.tolist()))
    return f'<path fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round" d="{path}"/>' if path else ""


def _points(x, y, fills):
    paths: dict = {}
    for a, b, fill in zip(x, y, fills):
        paths.setdefault(fill, []).append(f"M{a} {b}h0")
    return "".join(f'<path fill="none" stroke="{fill}" stroke-width="0.4" stroke-linecap="round" d="{"".join(path)}"/>'
                   for fill, path in paths.items())


def _fills(values, count):
    """Colours of groups for integers, booleans and text; for other numbers shades from the smallest to the largest."""
    if values is None:
        return ["#ffffff" if count <= _MOST_CIRCLES else "#0b5cad"] * count
    values = np.asarray(values)
    if values.shape != (count,):
        raise ValueError(f"values has shape {values.shape}, expected ({count},), a value for each vertex")
    if values.dtype.kind not in "fc":
        groups = np.unique(values, return_inverse=True)[1].reshape(-1)
        return [_COLOURS[group % len(_COLOURS)] for group in groups.tolist()]
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    return [_shade((value - low) / (high - low) if high > low else 0.0) for value in values.tolist()]


def _shade(value):
    if not 0 <= value <= 1:
        return "#dddddd"
    return "#" + "".join(f"{round(light + (dark - light) * value):02x}" for light, dark in ((0xf2, 0x0b), (0xf6, 0x3c), (0xfb, 0x78)))
