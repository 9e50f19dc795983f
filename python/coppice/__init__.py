# SPDX-License-Identifier: BSD-3-Clause
"""Graphs and sparse algebra: direct and iterative solvers, preconditioners, linear forests, semiring products.

Works on NumPy arrays and objects that share memory with them, scipy.sparse matrices and NetworkX graphs. Only NumPy is
required; SciPy, NetworkX, igraph, Numba, PyTorch, JAX and tqdm are used if they are installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator

from . import _core, forests, graph, semiring, sparse
from ._core import version as __version__
from ._arrays import integer
from ._expressions import jit
from .direct import *  # noqa: F403
from .direct import __all__ as _direct
from .renumbering import renumber
from .sparse import Matrix, Vector

# Imported on first use: it needs SciPy's LinearOperator, which takes longer to import than everything else here.
_systems = ("Eigenpairs", "LeastSquares", "ShiftedSolutions", "eigenpairs", "least_squares", "solve_shifted")
_iterative = ("ColumnsSolution", "Preconditioner", "Solution", "bicg", "bicgstab", "cg", "fgmres", "gmres", "idrs", "minres",
              "preconditioner", "preconditioners", "qmr", "rigid_body_modes", "solve", "solve_columns", "solve_refined", "tfqmr")
if TYPE_CHECKING:  # "as": strict type checkers take names of other modules as private otherwise
    from .iterative import (ColumnsSolution as ColumnsSolution, Preconditioner as Preconditioner, Solution as Solution, bicg as bicg,
                            bicgstab as bicgstab, cg as cg, fgmres as fgmres, gmres as gmres, idrs as idrs, minres as minres,
                            preconditioner as preconditioner, preconditioners as preconditioners, qmr as qmr,
                            rigid_body_modes as rigid_body_modes, solve as solve, solve_columns as solve_columns,
                            solve_refined as solve_refined, tfqmr as tfqmr)
    from .systems import (Eigenpairs as Eigenpairs, LeastSquares as LeastSquares, ShiftedSolutions as ShiftedSolutions,
                          eigenpairs as eigenpairs, least_squares as least_squares, solve_shifted as solve_shifted)

__all__ = [*_direct, *_iterative, *_systems, "Matrix", "Vector", "forests", "graph", "jit", "release_memory", "renumber", "semiring",
           "set_threads", "sparse", "threads", "use_threads", "__version__"]


if not TYPE_CHECKING:  # type checkers use the names above

    def __getattr__(name: str) -> Any:
        if name == "systems" or name in _systems:
            module = importlib.import_module(".systems", __name__)
            globals().update({each: getattr(module, each) for each in _systems}, systems=module)
            return globals()[name]
        if name != "iterative" and name not in _iterative:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(".iterative", __name__)
        globals().update({each: getattr(module, each) for each in _iterative}, iterative=module)
        return globals()[name]


def _add_folders_of_wheels() -> None:
    """Let the native part find libraries in wheels of NVIDIA, such as cuDSS: nvidia/cu13/lib or nvidia/cudss/lib."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except ValueError:  # a module of this name without a specification
        return
    for root in (spec.submodule_search_locations or ()) if spec else ():
        for name in ("cu13", "cu12", "cudss"):
            folder = os.path.join(root, name, "lib")
            if os.path.isdir(folder):
                _core.add_library_folder(folder)


if hasattr(_core, "add_library_folder"):  # a build with CUDA
    _add_folders_of_wheels()


def __dir__() -> list[str]:
    return sorted({*globals(), *_iterative, *_systems, "iterative", "systems"})


def threads() -> int:
    """Number of threads that calls use.

    Examples
    --------
    >>> import coppice
    >>> with coppice.use_threads(2):
    ...     coppice.threads()
    2
    """
    return _core.threads()


def set_threads(count: int = 0) -> None:
    """Set the number of threads of later calls in this process. Results do not depend on it.

    Parameters
    ----------
    count : int; 0: all cores

    Examples
    --------
    >>> import coppice
    >>> coppice.set_threads(0)
    """
    _core.set_threads(integer("count", count, 0, 2**31 - 1))


def release_memory() -> None:
    """Free the device memory that is cached for later calls, so that other libraries can use it.

    Examples
    --------
    >>> import coppice
    >>> coppice.release_memory()
    """
    _core.release_memory()


@contextmanager
def use_threads(count: int) -> Iterator[None]:
    """``with coppice.use_threads(2): ...``

    Parameters
    ----------
    count : int, as in `set_threads`

    Examples
    --------
    >>> import coppice
    >>> with coppice.use_threads(1):
    ...     coppice.solve_tridiagonal([0, 0], [2, 2], [0, 0], [2, 4])
    array([1., 2.])
    """
    before = threads()
    set_threads(count)
    try:
        yield
    finally:
        set_threads(before)
