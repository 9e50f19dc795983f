// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/tridiagonal_gallery.hpp>

#include <array>
#include <cmath>

#include <coppice/algebra/generate/randsvd.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Row i of a tridiagonal matrix. Entries outside the matrix are cleared afterwards.
struct bands {
    double lower, diagonal, upper;
};

/// Random numbers of a case; each band has its own stream.
struct draws {
    std::uint64_t seed;
    double uniform(std::uint64_t stream, std::int64_t i) const {
        return random_stream(seed, stream).uniform(static_cast<std::uint64_t>(i), -1, 1);
    }
    double a(std::int64_t i) const { return uniform(0, i); }
    double b(std::int64_t i) const { return uniform(1, i); }
    double c(std::int64_t i) const { return uniform(2, i); }
    /// True with probability 1/2, for case 5.
    bool drops_a(std::int64_t i) const { return uniform(3, i) < 0; }
    bool drops_c(std::int64_t i) const { return uniform(4, i) < 0; }
};

/// gallery('lesp', n): sensitive eigenvalues. With MATLAB's 1-based index: a_i = 1/i, b_i = -(2i + 3), c_i = i + 1.
bands lesp(std::int64_t i) {
    auto const k = static_cast<double>(i + 1);
    return {1 / k, -(2 * k + 3), k + 1};
}

/// Inverse of the Kac-Murdock-Szego matrix K_ij = rho^|i - j|, exact for rho = 1/2.
bands inverse_kms(std::int64_t i, std::int64_t n) {
    constexpr double rho = 0.5, scale = 1 / (1 - rho * rho);
    if (n == 1) return {0, 1, 0};
    bool const corner = i == 0 || i == n - 1;
    return {-rho * scale, (corner ? 1 : 1 + rho * rho) * scale, -rho * scale};
}

/// gallery('dorr', n, theta): a singularly perturbed two-point boundary value problem with a turning point. Diagonally
/// dominant by rows, with equality in the interior.
bands dorr(std::int64_t i, std::int64_t n, double theta) {
    double const h = 1 / static_cast<double>(n + 1), term = theta / (h * h);
    std::int64_t const k = i + 1, m = (n + 1) / 2;
    double const drift = (0.5 - static_cast<double>(k) * h) / h;
    double const lower = k <= m ? -term : -term + drift;
    double const upper = k <= m ? -term - drift : -term;
    return {lower, -(lower + upper), upper};
}

bands row_of_case(int case_id, std::int64_t i, std::int64_t n, draws const& u) {
    switch (case_id) {
    case 1:
        return {u.a(i), u.b(i), u.c(i)};
    case 2:
        return {u.a(i), 1e8, u.c(i)};
    case 3:
        return lesp(i);
    case 4:
        return {i == n / 2 ? 1e-50 * u.a(i) : u.a(i), u.b(i), u.c(i)};
    case 5:
        return {u.drops_a(i) ? 0 : u.a(i), u.b(i), u.drops_c(i) ? 0 : u.c(i)};
    case 6:
        return {u.a(i), 64, u.c(i)};
    case 7:
        return inverse_kms(i, n);
    case 12:
        return {1e-50 * u.a(i), u.b(i), u.c(i)};
    case 13:
        return dorr(i, n, 1e-4);
    case 14:
        return {u.a(i), 1e-8, u.c(i)};
    case 15:
        return {u.a(i), 0, u.c(i)};
    case 16:
        return {1, 1e-8, 1};
    case 17:
        return {1, 1e8, 1};
    case 18:
        return {-1, 4, -1};
    case 19:
        return {-1, 4, 1};
    default:
        return {-1, 4, u.c(i)};
    }
}

constexpr std::array<std::string_view, tridiagonal_case_count> descriptions{
    "a, b, c from U(-1, 1)",
    "b = 1e8; a, c from U(-1, 1)",
    "gallery lesp",
    "as case 1, but one entry a in the middle times 1e-50",
    "as case 1, but each a and c is zero with probability 1/2",
    "b = 64; a, c from U(-1, 1)",
    "inverse of gallery kms with rho = 1/2",
    "gallery randsvd, condition 1e15, one small singular value",
    "gallery randsvd, condition 1e15, geometric singular values",
    "gallery randsvd, condition 1e15, one large singular value",
    "gallery randsvd, condition 1e15, arithmetic singular values",
    "as case 1, but a times 1e-50",
    "gallery dorr with theta = 1e-4",
    "b = 1e-8; a, c from U(-1, 1)",
    "b = 0; a, c from U(-1, 1)",
    "a = c = 1, b = 1e-8",
    "a = c = 1, b = 1e8",
    "a = c = -1, b = 4",
    "a = -1, b = 4, c = 1",
    "a = -1, b = 4, c from U(-1, 1)",
};

void check_case(int case_id) {
    if (case_id < 1 || case_id > tridiagonal_case_count)
        throw argument_error("tridiagonal case is " + std::to_string(case_id) + ", expected 1 to 20");
}

} // namespace

std::string_view tridiagonal_case_description(int case_id) {
    check_case(case_id);
    return descriptions[static_cast<std::size_t>(case_id - 1)];
}

template <class T>
tridiagonal<T> tridiagonal_case(host_executor const& exec, int case_id, std::int64_t n, std::uint64_t seed) {
    check_case(case_id);
    if (n < 0) throw argument_error("size of a tridiagonal matrix is negative: " + std::to_string(n));
    tridiagonal<T> a(exec, n);
    auto const put = [&](std::int64_t i, bands const& row) {
        a.lower[i] = i > 0 ? static_cast<T>(row.lower) : T(0);
        a.diagonal[i] = static_cast<T>(row.diagonal);
        a.upper[i] = i + 1 < n ? static_cast<T>(row.upper) : T(0);
    };
    constexpr std::array<int, 4> modes{2, 3, 1, 4};
    if (case_id >= 8 && case_id <= 11) {
        auto const mode = static_cast<detail::randsvd_mode>(modes[static_cast<std::size_t>(case_id - 8)]);
        auto const whole = detail::banded_randsvd(exec, n, 1, 1e15, mode, seed);
        auto const& bands = whole.bands;
        for_each(exec, n, [&](std::int64_t i) { put(i, {bands[i], bands[n + i], bands[2 * n + i]}); });
    } else {
        for_each(exec, n, [&](std::int64_t i) { put(i, row_of_case(case_id, i, n, draws{seed})); });
    }
    return a;
}

template tridiagonal<float> tridiagonal_case<float>(host_executor const&, int, std::int64_t, std::uint64_t);
template tridiagonal<double> tridiagonal_case<double>(host_executor const&, int, std::int64_t, std::uint64_t);

} // namespace coppice::inline v0_1
