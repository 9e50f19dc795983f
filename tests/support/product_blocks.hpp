// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of matrices whose rows are divided among ranks, for ranks of one process and processes of MPI.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <coppice/semiring/spgemm/product.hpp>
#include <coppice/solvers/distributed/rows/distributed_product.hpp>

#include "support/graph_blocks.hpp"

namespace coppice::test {

/// A sparse matrix whose rows are divided among ranks; columns are sorted without duplicates.
struct plain_rows {
    int columns = 0;
    edge_rows entries{};
    int rows() const { return entries.vertices(); }
    csr_view<double> view() const {
        return {rows(),
                columns,
                entries.offsets.back(),
                entries.offsets.data(),
                entries.columns.data(),
                entries.lengths.data()};
    }
};
/// The matrix with values that are rounded to multiples of 1/64, so that products and their sums are exact: then
/// devices, which fuse multiplications and additions, have the bits of the host.
inline plain_rows with_exact_values(plain_rows a) {
    for (double& v : a.entries.lengths) v = std::round(v * 64) / 64;
    return a;
}
/// Random entries, in two of three rows, whose values have all bits.
inline plain_rows random_matrix(int rows, int columns, int per_row, unsigned seed) {
    std::mt19937 random(seed);
    plain_rows a{columns};
    for (int i = 0; i < rows; ++i) {
        std::vector<int> row;
        for (int k = 0; k < per_row && i % 3 != 1 && columns > 0; ++k) row.push_back(int(random() % unsigned(columns)));
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        for (int const column : row) {
            a.entries.columns.push_back(column);
            a.entries.lengths.push_back(double(random()) / 4294967296.0 - .3);
        }
        a.entries.offsets.push_back(int(a.entries.columns.size()));
    }
    return a;
}
/// The rows of a rank in memory of its executor, as mxm_distributed() takes them.
template <class Executor>
csr<double> block_of_matrix(Executor const& exec, plain_rows const& all, std::vector<int> const& begin, int rank,
                            double factor = 1) {
    auto block = rows_of_rank(all.entries, begin, rank);
    for (double& v : block.values) v *= factor;
    return {int(block.rows()), all.columns, exec.copy(block.offsets), exec.copy(block.columns),
            exec.copy(block.values)};
}

/// A map for each product, which depends on the global inner index; composed in ascending order of these.
struct maps_of_products {
    compose_maps<> add{};
    static constexpr bool allows_rounding = true;
    COPPICE_HD affine_map<> multiply(double a, double b, std::int64_t inner) const {
        return {std::uint32_t(inner * 31 + 7), std::uint32_t((a + 2) * 1000) + std::uint32_t((b + 2) * 1000)};
    }
    COPPICE_HD affine_map<> result(affine_map<> const& m) const { return m; }
};
/// A number that depends on all positions.
struct number_of_positions {
    static constexpr bool positional = true;
    template <class A, class B>
    COPPICE_HD double operator()(A const&, B const&, element_positions const& at) const {
        return double(at.first_row + 1) * 1e6 + double(at.first_column) * 1e3 + double(at.second_row) * 10 +
               double(at.second_column);
    }
};

struct matrix_answers {
    std::vector<int> lengths{}, columns{};
    std::vector<affine_map<>> maps{};
    std::vector<double> sums{}, nearest{}, largest{}, positions{}, again{};
    std::vector<int> masked_columns{}, complement_columns{};
    std::vector<double> masked{}, complement{}, named{};
    bool operator==(matrix_answers const&) const = default;
};

/// All products of A and B, with the pattern of a mask; a_begin divides the rows of A and of the mask.
template <class Executor>
matrix_answers matrix_products_over_ranks(Executor const& exec, rank_communicator const& comm, plain_rows const& a,
                                          plain_rows const& b, plain_rows const& mask, std::vector<int> const& a_begin,
                                          std::vector<int> const& b_begin) {
    auto const left = block_of_matrix(exec, a, a_begin, comm.rank()),
               right = block_of_matrix(exec, b, b_begin, comm.rank()),
               doubled = block_of_matrix(exec, b, b_begin, comm.rank(), 2),
               admitted = block_of_matrix(exec, mask, a_begin, comm.rank());
    auto const multiply = [&](auto const& s) { return mxm_distributed(exec, comm, s, left.view(), right.view()); };
    auto const values_of = [&](auto const& c) { return concatenated(exec, comm, c.values()); };
    matrix_answers all;
    auto const sums = multiply(plus_times<double>{});
    CHECK(sums.columns() == b.columns);
    auto const offsets = to_vector(exec, sums.row_offsets());
    std::vector<int> lengths;
    for (std::size_t i = 1; i < offsets.size(); ++i) lengths.push_back(offsets[i] - offsets[i - 1]);
    all.lengths = concatenated(comm, lengths);
    all.columns = concatenated(exec, comm, sums.column_indices());
    all.sums = values_of(sums);
    all.maps = values_of(multiply(maps_of_products{}));
    all.nearest = values_of(multiply(min_plus<double>{}));
    all.largest = values_of(multiply(arg_max_times<double>{}));
    all.positions = values_of(multiply(semiring_of<add_plus<double>, number_of_positions>{}));

    auto const plan = make_product_plan_distributed(exec, comm, left.view(), right.view());
    all.again = values_of(mxm_distributed(exec, comm, plan, plus_times<double>{}, left.view(), doubled.view()));
    all.named =
        values_of(mxm_distributed(exec, comm, make_product_plan_distributed(exec, comm, left.view(), right.view()),
                                  "arg-max", left.view(), right.view()));
    for (bool const complement : {false, true}) {
        descriptor const d{.structure = true, .complement = complement};
        auto const c =
            masked_mxm_distributed(exec, comm, plus_times<double>{}, left.view(), right.view(), admitted.view(), d);
        (complement ? all.complement : all.masked) = values_of(c);
        (complement ? all.complement_columns : all.masked_columns) = concatenated(exec, comm, c.column_indices());
    }
    return all;
}
/// The same with mxm() of one executor.
inline matrix_answers matrix_products_of_one(host_executor const& exec, plain_rows const& a, plain_rows const& b,
                                             plain_rows const& mask) {
    auto const multiply = [&](auto const& s) { return mxm(exec, s, a.view(), b.view()); };
    auto const values_of = [&](auto const& c) { return to_vector(exec, c.values()); };
    matrix_answers all;
    auto const sums = multiply(plus_times<double>{});
    for (int i = 0; i < sums.rows(); ++i) all.lengths.push_back(sums.row_offsets()[i + 1] - sums.row_offsets()[i]);
    all.columns = to_vector(exec, sums.column_indices());
    all.sums = values_of(sums);
    all.maps = values_of(multiply(maps_of_products{}));
    all.nearest = values_of(multiply(min_plus<double>{}));
    all.largest = values_of(multiply(arg_max_times<double>{}));
    all.positions = values_of(multiply(semiring_of<add_plus<double>, number_of_positions>{}));
    for (double const v : all.sums) all.again.push_back(2 * v);
    all.named = all.largest;
    for (bool const complement : {false, true}) {
        descriptor const d{.structure = true, .complement = complement};
        auto const c = masked_mxm(exec, plus_times<double>{}, a.view(), b.view(), mask.view(), d);
        (complement ? all.complement : all.masked) = values_of(c);
        (complement ? all.complement_columns : all.masked_columns) = to_vector(exec, c.column_indices());
    }
    return all;
}

} // namespace coppice::test
