# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices and features of vertices for PyTorch, with gradients; public as `coppice.torch`."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, get_args

import torch

from . import _core, _places, semiring
from ._arrays import integer
from ._sparse import arrays_of
from .sparse import Matrix

Reduction = Literal["sum", "mean", "max", "min"]
_REDUCTIONS = get_args(Reduction)


class Graph:
    """The pattern of a sparse matrix or of edges, prepared for `spmm` and `sddmm`: sorted, checked, and with its transpose,
    which gradients need, once it is known.

    Parameters
    ----------
    A : (m, n) sparse CSR or COO tensor, or the edges as an (2, e) integer tensor of PyTorch Geometric: edge k goes from vertex
        A[0, k], a column, to vertex A[1, k], a row. Edges of a batch of graphs have distinct vertices, see `batch`.
    size : (m, n) for edges; by default the square of the largest vertex.
    """

    def __init__(self, A: torch.Tensor, size: tuple[int, int] | None = None) -> None:
        self.weights: torch.Tensor | None = None  # of a sparse tensor
        if A.layout is torch.strided:
            self._read_edges(A, size)
        elif size is not None:
            raise TypeError(f"A with shape {tuple(A.shape)} is a sparse tensor, and size is {size}, which goes with edges")
        elif A.layout is torch.sparse_csr:
            offsets, indices, _ = arrays_of("A", A.detach(), canonical=False)
            self._set(torch.as_tensor(offsets), torch.as_tensor(indices), tuple(A.shape))
            self.weights = A.values()
        else:
            A = A.coalesce() if A.layout is torch.sparse_coo else A.to_sparse_coo().coalesce()
            self._read_edges(A.indices().flip(0), tuple(A.shape))
            self.weights = A.values()

    @classmethod
    def _of(cls, offsets, indices, shape) -> Graph:
        made = cls.__new__(cls)
        made.weights = None
        made._set(offsets, indices, shape)
        return made

    def _set(self, offsets, indices, shape, order=None):
        self.shape, self._offsets, self._indices = shape, offsets, indices
        self._order = order  # position of each entry among the edges; None: the same order

    def _read_edges(self, edges, size):
        if edges.ndim != 2 or edges.shape[0] != 2 or edges.dtype not in (torch.int32, torch.int64):
            raise ValueError(f"A has shape {tuple(edges.shape)} and dtype {edges.dtype}, expected edges as a (2, e) tensor of "
                             "int32 or int64, or a sparse tensor")
        source, target = edges
        least, most = ((int(edges.min()), int(edges.max())) if edges.numel() else (0, -1))
        rows, columns = (most + 1, most + 1) if size is None else (integer("size", k, 0, 2**31 - 1) for k in size)
        if least < 0 or (edges.numel() and (int(target.max()) >= rows or int(source.max()) >= columns)):
            raise ValueError(f"A with shape {tuple(edges.shape)} holds vertices {least} to {most}, expected numbers from 0 to "
                             f"{columns - 1} in A[0] and to {rows - 1} in A[1]")
        order = torch.argsort(target, stable=True)
        self._set(_offsets_of(target, rows), source[order].int(), (rows, columns), order)

    @property
    def entries(self) -> int:
        """Number of edges."""
        return self._indices.shape[0]

    @cached_property
    def _row_of_entry(self) -> torch.Tensor:
        rows = torch.arange(self.shape[0], device=self._offsets.device)
        return torch.repeat_interleave(rows, torch.diff(self._offsets))

    @cached_property
    def _counts(self) -> torch.Tensor:
        """Entries of the row of each entry."""
        return torch.diff(self._offsets)[self._row_of_entry]

    @cached_property
    def _turned(self) -> tuple[Graph, torch.Tensor]:
        """Return the transposed pattern, and the position here of each of its entries."""
        order = torch.argsort(self._indices, stable=True)
        offsets = _offsets_of(self._indices, self.shape[1])
        return Graph._of(offsets, self._row_of_entry[order].int(), self.shape[::-1]), order

    @cached_property
    def _turned_numbers(self) -> torch.Tensor:
        return self._turned[1].int()

    @cached_property
    def _places(self) -> torch.Tensor:
        """Position of each edge among the entries."""
        places = torch.empty_like(self._order)
        places[self._order] = torch.arange(self.entries, device=places.device)
        return places

    def _sorted(self, weights):
        return weights if self._order is None else weights[self._order]

    def _unsorted(self, values):
        return values if self._order is None else values[self._places]

    @property
    def _pattern(self):
        addresses = self._offsets.data_ptr(), self._indices.data_ptr()
        made = self.__dict__.get("_native")
        if made is None or made[0] != addresses:  # PyTorch moves memory that processes share
            device = self._offsets.device
            if device.type not in ("cpu", "cuda"):
                raise TypeError(f"A with shape {self.shape} is on {device}, expected a CPU or CUDA device")
            on = device.index if device.type == "cuda" else None
            made = addresses, _core.FeaturePattern(*addresses, self.entries, *self.shape, on, (self._offsets, self._indices))
            self._native = made
        return made[1]

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_native"}


