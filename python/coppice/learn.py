# SPDX-License-Identifier: BSD-3-Clause
"""Estimators with the conventions of scikit-learn: spectral clustering and embedding, label propagation, neighbour graphs.

Eigenvectors are computed by LOBPCG with a multigrid preconditioner (`coppice.eigenpairs`), and labels by linear systems that
are solved with CG and multigrid (`coppice.solve_columns`), instead of a power iteration. Parameters, methods and fitted
attributes are those of the classes of scikit-learn with the same names. Requires SciPy; if scikit-learn is installed, the
classes are its estimators, so that pipelines, searches and `clone` take them.
"""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.csgraph
from scipy.spatial import cKDTree

from .iterative import preconditioner, solve_columns
from .systems import eigenpairs

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import Array, ArrayIn

__all__ = ["KNeighborsTransformer", "LabelPropagation", "LabelSpreading", "SpectralClustering", "SpectralEmbedding",
           "kneighbors_graph", "spectral_embedding"]

_DENSE = 300  # graphs of fewer vertices have their eigenvectors computed by LAPACK

if TYPE_CHECKING:
    _Estimator = _Clusterer = _Classifier = _Transformer = object
else:
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, TransformerMixin

        class _Estimator(BaseEstimator):
            pass

        class _Clusterer(ClusterMixin, _Estimator):
            pass

        class _Classifier(ClassifierMixin, _Estimator):
            pass

        class _Transformer(TransformerMixin, _Estimator):
            pass
    except ImportError:

        class _Estimator:
            """What scikit-learn's BaseEstimator and mixins give, if it is not installed."""

            def get_params(self, deep: bool = True) -> dict:
                """Return the parameters of the constructor.

                Parameters
                ----------
                deep : not used: no parameter is an estimator
                """
                return {name: getattr(self, name) for name in list(inspect.signature(type(self)).parameters)}

            def set_params(self, **params: Any) -> Any:
                """Change parameters of the constructor.

                Parameters
                ----------
                **params : new values by name
                """
                known = self.get_params()
                for name, value in params.items():
                    if name not in known:
                        raise ValueError(f"{type(self).__name__} has no parameter {name!r}, expected {', '.join(known)}")
                    setattr(self, name, value)
                return self

            def __repr__(self) -> str:
                defaults = inspect.signature(type(self)).parameters
                given = [f"{name}={value!r}" for name, value in self.get_params().items()
                         if value is not defaults[name].default]
                return f"{type(self).__name__}({', '.join(given)})"

        class _Clusterer(_Estimator):
            def fit_predict(self, X: Any, y: Any = None) -> Any:
                """Compute the clusters and return `labels_`.

                Parameters
                ----------
                X : as in `fit`
                y : not used
                """
                return self.fit(X).labels_

        class _Classifier(_Estimator):
            def score(self, X: Any, y: Any) -> float:
                """Return the fraction of points whose predicted label is right.

                Parameters
                ----------
                X : (m, d) array of points
                y : (m,) array of labels
                """
                return float(np.mean(self.predict(X) == np.asarray(y)))

        class _Transformer(_Estimator):
            def fit_transform(self, X: Any, y: Any = None) -> Any:
                """Return `fit(X, y).transform(X)`.

                Parameters
                ----------
                X : as in `fit`
                y : not used
                """
                return self.fit(X, y).transform(X)


