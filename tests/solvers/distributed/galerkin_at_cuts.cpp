// SPDX-License-Identifier: BSD-3-Clause
// Products of rows at the cuts between parts, and rows that cross them, against dense matrices.
#include <coppice/solvers/distributed/levels/galerkin_at_boundaries.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::distributed;
using namespace coppice::test;

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

/// The entries of rows [first, behind) in the columns that are kept, counted from `origin`.
template <class Exec, class Keep>
csr<double> rows_of(Exec const& exec, dense const& a, int first, int behind, int origin, int columns, Keep keep) {
    std::vector<std::int32_t> offsets{0}, indices;
    std::vector<double> values;
    for (int i = first; i < behind; ++i) {
        for (int j = 0; j < int(a[std::size_t(i)].size()); ++j)
            if (double const value = a[std::size_t(i)][std::size_t(j)]; value != 0 && keep(j)) {
                indices.push_back(j - origin);
                values.push_back(value);
            }
        offsets.push_back(std::int32_t(indices.size()));
    }
    return {behind - first, columns, exec.copy(offsets), exec.copy(indices), exec.copy(values)};
}
template <class Exec>
listed_matrix<double> listed(Exec const& exec, csr<double> const& a) {
    return to_hypersparse(exec, a.view());
}

/// A matrix of unknowns in parts, whose prolongator leads to some of each.
struct problem {
    part_begins begin{0}, below{0};
    dense a, p; ///< over all parts
    static std::size_t part_of(part_begins const& begin, int i) {
        return std::size_t(std::upper_bound(begin.begin(), begin.end(), i) - begin.begin()) - 1;
    }

    problem(std::vector<int> const& rows, bool crosses, std::mt19937_64& random) {
        for (int const n : rows) {
            begin.push_back(begin.back() + n);
            below.push_back(below.back() + (n + 1) / 2);
        }
        auto const value = [&] { return double(random() % 2000) / 1000 - 1; };
        int const n = int(begin.back()), c = int(below.back());
        a = zeros(n, n);
        p = zeros(n, c);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j)
                if (random() % (part_of(begin, i) == part_of(begin, j) ? 2 : 6) == 0)
                    a[std::size_t(i)][std::size_t(j)] = a[std::size_t(j)][std::size_t(i)] = value();
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < c; ++j) {
                bool const own = part_of(begin, i) == part_of(below, j);
                bool coupled = own; // Q has columns of parts that the row is coupled with
                for (int k = 0; k < n; ++k)
                    coupled =
                        coupled || (part_of(begin, k) == part_of(below, j) && a[std::size_t(i)][std::size_t(k)] != 0);
                if (coupled && (own || crosses) && random() % 2 == 0) p[std::size_t(i)][std::size_t(j)] = value();
            }
    }
};

} // namespace

TEST_CASE_TEMPLATE("parts: the Galerkin product over all parts is that of the dense matrices", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    std::mt19937_64 random(5);
    for (bool const crosses : {false, true})
        for (std::vector<int> const& sizes :
             {std::vector<int>{7}, {1, 1}, {12, 12}, {3, 0, 9}, {5, 1, 12, 4, 7}, {0, 10, 0, 0}}) {
            CAPTURE(crosses);
            CAPTURE(sizes.size());
            problem const m(sizes, crosses, random);
            auto const all = std::int32_t(m.below.back());
            dense const expected = times(transposed(m.p), times(m.a, m.p));
            dense found = zeros(all, all);
            multi_executor<exec_type> const parts(executors_of<Fixture>(sizes.size()));
            parts.run([&](exec_type const& exec, part_messages const& others) {
                auto const part = std::size_t(others.part());
                int const n = int(m.begin.back()), from = int(m.begin[part]), to = int(m.begin[part + 1]);
                int const first = int(m.below[part]), behind = int(m.below[part + 1]);
                auto const own_row = [&](int j) { return j >= from && j < to; };
                auto const own_column = [&](int j) { return j >= first && j < behind; };
                auto const a = rows_of(exec, m.a, from, to, from, to - from, own_row);
                auto const k = listed(exec, rows_of(exec, m.a, from, to, 0, n, [&](int j) { return !own_row(j); }));
                auto const p = rows_of(exec, m.p, from, to, first, behind - first, own_column);
                auto const q =
                    listed(exec, rows_of(exec, m.p, from, to, 0, all, [&](int j) { return !own_column(j); }));
                dense of_halo = m.p; // rows that are columns of K
                for (int j = 0; j < n; ++j) {
                    bool met = false;
                    for (int i = from; i < to; ++i)
                        met = met || (!own_row(j) && m.a[std::size_t(i)][std::size_t(j)] != 0);
                    if (!met) of_halo[std::size_t(j)].assign(std::size_t(all), 0);
                }
                auto const p_halo = listed(exec, rows_of(exec, of_halo, 0, n, 0, all, [](int) { return true; }));
                auto const made = galerkin_at_cuts<exec_type, double>(
                    exec, others, {k, p_halo, q, a.view(), p.view(), p.view(), m.below}, crosses);
                auto const r = transpose(exec, p.view());
                auto const own = mxm(exec, plus_times<double>{}, r.view(),
                                     view_of(mxm(exec, plus_times<double>{}, a.view(), p.view())));
                for (auto const* const product : {&made.entries(), &own}) {
                    auto const t = extract_tuples(exec, product->view());
                    auto const list = to_vector(exec, made.list()), rows = to_vector(exec, t.rows),
                               columns = to_vector(exec, t.columns);
                    auto const values = to_vector(exec, t.values);
                    bool const is_own = product == &own;
                    for (std::size_t e = 0; e < values.size(); ++e) {
                        auto const row = is_own ? rows[e] : list[std::size_t(rows[e])];
                        found[std::size_t(first + row)][std::size_t(is_own ? first + columns[e] : columns[e])] +=
                            values[e];
                    }
                }
            });
            for (std::size_t i = 0; i < found.size(); ++i)
                for (std::size_t j = 0; j < found.size(); ++j)
                    CHECK(found[i][j] == doctest::Approx(expected[i][j]).epsilon(1e-12));
        }
}