def spmm(A: torch.Tensor | Graph, X: torch.Tensor, reduce: Reduction | semiring.AnySemiring = "sum", *,
         weights: torch.Tensor | None = None) -> torch.Tensor:
    """Y_i = reduction over the entries of row i of a_ij X_j: messages from neighbours to vertices, with gradients.

    Parameters
    ----------
    A : (m, n) sparse tensor, edges as a (2, e) integer tensor, or a `Graph`, which is prepared once for many calls. Edges have
        as many vertices as X has rows.
    X : (..., n, f) tensor of features, or (n,); float32, float64, and float16 or bfloat16, which are computed in float32
    reduce : "sum", "mean" (the sum divided by the number of entries of the row), "max" or "min"; or a semiring as `Matrix.mxv`
        takes it, by name ("min-plus") or made by `coppice.semiring.user`: Y_i = ⊕_j multiply(a_ij, X_j), without gradients
    weights : (e,) tensor, the values of the entries, in the order of the edges; those of a sparse tensor, or 1, by default

    Returns
    -------
    Y : (..., m, f) tensor, or (m,); rows without entries are 0, or the identity of the semiring

    Notes
    -----
    Gradients are those for `X` and `weights`; of equal largest products, the first one has the gradient. Sums are made in the
    order of the entries on the host and in a fixed order on CUDA, without atomic operations: results and gradients have the same
    bits in every run and for any number of threads. Second derivatives are not supported.

    Examples
    --------
    >>> import torch
    >>> from coppice.torch import spmm
    >>> edges = torch.tensor([[0, 1, 2], [2, 2, 0]])
    >>> spmm(edges, torch.tensor([[1.0], [5.0], [3.0]]), "max")
    tensor([[3.],
            [0.],
            [5.]])
    """
    named = semiring.named.get(reduce) if isinstance(reduce, str) else reduce
    if reduce not in _REDUCTIONS and (named is None or getattr(named, "writes_columns", False)):
        raise ValueError(f"reduce is {reduce!r}, expected sum, mean, max, min, or a semiring of values, by name or of "
                         "semiring.user")
    graph = _graph_of(A, (X.shape[0 if X.ndim == 1 else -2],) * 2)
    weights = graph.weights if weights is None else weights
    if weights is not None and reduce in _REDUCTIONS and _is_plain(graph, X, weights):
        return _reduced(graph, graph._sorted(weights), X, reduce)
    (features, values), result = _computed(graph, ("X", X), weights)
    flat = features[:, None] if X.ndim == 1 else features.movedim(-2, 0)
    if flat.shape[0] != graph.shape[1]:
        raise ValueError(f"X has shape {tuple(X.shape)}, expected (..., {graph.shape[1]}, f) as A has shape {graph.shape}")
    flat_rows = flat.reshape(flat.shape[0], -1)
    if reduce in _REDUCTIONS:
        Y = _Reduce.apply(values, flat_rows.contiguous(), graph, reduce).to(result)
    else:
        Y = _over_semiring(graph, values, flat_rows, reduce).to(result)
    return Y[:, 0] if X.ndim == 1 else Y.reshape(graph.shape[:1] + flat.shape[1:]).movedim(0, -2)