def kneighbors_graph(X: ArrayIn, n_neighbors: int, *, mode: str = "connectivity", include_self: bool = False) -> Any:
    """Return the graph of the nearest neighbours of points, as `sklearn.neighbors.kneighbors_graph` does.

    Parameters
    ----------
    X : (n, d) array of points
    n_neighbors : int, at most n - 1, and n with `include_self`
    mode : "connectivity": entries are 1; "distance": Euclidean distances
    include_self : bool, whether each point is its own first neighbour

    Returns
    -------
    graph : (n, n) scipy.sparse.csr_matrix with n_neighbors entries a row

    Examples
    --------
    >>> from coppice.learn import kneighbors_graph
    >>> kneighbors_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    points = _points(X)
    if mode not in ("connectivity", "distance"):
        raise ValueError(f'mode is {mode!r}, expected "connectivity" or "distance"')
    distances, indices = _neighbours(points, points, n_neighbors, None if include_self else np.arange(len(points)))
    return _graph_of(distances if mode == "distance" else np.ones_like(distances), indices, len(points))


def spectral_embedding(adjacency: Any, n_components: int = 8, *, drop_first: bool = True, eigen_tol: float = 1e-4,
                       random_state: Any = None, norm_laplacian: bool = True) -> Array:
    """Return the coordinates of vertices by the smallest eigenvectors of the graph Laplacian.

    Parameters
    ----------
    adjacency : (n, n) sparse matrix or array of weights that are not negative; its symmetric part counts
    n_components : int, number of eigenvectors; at most 31 for graphs of 300 vertices or more
    drop_first : bool, whether the constant eigenvector is left out
    eigen_tol : float, the relative residual of the eigenvectors
    random_state : int, generator or None, for the start vectors; None: other ones in each call
    norm_laplacian : bool, whether the Laplacian is normalised with the degrees

    Returns
    -------
    embedding : (n, n_components) array; the largest component of every vector is positive

    Notes
    -----
    Eigenvectors of 0 are those of the connected components. The others are computed by LOBPCG with a multigrid preconditioner,
    orthogonal to them; by LAPACK for less than 300 vertices.

    Examples
    --------
    >>> import numpy as np
    >>> from coppice.learn import spectral_embedding
    >>> path = np.diag(np.ones(3), 1)
    >>> np.sign(spectral_embedding(path, 1).ravel()).sum()  # one half on each side
    np.float64(0.0)
    """
    weights = _symmetric(adjacency)
    laplacian, scale = _laplacian(weights, norm_laplacian)
    wanted = n_components + bool(drop_first)
    vectors = _smallest(laplacian, scale, wanted, eigen_tol, random_state)[:, bool(drop_first):] / scale[:, None]
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(largest < 0, -1.0, 1.0)


class _OnGraph:
    """What the estimators share that make a graph of points: parameters affinity, n_neighbors and gamma."""

    affinity: Any
    n_neighbors: Any
    gamma: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.affinity in ("precomputed", "precomputed_nearest_neighbors")
        tags.input_tags.sparse = tags.input_tags.pairwise
        return tags

    def _affinity_of(self, X):
        if self.affinity == "precomputed":
            return _validated(self, X, sparse=True)
        if self.affinity == "precomputed_nearest_neighbors":
            return _symmetric(_validated(self, X, sparse=True) != 0)
        points = _validated(self, X)
        if callable(self.affinity):
            return self.affinity(points)
        if self.affinity == "rbf":
            return np.exp(-(self.gamma or 1.0 / points.shape[1]) * _squared_distances(points, points))
        if self.affinity != "nearest_neighbors":
            raise ValueError(f"affinity is {self.affinity!r}, expected nearest_neighbors, rbf, precomputed, "
                             "precomputed_nearest_neighbors or a function")
        count = min(self.n_neighbors or max(int(len(points) / 10), 1), len(points))
        return _symmetric(kneighbors_graph(points, count, include_self=True))


class SpectralClustering(_OnGraph, _Clusterer):
    """Cluster the vertices of a graph, or points by the graph of their neighbours, by eigenvectors of its Laplacian.

    Parameters
    ----------
    n_clusters : int
    n_components : int, the number of eigenvectors; n_clusters by default
    affinity : "nearest_neighbors", "rbf" (weights exp(-gamma |x - y|^2), a dense matrix), "precomputed" (X is the matrix of
        weights), "precomputed_nearest_neighbors" (X is the graph of the neighbours), or a function of the points
    n_neighbors : int, of "nearest_neighbors"
    gamma : float, of "rbf"
    assign_labels : "cluster_qr": a pivoted QR factorisation of the eigenvectors, without random numbers (Damle, Minden and Ying
        2019); "kmeans": k-means with `n_init` starts
    n_init : int
    eigen_tol : float, the relative residual of the eigenvectors
    random_state : int, generator or None, for the start vectors and k-means; None: other random numbers in each call

    Attributes
    ----------
    labels_ : (n,) array of int
    affinity_matrix_ : (n, n) the weights
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from coppice.learn import SpectralClustering
    >>> X = np.concatenate([np.arange(10.0), 100 + np.arange(10.0)])[:, None]
    >>> SpectralClustering(2, n_neighbors=3).fit_predict(X)
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    def __init__(self, n_clusters: int = 8, *, n_components: int | None = None, affinity: Any = "nearest_neighbors",
                 n_neighbors: int = 10, gamma: float = 1.0, assign_labels: str = "cluster_qr", n_init: int = 10,
                 eigen_tol: float = 1e-4, random_state: Any = None) -> None:
        self.n_clusters, self.n_components, self.affinity, self.n_neighbors = n_clusters, n_components, affinity, n_neighbors
        self.gamma, self.assign_labels, self.n_init, self.eigen_tol = gamma, assign_labels, n_init, eigen_tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the clusters.

        Parameters
        ----------
        X : (n, d) array of points, or (n, n) matrix of weights for a precomputed affinity
        y : not used
        """
        if self.assign_labels not in ("cluster_qr", "kmeans"):
            raise ValueError(f'assign_labels is {self.assign_labels!r}, expected "cluster_qr" or "kmeans"')
        self.affinity_matrix_ = self._affinity_of(X)
        count = self.n_components or self.n_clusters
        places = spectral_embedding(self.affinity_matrix_, min(count, self.affinity_matrix_.shape[0]), drop_first=False,
                                    eigen_tol=self.eigen_tol, random_state=self.random_state)
        if self.assign_labels == "cluster_qr":
            self.labels_ = _ordered(_clusters_by_qr(places))
        else:
            self.labels_ = _ordered(_clusters_by_means(places, self.n_clusters, self.n_init, self.random_state))
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Compute the clusters and return `labels_`.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        return self.fit(X, y).labels_


class SpectralEmbedding(_OnGraph, _Estimator):
    """Coordinates of points or vertices by eigenvectors of the Laplacian of a graph (Laplacian eigenmaps).

    Parameters
    ----------
    n_components : int
    affinity, gamma, n_neighbors, eigen_tol, random_state
        As in `SpectralClustering`; n_neighbors is n / 10 by default, gamma 1 / d.

    Attributes
    ----------
    embedding_ : (n, n_components) array
    affinity_matrix_ : (n, n) the weights
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from coppice.learn import SpectralEmbedding
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> SpectralEmbedding(1, n_neighbors=4).fit_transform(X).shape
    (30, 1)
    """

    def __init__(self, n_components: int = 2, *, affinity: Any = "nearest_neighbors", gamma: float | None = None,
                 n_neighbors: int | None = None, eigen_tol: float = 1e-4, random_state: Any = None) -> None:
        self.n_components, self.affinity, self.gamma = n_components, affinity, gamma
        self.n_neighbors, self.eigen_tol, self.random_state = n_neighbors, eigen_tol, random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the coordinates.

        Parameters
        ----------
        X, y
            As in `SpectralClustering.fit`.
        """
        self.affinity_matrix_ = self._affinity_of(X)
        self.embedding_ = spectral_embedding(self.affinity_matrix_, self.n_components, eigen_tol=self.eigen_tol,
                                             random_state=self.random_state)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Compute the coordinates and return them.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        return self.fit(X, y).embedding_


