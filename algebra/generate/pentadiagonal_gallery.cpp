// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/pentadiagonal_gallery.hpp>

#include <array>
#include <string>

#include <coppice/algebra/generate/randsvd.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Row i of a pentadiagonal matrix, from the lowest to the highest band. Entries outside the matrix are cleared
/// afterwards.
using pentad = std::array<double, 5>;

/// Five bands from U(-1, 1), each with its own random stream.
pentad random_row(std::uint64_t seed, std::int64_t i) {
    pentad row;
    for (std::size_t band = 0; band < row.size(); ++band)
        row[band] = random_stream(seed, band).uniform(static_cast<std::uint64_t>(i), -1, 1);
    return row;
}

/// Five bands from U(-1, 1); each entry of the given bands is zero with probability 1/2.
pentad thinned_row(std::uint64_t seed, std::int64_t i, std::initializer_list<std::size_t> bands) {
    pentad row = random_row(seed, i);
    for (std::size_t const band : bands)
        if (random_stream(seed, 5 + band).uniform(static_cast<std::uint64_t>(i), -1, 1) < 0) row[band] = 0;
    return row;
}

pentad with_diagonal(pentad row, double diagonal) {
    row[2] = diagonal;
    return row;
}

pentad row_of_case(int case_id, std::int64_t i, std::int64_t n, std::uint64_t seed) {
    constexpr double faint = 1e-50;
    pentad u = random_row(seed, i);
    switch (case_id) {
    case 1:
        return u;
    case 2:
        return with_diagonal(u, 1e8);
    case 3:
    case 4:
        if (i == n / 2) u[0] *= faint;
        if (case_id == 4 && i == n / 2) u[1] *= faint;
        if (case_id == 4 && i == n / 2 + 1) u[0] *= faint;
        return u;
    case 5:
        return thinned_row(seed, i, {0, 4});
    case 6:
        return thinned_row(seed, i, {0, 1, 3, 4});
    case 7:
        return with_diagonal(u, 64);
    case 12:
        u[0] *= faint;
        return u;
    case 13:
        u[0] *= faint;
        u[1] *= faint;
        return u;
    case 14:
        return {1, -10, 0, 10, 1}; // gallery('toeppen', n, 1, -10, 0, 10, 1)
    case 15:
        return with_diagonal(u, 1e-8);
    case 16:
        return with_diagonal(u, 0);
    case 17:
        return {1, 1, 1e-8, 1, 1};
    case 18:
        return {1, 1, 1e8, 1, 1};
    case 19:
        return {-1, -1, 8, -1, -1};
    case 20:
        return {-1, 1, 8, 1, -1};
    case 21:
        return {-1, 1, 8, 1, 1};
    case 22:
        return {-1, -1, 8, 1, u[4]};
    default:
        return {-1, -1, 8, u[3], u[4]};
    }
}

constexpr std::array<std::string_view, pentadiagonal_case_count> descriptions{
    "all bands from U(-1, 1)",
    "diagonal 1e8, the rest from U(-1, 1)",
    "as case 1, but one entry of the lowest band in the middle times 1e-50",
    "as case 3, but all entries that couple the lower half to the upper one times 1e-50",
    "as case 1, but each entry of the outermost bands is zero with probability 1/2",
    "as case 1, but each entry off the diagonal is zero with probability 1/2",
    "diagonal 64, the rest from U(-1, 1)",
    "gallery randsvd, condition 1e15, one small singular value",
    "gallery randsvd, condition 1e15, geometric singular values",
    "gallery randsvd, condition 1e15, one large singular value",
    "gallery randsvd, condition 1e15, arithmetic singular values",
    "as case 1, but the lowest band times 1e-50",
    "as case 1, but both lower bands times 1e-50",
    "gallery toeppen with 1, -10, 0, 10, 1",
    "diagonal 1e-8, the rest from U(-1, 1)",
    "diagonal 0, the rest from U(-1, 1)",
    "diagonal 1e-8, the rest 1",
    "diagonal 1e8, the rest 1",
    "-1, -1, 8, -1, -1",
    "-1, 1, 8, 1, -1",
    "-1, 1, 8, 1, 1",
    "-1, -1, 8, 1, the highest band from U(-1, 1)",
    "-1, -1, 8, both upper bands from U(-1, 1)",
};

void check_case(int case_id) {
    if (case_id < 1 || case_id > pentadiagonal_case_count)
        throw argument_error("pentadiagonal case is " + std::to_string(case_id) + ", expected 1 to " +
                             std::to_string(pentadiagonal_case_count));
}

} // namespace

std::string_view pentadiagonal_case_description(int case_id) {
    check_case(case_id);
    return descriptions[static_cast<std::size_t>(case_id - 1)];
}

template <class T>
banded<T> pentadiagonal_case(host_executor const& exec, int case_id, std::int64_t n, std::uint64_t seed) {
    check_case(case_id);
    if (n < 0) throw argument_error("size of a pentadiagonal matrix is negative: " + std::to_string(n));
    banded<T> a(exec, n, 2, 2);
    constexpr std::array<int, 4> modes{2, 3, 1, 4};
    if (case_id >= 8 && case_id <= 11) {
        auto const mode = static_cast<detail::randsvd_mode>(modes[static_cast<std::size_t>(case_id - 8)]);
        auto const whole = detail::banded_randsvd(exec, n, 2, 1e15, mode, seed);
        for_each(exec, 5 * n, [&](std::int64_t i) { a.bands[i] = static_cast<T>(whole.bands[i]); });
        return a;
    }
    for_each(exec, n, [&](std::int64_t i) {
        pentad const row = row_of_case(case_id, i, n, seed);
        for (std::int64_t k = -2; k <= 2; ++k)
            a.bands[(k + 2) * n + i] =
                i + k >= 0 && i + k < n ? static_cast<T>(row[static_cast<std::size_t>(k + 2)]) : T(0);
    });
    return a;
}

template banded<float> pentadiagonal_case<float>(host_executor const&, int, std::int64_t, std::uint64_t);
template banded<double> pentadiagonal_case<double>(host_executor const&, int, std::int64_t, std::uint64_t);

} // namespace coppice::inline v0_1