def sddmm(A: torch.Tensor | Graph, U: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    """The products <U_i, V_j> for the entries (i, j) of A: scores of edges, with gradients.

    Parameters
    ----------
    A : as in `spmm`; its values are not read
    U : (m, f) tensor
    V : (n, f) tensor

    Returns
    -------
    values : (e,) tensor, in the order of the edges or of the entries of the sparse tensor

    Examples
    --------
    >>> import torch
    >>> from coppice.torch import sddmm
    >>> sddmm(torch.tensor([[0, 1], [1, 0]]), torch.tensor([[1.0], [2.0]]), torch.tensor([[10.0], [20.0]]))
    tensor([20., 20.])
    """
    graph = _graph_of(A, (U.shape[0], V.shape[0]))
    if U.ndim != 2 or V.ndim != 2 or U.shape[1] != V.shape[1] or (U.shape[0], V.shape[0]) != graph.shape:
        raise ValueError(f"U has shape {tuple(U.shape)} and V {tuple(V.shape)}, expected ({graph.shape[0]}, f) and "
                         f"({graph.shape[1]}, f) as A has shape {graph.shape}")
    (left, right), result = _computed(graph, ("U", U), V)
    return _Sample.apply(left.contiguous(), right.contiguous(), graph).to(result)


def batch(edges: list[torch.Tensor], sizes: list[int]) -> torch.Tensor:
    """Return the edges of a batch of graphs as those of one graph, whose vertices are numbered one graph after the other.

    Parameters
    ----------
    edges : list of (2, e) integer tensors
    sizes : list of int, the vertices of each graph
    """
    if len(edges) != len(sizes):
        raise ValueError(f"sizes has {len(sizes)} elements, expected {len(edges)} as edges has")
    before = 0
    shifted = []
    for each, size in zip(edges, sizes):
        shifted.append(each + before)
        before += size
    return torch.cat(shifted, dim=1)


def _graph_of(A, size):
    if isinstance(A, Graph):
        return A
    if not isinstance(A, torch.Tensor):
        raise TypeError(f"A is a {type(A).__name__}, expected a tensor or a coppice.torch.Graph")
    return Graph(A, size if A.layout is torch.strided else None)


def _computed(graph, named, other):
    """Return both tensors in the type of the computation, and the type of the result."""
    name, tensor = named
    if other is None:
        other = torch.ones(graph.entries, dtype=tensor.dtype, device=tensor.device)
    result = torch.promote_types(tensor.dtype, other.dtype)
    if result not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise TypeError(f"{name} with shape {tuple(tensor.shape)} has dtype {tensor.dtype}, the other values {other.dtype}; "
                        "expected float16, bfloat16, float32 or float64")
    for each in (tensor, other):
        if each.device != graph._offsets.device:
            raise TypeError(f"{name} and its values are on {each.device}, expected {graph._offsets.device} as A is")
    if name == "X" and other.shape != (graph.entries,):
        raise ValueError(f"weights has shape {tuple(other.shape)}, expected ({graph.entries},) as A has entries")
    wanted = result if result in (torch.float32, torch.float64) else torch.float32
    return (tensor.to(wanted).resolve_neg(), other.to(wanted).resolve_neg().contiguous()), result


def _offsets_of(numbers, count):
    ends = torch.cumsum(torch.bincount(numbers, minlength=count), 0)
    return torch.cat([ends.new_zeros(1), ends]).int()


def _is_plain(graph, X, weights):
    """Whether the general path would convert and differentiate nothing: it takes as long as a small product."""
    return (X.ndim == 2 and X.dtype is weights.dtype and X.dtype in (torch.float32, torch.float64)
            and X.device == weights.device == graph._offsets.device and X.shape[0] == graph.shape[1]
            and weights.shape == (graph.entries,) and X.is_contiguous() and weights.is_contiguous()
            and not X.is_neg() and not weights.is_neg()
            and not (torch.is_grad_enabled() and (X.requires_grad or weights.requires_grad))
            and _no_transform_runs())


def _no_transform_runs():
    """Whether neither derivatives in forward mode nor functions of torch.func are computed, which the general path refuses."""
    active = getattr(torch._C, "_are_functorch_transforms_active", lambda: False)
    return torch.autograd.forward_ad._current_level < 0 and not active()


def _at(tensor):
    return 0 if tensor is None else tensor.data_ptr()


def _stream_of(tensor):
    return (0, None) if tensor.device.type == "cpu" else _places.torch()._stream(tensor.get_device())


# Arguments of the functions that follow are contiguous tensors of the type of the computation; those of indices are int32.
def _reduced(graph, values, X, reduce, entries=None, chosen=None, numbers=None):
    Y = X.new_empty(graph.shape[0], X.shape[1])
    graph._pattern.reduce(X.element_size(), values.data_ptr(), X.data_ptr(), X.shape[1], reduce, Y.data_ptr(), _at(entries),
                          _at(chosen), _at(numbers), *_stream_of(X))
    return Y


def _sampled(graph, U, V, chosen=None):
    values = U.new_empty(graph.entries)
    graph._pattern.sample(U.element_size(), U.data_ptr(), V.data_ptr(), U.shape[1], values.data_ptr(), _at(chosen),
                          *_stream_of(U))
    return values


def _over_semiring(graph, values, X, over):
    if torch.is_grad_enabled() and (values.requires_grad or X.requires_grad):
        raise ValueError(f"X with shape {tuple(X.shape)} or its weights require gradients, which products over a semiring "
                         "do not have; call spmm under torch.no_grad()")
    # A column for each entry, since the columns of a row of edges may be in any order and occur twice.
    arrays = [graph._offsets, torch.arange(graph.entries, dtype=torch.int32, device=X.device), graph._sorted(values).detach()]
    if X.device.type == "cpu":
        arrays = [a.numpy() for a in arrays]
    matrix = Matrix._of(_places.library_of(arrays[2]), arrays, (graph.shape[0], graph.entries))
    columns = [matrix.mxv(X.detach()[graph._indices, k], over) for k in range(X.shape[1])]
    return torch.stack(columns, 1) if columns else X.new_empty(graph.shape[0], 0)


class _Reduce(torch.autograd.Function):
    # The order of the edges is changed here, because the gradient of a general index adds, which is slow.
    @staticmethod
    def forward(ctx, weights, X, graph, reduce):
        values = graph._sorted(weights)
        chosen = None
        if reduce in ("max", "min") and any(ctx.needs_input_grad):
            chosen = torch.empty(graph.shape[0], X.shape[1], dtype=torch.int32, device=X.device)
        ctx.graph, ctx.reduce = graph, reduce
        ctx.save_for_backward(values, X, chosen)
        return _reduced(graph, values, X, reduce, chosen)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dY):
        values, X, chosen = ctx.saved_tensors
        graph, dY, of_values, of_X = ctx.graph, dY.resolve_neg().contiguous(), None, None
        if ctx.needs_input_grad[0]:
            of_values = _sampled(graph, dY, X, chosen)
            of_values = graph._unsorted(of_values / graph._counts if ctx.reduce == "mean" else of_values)
        if ctx.needs_input_grad[1] and chosen is not None and dY.device.type == "cpu":
            of_X = torch.zeros_like(X)
            graph._pattern.add_chosen(dY.element_size(), values.data_ptr(), dY.data_ptr(), dY.shape[1], chosen.data_ptr(),
                                      of_X.data_ptr())
        elif ctx.needs_input_grad[1]:
            turned, order = graph._turned
            share = values / graph._counts if ctx.reduce == "mean" else values
            numbers = None if chosen is None else graph._turned_numbers
            of_X = _reduced(turned, share[order], dY, "sum", None, chosen, numbers)
        return of_values, of_X, None, None


class _Sample(torch.autograd.Function):
    @staticmethod
    def forward(ctx, U, V, graph):
        ctx.graph = graph
        ctx.save_for_backward(U, V)
        return graph._unsorted(_sampled(graph, U, V))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, of_values):
        U, V = ctx.saved_tensors
        graph, of_U, of_V = ctx.graph, None, None
        of_values = graph._sorted(of_values.resolve_neg()).contiguous()
        if ctx.needs_input_grad[0]:
            of_U = _reduced(graph, of_values, V, "sum")
        if ctx.needs_input_grad[1]:
            turned, order = graph._turned
            of_V = _reduced(turned, of_values[order], U, "sum")
        return of_U, of_V, None
