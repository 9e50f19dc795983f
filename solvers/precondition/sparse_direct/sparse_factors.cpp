// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/error.hpp>

#if defined(COPPICE_HAS_EIGEN)
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#endif

namespace coppice::inline v0_1 {

#if defined(COPPICE_HAS_EIGEN)

bool has_sparse_direct() { return true; }

namespace detail {
namespace {

/// Bytes that can be used without swapping, as Linux estimates them; infinity if that is unknown.
double available_bytes() {
    std::ifstream in("/proc/meminfo");
    std::string key, rest;
    double kilobytes = 0;
    while (in >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(in, rest);
    }
    return std::numeric_limits<double>::infinity();
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

template <class S>
columns<S> columns_of(csr_view<S> a) {
    return evaluated<S>(Eigen::Map<Eigen::SparseMatrix<S, Eigen::RowMajor, int> const>(
        a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, a.coefficients));
}

/// P that orders a pattern by minimum degree (AMD of the pattern of A + A^T).
template <class S>
permutation minimum_degree(columns<S> const& pattern) {
    permutation inverse;
    Eigen::AMDOrdering<int>()(pattern, inverse);
    return inverse.inverse();
}
/// The triangle `To` of P A P^T, for A with A = A^H.
template <int To, class S>
columns<S> permuted(columns<S> const& a, permutation const& order) {
    columns<S> b(a.rows(), a.cols());
    b.template selfadjointView<To>() = a.template selfadjointView<Eigen::Lower>().twistedBy(order);
    return b;
}

/// Size of a factor: nonzeros, and multiplications and additions.
struct factor_size {
    double nonzeros = 0, operations = 0;
    bool exceeds(factor_size const& limit) const { return nonzeros > limit.nonzeros || operations > limit.operations; }
};

/// The size of the Cholesky factor of a pattern, from its upper triangle by the elimination tree (Liu, 1990): column i
/// has a nonzero in row k if i is between a nonzero of column k and k in the tree. Takes memory for n numbers, and time
/// for the nonzeros of the factor; ends beyond the limit.
template <class S>
factor_size size_of_factor(columns<S> const& upper, factor_size const& limit) {
    auto const n = std::size_t(upper.cols());
    std::vector<int> parent(n, -1), last_row(n), below(n, 0);
    factor_size size{double(n), 0};
    for (int k = 0; k < int(n) && !size.exceeds(limit); ++k) {
        last_row[std::size_t(k)] = k; // also ends the path of the diagonal
        for (typename columns<S>::InnerIterator it(upper, k); it; ++it)
            for (auto i = std::size_t(it.row()); last_row[i] != k; i = std::size_t(parent[i])) {
                if (parent[i] < 0) parent[i] = k;
                last_row[i] = k;
                size.nonzeros += 1;
                size.operations += 2.0 * below[i]++ + 1;
            }
    }
    return size;
}

/// What the choice of a factorisation needs to know.
struct matrix_properties {
    bool symmetric = true;         ///< A = A^H
    bool positive_diagonal = true; ///< all diagonal elements are stored and positive
    bool may_be_definite() const { return symmetric && positive_diagonal; }
};

double conjugate(double v) { return v; }
std::complex<double> conjugate(std::complex<double> v) { return std::conj(v); }

/// One pass over a matrix with sorted rows. Throws matrix_error for a value that is not finite.
template <class S>
matrix_properties properties_of(csr_view<S> a) {
    matrix_properties found;
    // Rows are visited in order, so the mirror images of row i are the next unread elements of their rows.
    std::vector<std::int32_t> next(a.offsets, a.offsets + a.rows());
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        bool has_diagonal = false;
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int32_t const j = a.indices[k];
            S const value = a.coefficients[k];
            if (!is_finite(value))
                throw matrix_error("row " + std::to_string(i) + ", column " + std::to_string(j) +
                                   " of the matrix (from 0) is not finite");
            if (j == i) has_diagonal = std::real(value) > 0 && std::imag(value) == 0;
            auto const mirror = next[std::size_t(j)]++;
            found.symmetric = found.symmetric && mirror < a.row_end(j) && a.indices[mirror] == i &&
                              a.coefficients[mirror] == conjugate(value);
        }
        found.positive_diagonal = found.positive_diagonal && has_diagonal;
    }
    return found;
}

int exponent_of(double magnitude) { return magnitude > 0 && std::isfinite(magnitude) ? std::ilogb(magnitude) + 1 : 0; }
double magnitude_of(double v) { return std::abs(v); }
double magnitude_of(std::complex<double> v) { return std::max(std::abs(v.real()), std::abs(v.imag())); }
double scaled(double v, int power) { return std::ldexp(v, power); }
std::complex<double> scaled(std::complex<double> v, int power) {
    return {std::ldexp(v.real(), power), std::ldexp(v.imag(), power)};
}

} // namespace

template <class S>
struct sparse_factors<S>::state {
    sparse_direct_options options;
    factor_report report;
    std::vector<int> row_power, column_power; ///< A is multiplied by 2^-power
    permutation order;                        ///< of the Cholesky factorisation
    Eigen::SimplicialLDLT<columns<S>, Eigen::Lower, Eigen::NaturalOrdering<int>> cholesky;
    Eigen::SparseLU<columns<S>, Eigen::COLAMDOrdering<int>> lu;
    bool cholesky_is_analysed = false, lu_is_analysed = false;
    bool ready = false;
    Eigen::Matrix<S, Eigen::Dynamic, 1> work;