TEST_CASE_TEMPLATE(
    "parts: couplings are found symmetric where they are, and not by the parts of what is missing or differs", Fixture,
    COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    std::mt19937_64 random(6);
    for (int const change : {0, 1, 2}) { // none, an entry is missing, an entry differs
        problem m({6, 0, 9, 3}, false, random);
        m.a[1][8] = 0.5;
        m.a[8][1] = change == 0 ? 0.5 : change == 1 ? 0 : 0.25;
        std::vector<int> patterns(4), values(4);
        multi_executor<exec_type> const parts(executors_of<Fixture>(4));
        parts.run([&](exec_type const& exec, part_messages const& others) {
            auto const part = std::size_t(others.part());
            int const n = int(m.begin.back()), from = int(m.begin[part]), to = int(m.begin[part + 1]);
            auto const k = listed(exec, rows_of(exec, m.a, from, to, 0, n, [&](int j) { return j < from || j >= to; }));
            auto const found = symmetry_of(exec, others, k, m.begin);
            patterns[part] = found.pattern;
            values[part] = found.values;
        });
        // Row 1 is the first part's, row 8 the third one's.
        CHECK(patterns == (change == 1 ? std::vector<int>{0, 1, 0, 1} : std::vector<int>{1, 1, 1, 1}));
        CHECK(values == (change == 0 ? std::vector<int>{1, 1, 1, 1} : std::vector<int>{0, 1, 0, 1}));
    }
}

TEST_CASE_TEMPLATE("parts: rows that are listed are added to those of a block, bit for bit", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937_64 random(7);
    auto const some = [&](int rows, int columns, unsigned one_row_of, unsigned one_entry_of) {
        dense a = zeros(rows, columns);
        for (auto& row : a)
            if (random() % one_row_of == 0)
                for (double& entry : row) entry = random() % one_entry_of == 0 ? double(random() % 2000) / 997 - 1 : 0;
        return rows_of(exec, a, 0, rows, 0, columns, [](int) { return true; });
    };
    for (auto const& [rows, columns] : {std::pair{1, 1}, {5, 9}, {200, 30}, {3000, 7}})
        for (unsigned const of_own : {1u, 3u})
            for (unsigned const of_listed : {1u, 4u, 1u << 30}) { // all rows, some, most likely none
                auto const& case_rows = rows;
                CAPTURE(case_rows);
                CAPTURE(of_own);
                CAPTURE(of_listed);
                auto const own = some(rows, columns, of_own, 3), added = some(rows, columns, of_listed, 2);
                auto const sum = add_listed(exec, own.view(), listed(exec, added));
                auto const expected = ewise_add(exec, plus{}, own.view(), added.view());
                CHECK(sum.rows() == rows);
                CHECK(to_vector(exec, sum.row_offsets()) == to_vector(exec, expected.row_offsets()));
                CHECK(to_vector(exec, sum.column_indices()) == to_vector(exec, expected.column_indices()));
                CHECK(to_vector(exec, sum.values()) == to_vector(exec, expected.values()));
            }
}

TEST_CASE_TEMPLATE("parts: rows that several parts make for one are added up in the order of the parts", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    part_begins const begin{0, 4, 4, 10};
    std::vector<dense> found(3);
    multi_executor<exec_type> const parts(executors_of<Fixture>(3));
    parts.run([&](exec_type const& exec, part_messages const& others) {
        int const part = others.part();
        dense made = zeros(10, 5);
        for (int i = 0; i < 10; ++i)
            if (i < begin[std::size_t(part)] || i >= begin[std::size_t(part) + 1])
                for (int j = part; j < 5; j += 2) made[std::size_t(i)][std::size_t(j)] = i + 10 * j + 100 * (part + 1);
        auto const mine =
            push_rows(exec, others, listed(exec, rows_of(exec, made, 0, 10, 0, 5, [](int) { return true; })), begin);
        dense& to = found[std::size_t(part)];
        to = zeros(mine.rows(), mine.columns());
        auto const t = extract_tuples(exec, mine);
        auto const rows = to_vector(exec, t.rows), columns = to_vector(exec, t.columns);
        auto const values = to_vector(exec, t.values);
        for (std::size_t e = 0; e < values.size(); ++e) to[std::size_t(rows[e])][std::size_t(columns[e])] = values[e];
    });
    for (int part = 0; part < 3; ++part) {
        std::int64_t const first = begin[std::size_t(part)], rows = begin[std::size_t(part) + 1] - first;
        REQUIRE(std::int64_t(found[std::size_t(part)].size()) == rows);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < 5; ++j) {
                double expected = 0;
                for (int from = 0; from < 3; ++from)
                    if (from != part && j >= from && (j - from) % 2 == 0)
                        expected += double(first + i) + 10 * j + 100 * (from + 1);
                CHECK(found[std::size_t(part)][std::size_t(i)][std::size_t(j)] == expected);
            }
    }
}
