// SPDX-License-Identifier: BSD-3-Clause
// Galerkin products of rows at rank boundaries, compared with dense matrices.
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

/// The entries of rows [first, end) in the columns for which keep(column) holds; columns count from `origin`.
template <class Exec, class Keep>
csr<double> rows_of(Exec const& exec, dense const& a, int first, int end, int origin, int columns, Keep keep) {
    std::vector<std::int32_t> offsets{0}, indices;
    std::vector<double> values;
    for (int i = first; i < end; ++i) {
        for (int j = 0; j < int(a[std::size_t(i)].size()); ++j)
            if (double const value = a[std::size_t(i)][std::size_t(j)]; value != 0 && keep(j)) {
                indices.push_back(j - origin);
                values.push_back(value);
            }
        offsets.push_back(std::int32_t(indices.size()));
    }
    return {end - first, columns, exec.copy(offsets), exec.copy(indices), exec.copy(values)};
}
template <class Exec>
hypersparse_rows<double> hypersparse_of(Exec const& exec, csr<double> const& a) {
    return to_hypersparse(exec, a.view());
}

/// A distributed matrix, whose prolongator has coarse unknowns on all ranks.
struct problem {
    rank_offsets begin{0}, below{0};
    dense a, p; ///< over all ranks
    static std::size_t rank_of(rank_offsets const& begin, int i) {
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
                if (random() % (rank_of(begin, i) == rank_of(begin, j) ? 2 : 6) == 0)
                    a[std::size_t(i)][std::size_t(j)] = a[std::size_t(j)][std::size_t(i)] = value();
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < c; ++j) {
                bool const own = rank_of(begin, i) == rank_of(below, j);
                bool coupled = own; // Q has columns of ranks that the row is coupled with
                for (int k = 0; k < n; ++k)
                    coupled =
                        coupled || (rank_of(begin, k) == rank_of(below, j) && a[std::size_t(i)][std::size_t(k)] != 0);
                if (coupled && (own || crosses) && random() % 2 == 0) p[std::size_t(i)][std::size_t(j)] = value();
            }
    }
};

} // namespace

