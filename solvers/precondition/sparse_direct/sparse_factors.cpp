// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include <coppice/core/error.hpp>

#if defined(COPPICE_HAS_EIGEN)
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#endif

namespace coppice::inline v0_1 {

namespace detail {
namespace {

bool is_finite(double v) { return std::isfinite(v); }
bool is_finite(std::complex<double> v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }
double conjugate(double v) { return v; }
std::complex<double> conjugate(std::complex<double> v) { return std::conj(v); }

} // namespace

template <class S>
void host_rows<S>::append(std::vector<std::pair<std::int32_t, S>>& row) {
    std::stable_sort(row.begin(), row.end(), [](auto const& x, auto const& y) { return x.first < y.first; });
    std::size_t const begin = indices.size();
    for (auto const& [column, value] : row) {
        if (!is_finite(value))
            throw matrix_error("row " + std::to_string(offsets.size() - 1) + ", column " + std::to_string(column) +
                               " of the matrix (from 0) is not finite");
        if (indices.size() > begin && indices.back() == column) {
            values.back() += value;
            continue;
        }
        indices.push_back(column);
        values.push_back(value);
    }
    offsets.push_back(checked_cast<std::int32_t>(std::int64_t(indices.size()), "the number of nonzeros"));
}

template <class S>
void host_rows<S>::inspect() {
    symmetric = positive_diagonal = true;
    std::int32_t const n = std::int32_t(offsets.size()) - 1;
    // Rows are visited in order, so the mirror images of row i are the next unread elements of their rows.
    std::vector<std::int32_t> next(offsets.begin(), offsets.end() - 1);
    for (std::int32_t i = 0; i < n; ++i) {
        bool has_diagonal = false;
        for (auto k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k) {
            auto const j = std::size_t(indices[std::size_t(k)]);
            S const value = values[std::size_t(k)];
            if (j == std::size_t(i)) has_diagonal = std::real(value) > 0 && std::imag(value) == 0;
            auto const mirror = next[j]++;
            symmetric = symmetric && mirror < offsets[j + 1] && indices[std::size_t(mirror)] == i &&
                        values[std::size_t(mirror)] == conjugate(value);
        }
        positive_diagonal = positive_diagonal && has_diagonal;
    }
}

template struct host_rows<double>;
template struct host_rows<std::complex<double>>;

} // namespace detail

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
using rows_view = Eigen::Map<Eigen::SparseMatrix<S, Eigen::RowMajor, int> const>;
template <class S>
using columns = Eigen::SparseMatrix<S, Eigen::ColMajor, int>;

template <class S>
rows_view<S> view_of(host_rows<S> const& a) {
    auto const n = Eigen::Index(a.offsets.size()) - 1;
    return {n, n, Eigen::Index(a.values.size()), a.offsets.data(), a.indices.data(), a.values.data()};
}

/// Its symbolic phase counts the nonzeros of the columns of L.
template <class S>
struct cholesky : Eigen::SimplicialLDLT<columns<S>, Eigen::Lower> {
    void count(factor_report& report) const {
        report.estimated_nonzeros = report.estimated_operations = 0;
        for (Eigen::Index j = 0; j < this->m_nonZerosPerCol.size(); ++j) {
            double const below = double(this->m_nonZerosPerCol[j]);
            report.estimated_nonzeros += below + 1;
            report.estimated_operations += below * below;
        }
    }
};

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
    cholesky<S> symbolic;                     ///< of the pattern of A + A^T
    Eigen::SparseLU<columns<S>, Eigen::COLAMDOrdering<int>> lu;
    bool lu_is_analysed = false;
    bool ready = false;
    Eigen::Matrix<S, Eigen::Dynamic, 1> work;

    Eigen::Index size() const { return Eigen::Index(row_power.size()); }

    /// Row powers from the matrix, then column powers from the scaled rows; equal ones for a symmetric matrix.
    void find_powers(host_rows<S> const& a) {
        auto const n = a.offsets.size() - 1;
        row_power.assign(n, 0);
        column_power.assign(n, 0);
        std::vector<double> largest(n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
                largest[i] = std::max(largest[i], magnitude_of(a.values[std::size_t(k)]));
        if (a.symmetric) {
            for (std::size_t i = 0; i < n; ++i)
                row_power[i] = column_power[i] = int(std::floor(exponent_of(largest[i]) / 2.0));
            return;
        }
        for (std::size_t i = 0; i < n; ++i) row_power[i] = exponent_of(largest[i]);
        std::fill(largest.begin(), largest.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
                double& column = largest[std::size_t(a.indices[std::size_t(k)])];
                column = std::max(column, std::ldexp(magnitude_of(a.values[std::size_t(k)]), -row_power[i]));
            }
        for (std::size_t j = 0; j < n; ++j) column_power[j] = exponent_of(largest[j]);
    }

    columns<S> scaled_columns(host_rows<S> const& a) const {
        columns<S> c = view_of(a);
        for (Eigen::Index j = 0; j < c.outerSize(); ++j)
            for (typename columns<S>::InnerIterator it(c, j); it; ++it)
                it.valueRef() =
                    scaled(it.value(), -row_power[std::size_t(it.row())] - column_power[std::size_t(it.col())]);
        return c;
    }

    /// Counts of the factors of A^T A, which bound those of L and U for any pivoting (George and Ng, 1985), replace the
    /// estimate from A + A^T if they are smaller: the pattern of A may be far from symmetric. Skipped if A^T A is
    /// dense.
    void estimate_by_normal_equations(host_rows<S> const& a, columns<S> const& pattern) {
        double products = 0;
        for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) {
            double const length = a.offsets[i + 1] - a.offsets[i];
            products += length * length;
        }
        if (products > 50.0 * double(a.values.size())) return;
        cholesky<S> normal;
        normal.analyzePattern(columns<S>(columns<S>(pattern.transpose()) * pattern));
        factor_report bound;
        normal.count(bound);
        if (bound.estimated_operations >= report.estimated_operations) return;
        report.estimated_nonzeros = bound.estimated_nonzeros;
        report.estimated_operations = bound.estimated_operations;
    }

