# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices and features: values and gradients by their definition."""

import copy
import pickle

import pytest

torch = pytest.importorskip("torch")

import coppice  # noqa: E402
from coppice.torch import Graph, batch, sddmm, spmm  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() and coppice._core.cuda_devices() else [])
REDUCTIONS = ["sum", "mean", "max", "min"]


@pytest.fixture(params=DEVICES, autouse=True)
def device(request):
    torch.manual_seed(0)
    with torch.device(request.param):
        yield request.param


def edges_of(rows, columns, count):
    """Edges with repetitions, in any order; the last row and the last column have none."""
    return torch.stack([torch.randint(columns - 1, (count,)), torch.randint(rows - 1, (count,))])


def expected(edges, weights, X, rows, reduce):
    """The definition, a row at a time."""
    made = []
    for i in range(rows):
        messages = [weights[k] * X[..., edges[0, k], :] for k in range(edges.shape[1]) if edges[1, k] == i]
        zero = torch.zeros_like(X[..., 0, :])
        if not messages:
            made.append(zero)
        elif reduce in ("sum", "mean"):
            total = sum(messages, zero)
            made.append(total / (len(messages) if reduce == "mean" else 1))
        else:
            made.append(getattr(torch.stack(messages), reduce)(0).values)
    return torch.stack(made, -2)


@pytest.mark.parametrize("over", ["min-plus", coppice.semiring.user("min", "plus"), coppice.semiring.user("max", "times")],
                         ids=["named", "min-plus", "max-times"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16])
def test_products_over_semirings(over, dtype):
    edges, weights = edges_of(9, 7, 25), torch.randint(-3, 4, (25,)).to(dtype)
    X = torch.randint(-4, 5, (2, 7, 3)).to(dtype)
    plus = over == "min-plus" or over.add == "min"
    identity = float("inf") if plus else float("-inf")
    graph = Graph(edges, (9, 7))
    Y = spmm(graph, X, over, weights=weights)
    assert Y.shape == (2, 9, 3) and Y.dtype == dtype
    for i in range(9):
        messages = [weights[k] + X[:, edges[0, k]] if plus else weights[k] * X[:, edges[0, k]] for k in range(25)
                    if edges[1, k] == i]
        best = torch.full((2, 3), identity, dtype=dtype)
        for message in messages:
            best = torch.minimum(best, message) if plus else torch.maximum(best, message)
        assert torch.equal(Y[:, i], best)
    assert torch.equal(spmm(graph, X[0, :, 0], over, weights=weights), Y[0, :, 0])
    assert spmm(graph, X[0, :, :0], over).shape == (9, 0)
    X.requires_grad_()
    with pytest.raises(ValueError, match="require gradients, which products over a semiring"):
        spmm(graph, X, over)
    with torch.no_grad():
        assert not spmm(graph, X, over).requires_grad


def test_derivatives_in_forward_mode_are_refused():
    edges, weights, X = edges_of(9, 7, 25), torch.ones(25), torch.ones(7, 2)
    graph = Graph(edges, (9, 7))
    for given in (weights, None):
        with torch.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match="jvp"):
            spmm(graph, torch.autograd.forward_ad.make_dual(X, X), weights=given)
    with pytest.raises(ValueError, match="a semiring of values"):
        spmm(graph, X, coppice.semiring.named["arg-max"])