    Eigen::Index size() const { return Eigen::Index(row_power.size()); }

    /// Row powers from the matrix, then column powers from the scaled rows; equal ones for a symmetric matrix.
    void find_powers(csr_view<S> a, bool symmetric) {
        auto const n = std::size_t(a.rows());
        row_power.assign(n, 0);
        column_power.assign(n, 0);
        std::vector<double> largest(n, 0.0);
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                largest[std::size_t(i)] = std::max(largest[std::size_t(i)], magnitude_of(a.coefficients[k]));
        if (symmetric) {
            for (std::size_t i = 0; i < n; ++i)
                row_power[i] = column_power[i] = int(std::floor(exponent_of(largest[i]) / 2.0));
            return;
        }
        for (std::size_t i = 0; i < n; ++i) row_power[i] = exponent_of(largest[i]);
        std::fill(largest.begin(), largest.end(), 0.0);
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
                double& column = largest[std::size_t(a.indices[k])];
                column = std::max(column, std::ldexp(magnitude_of(a.coefficients[k]), -row_power[std::size_t(i)]));
            }
        for (std::size_t j = 0; j < n; ++j) column_power[j] = exponent_of(largest[j]);
    }

    columns<S> scaled_columns(csr_view<S> a) const {
        columns<S> c = columns_of(a);
        for (Eigen::Index j = 0; j < c.outerSize(); ++j)
            for (typename columns<S>::InnerIterator it(c, j); it; ++it)
                it.valueRef() =
                    scaled(it.value(), -row_power[std::size_t(it.row())] - column_power[std::size_t(it.col())]);
        return c;
    }

