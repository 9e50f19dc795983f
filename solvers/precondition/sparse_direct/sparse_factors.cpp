// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/error.hpp>
#include <coppice/core/host/interruption.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>
#include <coppice/solvers/precondition/sparse_direct/band_order.hpp>
#include <coppice/solvers/precondition/sparse_direct/cholesky.hpp>
#include <coppice/solvers/precondition/sparse_direct/matrix_properties.hpp>
#include <coppice/solvers/precondition/sparse_direct/minimum_degree.hpp>
#include <coppice/solvers/precondition/sparse_direct/scaling_powers.hpp>
#include <coppice/solvers/precondition/sparse_direct/transversal.hpp>
#include <coppice/solvers/precondition/sparse_direct/vanishing_sums.hpp>

#if defined(COPPICE_HAS_EIGEN)
namespace coppice::inline v0_1::detail {
namespace {
/// Eigen's factorisation has no other place at which it can be interrupted: its views check their arguments by
/// eigen_assert, which programs may define, and SparseLU makes such a view for each column.
template <int Length>
constexpr bool checks_a_block(char const (&text)[Length]) {
    constexpr char first[] = "startRow >= 0";
    if (Length < int(sizeof first)) return false;
    for (int k = 0; k + 1 < int(sizeof first); ++k)
        if (text[k] != first[k]) return false;
    return true;
}
} // namespace
} // namespace coppice::inline v0_1::detail
#define eigen_assert(condition)                                                                                        \
    do {                                                                                                               \
        if constexpr (coppice::detail::checks_a_block(#condition)) coppice::interruption::check();                     \
    } while (false)
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#if defined(COPPICE_HAS_SUITESPARSE)
#include <Eigen/CholmodSupport>
#include <Eigen/KLUSupport>
#include <Eigen/UmfPackSupport>
#endif
#endif

namespace coppice::inline v0_1 {

#if defined(COPPICE_HAS_EIGEN)

bool has_sparse_direct() { return true; }
#if defined(COPPICE_HAS_SUITESPARSE)
bool has_suitesparse() { return true; }
#else
bool has_suitesparse() { return false; }
#endif

namespace detail {

/// Orders of the rows and columns of one matrix: the position of each; empty until they are computed.
struct known_orders {
    std::vector<int> symmetric, matched, columns;
    std::optional<transversal> match;
    bool has_no_bands = false;
    double cudss_operations = 0;
};
std::shared_ptr<known_orders> make_known_orders() { return std::make_shared<known_orders>(); }
double& operations_of_cudss(known_orders& known) { return known.cudss_operations; }

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Bytes that can be used without swapping, as Linux estimates them; infinity if that is unknown.
double available_bytes() {
    std::ifstream in("/proc/meminfo");
    std::string key, rest;
    double kilobytes = 0;
    while (in >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(in, rest);
    }
    return infinity;
}

template <class S>
using columns = Eigen::SparseMatrix<S, Eigen::ColMajor, int>;
using permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;

/// The value of an expression. Eigen's constructors of sparse matrices leak if an allocation fails, its assignments do
/// not.
template <class S, class Expression>
columns<S> evaluated(Expression const& expression) {
    columns<S> made;
    made = expression;
    return made;
}

/// Ordering for Eigen that keeps the order of the columns, for a matrix that is already permuted.
struct given_order {
    template <class Matrix>
    void operator()(Matrix const& a, permutation& order) const {
        order.setIdentity(a.cols());
    }
};
template <class S>
using eigen_lu = Eigen::SparseLU<columns<S>, given_order>;

/// The pattern of a matrix whose row i is at row_position[i] (empty: at i).
columns<float> pattern_of(pattern_view a, std::vector<int> const& row_position) {
    std::vector<float> const ones(std::size_t(a.nonzeros()), 1.0f);
    auto pattern = evaluated<float>(Eigen::Map<Eigen::SparseMatrix<float, Eigen::RowMajor, int> const>(
        a.rows, a.rows, a.nonzeros(), a.offsets, a.indices, ones.data()));
    if (!row_position.empty())
        pattern = Eigen::Map<permutation::IndicesType const>(row_position.data(), a.rows).asPermutation() * pattern;
    return pattern;
}

/// Positions of the rows in a minimum degree order (AMD) of the pattern of A + A^T.
std::vector<int> minimum_degree(columns<float> const& pattern) {
    permutation inverse;
    Eigen::AMDOrdering<int>()(pattern, inverse);
    permutation const order = inverse.inverse();
    return {order.indices().data(), order.indices().data() + order.size()};
}
/// The upper triangle of P A P^T, for A with A = A^H.
template <class S>
columns<S> upper_triangle(columns<S> const& a, std::vector<int> const& position) {
    columns<S> b(a.rows(), a.cols());
    permutation order(a.rows());
    std::copy(position.begin(), position.end(), order.indices().data());
    b.template selfadjointView<Eigen::Upper>() = a.template selfadjointView<Eigen::Lower>().twistedBy(order);
    return b;
}

[[noreturn]] void refuse_singular(std::string const& why) {
    throw matrix_error("sparse direct solver: the matrix is singular to working precision (" + why + ")");
}

/// A factorisation of a matrix that is scaled and permuted already.
template <class S>
struct factorisation {
    virtual ~factorisation() = default;
    virtual double nonzeros() const = 0;
    virtual void solve(S* x) = 0;            ///< in place
    virtual void solve_transposed(S* x) = 0; ///< in place
};

template <class S>
struct bands_factorisation final : factorisation<S> {
    host_executor exec{1};
    banded<S> a;
    buffer<std::byte> factor, workspace;

    /// Bands of a matrix whose row i is at position[i] (empty: at i).
    bands_factorisation(csr_view<S> from, band_order const& order, scaling_powers const& powers)
        : a(exec, from.rows(), order.lower, order.upper) {
        fill(exec, a.bands.view(), S(0));
        auto const at = [&](std::int32_t i) {
            return std::int64_t(order.position.empty() ? i : order.position[std::size_t(i)]);
        };
        for (std::int32_t i = 0; i < from.rows(); ++i)
            for (auto k = from.row_begin(i); k < from.row_end(i); ++k) {
                std::int64_t const band = at(from.indices[k]) - at(i) + order.lower;
                a.bands.data()[band * from.rows() + at(i)] = powers.apply(from.coefficients[k], i, from.indices[k]);
            }
    }
    /// Returns false for a matrix that is singular, or nearly so.
    bool run() {
        band_matrix<S> const matrix(a.view());
        band_options const options{.method = band_method::chain};
        factor = buffer<std::byte>(exec, bands_factor_bytes(exec, matrix, options));
        workspace = buffer<std::byte>(exec, factored_workspace(exec, matrix, 1, options));
        buffer<std::int64_t> singular(exec, 1);
        factorise_bands(exec, matrix, factor.view(), options, singular.view());
        return singular.data()[0] < 0;
    }
    double nonzeros() const override { return double(a.size()) * (a.lower_bands() + a.upper_bands() + 1); }
    void solve(S* x) override {
        columns_view<S> const of_x(x, a.size(), 1);
        solve_factored_bands(exec, band_matrix<S>(a.view()), array_view<std::byte const>(factor.view()), of_x, of_x,
                             workspace.view(), {.method = band_method::chain});
    }
    void solve_transposed(S* x) override {
        array_view<S> const vector(x, a.size());
        detail::solve_transposed(exec, band_matrix<S>(a.view()), static_cast<std::int32_t const*>(nullptr),
                                 array_view<S const>(vector), vector, {.method = band_method::chain});
    }
};

template <class S>
struct cholesky_factorisation final : factorisation<S> {
    cholesky_factor<S> factor;
    double nonzeros() const override { return factor.nonzeros(); }
    void solve(S* x) override { factor.solve(x); }
    void solve_transposed(S* x) override { factor.solve_transposed(x); }
};

/// A solver with the interface of Eigen's.
template <class S, class Solver>
struct library_factorisation final : factorisation<S> {
    static constexpr bool solves_transposed = requires(Solver & s) { s.transpose(); };

    Solver solver;
    double count = 0;
    Eigen::Matrix<S, Eigen::Dynamic, 1> work;
    columns<S> matrix;                                        ///< if the solver does not solve transposed systems
    std::unique_ptr<library_factorisation<S, Solver>> second; ///< of the transposed matrix, at its first solve

    void run(columns<S> const& a) {
        if constexpr (!solves_transposed) matrix = a;
        solver.analyzePattern(a);
        solver.factorize(a);
        work.resize(a.rows());
    }
    double nonzeros() const override { return count; }
    void solve(S* x) override {
        Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>> vector(x, work.size());
        work = solver.solve(vector);
        vector = work;
    }
    void solve_transposed(S* x) override {
        if constexpr (solves_transposed) {
            Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>> vector(x, work.size());
            work = vector;
            vector = solver.transpose().solve(work);
        } else {
            if (!second) {
                second = std::make_unique<library_factorisation<S, Solver>>();
                second->run(evaluated<S>(matrix.transpose()));
            }
            second->solve(x);
        }
    }
};

} // namespace

std::vector<std::int32_t> minimum_degree_order(pattern_view a, std::vector<std::int32_t> const& row_position) {
    return minimum_degree(pattern_of(a, row_position));
}

template <class S>
struct sparse_factors<S>::state {
    sparse_direct_options options;
    std::shared_ptr<known_orders> orders;
    factor_report report;
    scaling_powers powers;
    std::vector<int> row_position, column_position; ///< in the factorised matrix; empty: unchanged
    std::unique_ptr<factorisation<S>> factors;
    std::vector<S> work;

    explicit state(sparse_direct_options const& o) : options(o), orders(o.orders ? o.orders : make_known_orders()) {}

    /// Returns the scaled and permuted matrix.
    columns<S> matrix_in_order(csr_view<S> a) const {
        auto const at = [](std::vector<int> const& position, std::int32_t i) {
            return position.empty() ? i : position[std::size_t(i)];
        };
        columns<S> c(a.rows(), a.columns());
        std::vector<int> counts(std::size_t(a.rows()), 0), row_at(counts);
        for (std::int32_t k = 0; k < a.nonzeros(); ++k) ++counts[std::size_t(at(column_position, a.indices[k]))];
        c.reserve(counts);
        for (std::int32_t i = 0; i < a.rows(); ++i) row_at[std::size_t(at(row_position, i))] = i;
        for (std::int32_t row = 0; row < a.rows(); ++row) {
            std::int32_t const i = row_at[std::size_t(row)];
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                c.insert(row, at(column_position, a.indices[k])) = powers.apply(a.coefficients[k], i, a.indices[k]);
        }
        c.makeCompressed();
        return c;
    }

    /// Upper bounds of the nonzeros and operations of one factor if there are `triangles` of them (1 or 2).
    factor_size limit(double triangles) const {
        double const fitting = gigabytes() * 1e9 / (triangles * double(sizeof(S) + sizeof(int)));
        return {std::min(fitting, 2e9), // indices have 32 bits
                options.max_operations > 0 ? options.max_operations / triangles : infinity};
    }
    double gigabytes() const { return options.max_gigabytes > 0 ? options.max_gigabytes : available_bytes() * 0.5e-9; }
    /// Throws matrix_error if a factor is too large.
    void accept(factor_size const& size, double triangles) {
        factor_size const allowed = limit(triangles);
        if (size.nonzeros > allowed.nonzeros) refuse("GB of memory", gigabytes(), "max-gigabytes");
        if (size.operations > allowed.operations)
            refuse<operations_error>("operations", options.max_operations, "max-operations");
        report.estimated_nonzeros = size.nonzeros;
        report.estimated_operations = triangles * size.operations;
    }
    template <class Error = matrix_error>
    [[noreturn]] static void refuse(char const* what, double limit, char const* option) {
        std::ostringstream text;
        text.precision(3);
        text << "sparse direct solver: by an estimate, the factors of this matrix need more than " << limit << " "
             << what << "; use an iterative preconditioner, or raise " << option;
        throw Error(text.str());
    }

    bool factor_bands(csr_view<S> a, matrix_properties const& properties) {
        if (orders->has_no_bands) return false;
        auto order = find_band_order(pattern_view(a), max_bands);
        orders->has_no_bands = !order;
        if (!order) return false;
        powers = scaling_powers(a, properties.symmetric);
        auto made = std::make_unique<bands_factorisation<S>>(a, *order, powers);
        if (!made->run()) return false;
        row_position = column_position = std::move(order->position);
        report = {.bands = true, .nonzeros = made->nonzeros()};
        factors = std::move(made);
        return true;
    }

    /// Whether L D L^H exists with positive pivots.
    bool factor_cholesky(csr_view<S> a) {
        columns<float> const pattern = pattern_of(a, {});
        if (orders->symmetric.empty()) orders->symmetric = minimum_degree(pattern);
        elimination_tree const tree(upper_triangle(pattern, orders->symmetric), limit(1));
        accept(tree.size, 1);
        powers = scaling_powers(a, true);
        row_position = column_position = {};
        columns<S> const upper = upper_triangle(matrix_in_order(a), orders->symmetric);
        auto made = std::make_unique<cholesky_factorisation<S>>();
        if (!made->factor.factorise(upper, tree)) return false;
        row_position = column_position = orders->symmetric;
        report = {.cholesky = true,
                  .nonzeros = made->nonzeros(),
                  .estimated_nonzeros = report.estimated_nonzeros,
                  .estimated_operations = report.estimated_operations};
        factors = std::move(made);
        return true;
    }

    /// Throws matrix_error for a structurally singular matrix.
    transversal const& match(csr_view<S> a) {
        if (!orders->match) {
            scaling_powers const before(a, false);
            std::vector<double> sizes(std::size_t(a.nonzeros()));
            for (std::int32_t i = 0; i < a.rows(); ++i)
                for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                    sizes[std::size_t(k)] = std::abs(before.apply(a.coefficients[k], i, a.indices[k]));
            orders->match =
                maximum_product_transversal({a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, sizes.data()});
        }
        if (auto const row = orders->match->first_unmatched(); row >= 0)
            throw matrix_error("sparse direct solver: the matrix is singular whatever its values are: only " +
                               std::to_string(orders->match->matched) + " of its " + std::to_string(a.rows()) +
                               " rows can be matched with different columns; row " + std::to_string(row) +
                               ", counted from 0, has none");
        return *orders->match;
    }

    /// Estimates the factors of an order, which is computed if it is not known.
    factor_size size_in(csr_view<S> a, sparse_direct_order order) {
        if (order == sparse_direct_order::columns) return size_by_columns(a);
        bool const matched = order == sparse_direct_order::matched;
        columns<float> const pattern = pattern_of(a, matched ? match(a).column_of : std::vector<int>{});
        std::vector<int>& position = matched ? orders->matched : orders->symmetric;
        if (position.empty()) position = minimum_degree(pattern);
        auto const both = evaluated<float>(pattern + evaluated<float>(pattern.transpose()));
        return elimination_tree(upper_triangle(both, position), limit(2)).size;
    }
    /// The size of the Cholesky factor of A^T A bounds those of L and U for any pivoting (George and Ng, 1985). It is
    /// infinite if A^T A has too many elements, or many more than A unless this order is requested.
    factor_size size_by_columns(csr_view<S> a) {
        double products = 0;
        for (std::int32_t i = 0; i < a.rows(); ++i)
            products += double(a.row_end(i) - a.row_begin(i)) * double(a.row_end(i) - a.row_begin(i));
        bool const requested = options.order == sparse_direct_order::columns;
        if (products > 1e8 || (!requested && products > 50.0 * double(a.nonzeros()))) return {infinity, infinity};
        columns<float> const pattern = pattern_of(a, {});
        auto const normal = evaluated<float>(evaluated<float>(pattern.transpose()) * pattern);
        if (orders->columns.empty()) orders->columns = minimum_degree(normal);
        return elimination_tree(upper_triangle(normal, orders->columns), limit(2)).size;
    }

    sparse_direct_order choose_order(csr_view<S> a, matrix_properties const& properties) {
        using order = sparse_direct_order;
        order best = options.order;
        if (best == order::automatic) best = properties.weak_diagonal ? order::matched : order::symmetric;
        factor_size size = size_in(a, best);
        bool const compares =
            options.order == order::automatic && (!properties.symmetric_pattern || properties.weak_diagonal);
        // Off-diagonal pivots fill more than the estimate for diagonal ones; the bound for columns holds for any
        // pivots. Measured on meshes: 3 to 6 times as many nonzeros for advection and skew-symmetric matrices.
        double const doubt = properties.symmetric_pattern ? 3 : 1;
        if (factor_size const other = compares ? size_in(a, order::columns) : factor_size{infinity, infinity};
            other.operations < doubt * size.operations || (size.exceeds(limit(2)) && !other.exceeds(limit(2)))) {
            best = order::columns;
            size = other;
        }
        accept(size, 2);
        return best;
    }

    void factor_lu(csr_view<S> a, matrix_properties const& properties) {
        sparse_direct_order const order = choose_order(a, properties);
        bool const matched = order == sparse_direct_order::matched;
        powers = scaling_powers(a, properties.symmetric && !matched);
        if (order == sparse_direct_order::columns) {
            row_position = {};
            column_position = orders->columns;
        } else {
            column_position = row_position = matched ? orders->matched : orders->symmetric;
        }
        if (matched) permute_rows(match(a));
        auto made = std::make_unique<library_factorisation<S, eigen_lu<S>>>();
        if (order != sparse_direct_order::columns) {
            made->solver.isSymmetric(true);
            made->solver.setPivotThreshold(0.1);
        }
        made->run(matrix_in_order(a));
        if (made->solver.info() != Eigen::Success) {
            if (made->solver.lastErrorMessage().find("MEMORY") != std::string::npos) throw std::bad_alloc();
            refuse_singular(made->solver.lastErrorMessage());
        }
        made->count = double(made->solver.nnzL()) + double(made->solver.nnzU());
        report.bands = report.cholesky = false;
        report.matched = matched;
        report.nonzeros = made->count;
        factors = std::move(made);
    }
    /// Row i moves to the position of its column, and takes the scaling of the matching.
    void permute_rows(transversal const& with) {
        for (std::size_t i = 0; i < row_position.size(); ++i) {
            row_position[i] = column_position[std::size_t(with.column_of[i])];
            powers.row[i] += with.row_power[i];
            powers.column[i] += with.column_power[i];
        }
    }

#if defined(COPPICE_HAS_SUITESPARSE)
    template <class Solver>
    void factor_by_library(csr_view<S> a, bool symmetric) {
        powers = scaling_powers(a, symmetric);
        row_position = column_position = {};
        auto made = std::make_unique<library_factorisation<S, Solver>>();
        made->run(matrix_in_order(a));
        if (made->solver.info() != Eigen::Success) refuse_singular("status of SuiteSparse");
        factors = std::move(made);
        report = {};
    }
    void factor_by_suitesparse(csr_view<S> a, matrix_properties const& properties) {
        if (options.method == sparse_direct_method::umfpack)
            return factor_by_library<Eigen::UmfPackLU<columns<S>>>(a, false);
        if (options.method == sparse_direct_method::klu) return factor_by_library<Eigen::KLU<columns<S>>>(a, false);
        if (!properties.may_be_definite())
            throw matrix_error("sparse direct solver: method=cholmod requires a symmetric positive definite matrix; "
                               "use method=umfpack or method=auto");
        factor_by_library<Eigen::CholmodDecomposition<columns<S>>>(a, true);
        report.cholesky = true;
    }
#else
    [[noreturn]] static void factor_by_suitesparse(csr_view<S>, matrix_properties const&) {
        throw argument_error("sparse direct solver: this build lacks KLU, UMFPACK and CHOLMOD; configure it with "
                             "COPPICE_SUITESPARSE=ON, or use method=auto");
    }
#endif

    void factor(csr_view<S> a) {
        using method = sparse_direct_method;
        factors.reset();
        if (options.method == method::cudss)
            throw argument_error("sparse direct solver: method=cudss is for the CUDA backend; use method=auto");
        auto const properties = properties_of(a);
        refuse_vanishing_sums(a);
        if (options.method >= method::klu) return factor_by_suitesparse(a, properties);
        if (options.method == method::automatic && factor_bands(a, properties)) return;
        if (double(a.nonzeros()) > std::min(2 * limit(1).nonzeros, 1e9))
            refuse("GB of memory", gigabytes(), "max-gigabytes");
        if (options.method != method::lu && properties.may_be_definite() && factor_cholesky(a)) return;
        if (options.method == method::cholesky)
            throw matrix_error("sparse direct solver: method=cholesky requires a symmetric positive definite matrix; "
                               "use method=lu or method=auto");
        factor_lu(a, properties);
    }

    /// x = A^-1 x, or A^-T x
    void solve(S* x, bool transposed) {
        auto const at = [](std::vector<int> const& position, std::size_t i) {
            return position.empty() ? i : std::size_t(position[i]);
        };
        auto const& from = transposed ? column_position : row_position;
        auto const& from_power = transposed ? powers.column : powers.row;
        auto const& to = transposed ? row_position : column_position;
        auto const& to_power = transposed ? powers.row : powers.column;
        for (std::size_t i = 0; i < work.size(); ++i) work[at(from, i)] = scaled(x[i], -from_power[i]);
        transposed ? factors->solve_transposed(work.data()) : factors->solve(work.data());
        for (std::size_t j = 0; j < work.size(); ++j) x[j] = scaled(work[at(to, j)], -to_power[j]);
    }
};

namespace {

/// Calls work(); reports memory that runs out as a matrix that is too large for this solver.
template <class Work>
void within_memory(Work const& work) {
    try {
        work();
    } catch (std::bad_alloc const&) {
        throw matrix_error("sparse direct solver: the factors of this matrix do not fit into memory; use an iterative "
                           "preconditioner");
    }
}

} // namespace

template <class S>
sparse_factors<S>::sparse_factors(csr_view<S> a, sparse_direct_options const& options)
    : state_(std::make_unique<state>(options)) {
    if (a.rows() == 0) return;
    within_memory([&] {
        state_->work.resize(std::size_t(a.rows()));
        state_->factor(a);
    });
}

template <class S>
void sparse_factors<S>::refactor(csr_view<S> a) {
    if (a.rows() == 0) return;
    within_memory([&] { state_->factor(a); });
}

template <class S>
void sparse_factors<S>::solve(S* x) {
    if (state_->work.empty()) return;
    if (!state_->factors) throw matrix_error("sparse direct solver: the last factorisation failed");
    state_->solve(x, false);
}

template <class S>
void sparse_factors<S>::solve_transposed(S* x) {
    if (state_->work.empty()) return;
    if (!state_->factors) throw matrix_error("sparse direct solver: the last factorisation failed");
    state_->solve(x, true);
}

template <class S>
factor_report sparse_factors<S>::report() const {
    return state_->report;
}

#else

bool has_sparse_direct() { return false; }
bool has_suitesparse() { return false; }

namespace detail {

struct known_orders {
    double cudss_operations = 0;
};
std::shared_ptr<known_orders> make_known_orders() { return std::make_shared<known_orders>(); }
double& operations_of_cudss(known_orders& known) { return known.cudss_operations; }
std::vector<std::int32_t> minimum_degree_order(pattern_view, std::vector<std::int32_t> const&) { return {}; }
template <class S>
struct sparse_factors<S>::state {};
template <class S>
sparse_factors<S>::sparse_factors(csr_view<S>, sparse_direct_options const&) {
    throw argument_error(
        "preconditioner \"direct\": this build lacks the sparse direct solver; install Eigen 3.4 (Debian: "
        "libeigen3-dev) and configure the build again; on CUDA, cuDSS (PyPI: nvidia-cudss-cu13) serves too");
}
template <class S>
void sparse_factors<S>::refactor(csr_view<S>) {}
template <class S>
void sparse_factors<S>::solve(S*) {}
template <class S>
void sparse_factors<S>::solve_transposed(S*) {}
template <class S>
factor_report sparse_factors<S>::report() const {
    return {};
}

#endif

template <class S>
sparse_factors<S>::~sparse_factors() = default;
template <class S>
sparse_factors<S>::sparse_factors(sparse_factors&&) noexcept = default;
template <class S>
sparse_factors<S>& sparse_factors<S>::operator=(sparse_factors&&) noexcept = default;

template class sparse_factors<double>;
template class sparse_factors<std::complex<double>>;

} // namespace detail
} // namespace coppice::inline v0_1