def test_an_expression_is_a_semiring_of_features(device):
    if device != "cpu":
        pytest.skip("expressions are compiled for the host")
    try:
        over = coppice.semiring.user(coppice.jit("x < y ? y : x"), coppice.jit("x < y ? x : y"), -1e30)
        Y = spmm(torch.tensor([[0, 1], [1, 1]]), torch.tensor([[1.0, 7.0], [4.0, 0.5]]), over, weights=torch.tensor([3.0, 2.0]))
    except RuntimeError as error:
        pytest.skip(f"no compiler here: {error}")
    assert torch.equal(Y[1], torch.tensor([2.0, 3.0]))


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("shape", [(1,), (3,), (64,), (65,), (130,), (0,), (2, 3)])
def test_values_and_gradients(reduce, shape):
    edges, weights = edges_of(9, 7, 25), torch.randn(25, dtype=torch.float64)
    X = torch.randn(*shape[:-1], 7, shape[-1], dtype=torch.float64)
    graph = Graph(edges, (9, 7))
    results = []
    for product in (lambda w, x: spmm(graph, x, reduce, weights=w), lambda w, x: expected(edges, w, x, 9, reduce)):
        w, x = weights.clone().requires_grad_(), X.clone().requires_grad_()
        y = product(w, x)
        results.append((y.detach(), *torch.autograd.grad((y * torch.arange(y.numel()).reshape(y.shape)).sum(), (w, x))))
    for found, wanted in zip(*results):
        assert found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_gradients_by_differences(reduce):
    graph, X = Graph(edges_of(6, 6, 15), (6, 6)), torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(15, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda w, x: spmm(graph, x, reduce, weights=w), (weights, X))
    U, V = (torch.randn(6, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda u, v: sddmm(graph, u, v), (U, V))


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_forms_of_a(reduce):
    """Sparse tensors and edges give the same; without weights every entry is 1."""
    dense = torch.randn(6, 6) * (torch.rand(6, 6) < 0.4)
    X = torch.randn(6, 5)
    target, source = dense.nonzero(as_tuple=True)
    wanted = expected(torch.stack([source, target]), dense[target, source], X, 6, reduce)
    for A in (dense.to_sparse(), dense.to_sparse_csr(), dense.to_sparse_csc()):
        assert torch.allclose(spmm(A, X, reduce), wanted, atol=1e-6)
    edges = torch.stack([source, target])
    assert torch.allclose(spmm(edges, X, reduce, weights=dense[target, source]), wanted, atol=1e-6)
    assert torch.allclose(spmm(edges.int(), X, reduce), expected(edges, torch.ones(len(source)), X, 6, reduce), atol=1e-6)
    assert torch.allclose(spmm(edges, X[:, 0], reduce), spmm(edges, X[:, :1], reduce)[:, 0])
    A = dense.to_sparse().requires_grad_()
    torch.sum(spmm(A, X, reduce)).backward()
    assert A.grad is not None and A.grad.shape == A.shape


def test_scores_of_edges():
    edges, U, V = edges_of(9, 7, 25), torch.randn(9, 5), torch.randn(7, 5)
    wanted = (U[edges[1]] * V[edges[0]]).sum(1)
    assert torch.allclose(sddmm(edges, U, V), wanted, atol=1e-6)
    dense = torch.rand(9, 7) < 0.4
    target, source = dense.nonzero(as_tuple=True)
    assert torch.allclose(sddmm(dense.float().to_sparse_csr(), U, V), (U[target] * V[source]).sum(1), atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single(dtype):
    edges, X = edges_of(9, 9, 60), torch.randn(9, 20).to(dtype)
    for reduce in REDUCTIONS:
        x = X.clone().requires_grad_()
        Y = spmm(edges, x, reduce)
        assert Y.dtype == dtype and torch.equal(Y, spmm(edges, X.float(), reduce).to(dtype))
        Y.sum().backward()
        assert x.grad.dtype == dtype
    assert sddmm(edges, X, X).dtype == dtype


def test_ties_and_nan():
    """Of equal products the first entry has the gradient; NaN is the largest and the smallest."""
    edges = torch.tensor([[0, 1, 2], [0, 0, 0]])
    X = torch.tensor([[2.0], [2.0], [1.0]], requires_grad=True)
    for reduce, place in (("max", 0), ("min", 2)):
        (gradient,) = torch.autograd.grad(spmm(edges, X, reduce).sum(), X)
        assert gradient[:, 0].tolist() == [float(k == place) for k in range(3)]
        assert spmm(edges, torch.tensor([[1.0], [float("nan")], [3.0]]), reduce)[0].isnan()


def test_a_batch_of_graphs():
    graphs, sizes = [edges_of(n, n, 3 * n) for n in (4, 7, 5)], [4, 7, 5]
    X = [torch.randn(n, 3) for n in sizes]
    together = spmm(batch(graphs, sizes), torch.cat(X), "max")
    assert torch.equal(together, torch.cat([spmm(edges, x, "max") for edges, x in zip(graphs, X)]))


def test_results_do_not_depend_on_threads():
    edges, X = torch.randint(3000, (2, 60_000)), torch.randn(3000, 33)
    results = []
    for count in (1, 2, 1):
        with coppice.use_threads(count):
            x = X.clone().requires_grad_()
            Y = spmm(edges, x, "mean")
            Y.square().sum().backward()
            results.append((Y.detach(), x.grad))
    assert all(torch.equal(a, b) for found in results[1:] for a, b in zip(found, results[0]))


@pytest.mark.parametrize("error, text, call", [
    (ValueError, "reduce is 'prod', expected sum", lambda e, x: spmm(e, x, "prod")),
    (ValueError, r"A with shape \(2, 4\) holds vertices 0 to 9", lambda e, x: spmm(e + torch.tensor([0, 0, 0, 9]), x)),
    (ValueError, "holds vertices -1", lambda e, x: spmm(e - 1, x)),
    (ValueError, r"X has shape \(3, 2\), expected \(\.\.\., 5, f\)", lambda e, x: spmm(Graph(e, (5, 5)), x)),
    (ValueError, r"weights has shape \(2,\), expected \(4,\)", lambda e, x: spmm(e, x, weights=x[0])),
    (ValueError, "expected edges as", lambda e, x: spmm(e.T, x)),
    (TypeError, "A is a list", lambda e, x: spmm([1], x)),
    (TypeError, "X .*torch.int64", lambda e, x: spmm(e, x.long())),
    (TypeError, "X .*complex64", lambda e, x: spmm(e, x + 1j)),
    (TypeError, "size is", lambda e, x: Graph(torch.eye(3).to_sparse(), (3, 3))),
    (ValueError, "U has shape", lambda e, x: sddmm(e, x, x[:, :1])),
    (ValueError, "sizes has 1 elements, expected 2", lambda e, x: batch([e, e], [3])),
])
def test_wrong_calls(error, text, call):
    with pytest.raises(error, match=text):
        call(torch.tensor([[0, 1, 2, 0], [0, 1, 2, 0]]), torch.ones(3, 2))


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_columns_are_independent_of_the_width(reduce, dtype, device):
    """Several columns are computed in a register: each has the bits, and the chosen entry, of the column alone. On CUDA the order of
    sums depends on the width."""
    edges = torch.randint(40, (2, 300))
    edges[1, :150] = 3  # a long row; others are empty
    graph = Graph(edges, (44, 40))
    for width in (2, 3, 4, 7, 8, 9, 15, 16, 31, 33, 64, 70):
        X = torch.randint(-3, 4, (40, width)).to(dtype) / 3  # many equal products
        X[5] = float("nan")
        X[:, -1] = float("inf")
        weights = torch.randint(-2, 3, (300,)).to(dtype)
        dY = torch.rand(44, width, dtype=dtype)

        def computed(X, dY, weights=weights):
            x, w = X.clone().requires_grad_(), weights.clone().requires_grad_()
            with torch.no_grad():
                plain = spmm(graph, x, reduce, weights=w)
            Y = spmm(graph, x, reduce, weights=w)
            assert torch.equal(Y.detach().nan_to_num(9), plain.nan_to_num(9))
            return Y.detach(), torch.autograd.grad(Y, x, dY)[0]

        together = computed(X, dY)
        alone = [computed(X[:, c:c + 1], dY[:, c:c + 1]) for c in range(width)]
        for k in range(2):
            expected = torch.cat([each[k] for each in alone], dim=1)
            if device == "cuda" and (k == 1 or reduce in ("sum", "mean")):
                torch.testing.assert_close(together[k], expected, equal_nan=True)
                continue
            assert torch.equal(together[k].isnan(), expected.isnan())
            assert torch.equal(together[k].nan_to_num(9), expected.nan_to_num(9))


def test_graphs_are_copied_and_pickled(device):
    graph, X = Graph(edges_of(9, 7, 25), (9, 7)), torch.randn(7, 3)
    wanted = spmm(graph, X)
    for other in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert torch.equal(spmm(other, X), wanted)


def test_memory_of_a_graph_that_processes_share(device):
    if device != "cpu":
        pytest.skip("tensors of the CPU move")
    graph, X = Graph(edges_of(9, 7, 25), (9, 7)), torch.randn(7, 3)
    wanted = spmm(graph, X)
    before = graph._indices.data_ptr()
    graph._indices.share_memory_()
    graph._offsets.share_memory_()
    assert graph._indices.data_ptr() != before
    overwritten = [torch.full_like(graph._indices, 2**30) for _ in range(8)]
    assert torch.equal(spmm(graph, X), wanted) and len(overwritten) == 8


def test_tensors_without_memory_are_refused():
    graph = Graph(edges_of(9, 7, 25), (9, 7))
    with pytest.raises(ValueError, match="no memory"):
        spmm(graph, torch._efficientzerotensor((7, 3), device=torch.ones(1).device), weights=torch.ones(25))


def test_lazily_negated_tensors_are_read_with_their_sign():
    graph, X, weights = Graph(edges_of(9, 7, 25), (9, 7)), torch.randn(7, 3), torch.randn(25)
    negated = torch._neg_view(X)
    assert negated.is_neg() and torch.equal(spmm(graph, negated, weights=weights), spmm(graph, -X, weights=weights))
    assert torch.equal(spmm(graph, X, weights=torch._neg_view(weights)), spmm(graph, X, weights=-weights))
    U = torch.randn(9, 3)
    assert torch.equal(sddmm(graph, U, negated), sddmm(graph, U, -X))


@pytest.mark.parametrize("reduce", ["sum", "mean"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_single_features_of_long_and_empty_rows(reduce, dtype):
    sizes = torch.tensor([0, 3000, 1, 0, 40, 700, 0])
    rows, columns = torch.repeat_interleave(torch.arange(7), sizes), torch.randint(50, (int(sizes.sum()),))
    graph, weights, X = Graph(torch.stack([columns, rows]), (7, 50)), torch.randn(len(rows), dtype=dtype), torch.randn(50, 1, dtype=dtype)
    Y = spmm(graph, X, reduce, weights=weights)
    total = torch.zeros(7, 1, dtype=torch.float64).index_add_(0, rows, (weights.double() * X[columns, 0].double())[:, None])
    counts = sizes.clamp(min=1).double()[:, None] if reduce == "mean" else 1
    torch.testing.assert_close(Y.double(), total / counts, rtol=0, atol=1e-4 if dtype == torch.float32 else 1e-11)
    assert (Y[sizes == 0] == 0).all()
    with_gradients = spmm(graph, X.clone().requires_grad_(), reduce, weights=weights)
    assert torch.equal(with_gradients.detach(), Y) and torch.equal(spmm(graph, X, reduce, weights=weights), Y)
