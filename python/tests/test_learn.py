# SPDX-License-Identifier: BSD-3-Clause
"""The estimators of coppice.learn compared with their definitions."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from coppice import learn

ESTIMATORS = [learn.KNeighborsTransformer, learn.LabelPropagation, learn.LabelSpreading, learn.SpectralClustering,
              learn.SpectralEmbedding]


def blobs(points, seed=0):
    """Return three clouds of points far from each other, and their numbers."""
    rng = np.random.default_rng(seed)
    centres = ((0.0, 0.0), (9.0, 0.0), (0.0, 9.0))
    return np.concatenate([rng.standard_normal((points, 2)) + c for c in centres]), np.repeat(np.arange(3), points)


def communities(n, groups, within, between, seed=0):
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(0, groups, n))
    upper = np.triu(rng.random((n, n)) < np.where(group[:, None] == group, within, between), 1)
    return sp.csr_array((upper | upper.T).astype(float)), group


def agree(labels, expected):
    """Whether two labellings are the same up to names."""
    pairs = set(zip(labels.tolist(), expected.tolist()))
    return len(pairs) == len(set(labels.tolist())) == len(set(expected.tolist()))


@pytest.mark.parametrize("dimension", [1, 3, 20])
@pytest.mark.parametrize("include_self", [False, True])
def test_neighbours_by_their_definition(dimension, include_self):
    points = np.random.default_rng(dimension).standard_normal((120, dimension))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    if not include_self:
        np.fill_diagonal(distances, np.inf)
    graph = learn.kneighbors_graph(points, 4, mode="distance", include_self=include_self)
    assert graph.shape == (120, 120) and np.all(np.diff(graph.indptr) == 4)
    expected = np.sort(distances, axis=1)[:, :4]
    assert np.allclose(np.sort(graph.data.reshape(120, 4), axis=1), expected, atol=1e-7)
    assert np.allclose(distances[np.repeat(np.arange(120), 4), graph.indices], graph.data, atol=1e-7)
    assert set(learn.kneighbors_graph(points, 4, include_self=include_self).data) == {1.0}


def test_points_at_the_same_place():
    """A point is not its own neighbour, whatever point the search finds first."""
    graph = learn.kneighbors_graph(np.zeros((6, 2)), 3)
    assert graph.diagonal().sum() == 0 and graph.nnz == 18
    with pytest.raises(ValueError, match="n_neighbors is 6, but expected n_neighbors <= 5"):
        learn.kneighbors_graph(np.zeros((6, 2)), 6)


@pytest.mark.parametrize("n", [40, 900])
@pytest.mark.parametrize("normalised", [False, True])
def test_embedding_of_a_path(n, normalised):
    """Below and above the size from which LOBPCG is used. Eigenvalues of the Laplacian of a path: 2 - 2 cos(pi k / n)."""
    weights = sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], format="csr")
    vectors = learn.spectral_embedding(weights, 3, norm_laplacian=normalised, eigen_tol=1e-8, random_state=1)
    degrees = weights.sum(axis=1)
    laplacian = sp.diags_array(degrees) - weights
    scale = degrees if normalised else np.ones(n)  # L v = lambda D v
    for k, v in enumerate(vectors.T, 1):
        value = v @ (laplacian @ v) / (v @ (scale * v))
        assert np.linalg.norm(laplacian @ v - value * scale * v) < 1e-6 * np.linalg.norm(v)
        expected = 1 - np.cos(np.pi * k / (n - 1)) if normalised else 2 - 2 * np.cos(np.pi * k / n)
        assert abs(value / expected - 1) < 1e-4 and v[np.argmax(abs(v))] > 0
    gram = vectors.T @ (scale[:, None] * vectors)
    assert np.allclose(gram, np.eye(3), atol=1e-6)


@pytest.mark.parametrize("points", [30, 400])
@pytest.mark.parametrize("options", [{}, {"assign_labels": "kmeans"}, {"affinity": "rbf"}],
                         ids=["qr", "means", "rbf"])
def test_clusters_of_points(points, options):
    X, group = blobs(points)
    estimator = learn.SpectralClustering(3, random_state=0, **options)
    assert agree(estimator.fit_predict(X), group) and estimator.labels_.dtype.kind == "i"
    assert estimator.affinity_matrix_.shape == (len(X), len(X)) and estimator.n_features_in_ == 2


@pytest.mark.parametrize("n", [200, 1500])
def test_clusters_of_a_graph(n):
    weights, group = communities(n, 4, 0.3, 0.01)
    labels = learn.SpectralClustering(4, affinity="precomputed", random_state=0).fit(weights).labels_
    assert agree(labels, group)
    nearest = sp.csr_array((weights.data.astype(bool), weights.indices, weights.indptr))
    estimator = learn.SpectralClustering(4, affinity="precomputed_nearest_neighbors", random_state=0)
    assert agree(estimator.fit_predict(nearest), group)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [425, 1367, 2335, 2437, 3372, 4613])
def test_clusters_from_several_start_vectors(seed):
    """Eigenvalues of 1e-9 of a dense graph: LOBPCG stagnated at these start vectors."""
    X, group = blobs(400)
    assert agree(learn.SpectralClustering(3, affinity="rbf", random_state=seed).fit_predict(X), group)


def test_clusters_of_separate_parts():
    """Each connected component has an eigenvector of 0; single vertices are the last of them."""
    weights = sp.block_diag([np.ones((400, 400)), np.ones((300, 300)), np.zeros((1, 1))], format="csr")
    labels = learn.SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict(weights)
    assert len(set(labels[:400])) == len(set(labels[400:700])) == 1 and labels[0] != labels[400]


def weights_of(X, neighbours):
    graph = learn.kneighbors_graph(X, neighbours)
    return sp.csr_array((graph + graph.T) * 0.5)


@pytest.mark.parametrize("points", [40, 200])
def test_propagated_labels_are_harmonic(points):
    """F_u = (W F)_u / d_u for points without a label, and the given labels elsewhere."""
    X, group = blobs(points)
    X = X / 4  # the clouds overlap
    y = np.where(np.random.default_rng(1).random(len(X)) < 0.1, group, -1)
    found = learn.LabelPropagation(n_neighbors=8, tol=1e-10).fit(X, y)
    W = weights_of(X, 8)
    F, free = found.label_distributions_, y == -1
    assert np.allclose((W @ F)[free], W.sum(axis=1)[free, None] * F[free], atol=1e-6)
    assert np.array_equal(F[~free], np.eye(3)[y[~free]]) and np.allclose(F.sum(axis=1), 1)
    assert (found.transduction_ == group).mean() > 0.8 and np.array_equal(found.classes_, [0, 1, 2])


@pytest.mark.parametrize("points", [40, 200])
@pytest.mark.parametrize("alpha", [0.2, 0.9])
def test_spread_labels_are_a_fixed_point(points, alpha):
    """F = alpha S F + (1 - alpha) Y, of which the rows are scaled."""
    X, group = blobs(points)
    y = np.where(np.random.default_rng(1).random(len(X)) < 0.1, group, -1)
    found = learn.LabelSpreading(n_neighbors=8, alpha=alpha).fit(X, y)
    W = weights_of(X, 8)
    root = np.sqrt(W.sum(axis=1))
    S = W.toarray() / root[:, None] / root
    Y = np.where((y != -1)[:, None], np.eye(3)[y], 0)
    F = np.linalg.solve(np.eye(len(y)) - alpha * S, (1 - alpha) * Y)
    assert np.allclose(found.label_distributions_, F / F.sum(axis=1, keepdims=True), atol=1e-5)
    assert np.array_equal(found.predict(X[y != -1]), y[y != -1])


def test_labels_of_new_points_and_of_names():
    X, group = blobs(60)
    names = np.array([7, 3, 5])
    y = np.full(180, -1)
    y[[0, 60, 120]] = names
    for estimator in (learn.LabelPropagation(), learn.LabelSpreading(alpha=0.99), learn.LabelPropagation("rbf", gamma=0.5)):
        estimator.fit(X, y)
        assert np.array_equal(estimator.predict(X), names[group]) and estimator.score(X, names[group]) == 1
        assert np.allclose(estimator.predict_proba(X[:5]).sum(axis=1), 1)
    with pytest.raises(ValueError, match="y has no labels"):
        learn.LabelPropagation().fit(X, np.full(180, -1))


def test_a_transformer_before_an_estimator():
    X, group = blobs(50)
    graph = learn.KNeighborsTransformer(n_neighbors=6, mode="connectivity").fit_transform(X)
    labels = learn.SpectralClustering(3, affinity="precomputed_nearest_neighbors", random_state=0).fit_predict(graph)
    assert agree(labels, group)
    few = learn.KNeighborsTransformer(n_neighbors=2).fit(X).transform(X[:4])
    assert few.shape == (4, 150) and np.all(np.diff(few.indptr) == 3) and np.allclose(few[:, :4].diagonal(), 0)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_parameters(kind):
    estimator = kind()
    for name, value in estimator.get_params().items():
        assert getattr(estimator, name) is value
    assert estimator.set_params(n_neighbors=3) is estimator and estimator.get_params()["n_neighbors"] == 3
    assert "n_neighbors=3" in repr(estimator)
    with pytest.raises(ValueError, match="neighbours"):
        estimator.set_params(neighbours=3)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_with_the_checks_of_scikit_learn(kind):
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    checks.check_estimator(kind(), on_skip=None)


WITHOUT = """
import sys
sys.modules["sklearn"] = None
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not scikit_learn", sys.argv[1]]))
"""


def test_without_scikit_learn():
    if "sklearn" in sys.modules and sys.modules["sklearn"] is None:
        return
    run = subprocess.run([sys.executable, "-c", WITHOUT, __file__], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_wrong_parameters():
    X, _ = blobs(20)
    for estimator, message in ((learn.SpectralClustering(affinity="near"), "affinity is 'near'"),
                               (learn.SpectralClustering(assign_labels="best"), "assign_labels is 'best'"),
                               (learn.LabelSpreading(alpha=1.0), "alpha is 1.0"), (learn.LabelSpreading("linear"), "kernel is")):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, np.zeros(len(X), int))
    with pytest.raises(ValueError, match="negative"):
        learn.spectral_embedding(-np.eye(4) + 1 - np.ones((4, 4)), 2)
    with pytest.raises(ValueError, match="mode is"):
        learn.kneighbors_graph(X, 2, mode="near")
    with pytest.raises(Exception, match="not fitted"):
        learn.LabelPropagation().predict(X)
