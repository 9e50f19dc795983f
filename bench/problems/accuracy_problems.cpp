// SPDX-License-Identifier: BSD-3-Clause
#include "bench/problems/accuracy_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "bench/peers/lapack.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

namespace coppice::bench {
namespace {

template <class T>
accuracy_system<T> empty_system(std::int64_t n, int reach, int block) {
    accuracy_system<T> s;
    s.size = n;
    s.reach = reach;
    s.block = block;
    s.bands.resize(std::size_t((2 * reach + 1) * n));
    return s;
}

/// Returns row i of A x; sets `magnitudes` to the sum of |A| in that row.
template <class T>
long double apply(accuracy_system<T> const& s, std::vector<T> const& x, std::int64_t i, long double& magnitudes) {
    long double sum = 0;
    magnitudes = 0;
    std::int64_t const reach = s.reach;
    for (std::int64_t k = std::max(-reach, -i); k <= std::min(reach, s.size - 1 - i); ++k) {
        auto const entry = static_cast<long double>(s.entry(i, k));
        sum += entry * x[std::size_t(i + k)];
        magnitudes += std::abs(entry);
    }
    return sum;
}

/// At a zero pivot LAPACK returns partially eliminated right-hand sides, which are no solution.
template <class T>
std::vector<T> or_nothing(lapack_int info, std::vector<T> x) {
    if (info != 0) std::fill(x.begin(), x.end(), std::numeric_limits<T>::quiet_NaN());
    return x;
}

double finite_or_infinite(long double error) { return std::isnan(error) ? HUGE_VAL : double(error); }

} // namespace

template <class T>
band_matrix<T> accuracy_system<T>::matrix(T const* lower, T const* diagonal, T const* upper) const {
    if (block == 0) return banded_view<T>{size, reach, reach, diagonal};
    return block_tridiagonal_view<T>{size / block, block, lower, diagonal, upper};
}

template <class T>
accuracy_system<T> scalar_system(tridiagonal<T> const& a) {
    auto s = empty_system<T>(a.size(), 1, 1);
    buffer<T> const* const bands[] = {&a.lower, &a.diagonal, &a.upper};
    for (std::size_t band = 0; band < 3; ++band) {
        s.solver[band].assign(bands[band]->begin(), bands[band]->end());
        std::copy(bands[band]->begin(), bands[band]->end(), s.bands.begin() + std::int64_t(band) * a.size());
    }
    return s;
}

accuracy_system<double> block_system(block_tridiagonal<double> const& a) {
    int const n = a.block();
    auto s = empty_system<double>(a.size(), 2 * n - 1, n);
    buffer<double> const* const bands[] = {&a.lower, &a.diagonal, &a.upper};
    for (int band = 0; band < 3; ++band) {
        buffer<double> const& blocks = *bands[band];
        s.solver[band].assign(blocks.begin(), blocks.end());
        for (std::int64_t i = 0; i < a.length(); ++i)
            for (int e = 0; e < n * n; ++e) {
                std::int64_t const row = i * n + e % n, column = (i + band - 1) * n + e / n;
                if (column >= 0 && column < s.size)
                    s.bands[std::size_t((column - row + s.reach) * s.size + row)] = blocks[i * n * n + e];
            }
    }
    return s;
}

accuracy_system<double> pentadiagonal_system(banded<double> const& a) {
    auto s = empty_system<double>(a.size(), a.lower_bands(), 0);
    s.bands.assign(a.bands.begin(), a.bands.end());
    s.solver[1] = s.bands;
    return s;
}

std::optional<accuracy_system<double>> file_system(host_executor const& exec, std::filesystem::path const& file) {
    auto const a = read_matrix_market<double>(exec, file);
    std::int64_t reach = 1;
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            reach = std::max<std::int64_t>(reach, std::abs(a.column_indices()[k] - i));
    if (a.rows() != a.columns() || reach > largest_block) return std::nullopt;
    auto s = empty_system<double>(a.rows(), int(reach), 0);
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            s.bands[std::size_t((a.column_indices()[k] - i + reach) * s.size + i)] += a.values()[k];
    s.solver[1] = s.bands;
    return s;
}

template <class T>
void give_solution(accuracy_system<T>& s, std::uint64_t seed) {
    std::mt19937_64 generator(seed * 7919 + 17);
    std::normal_distribution<double> normal(3, 1);
    s.exact.resize(std::size_t(s.size));
    s.rhs.resize(std::size_t(s.size));
    for (T& value : s.exact) value = static_cast<T>(normal(generator));
    long double unused = 0;
    for (std::int64_t i = 0; i < s.size; ++i) s.rhs[std::size_t(i)] = static_cast<T>(apply(s, s.exact, i, unused));
}

template <class T>
std::vector<T> lapack_answer(accuracy_system<T> const& s) {
    auto x = s.rhs;
    auto const n = lapack_int(s.size);
    if (s.reach == 1) {
        auto bands = s.bands;
        auto const info = gtsv(n, 1, bands.data() + 1, bands.data() + n, bands.data() + 2 * n, x.data(), n);
        return or_nothing(info, std::move(x));
    }
    std::int64_t const reach = s.reach, leading = 3 * reach + 1;
    std::vector<T> columns(std::size_t(leading * s.size));
    for (std::int64_t k = -reach; k <= reach; ++k)
        for (std::int64_t i = std::max<std::int64_t>(0, -k); i < std::min(s.size, s.size - k); ++i)
            columns[std::size_t(2 * reach - k + (i + k) * leading)] = s.entry(i, k);
    std::vector<lapack_int> pivots(std::size_t(s.size));
    auto const info = gbsv(n, s.reach, columns.data(), pivots.data(), x.data());
    return or_nothing(info, std::move(x));
}

template <class T>
answer_errors errors_of(accuracy_system<T> const& s, std::vector<T> const& x) {
    long double difference = 0, norm = 0, residual = 0, matrix = 0, solution = 0, rhs = 0;
    for (std::int64_t i = 0; i < s.size; ++i) {
        auto const at = std::size_t(i);
        auto const exact = static_cast<long double>(s.exact[at]), here = static_cast<long double>(x[at]);
        auto const d = static_cast<long double>(s.rhs[at]);
        if (!std::isfinite(here)) return {HUGE_VAL, HUGE_VAL};
        difference += (here - exact) * (here - exact);
        norm += exact * exact;
        long double row = 0;
        residual = std::max(residual, std::abs(apply(s, x, i, row) - d));
        matrix = std::max(matrix, row);
        solution = std::max(solution, std::abs(here));
        rhs = std::max(rhs, std::abs(d));
    }
    return {finite_or_infinite(std::sqrt(difference / norm)),
            residual == 0 ? 0 : finite_or_infinite(residual / (matrix * solution + rhs))};
}

#define COPPICE_ACCURACY_INSTANTIATE(T)                                                                                \
    template struct accuracy_system<T>;                                                                                \
    template accuracy_system<T> scalar_system(tridiagonal<T> const&);                                                  \
    template void give_solution(accuracy_system<T>&, std::uint64_t);                                                   \
    template std::vector<T> lapack_answer(accuracy_system<T> const&);                                                  \
    template answer_errors errors_of(accuracy_system<T> const&, std::vector<T> const&);
COPPICE_ACCURACY_INSTANTIATE(float)
COPPICE_ACCURACY_INSTANTIATE(double)

} // namespace coppice::bench
