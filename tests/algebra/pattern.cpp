// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/pattern.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "support/executors.hpp"
#include "support/stored_rows.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using entry_set = std::set<std::pair<int, int>>;

struct small_matrix {
    int n;
    row_lists rows;
    csr<double> stored() const { return from_rows(rows); }
    double weight(entry_set const* in = nullptr) const {
        double sum = 0;
        for (int i = 0; i < n; ++i)
            for (auto const& [j, value] : rows[std::size_t(i)])
                if (!in || in->count({i, j})) sum += std::abs(value);
        return sum;
    }
};

/// Few distinct magnitudes, so that there are ties; empty rows, missing diagonals, unsorted columns.
small_matrix random_rows(int n, unsigned seed) {
    std::mt19937 random(seed);
    small_matrix a{n, row_lists(std::size_t(n))};
    for (auto& row : a.rows) {
        std::vector<int> columns(static_cast<std::size_t>(n));
        for (int j = 0; j < n; ++j) columns[std::size_t(j)] = j;
        std::shuffle(columns.begin(), columns.end(), random);
        columns.resize(random() % unsigned(n + 1));
        for (int const j : columns) row.emplace_back(j, double(int(random() % 9) - 4) / 4);
    }
    return a;
}

/// From the definitions: Eq. 49 by a complete sort, Eq. 50 by the maximum.
entry_set largest_by_sorting(small_matrix const& a, std::vector<std::int32_t> const& q) {
    entry_set selected;
    for (int i = 0; i < a.n; ++i) {
        auto row = a.rows[std::size_t(i)];
        std::erase_if(row, [&](auto const& e) { return e.first == i; });
        std::sort(row.begin(), row.end(), [](auto const& e, auto const& f) {
            return std::abs(e.second) != std::abs(f.second) ? std::abs(e.second) > std::abs(f.second)
                                                            : e.first < f.first;
        });
        for (int k = 0; k < std::min(q[std::size_t(i)], std::int32_t(row.size())); ++k)
            selected.insert({i, row[std::size_t(k)].first});
    }
    return selected;
}
entry_set above_fraction(small_matrix const& a, double fraction) {
    entry_set selected;
    for (int i = 0; i < a.n; ++i) {
        double max_value = 0;
        for (auto const& e : a.rows[std::size_t(i)]) max_value = std::max(max_value, std::abs(e.second));
        for (auto const& e : a.rows[std::size_t(i)])
            if (std::abs(e.second) >= fraction * max_value) selected.insert({i, e.first});
    }
    return selected;
}

template <class Executor>
entry_set entries_of(Executor const& exec, sparsity_pattern<std::int32_t> const& s) {
    auto const offsets = to_vector(exec, s.row_offsets());
    auto const columns = to_vector(exec, s.column_indices());
    entry_set all;
    for (int i = 0; i < s.rows(); ++i)
        for (int k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k) {
            if (k > offsets[std::size_t(i)]) CHECK(columns[std::size_t(k)] > columns[std::size_t(k) - 1]);
            all.insert({i, columns[std::size_t(k)]});
        }
    return all;
}
template <class Executor>
small_matrix rows_of(Executor const& exec, csr<double> const& a) {
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const columns = to_vector(exec, a.column_indices());
    auto const values = to_vector(exec, a.values());
    small_matrix m{int(a.rows()), std::vector<std::vector<std::pair<int, double>>>(std::size_t(a.rows()))};
    for (int i = 0; i < a.rows(); ++i)
        for (int k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
            m.rows[std::size_t(i)].emplace_back(columns[std::size_t(k)], values[std::size_t(k)]);
    return m;
}

/// User-defined pattern: the checkerboard.
struct even_sum {
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const { return (row + column) % 2 == 0; }
};

} // namespace