class KNeighborsTransformer(_Transformer):
    """The graph of the nearest neighbours as a transformer, for estimators with a precomputed affinity.

    Parameters
    ----------
    mode : "distance" or "connectivity", as in `kneighbors_graph`
    n_neighbors : int; with "distance" one more is stored, since a point of the training data is its own neighbour

    Attributes
    ----------
    n_features_in_, n_samples_fit_ : int

    Examples
    --------
    >>> from coppice.learn import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1, mode="connectivity").fit_transform([[0.0], [1.0], [3.0]]).toarray()
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    def __init__(self, *, mode: str = "distance", n_neighbors: int = 5) -> None:
        self.mode, self.n_neighbors = mode, n_neighbors

    def fit(self, X: Any, y: Any = None) -> Self:
        """Store the points.

        Parameters
        ----------
        X : (n, d) array
        y : not used
        """
        self._points = _validated(self, X)
        self.n_samples_fit_ = self._points.shape[0]
        return self

    def transform(self, X: Any) -> Any:
        """Return the (m, n) matrix of the neighbours of points among the stored ones.

        Parameters
        ----------
        X : (m, d) array
        """
        _require_fitted(self, "_points")
        points = _validated(self, X, reset=False)
        count = self.n_neighbors + (self.mode == "distance")
        distances, indices = _neighbours(points, self._points, count)
        return _graph_of(distances if self.mode == "distance" else np.ones_like(distances), indices, self.n_samples_fit_)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Store the points and return the matrix of their neighbours.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        return self.fit(X).transform(X)


class _Labels(_Classifier):
    """Common base of the two semi-supervised classifiers."""

    kernel: Any
    gamma: Any
    n_neighbors: Any
    tol: Any

    def fit(self, X: Any, y: ArrayIn) -> Self:
        """Compute labels of all points.

        Parameters
        ----------
        X : (n, d) array of points
        y : (n,) array of labels, -1 for points without one
        """
        points, y = _validated_with_labels(self, X, y)
        self.X_ = points
        given = y != -1
        self.classes_ = np.unique(y[given])
        if len(self.classes_) == 0:
            raise ValueError("y has no labels: all elements are -1")
        known = np.zeros((len(y), len(self.classes_)))
        known[np.flatnonzero(given), np.searchsorted(self.classes_, y[given])] = 1.0
        weights = _symmetric(self._weights(points, points, itself=False))
        found = self._spread(weights, known, given)
        total = found.sum(axis=1, keepdims=True)
        self.label_distributions_ = np.divide(found, total, out=np.zeros_like(found), where=total != 0)
        self.transduction_ = self.classes_[np.argmax(self.label_distributions_, axis=1)]
        return self

    def predict_proba(self, X: ArrayIn) -> Array:
        """Return the distribution of the labels of new points: means over the fitted ones with the weights of the kernel.

        Parameters
        ----------
        X : (m, d) array
        """
        _require_fitted(self, "X_")
        weights = self._weights(_validated(self, X, reset=False), self.X_)
        found = np.asarray(weights @ self.label_distributions_)
        total = found.sum(axis=1, keepdims=True)
        return np.divide(found, total, out=np.full_like(found, 1.0 / found.shape[1]), where=total > 0)

    def predict(self, X: ArrayIn) -> Array:
        """Return the most probable labels of new points.

        Parameters
        ----------
        X : (m, d) array
        """
        likely = self.predict_proba(X)
        return self.classes_[np.argmax(likely, axis=1)]

    def _weights(self, points, among, itself=True):
        if callable(self.kernel):
            return self.kernel(points, among)
        if self.kernel == "rbf":
            made = np.exp(-self.gamma * _squared_distances(points, among))
            if not itself:
                np.fill_diagonal(made, 0.0)
            return made
        if self.kernel != "knn":
            raise ValueError(f"kernel is {self.kernel!r}, expected knn, rbf or a function")
        count = min(self.n_neighbors, len(among) - (not itself))
        distances, indices = _neighbours(points, among, count, None if itself else np.arange(len(points)))
        return _graph_of(np.ones_like(distances), indices, len(among))

    def _spread(self, weights: Any, known: Any, given: Any) -> Any:
        raise NotImplementedError


class LabelPropagation(_Labels):
    """Labels of all points from those of some: each unlabelled point has the mean of its neighbours (harmonic functions).

    Parameters
    ----------
    kernel : "knn", "rbf" or a function of two arrays of points that returns weights
    gamma : float, of "rbf"
    n_neighbors : int, of "knn"
    tol : float, the relative residual of the linear system

    Attributes
    ----------
    classes_ : labels
    label_distributions_ : (n, classes) array
    transduction_ : (n,) array of labels
    X_, n_features_in_ : points and their dimension

    Notes
    -----
    Zhu, Ghahramani and Lafferty 2003: L_uu F_u = W_ul Y_l, by CG with multigrid. Points that no labelled point reaches have a
    distribution of zeros and the first label.

    Examples
    --------
    >>> import numpy as np
    >>> from coppice.learn import LabelPropagation
    >>> X = np.arange(6.0)[:, None]
    >>> LabelPropagation(n_neighbors=2).fit(X, [0, -1, -1, -1, -1, 1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(self, kernel: Any = "knn", *, gamma: float = 20.0, n_neighbors: int = 7, tol: float = 1e-6) -> None:
        self.kernel, self.gamma, self.n_neighbors, self.tol = kernel, gamma, n_neighbors, tol

    def _spread(self, weights, known, given):
        found, free = known.copy(), ~given & _reached(weights, given)
        if free.any():
            rows = weights[free]
            laplacian = sp.diags_array(np.asarray(rows.sum(axis=1)).ravel()) - rows[:, free]
            found[free] = _solved(laplacian, rows @ known, self.tol)
        return np.maximum(found, 0.0)


class LabelSpreading(_Labels):
    """Labels of all points from those of some, where given labels may change (learning with local and global consistency).

    Parameters
    ----------
    kernel, gamma, n_neighbors, tol
        As in `LabelPropagation`.
    alpha : float in (0, 1), the share of the neighbours' information

    Attributes
    ----------
    classes_, label_distributions_, transduction_, X_, n_features_in_
        As of `LabelPropagation`.

    Notes
    -----
    Zhou et al. 2004: (I - alpha S) F = (1 - alpha) Y with the normalised weights S, by CG with multigrid.

    Examples
    --------
    >>> import numpy as np
    >>> from coppice.learn import LabelSpreading
    >>> X = np.arange(6.0)[:, None]
    >>> LabelSpreading(n_neighbors=2).fit(X, [0, -1, -1, -1, -1, 1]).predict([[0.4], [4.6]])
    array([0, 1])
    """

    def __init__(self, kernel: Any = "knn", *, gamma: float = 20.0, n_neighbors: int = 7, alpha: float = 0.2,
                 tol: float = 1e-12) -> None:
        self.kernel, self.gamma, self.n_neighbors, self.alpha, self.tol = kernel, gamma, n_neighbors, alpha, tol

    def _spread(self, weights, known, given):
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha}, expected a number between 0 and 1")
        laplacian, _ = _laplacian(weights, True)
        n = weights.shape[0]  # I - alpha S = (1 - alpha) I + alpha L
        system = (1 - self.alpha) * sp.eye_array(n) + self.alpha * laplacian
        return np.maximum(_solved(system, (1 - self.alpha) * known, self.tol), 0.0)


def _points(X):
    points = np.ascontiguousarray(X, np.float64)
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(f"X has shape {points.shape}, expected (n, d)")
    if not np.isfinite(points).all():
        raise ValueError(f"X with shape {points.shape} contains NaN or infinity, expected finite numbers")
    return points


def _validated(estimator, X, *, reset=True, sparse=False):
    """Return points or a matrix; checks of scikit-learn if it is installed."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        made = sp.csr_array(X, dtype=np.float64) if sparse and sp.issparse(X) else _points(X)
        if not reset and made.shape[1] != estimator.n_features_in_:
            raise ValueError(f"X has {made.shape[1]} features, but {type(estimator).__name__} is expecting "
                             f"{estimator.n_features_in_} features as input") from None
        estimator.n_features_in_ = made.shape[1]
        return made
    return validate_data(estimator, X, reset=reset, dtype=np.float64, accept_sparse=["csr"] if sparse else False,
                         ensure_min_samples=2 if reset else 1)


def _validated_with_labels(estimator, X, y):
    try:
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import validate_data
    except ImportError:
        X, y = _validated(estimator, X), np.asarray(y)
        if y.shape != X.shape[:1]:
            raise ValueError(f"y has shape {y.shape}, expected {X.shape[:1]}") from None
        return X, y
    X, y = validate_data(estimator, X, y, dtype=np.float64, ensure_min_samples=2)
    check_classification_targets(y)
    return X, y


def _require_fitted(estimator, attribute):
    if not hasattr(estimator, attribute):
        try:
            from sklearn.exceptions import NotFittedError as error
        except ImportError:
            error = ValueError
        raise error(f"this {type(estimator).__name__} is not fitted: call fit first")


def _neighbours(points, among, count, itself=None):
    """Return distances and indices, (m, count), of the nearest of `among`; `itself`: the index of each point, left out."""
    available = len(among) - (itself is not None)
    if not 1 <= count <= available:
        raise ValueError(f"n_neighbors is {count}, but expected n_neighbors <= {available}, at least 1, for n_samples_fit = "
                         f"{len(among)}, n_samples = {len(points)}")
    asked = count + (itself is not None)
    if among.shape[1] <= 16:
        distances, indices = cKDTree(among).query(points, asked, workers=-1)
        distances, indices = distances.reshape(len(points), asked), indices.reshape(len(points), asked)
    else:  # a tree visits nearly all points of many dimensions
        distances, indices = _neighbours_by_products(points, among, asked)
    if itself is None:
        return distances, indices
    kept = indices != itself[:, None]
    kept[kept.all(axis=1), -1] = False  # other points at distance 0 hide the point
    return distances[kept].reshape(-1, count), indices[kept].reshape(-1, count)


def _neighbours_by_products(points, among, count):
    """Choose candidates by |x|^2 - 2 x y + |y|^2, whose cancellation the distances of the chosen ones do not have."""
    distances, indices = np.empty((len(points), count)), np.empty((len(points), count), np.int64)
    block = max(1, 2**24 // max(len(among), count * among.shape[1]))
    for first in range(0, len(points), block):
        some = points[first:first + block]
        nearest = np.argpartition(_squared_distances(some, among), count - 1, axis=1)[:, :count]
        values = np.linalg.norm(some[:, None] - among[nearest], axis=2)
        order = np.argsort(values, axis=1, kind="stable")
        indices[first:first + block] = np.take_along_axis(nearest, order, axis=1)
        distances[first:first + block] = np.take_along_axis(values, order, axis=1)
    return distances, indices


def _squared_distances(points, among):
    squares = (points**2).sum(1)[:, None] - 2 * (points @ among.T) + (among**2).sum(1)
    return np.maximum(squares, 0.0)


def _graph_of(values, indices, columns):
    rows, count = indices.shape
    graph = sp.csr_matrix((values.ravel(), indices.ravel(), np.arange(rows + 1) * count), shape=(rows, columns))
    return graph


def _symmetric(adjacency):
    weights = sp.csr_array(adjacency, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise ValueError(f"the weights have shape {weights.shape}, expected (n, n)")
    if weights.nnz and weights.data.min() < 0:
        raise ValueError("the weights contain negative numbers, expected weights >= 0")
    weights = sp.csr_array((weights + weights.T) * 0.5)
    weights.sum_duplicates()
    return weights


def _laplacian(weights, normalised):
    """Return the Laplacian without loops, and the square roots of the degrees, or ones if it is not normalised."""
    weights = sp.csr_array(weights - sp.diags_array(weights.diagonal()))
    degrees = weights.sum(axis=1)
    if not normalised:
        return sp.csr_array(sp.diags_array(degrees) - weights), np.ones_like(degrees)
    scale = np.sqrt(np.where(degrees > 0, degrees, 1.0))
    inverse = sp.diags_array(1.0 / scale)
    return sp.csr_array(sp.diags_array((degrees > 0) * 1.0) - inverse @ weights @ inverse), scale


def _smallest(laplacian, scale, count, tolerance, random_state):
    """Return orthonormal eigenvectors of the smallest eigenvalues. Those of 0 are known: one for each connected component, the
    largest ones first."""
    n = laplacian.shape[0]
    if count > n:
        raise ValueError(f"n_components asks for {count} eigenvectors of a graph of {n} vertices")
    null = _null_vectors(laplacian, scale, count)
    if null.shape[1] == count:
        return null
    if n < _DENSE or 3 * count > n:
        projected = laplacian.toarray() + 4 * laplacian.diagonal().max() * (null @ null.T)  # moves them to the other end
        found = scipy.linalg.eigh(projected, subset_by_index=(0, count - null.shape[1] - 1))[1]
        return np.hstack([null, found])
    if count > 32:
        raise ValueError(f"n_components asks for {count} eigenvectors, expected at most 32")
    # One vector more, since convergence depends on the gap behind the last one.
    start = _generator(random_state).standard_normal((n, min(count - null.shape[1] + 1, 32)))
    shift = 1e-6 * laplacian.diagonal().max()
    if laplacian.nnz > n * n / 10:
        M = None  # the eigenvalues of a dense graph are far from each other, and its multigrid levels are dense, too
    else:
        M = preconditioner("multilevel", sp.csr_array(laplacian + shift * sp.eye_array(n)))
    found = eigenpairs(laplacian, start.shape[1], M=M, X0=start, Y=null, rtol=tolerance)
    if not found.converged:
        warnings.warn(f"eigenvectors have relative residuals up to {found.residuals.max():.1e} instead of {tolerance:.1e} after "
                      f"{found.iterations} iterations: {found.reason}", stacklevel=4)
    return np.hstack([null, found.vectors])[:, :count]


def _null_vectors(laplacian, scale, count):
    _, component = sp.csgraph.connected_components(laplacian, directed=False)
    sizes = np.bincount(component)
    vectors = np.zeros((len(component), min(len(sizes), count)))
    for k, chosen in enumerate(np.argsort(-sizes, kind="stable")[:vectors.shape[1]]):
        vectors[:, k] = np.where(component == chosen, scale, 0.0)
    return vectors / np.linalg.norm(vectors, axis=0)


def _generator(random_state):
    if isinstance(random_state, np.random.RandomState):
        return random_state
    return np.random.default_rng(random_state)


def _clusters_by_qr(vectors):
    """Damle, Minden, Ying 2019, algorithm 1: pivots of V^T are one vertex of each cluster."""
    count = vectors.shape[1]
    _, _, pivots = scipy.linalg.qr(vectors.T, pivoting=True)
    left, _, right = scipy.linalg.svd(vectors[pivots[:count]].T)
    return np.abs(vectors @ (left @ right.conj())).argmax(axis=1)


def _clusters_by_means(vectors, count, starts, random_state):
    from scipy.cluster.vq import kmeans2

    generator, best = _generator(random_state), None
    for _ in range(starts):
        centres, labels = kmeans2(vectors, count, minit="++", seed=generator, missing="warn")
        error = ((vectors - centres[labels])**2).sum()
        if best is None or error < best[0]:
            best = error, labels
    return best[1]


def _ordered(labels):
    """Number the clusters by their first vertex."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _reached(weights, given):
    """Whether a labelled vertex is in the component of each vertex."""
    _, component = sp.csgraph.connected_components(weights, directed=False)
    return np.isin(component, component[given])


def _solved(matrix, sides, tolerance):
    """Solve a symmetric positive definite system for the columns of `sides`."""
    matrix, sides = sp.csr_array(matrix), np.asarray(sides.todense() if sp.issparse(sides) else sides)
    if matrix.shape[0] < _DENSE:
        return scipy.linalg.solve(matrix.toarray(), sides, assume_a="pos")
    found = solve_columns(matrix, sides, method="cg", preconditioner="multilevel", rtol=tolerance)
    return np.asarray(found.x)
