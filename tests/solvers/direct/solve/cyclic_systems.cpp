// SPDX-License-Identifier: BSD-3-Clause
// Cyclic tridiagonal systems without a report: RPTS, and the chain solver where its solution is not accurate.
#include <coppice/banded.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Systems of equal size with two right-hand sides.
template <class T>
struct cyclic_systems {
    std::int64_t rows, systems;
    block_storage<T> all;
    std::vector<T> d;
    static constexpr std::int64_t columns = 2;

    /// Random systems; every fourth is of repeated rows, with which the last unknown of the other rows is hardly
    /// determined, and every fourth has a dominant diagonal.
    cyclic_systems(std::int64_t each, std::int64_t count)
        : rows(each), systems(count), all(each * count, 1, std::uint64_t(3 * each + count), true) {
        constexpr double repeated[3][3] = {{1, 1, 1}, {0, -1e-6, -1e-6}, {1, 1, 1}};
        for (std::int64_t k = 0; k < systems; ++k)
            for (std::int64_t i = 0; i < rows; ++i) {
                auto const at = std::size_t(k * rows + i);
                if (k % 4 == 1) {
                    all.lower[at] = T(repeated[i % 3][0]), all.upper[at] = T(repeated[i % 3][2]);
                    all.diagonal[at] = T(repeated[i % 3][1] + (i + 1 == rows ? .5 : 0));
                }
                if (k % 4 == 2) all.diagonal[at] += all.diagonal[at] < T(0) ? T(-3) : T(3);
            }
        for (std::int64_t i = 0; i < all.size() * columns; ++i) d.push_back(T(std::sin(double(i))));
    }
    /// Position of row i of system k.
    std::size_t at(std::int64_t k, std::int64_t i, bool interleaved) const {
        return std::size_t(interleaved ? i * systems + k : k * rows + i);
    }
    std::vector<T> in_order(std::vector<T> const& v, bool interleaved) const {
        std::vector<T> to(v.size());
        for (std::size_t c = 0; c < v.size() / std::size_t(all.size()); ++c)
            for (std::int64_t k = 0; k < systems; ++k)
                for (std::int64_t i = 0; i < rows; ++i)
                    to[c * std::size_t(all.size()) + at(k, i, interleaved)] =
                        v[c * std::size_t(all.size()) + at(k, i, false)];
        return to;
    }
    /// System k alone.
    cyclic_systems alone(std::int64_t k) const {
        cyclic_systems one = *this;
        auto const select = [&](std::vector<T>& v, std::vector<T> const& from) {
            v.clear();
            for (std::size_t c = 0; c < from.size() / std::size_t(all.size()); ++c)
                for (std::int64_t i = 0; i < rows; ++i)
                    v.push_back(from[c * std::size_t(all.size()) + at(k, i, false)]);
        };
        one.systems = 1;
        one.all = block_storage<T>(rows, 1, 1, true);
        select(one.all.lower, all.lower), select(one.all.diagonal, all.diagonal), select(one.all.upper, all.upper);
        select(one.d, d);
        return one;
    }
    plain_rows<T> meaning() const {
        plain_rows<T> to(all.size());
        for (std::int64_t k = 0; k < systems; ++k) all.describe(to, k * rows, (k + 1) * rows, true);
        return to;
    }
    /// The solutions, in separate order.
    template <class Executor>
    std::vector<T> solve(Executor const& exec, bool interleaved, bool in_place, band_options options = {}) const {
        auto const of = [&](std::vector<T> const& v) { return exec.copy(in_order(v, interleaved)); };
        auto const lower = of(all.lower), diagonal = of(all.diagonal), upper = of(all.upper);
        tridiagonal_view<T> const view{all.size(), lower.data(), diagonal.data(), upper.data()};
        auto const a =
            interleaved ? band_matrix<T>::interleaved_batch(view, systems) : band_matrix<T>::batch(view, systems);
        options.cyclic = true;
        auto const rhs = of(d);
        auto x = of(d);
        solve_bands(exec, a, columns_view<T const>(in_place ? x.data() : rhs.data(), all.size(), columns),
                    columns_view<T>(x.data(), all.size(), columns), options);
        auto const found = to_vector(exec, x);
        std::vector<T> separate(found.size());
        for (std::size_t c = 0; c < std::size_t(columns); ++c)
            for (std::int64_t k = 0; k < systems; ++k)
                for (std::int64_t i = 0; i < rows; ++i)
                    separate[c * std::size_t(all.size()) + at(k, i, false)] =
                        found[c * std::size_t(all.size()) + at(k, i, interleaved)];
        return separate;
    }
};