    void analyse(host_rows<S> const& a) {
        columns<S> pattern = view_of(a);
        for (Eigen::Index k = 0; k < pattern.nonZeros(); ++k) pattern.valuePtr()[k] = S(1);
        columns<S> const both = a.symmetric ? pattern : columns<S>(pattern + columns<S>(pattern.transpose()));
        symbolic.analyzePattern(both);
        symbolic.count(report);
        if (!a.symmetric) estimate_by_normal_equations(a, pattern);
        double const factors = a.symmetric && a.positive_diagonal ? 1 : 2;
        double const gigabytes = factors * report.estimated_nonzeros * (sizeof(S) + sizeof(int)) * 1e-9;
        double const limit = options.max_gigabytes > 0 ? options.max_gigabytes : available_bytes() * 0.5e-9;
        report.estimated_operations *= factors;
        if (gigabytes > limit || report.estimated_nonzeros > 2e9)
            refuse("GB of memory", gigabytes, limit, "max-gigabytes");
        if (options.max_operations > 0 && report.estimated_operations > options.max_operations)
            refuse("operations", report.estimated_operations, options.max_operations, "max-operations");
    }
    [[noreturn]] static void refuse(char const* what, double estimate, double limit, char const* option) {
        std::ostringstream text;
        text.precision(3);
        text << "sparse direct solver: the factors of this matrix need an estimated " << estimate << " " << what
             << ", the limit is " << limit << "; use an iterative preconditioner, or raise " << option;
        throw matrix_error(text.str());
    }

    /// Whether L D L^H exists with positive pivots.
    bool factor_cholesky(columns<S> const& a) {
        symbolic.factorize(a);
        if (symbolic.info() != Eigen::Success) return false;
        auto const d = symbolic.vectorD();
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
        if (lu.info() != Eigen::Success)
            throw matrix_error("sparse direct solver: the matrix is singular to working precision (" +
                               lu.lastErrorMessage() + ")");
        report.cholesky = false;
        report.nonzeros = double(lu.nnzL()) + double(lu.nnzU());
    }

    void factor(host_rows<S> const& a) {
        ready = false;
        find_powers(a);
        columns<S> const c = scaled_columns(a);
        bool const suits = a.symmetric && a.positive_diagonal;
        bool const attempts_cholesky = options.method == sparse_direct_method::cholesky ||
                                       (options.method == sparse_direct_method::automatic && suits);
        if (!(attempts_cholesky && suits && factor_cholesky(c))) {
            if (options.method == sparse_direct_method::cholesky)
                throw matrix_error("sparse direct solver: method=cholesky requires a symmetric positive definite "
                                   "matrix; use method=lu or method=auto");
            factor_lu(c);
        }
        ready = true;
    }
};

template <class S>
sparse_factors<S>::sparse_factors(host_rows<S> const& a, sparse_direct_options const& options)
    : state_(std::make_unique<state>()) {
    state_->options = options;
    if (a.offsets.size() < 2) return;
    state_->work.resize(Eigen::Index(a.offsets.size()) - 1);
    state_->analyse(a);
    state_->factor(a);
}

template <class S>
void sparse_factors<S>::refactor(host_rows<S> const& a) {
    if (a.offsets.size() >= 2) state_->factor(a);
}

template <class S>
void sparse_factors<S>::solve(S* x) {
    state& s = *state_;
    if (s.size() == 0) return;
    if (!s.ready) throw matrix_error("sparse direct solver: the last factorisation failed");
    Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>> vector(x, s.size());
    for (Eigen::Index i = 0; i < s.size(); ++i) vector[i] = scaled(vector[i], -s.row_power[std::size_t(i)]);
    if (s.report.cholesky)
        s.work = s.symbolic.solve(vector);
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
sparse_factors<S>::sparse_factors(host_rows<S> const&, sparse_direct_options const&) {
    throw argument_error(
        "preconditioner \"direct\": this build lacks the sparse direct solver; install Eigen 3.4 (Debian: "
        "libeigen3-dev) and configure the build again");
}
template <class S>
void sparse_factors<S>::refactor(host_rows<S> const&) {}
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