TEST_CASE_TEMPLATE("patterns of a matrix are those of their definitions", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 7, 40}) {
        auto const rows = random_rows(n, unsigned(n));
        auto const a = exec.copy(rows.stored());
        CAPTURE(n);
        for (int const q : {0, 1, 2, 5, 100})
            CHECK(entries_of(exec, largest_pattern(exec, a.view(), q)) ==
                  largest_by_sorting(rows, std::vector<std::int32_t>(std::size_t(n), q)));
        std::vector<std::int32_t> counts(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) counts[std::size_t(i)] = i % 5;
        auto const there = exec.copy(counts);
        CHECK(entries_of(exec, largest_pattern(exec, a.view(), there.view())) == largest_by_sorting(rows, counts));
        for (double const fraction : {0.0, 0.5, 0.75, 1.0})
            CHECK(entries_of(exec, threshold_pattern(exec, a.view(), fraction)) == above_fraction(rows, fraction));
    }
    // A NaN is selected before all other entries of its row.
    small_matrix poisoned{2, {{{0, 1.0}, {1, std::numeric_limits<double>::quiet_NaN()}}, {{0, 2.0}}}};
    auto const a = exec.copy(poisoned.stored());
    CHECK(entries_of(exec, largest_pattern(exec, a.view(), 1)) == entry_set{{0, 1}, {1, 0}});
    CHECK(std::isnan(coverage(exec, a.view(), diagonal_pattern{})));
    std::vector<std::int32_t> const one{1};
    auto const short_counts = exec.copy(one);
    CHECK_THROWS_AS(largest_pattern(exec, a.view(), short_counts.view()), dimension_error);
}

TEST_CASE_TEMPLATE("prune, scale and coverage of patterns, lists and user-defined patterns", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 33;
    auto const rows = random_rows(n, 5);
    auto const a = exec.copy(rows.stored());
    auto const check = [&](auto s, auto&& contains) {
        entry_set inside;
        for (int i = 0; i < n; ++i)
            for (auto const& e : rows.rows[std::size_t(i)])
                if (contains(i, e.first)) inside.insert({i, e.first});
        auto expected = rows;
        for (int i = 0; i < n; ++i)
            std::erase_if(expected.rows[std::size_t(i)], [&](auto const& e) { return !inside.count({i, e.first}); });
        CHECK(rows_of(exec, prune(exec, a.view(), s)).rows == expected.rows);
        auto scaled = rows;
        for (int i = 0; i < n; ++i)
            for (auto& e : scaled.rows[std::size_t(i)])
                if (inside.count({i, e.first})) e.second *= 0.25;
        CHECK(rows_of(exec, scale(exec, a.view(), s, 0.25)).rows == scaled.rows);
        CHECK(coverage(exec, a.view(), s) == doctest::Approx(rows.weight(&inside) / rows.weight()));
    };
    check(diagonal_pattern{}, [](int i, int j) { return i == j; });
    check(tridiagonal_pattern{}, [](int i, int j) { return std::abs(i - j) <= 1; });
    check(lower_pattern{}, [](int i, int j) { return i >= j; });
    check(lower_pattern{.strict = true}, [](int i, int j) { return i > j; });
    check(even_sum{}, [](int i, int j) { return (i + j) % 2 == 0; });
    auto const strong = largest_pattern(exec, a.view(), 3);
    auto const in_list = entries_of(exec, strong);
    check(strong.view(), [&](int i, int j) { return in_list.count({i, j}) > 0; });
    check(pattern_union{diagonal_pattern{}, strong.view()}, [&](int i, int j) {
        return i == j || in_list.count({i, j}) > 0;
    });
    check(pattern_difference{strong.view(), even_sum{}}, [&](int i, int j) {
        return in_list.count({i, j}) > 0 && (i + j) % 2 != 0;
    });
    CHECK(entries_of(exec, pattern_of(exec, a.view())).size() == std::size_t(a.nonzeros()));
    CHECK(coverages(exec, a.view()).diagonal_coverage() ==
          doctest::Approx(coverage(exec, a.view(), diagonal_pattern{})));
    // Coverage is 1 if the total weight is zero.
    csr<double> const none = exec.copy(small_matrix{3, {{}, {}, {}}}.stored());
    CHECK(coverage(exec, none.view(), diagonal_pattern{}) == 1);
    CHECK(prune(exec, csr_view<double>{}, diagonal_pattern{}).rows() == 0);
}