TEST_CASE_TEMPLATE("distributed: the Galerkin product over all ranks is that of the dense matrices", Fixture,
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
            multi_executor<exec_type> const ranks(executors_of<Fixture>(sizes.size()));
            ranks.run([&](exec_type const& exec, rank_communicator const& comm) {
                auto const rank = std::size_t(comm.rank());
                int const n = int(m.begin.back()), from = int(m.begin[rank]), to = int(m.begin[rank + 1]);
                int const first = int(m.below[rank]), end = int(m.below[rank + 1]);
                auto const own_row = [&](int j) { return j >= from && j < to; };
                auto const own_column = [&](int j) { return j >= first && j < end; };
                auto const a = rows_of(exec, m.a, from, to, from, to - from, own_row);
                auto const k =
                    hypersparse_of(exec, rows_of(exec, m.a, from, to, 0, n, [&](int j) { return !own_row(j); }));
                auto const p = rows_of(exec, m.p, from, to, first, end - first, own_column);
                auto const q =
                    hypersparse_of(exec, rows_of(exec, m.p, from, to, 0, all, [&](int j) { return !own_column(j); }));
                dense of_halo = m.p; // rows that are columns of K
                for (int j = 0; j < n; ++j) {
                    bool met = false;
                    for (int i = from; i < to; ++i)
                        met = met || (!own_row(j) && m.a[std::size_t(i)][std::size_t(j)] != 0);
                    if (!met) of_halo[std::size_t(j)].assign(std::size_t(all), 0);
                }
                auto const p_halo =
                    hypersparse_of(exec, rows_of(exec, of_halo, 0, n, 0, all, [](int) { return true; }));
                auto const made = galerkin_at_boundaries<exec_type, double>(
                    exec, comm, {k, p_halo, q, a.view(), p.view(), p.view(), m.below}, crosses);
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
    "ranks: couplings are found symmetric where they are, and not by the ranks of what is missing or differs", Fixture,
    COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    std::mt19937_64 random(6);
    for (int const change : {0, 1, 2}) { // none, an entry is missing, an entry differs
        problem m({6, 0, 9, 3}, false, random);
        m.a[1][8] = 0.5;
        m.a[8][1] = change == 0 ? 0.5 : change == 1 ? 0 : 0.25;
        std::vector<int> patterns(4), values(4);
        multi_executor<exec_type> const ranks(executors_of<Fixture>(4));
        ranks.run([&](exec_type const& exec, rank_communicator const& comm) {
            auto const rank = std::size_t(comm.rank());
            int const n = int(m.begin.back()), from = int(m.begin[rank]), to = int(m.begin[rank + 1]);
            auto const k =
                hypersparse_of(exec, rows_of(exec, m.a, from, to, 0, n, [&](int j) { return j < from || j >= to; }));
            auto const found = symmetry_of(exec, comm, k, m.begin);
            patterns[rank] = found.pattern;
            values[rank] = found.values;
        });
        // Row 1 is on the first rank, row 8 on the third one.
        CHECK(patterns == (change == 1 ? std::vector<int>{0, 1, 0, 1} : std::vector<int>{1, 1, 1, 1}));
        CHECK(values == (change == 0 ? std::vector<int>{1, 1, 1, 1} : std::vector<int>{0, 1, 0, 1}));
    }
}

TEST_CASE_TEMPLATE("distributed: hypersparse rows are added to those of a block, bit for bit", Fixture,
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
            for (unsigned const of_active : {1u, 4u, 1u << 30}) { // all rows, some, most likely none
                auto const& case_rows = rows;
                CAPTURE(case_rows);
                CAPTURE(of_own);
                CAPTURE(of_active);
                auto const own = some(rows, columns, of_own, 3), added = some(rows, columns, of_active, 2);
                auto const sum = add_hypersparse(exec, own.view(), hypersparse_of(exec, added));
                auto const expected = ewise_add(exec, plus{}, own.view(), added.view());
                CHECK(sum.rows() == rows);
                CHECK(to_vector(exec, sum.row_offsets()) == to_vector(exec, expected.row_offsets()));
                CHECK(to_vector(exec, sum.column_indices()) == to_vector(exec, expected.column_indices()));
                CHECK(to_vector(exec, sum.values()) == to_vector(exec, expected.values()));
            }
}

TEST_CASE_TEMPLATE("distributed: rows that several ranks send are added in the order of the ranks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    rank_offsets const begin{0, 4, 4, 10};
    std::vector<dense> found(3);
    multi_executor<exec_type> const ranks(executors_of<Fixture>(3));
    ranks.run([&](exec_type const& exec, rank_communicator const& comm) {
        int const rank = comm.rank();
        dense made = zeros(10, 5);
        for (int i = 0; i < 10; ++i)
            if (i < begin[std::size_t(rank)] || i >= begin[std::size_t(rank) + 1])
                for (int j = rank; j < 5; j += 2) made[std::size_t(i)][std::size_t(j)] = i + 10 * j + 100 * (rank + 1);
        auto const mine = push_rows(
            exec, comm, hypersparse_of(exec, rows_of(exec, made, 0, 10, 0, 5, [](int) { return true; })), begin);
        dense& to = found[std::size_t(rank)];
        to = zeros(mine.rows(), mine.columns());
        auto const t = extract_tuples(exec, mine);
        auto const rows = to_vector(exec, t.rows), columns = to_vector(exec, t.columns);
        auto const values = to_vector(exec, t.values);
        for (std::size_t e = 0; e < values.size(); ++e) to[std::size_t(rows[e])][std::size_t(columns[e])] = values[e];
    });
    for (int rank = 0; rank < 3; ++rank) {
        std::int64_t const first = begin[std::size_t(rank)], rows = begin[std::size_t(rank) + 1] - first;
        REQUIRE(std::int64_t(found[std::size_t(rank)].size()) == rows);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < 5; ++j) {
                double expected = 0;
                for (int from = 0; from < 3; ++from)
                    if (from != rank && j >= from && (j - from) % 2 == 0)
                        expected += double(first + i) + 10 * j + 100 * (from + 1);
                CHECK(found[std::size_t(rank)][std::size_t(i)][std::size_t(j)] == expected);
            }
    }
}