template <class T, class Executor>
void check_cyclic(Executor const& exec, std::int64_t rows, std::int64_t count) {
    CAPTURE(rows);
    CAPTURE(count);
    cyclic_systems<T> const s(rows, count);
    auto const x = s.solve(exec, false, false);
    for (std::int64_t k = 0; k < count; ++k) {
        CAPTURE(k);
        auto const one = s.alone(k);
        std::vector<T> mine;
        for (std::int64_t c = 0; c < s.columns; ++c)
            for (std::int64_t i = 0; i < rows; ++i)
                mine.push_back(x[std::size_t(c * s.all.size()) + s.at(k, i, false)]);
        CHECK(backward_error_of(one.meaning(), mine, one.d) < 50 * epsilon<T>);
        if (std::is_same_v<Executor, host_executor>) CHECK(one.solve(exec, false, false) == mine);
    }
    CHECK(s.solve(exec, false, true) == x);
    auto const y = s.solve(exec, true, true);
    CHECK(s.solve(exec, true, false) == y);
    if (std::is_same_v<Executor, host_executor>)
        CHECK(y == x);
    else
        CHECK(backward_error_of(s.meaning(), y, s.d) < 50 * epsilon<T>);
}

} // namespace

TEST_CASE_TEMPLATE("bands: cyclic tridiagonal systems without a report", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const rows : {1, 2, 3, 4, 5, 31, 64, 65, 100, 513, 1500})
        for (std::int64_t const count : {1, 4, 13}) {
            if (sanitized && rows * count > 1500) continue;
            check_cyclic<double>(exec, rows, count);
            check_cyclic<float>(exec, rows, count);
        }
    if (!sanitized) check_cyclic<double>(exec, 40000, 2);
}

TEST_CASE_TEMPLATE("bands: a cyclic system times a power of two has the same solution", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const rows : {3, 100, 700}) {
        cyclic_systems<double> const s(rows, 4);
        auto const x = s.solve(exec, false, false);
        for (double const scale : {0x1p-600, 0x1p600}) {
            auto scaled = s;
            for (auto* band : {&scaled.all.lower, &scaled.all.diagonal, &scaled.all.upper, &scaled.d})
                for (double& value : *band) value *= scale;
            CHECK(scaled.solve(exec, false, false) == x);
        }
    }
}

TEST_CASE_TEMPLATE("bands: a cyclic system that holds NaN does not affect the others of its batch", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    cyclic_systems<double> s(90, 5);
    auto const x = s.solve(exec, false, false);
    s.all.diagonal[90 + 7] = std::numeric_limits<double>::quiet_NaN();
    auto const y = s.solve(exec, false, false);
    bool finite = true;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i / 90 % 5 == 1)
            finite = finite && std::isfinite(y[i]);
        else
            CHECK(y[i] == x[i]);
    CHECK(!finite);
}

TEST_CASE("bands: the solution of a small singular cyclic system on the host is not finite") {
    host_executor const exec(1);
    for (std::int64_t const rows : {3, 10}) {
        CAPTURE(rows);
        cyclic_systems<double> s(rows, 2);
        for (std::int64_t i = 0; i < rows; ++i) { // rows of a Laplacian
            auto const at = std::size_t(i);
            s.all.lower[at] = -0.25 * double(1 + i % 3), s.all.upper[at] = -0.5;
            s.all.diagonal[at] = -(s.all.lower[at] + s.all.upper[at]);
        }
        auto const x = s.solve(exec, false, false);
        bool finite = true;
        for (std::int64_t i = 0; i < rows; ++i) finite = finite && std::isfinite(x[std::size_t(i)]);
        CHECK(!finite);
    }
}