    /// The size of the Cholesky factor of A^T A bounds those of L and U for any pivoting (George and Ng, 1985). It is
    /// the better estimate if the pattern of A is far from symmetric; infinite if A^T A has too many elements.
    static factor_size size_by_normal_equations(csr_view<S> a, columns<S> const& pattern, factor_size const& limit) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double products = 0;
        for (std::int32_t i = 0; i < a.rows(); ++i)
            products += double(a.row_end(i) - a.row_begin(i)) * double(a.row_end(i) - a.row_begin(i));
        if (products > std::min(50.0 * double(a.nonzeros()), 1e8)) return {infinity, infinity};
        columns<S> const transposed = evaluated<S>(pattern.transpose()), normal = evaluated<S>(transposed * pattern);
        return size_of_factor(permuted<Eigen::Upper>(normal, minimum_degree(normal)), limit);
    }

    /// Estimates the factors before memory is allocated for them.
    void estimate(csr_view<S> a, matrix_properties const& properties) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double const factors = properties.may_be_definite() ? 1 : 2;
        double const gigabytes = options.max_gigabytes > 0 ? options.max_gigabytes : available_bytes() * 0.5e-9;
        double const fitting = gigabytes * 1e9 / (factors * double(sizeof(S) + sizeof(int)));
        factor_size const limit{std::min(fitting, 2e9), // indices have 32 bits
                                options.max_operations > 0 ? options.max_operations / factors : infinity};
        if (double(a.nonzeros()) > std::min(2 * limit.nonzeros, 1e9))
            refuse("GB of memory", gigabytes, "max-gigabytes");
        columns<S> pattern = columns_of(a);
        for (Eigen::Index k = 0; k < pattern.nonZeros(); ++k) pattern.valuePtr()[k] = S(1);
        order = minimum_degree(pattern);
        columns<S> both = evaluated<S>(pattern);
        if (!properties.symmetric) both = pattern + evaluated<S>(pattern.transpose());
        factor_size size = size_of_factor(permuted<Eigen::Upper>(both, order), limit);
        if (!properties.symmetric) {
            factor_size const bound = size_by_normal_equations(a, pattern, limit);
            if (size.exceeds(limit) || bound.operations < size.operations) size = bound;
        }
        if (size.nonzeros > limit.nonzeros) refuse("GB of memory", gigabytes, "max-gigabytes");
        if (size.operations > limit.operations) refuse("operations", options.max_operations, "max-operations");
        report.estimated_nonzeros = size.nonzeros;
        report.estimated_operations = factors * size.operations;
    }
    [[noreturn]] static void refuse(char const* what, double limit, char const* option) {
        std::ostringstream text;
        text.precision(3);
        text << "sparse direct solver: by an estimate, the factors of this matrix need more than " << limit << " "
             << what << "; use an iterative preconditioner, or raise " << option;
        throw matrix_error(text.str());
    }

    /// Whether L D L^H exists with positive pivots.
    bool factor_cholesky(columns<S> const& a) {
        columns<S> const lower = permuted<Eigen::Lower>(a, order);
        if (!cholesky_is_analysed) cholesky.analyzePattern(lower);
        cholesky_is_analysed = true;
        cholesky.factorize(lower);
        if (cholesky.info() != Eigen::Success) return false;
        auto const d = cholesky.vectorD();
        for (Eigen::Index i = 0; i < d.size(); ++i)
            if (!(std::real(d[i]) > 0) || !std::isfinite(std::real(d[i]))) return false;
        report.cholesky = true;
        report.nonzeros = report.estimated_nonzeros;
        return true;
    }
    void factor_lu(columns<S> const& a) {
        if (!lu_is_analysed) lu.analyzePattern(a);
        lu_is_analysed = true;
        lu.factorize(a);
        if (lu.info() != Eigen::Success) {
            if (lu.lastErrorMessage().find("MEMORY") != std::string::npos) throw std::bad_alloc();
            throw matrix_error("sparse direct solver: the matrix is singular to working precision (" +
                               lu.lastErrorMessage() + ")");
        }
        report.cholesky = false;
        report.nonzeros = double(lu.nnzL()) + double(lu.nnzU());
    }

    void factor(csr_view<S> a, matrix_properties const& properties) {
        ready = false;
        find_powers(a, properties.symmetric);
        columns<S> const c = scaled_columns(a);
        if (options.method == sparse_direct_method::lu || !properties.may_be_definite() || !factor_cholesky(c)) {
            if (options.method == sparse_direct_method::cholesky)
                throw matrix_error("sparse direct solver: method=cholesky requires a symmetric positive definite "
                                   "matrix; use method=lu or method=auto");
            factor_lu(c);
        }
        ready = true;
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
    : state_(std::make_unique<state>()) {
    state_->options = options;
    if (a.rows() == 0) return;
    within_memory([&] {
        auto const properties = properties_of(a);
        state_->work.resize(a.rows());
        state_->estimate(a, properties);
        state_->factor(a, properties);
    });
}

template <class S>
void sparse_factors<S>::refactor(csr_view<S> a) {
    if (a.rows() == 0) return;
    within_memory([&] { state_->factor(a, properties_of(a)); });
}

template <class S>
void sparse_factors<S>::solve(S* x) {
    state& s = *state_;
    if (s.size() == 0) return;
    if (!s.ready) throw matrix_error("sparse direct solver: the last factorisation failed");
    Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>> vector(x, s.size());
    for (Eigen::Index i = 0; i < s.size(); ++i) vector[i] = scaled(vector[i], -s.row_power[std::size_t(i)]);
    if (s.report.cholesky)
        s.work = s.order.transpose() * s.cholesky.solve(s.order * vector).eval();
    else
        s.work = s.lu.solve(vector);
    for (Eigen::Index j = 0; j < s.size(); ++j) vector[j] = scaled(s.work[j], -s.column_power[std::size_t(j)]);
}

template <class S>
factor_report sparse_factors<S>::report() const {
    return state_->report;
}

#else

bool has_sparse_direct() { return false; }

namespace detail {

template <class S>
struct sparse_factors<S>::state {};
template <class S>
sparse_factors<S>::sparse_factors(csr_view<S>, sparse_direct_options const&) {
    throw argument_error(
        "preconditioner \"direct\": this build lacks the sparse direct solver; install Eigen 3.4 (Debian: "
        "libeigen3-dev) and configure the build again");
}
template <class S>
void sparse_factors<S>::refactor(csr_view<S>) {}
template <class S>
void sparse_factors<S>::solve(S*) {}
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
