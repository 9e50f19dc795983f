// SPDX-License-Identifier: BSD-3-Clause
// What couples a level with other parts: R K P of rows at the cuts, against dense products.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <coppice/solvers/distributed/levels/coupling_entries.hpp>

using namespace coppice;
using namespace coppice::distributed;

namespace {

/// Rows with some of the columns 0, stride, 2 stride, ..., each at most once.
listed_rows<double> random_rows(std::mt19937_64& random, std::size_t rows, std::int32_t columns, std::int32_t stride) {
    listed_rows<double> listed;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::int32_t c = 0; c < columns; ++c)
            if (random() % 3 == 0) listed.add(c * stride, double(random() % 2000) / 1000 - 1);
        listed.end_row();
    }
    return listed;
}
std::vector<double> dense(listed_rows<double> const& a, std::int32_t columns, std::int32_t stride) {
    std::vector<double> d(a.rows() * std::size_t(columns), 0);
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t k = a.begin(i); k < a.end(i); ++k)
            d[i * std::size_t(columns) + std::size_t(a.columns[k] / stride)] = a.values[k];
    return d;
}

} // namespace

TEST_CASE("parts: the coupling of the next level is R K P, whatever the numbers of its columns are") {
    std::mt19937_64 random(5);
    for (std::int32_t const stride : {1, 7, 100000}) // near, and too far apart for a list of all
        for (std::size_t const rows : {0, 1, 6, 20}) {
            CAPTURE(stride);
            CAPTURE(rows);
            std::int32_t const halo = 9, own = 5, theirs = 11;
            auto const k = random_rows(random, rows, halo, 1), r = random_rows(random, rows, own, 1);
            auto const p = random_rows(random, std::size_t(halo), theirs, stride);
            auto const dense_k = dense(k, halo, 1), dense_r = dense(r, own, 1), dense_p = dense(p, theirs, stride);
            std::vector<double> expected(std::size_t(own * theirs), 0), found = expected;
            for (std::size_t i = 0; i < rows; ++i)
                for (std::int32_t a = 0; a < own; ++a)
                    for (std::int32_t h = 0; h < halo; ++h)
                        for (std::int32_t b = 0; b < theirs; ++b)
                            expected[std::size_t(a * theirs + b)] += dense_r[i * std::size_t(own) + std::size_t(a)] *
                                                                     dense_k[i * std::size_t(halo) + std::size_t(h)] *
                                                                     dense_p[std::size_t(h * theirs + b)];
            auto const entries = coupling_below(k, r, own, p);
            CHECK(std::is_sorted(entries.begin(), entries.end()));
            for (auto const& e : entries) {
                double& at = found[std::size_t(e.row * theirs + e.column / stride)];
                CHECK(at == 0); // each place once
                at = e.value;
            }
            for (std::size_t i = 0; i < found.size(); ++i)
                CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-13));
        }
}
