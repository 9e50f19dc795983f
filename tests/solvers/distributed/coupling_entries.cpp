// SPDX-License-Identifier: BSD-3-Clause
// Products of rows at the cuts between parts, against dense products.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <coppice/solvers/distributed/levels/products_at_cuts.hpp>

using namespace coppice;
using namespace coppice::distributed;

namespace {

using dense = std::vector<std::vector<double>>;
dense zeros(int rows, int columns) { return dense(std::size_t(rows), std::vector<double>(std::size_t(columns), 0)); }
dense times(dense const& a, dense const& b) {
    dense c = zeros(int(a.size()), int(b.front().size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k)
            for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    return c;
}
dense transposed(dense const& a) {
    dense t = zeros(int(a.front().size()), int(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a[i].size(); ++j) t[j][i] = a[i][j];
    return t;
}

/// Rows `of` of a matrix, in the columns [first, behind), counted from there.
listed_rows<double> list(dense const& a, std::vector<std::int32_t> const& of, int first, int behind) {
    listed_rows<double> listed;
    for (std::int32_t const row : of) {
        for (int j = first; j < behind; ++j)
            if (double const value = a[std::size_t(row)][std::size_t(j)]; value != 0) listed.add(j - first, value);
        listed.end_row();
    }
    return listed;
}

/// A matrix of `parts` x `rows` unknowns in parts, whose prolongator leads to `coarse` of each.
struct problem {
    int parts, rows, coarse;
    dense a, p; ///< over all parts
    int part_of_row(int i) const { return i / rows; }
    int part_of_column(int c) const { return c / coarse; }

    problem(int of_parts, int rows_each, int coarse_each, bool crosses, std::mt19937_64& random)
        : parts(of_parts), rows(rows_each), coarse(coarse_each), a(zeros(parts * rows, parts * rows)),
          p(zeros(parts * rows, parts * coarse)) {
        auto const value = [&] { return double(random() % 2000) / 1000 - 1; };
        for (int i = 0; i < parts * rows; ++i)
            for (int j = 0; j <= i; ++j)
                if (random() % (part_of_row(i) == part_of_row(j) ? 2 : 6) == 0)
                    a[std::size_t(i)][std::size_t(j)] = a[std::size_t(j)][std::size_t(i)] = value();
        for (int i = 0; i < parts * rows; ++i)
            for (int c = 0; c < parts * coarse; ++c) {
                bool const own = part_of_row(i) == part_of_column(c);
                bool coupled = own; // Q has columns of parts that the row is coupled with
                for (int j = 0; j < parts * rows; ++j)
                    coupled =
                        coupled || (part_of_row(j) == part_of_column(c) && a[std::size_t(i)][std::size_t(j)] != 0);
                if (coupled && (own || crosses) && random() % 2 == 0) p[std::size_t(i)][std::size_t(c)] = value();
            }
    }
    std::vector<std::int32_t> rows_at_cuts(int part) const {
        std::vector<std::int32_t> all;
        for (int i = part * rows; i < (part + 1) * rows; ++i)
            for (int j = 0; j < parts * rows; ++j)
                if (part_of_row(j) != part && a[std::size_t(i)][std::size_t(j)] != 0) {
                    all.push_back(i);
                    break;
                }
        return all;
    }
};

/// What one part makes, with row numbers over all parts.
std::vector<coupling_entry<double>> of_part(problem const& m, int part, bool crosses) {
    int const first_row = part * m.rows, first = part * m.coarse, n = m.parts * m.rows, all = m.parts * m.coarse;
    auto const cut = m.rows_at_cuts(part);
    dense k = m.a, q = m.p;
    for (int i = 0; i < n; ++i) {
        for (int j = first_row; j < first_row + m.rows; ++j) k[std::size_t(i)][std::size_t(j)] = 0;
        for (int c = first; c < first + m.coarse; ++c) q[std::size_t(i)][std::size_t(c)] = 0;
    }
    auto listed_k = list(k, cut, 0, n);
    column_places const needs(listed_k.columns);
    for (auto& c : listed_k.columns) c = needs(c);
    auto a = list(m.a, cut, first_row, first_row + m.rows);
    column_places const places(a.columns);
    for (auto& c : a.columns) c = places(c);
    std::vector<std::int32_t> near = places.distinct, near_rows = near, rows = cut;
    for (auto& row : near_rows) row += first_row;
    for (auto& row : rows) row -= first_row;
    auto const r = list(m.p, cut, first, first + m.coarse), p_halo = list(m.p, needs.distinct, 0, all);
    listed_rows<double> listed_q = list(q, cut, 0, all);
    if (!crosses) listed_q.columns.clear();
    auto const p = list(m.p, near_rows, first, first + m.coarse);
    auto made = multiply_at_cuts(host_executor(2),
                                 level_at_cuts<double>{listed_k, r, p_halo, listed_q, rows, near, a, p}, first);
    for (auto& e : made.own) e.row += first;
    made.own.insert(made.own.end(), made.sent.begin(), made.sent.end());
    return made.own;
}

} // namespace

TEST_CASE("parts: the Galerkin product over all parts is that of the dense matrices") {
    std::mt19937_64 random(5);
    for (bool const crosses : {false, true})
        for (int const parts : {1, 2, 3, 5})
            for (int const rows : {1, 3, 12}) {
                CAPTURE(crosses);
                CAPTURE(parts);
                CAPTURE(rows);
                int const coarse = (rows + 1) / 2, all = parts * coarse;
                problem const m(parts, rows, coarse, crosses, random);
                dense const expected = times(transposed(m.p), times(m.a, m.p));
                dense found = zeros(all, all);
                std::vector<coupling_entry<double>> entries;
                for (int part = 0; part < parts; ++part) {
                    auto const more = of_part(m, part, crosses);
                    entries.insert(entries.end(), more.begin(), more.end());
                    // R A P of the own block
                    std::vector<std::int32_t> own;
                    for (int i = part * rows; i < (part + 1) * rows; ++i) own.push_back(i);
                    for (int c = part * coarse; c < (part + 1) * coarse; ++c)
                        for (int d = part * coarse; d < (part + 1) * coarse; ++d)
                            for (auto const i : own)
                                for (auto const j : own)
                                    found[std::size_t(c)][std::size_t(d)] += m.p[std::size_t(i)][std::size_t(c)] *
                                                                             m.a[std::size_t(i)][std::size_t(j)] *
                                                                             m.p[std::size_t(j)][std::size_t(d)];
                }
                auto const sums = add_up(host_executor(2), entries);
                CHECK(std::is_sorted(sums.begin(), sums.end()));
                for (std::size_t i = 1; i < sums.size(); ++i) CHECK(sums[i - 1] < sums[i]); // each place once
                for (auto const& e : sums) found[std::size_t(e.row)][std::size_t(e.column)] += e.value;
                for (std::size_t i = 0; i < found.size(); ++i)
                    for (std::size_t j = 0; j < found.size(); ++j)
                        CHECK(found[i][j] == doctest::Approx(expected[i][j]).epsilon(1e-12));
            }
}

TEST_CASE("parts: sums of entries and products do not depend on the number of threads") {
    std::mt19937_64 random(6);
    for (std::int32_t const stride : {1, 7, 100000}) { // near, and too far apart for a list of all
        std::vector<coupling_entry<double>> entries;
        for (int k = 0; k < 3000; ++k)
            entries.push_back(
                {std::int32_t(random() % 70) * stride, std::int32_t(random() % 9), double(random() % 2000) / 1000 - 1});
        auto const one = add_up(host_executor(1), entries), four = add_up(host_executor(4), entries);
        REQUIRE(one.size() == four.size());
        for (std::size_t k = 0; k < one.size(); ++k) {
            CHECK(one[k].row == four[k].row);
            CHECK(one[k].column == four[k].column);
            CHECK(one[k].value == four[k].value);
        }
        double all = 0, summed = 0;
        for (auto const& e : entries) all += e.value;
        for (auto const& e : one) summed += e.value;
        CHECK(summed == doctest::Approx(all).epsilon(1e-12));
        CHECK(std::is_sorted(one.begin(), one.end()));
    }
    listed_rows<double> a, b;
    for (int i = 0; i < 500; ++i) {
        for (int c = 0; c < 20; ++c)
            if (random() % 3 == 0) a.add(c, double(random() % 100));
        a.end_row();
    }
    for (int i = 0; i < 20; ++i) {
        for (int c = 0; c < 30; ++c)
            if (random() % 3 == 0) b.add(c, double(random() % 100));
        b.end_row();
    }
    auto const one = multiply(host_executor(1), a, b, 30), three = multiply(host_executor(3), a, b, 30);
    CHECK(one.offsets == three.offsets);
    CHECK(one.columns == three.columns);
    CHECK(one.values == three.values);
}
