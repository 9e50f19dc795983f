// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/partition_gallery.hpp>

#include <array>
#include <string>

#include <coppice/algebra/generate/tridiagonal_gallery.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Row i of a tridiagonal matrix. Entries outside the matrix are cleared afterwards.
struct bands {
    double lower, diagonal, upper;
};

double draw(std::uint64_t seed, std::uint64_t band, std::int64_t i) {
    return random_stream(seed, band).uniform(static_cast<std::uint64_t>(i), -1, 1);
}

bands toeplitz(std::uint64_t seed, double diagonal) { return {draw(seed, 0, 0), diagonal, draw(seed, 2, 0)}; }

/// gallery('clement', n, 0): n - 1, ..., 1 below and 1, ..., n - 1 above a zero diagonal.
bands clement(std::int64_t i, std::int64_t n) { return {double(n - i), 0, double(i + 1)}; }

/// Type 18: two rows 1, 0, 1 after a diagonal entry of 1e15.
bands badly_scaled(std::uint64_t seed, std::int64_t i, std::int64_t n) {
    if (i == n / 2 - 1 || i == n / 2) return {1, 0, 1};
    return {draw(seed, 0, i), i == n / 2 - 2 ? 1e15 : draw(seed, 1, i), draw(seed, 2, i)};
}

/// Types that are not in Table 4.
bands row_of_type(int type, std::int64_t i, std::int64_t n, std::uint64_t seed) {
    bool const boundary = i == 0 || i == n - 1;
    switch (type) {
    case 2:
        return toeplitz(seed, 1e8);
    case 6:
        return toeplitz(seed, 64);
    case 14:
        return toeplitz(seed, 1e-8);
    case 15:
        return clement(i, n);
    case 16:
        return toeplitz(seed, 0);
    case 17:
        return boundary ? bands{0, 1, 0} : bands{1, 0, 1};
    default:
        return badly_scaled(seed, i, n);
    }
}

bool is_table_4(int type) { return type != 2 && type != 6 && type < 14; }

constexpr std::array<std::string_view, partition_case_count> descriptions{
    "all bands from U(-1, 1)",
    "Toeplitz: diagonal 1e8, off-diagonals from U(-1, 1)",
    "gallery lesp",
    "as type 1, but one lower entry in the middle times 1e-50",
    "as type 1, but each off-diagonal entry is zero with probability 1/2",
    "Toeplitz: diagonal 64, off-diagonals from U(-1, 1)",
    "inverse of gallery kms with rho = 1/2",
    "gallery randsvd, condition 1e15, one small singular value",
    "gallery randsvd, condition 1e15, geometric singular values",
    "gallery randsvd, condition 1e15, one large singular value",
    "gallery randsvd, condition 1e15, arithmetic singular values",
    "as type 1, but the lower band times 1e-50",
    "gallery dorr with theta = 1e-4",
    "Toeplitz: diagonal 1e-8, off-diagonals from U(-1, 1)",
    "gallery clement",
    "Toeplitz: diagonal 0, off-diagonals from U(-1, 1)",
    "identity in the first and the last row, else diagonal 0 and off-diagonals 1",
    "as type 1, but 1, 0, 1 in two rows after a diagonal entry of 1e15",
};

void check_type(int type) {
    if (type < 1 || type > partition_case_count)
        throw argument_error("type of a tridiagonal matrix is " + std::to_string(type) + ", expected 1 to " +
                             std::to_string(partition_case_count));
}

} // namespace

std::string_view partition_case_description(int type) {
    check_type(type);
    return descriptions[static_cast<std::size_t>(type - 1)];
}

template <class T>
tridiagonal<T> partition_case(host_executor const& exec, int type, std::int64_t n, std::uint64_t seed) {
    check_type(type);
    if (is_table_4(type)) return tridiagonal_case<T>(exec, type, n, seed);
    if (n < 0) throw argument_error("size of a tridiagonal matrix is negative: " + std::to_string(n));
    tridiagonal<T> a(exec, n);
    for_each(exec, n, [&](std::int64_t i) {
        bands const row = row_of_type(type, i, n, seed);
        a.lower[i] = i > 0 ? static_cast<T>(row.lower) : T(0);
        a.diagonal[i] = static_cast<T>(row.diagonal);
        a.upper[i] = i + 1 < n ? static_cast<T>(row.upper) : T(0);
    });
    return a;
}

template tridiagonal<float> partition_case<float>(host_executor const&, int, std::int64_t, std::uint64_t);
template tridiagonal<double> partition_case<double>(host_executor const&, int, std::int64_t, std::uint64_t);

} // namespace coppice::inline v0_1
