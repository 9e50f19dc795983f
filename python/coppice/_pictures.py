# SPDX-License-Identifier: BSD-3-Clause
"""Tables and small pictures for notebooks: HTML and SVG, without other packages."""

from __future__ import annotations

from html import escape

import numpy as np

_WIDTH, _HEIGHT = 300, 100


def table(title: str, rows: dict) -> str:
    def text(value):
        return escape(f"{value:.4g}" if isinstance(value, float) else str(value))

    body = "".join(f"<tr><th>{escape(str(key))}</th><td>{text(value)}</td></tr>" for key, value in rows.items())
    return f"<table><caption>{escape(title)}</caption>{body}</table>"


def curve(history) -> str:
    """Draw the logarithm of the residual over the iterations."""
    values = np.log10(np.maximum(np.asarray(history, float), 1e-300))
    if values.size < 2 or not np.all(np.isfinite(values)):
        return ""
    x = np.linspace(5, _WIDTH - 5, values.size)
    y = 5 + 90 * (values.max() - values) / max(np.ptp(values), 1e-300)
    points = " ".join(f"{a:.1f},{c:.1f}" for a, c in zip(x, y))
    return _svg(_WIDTH, _HEIGHT, f"residuals from 1e{values[0]:.0f} to 1e{values[-1]:.0f}",
                f'<polyline fill="none" stroke="currentColor" points="{points}"/>')


def path_lengths(path_offsets) -> str:
    """Draw the numbers of vertices on paths of 1, 2 to 3, 4 to 7, ... vertices."""
    lengths = np.diff(np.asarray(path_offsets))
    if lengths.size == 0:
        return ""
    bins = np.frexp(lengths)[1] - 1
    vertices = np.bincount(bins, weights=lengths)
    width = (_WIDTH - 10) / vertices.size
    bars = ""
    for k, count in enumerate(vertices):
        height = 90 * count / vertices.max()
        bars += (f'<rect x="{5 + k * width:.1f}" y="{95 - height:.1f}" width="{0.9 * width:.1f}" height="{height:.1f}" '
                 f'fill="currentColor"><title>{int(count)} vertices on paths of {1 << k} to {(2 << k) - 1}</title></rect>')
    return _svg(_WIDTH, _HEIGHT, "vertices by the length of their path, doubling", bars)


def pattern(offsets, indices, shape, most: int = 60) -> str:
    """Draw the nonzero pattern of a matrix: the darkness of a square is its density."""
    rows, columns = shape
    if min(shape) == 0 or len(indices) == 0:
        return ""
    down, across = (min(most, size) for size in shape)
    row = np.repeat(np.arange(rows), np.diff(offsets))
    place = (row * down // rows) * across + np.asarray(indices, np.int64) * across // columns
    counts = np.bincount(place, minlength=down * across)
    shade = np.sqrt(counts / counts.max())
    side = 240 / max(down, across)
    squares = "".join(f'<rect x="{k % across * side:.1f}" y="{k // across * side:.1f}" width="{side:.2f}" '
                      f'height="{side:.2f}" fill="currentColor" fill-opacity="{shade[k]:.2f}"/>'
                      for k in np.flatnonzero(counts))
    return _svg(side * across, side * down, f"pattern of {len(indices)} nonzeros", squares)


def _svg(width: float, height: float, title: str, body: str) -> str:
    return (f'<svg width="{width:.0f}" height="{height:.0f}" role="img"><title>{escape(title)}</title>{body}</svg>')
