// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options and result of the [0, n]-factor algorithms, and the weight coverage of a factor (Eqs. 22, 23).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/graph/factor/factor_options.hpp>
#include <coppice/graph/factor/proposal.hpp>
#include <coppice/graph/scan/edge_order.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {

/// A [0, n]-factor: at most n edges at every vertex. Move-only; in the memory of the executor that made it.
template <class I>
struct graph_factor {
    int degree = 0;        ///< n
    I vertices = 0;        ///< N
    buffer<I> neighbors{}; ///< [n N]: neighbours of vertex v in [n v, n v + n), in order of confirmation, then -1
    int rounds = 0;        ///< number of rounds; 1 for the greedy algorithm
    bool maximal = false;  ///< known to be maximal: no further edge can be added
    std::int64_t edges = 0;
    /// Sum of |w| over the edges of the factor (Eq. 22); |w| is the mean of both directions.
    double weight = 0;
    double total_weight = 0;    ///< sum of |w| over the edges of the graph
    double weight_coverage = 1; ///< weight / total_weight (Eq. 23); 1 if the graph has no edge
    edge_order<I> order{};      ///< order of the edges that was used
};

template <executor Executor, class I>
graph_factor<I> copy_of(Executor const& exec, graph_factor<I> const& f) {
    return {f.degree, f.vertices,     copy_of(exec, f.neighbors), f.rounds, f.maximal, f.edges,
            f.weight, f.total_weight, f.weight_coverage,          f.order};
}

namespace graph_detail {

inline void check_factor_options(factor_options const& o) {
    auto const refuse = [](char const* name, auto value, char const* expected) {
        throw argument_error(std::string("factor option ") + name + " is " +
                             coppice::detail::number_text(double(value)) + ", expected " + expected);
    };
    if (o.degree < 1 || o.degree > 4) refuse("degree", o.degree, "1 to 4");
    if (o.rounds && *o.rounds < 0) refuse("rounds", *o.rounds, "0 (until maximal) or more");
    if (o.charge_period < 1) refuse("charge_period", o.charge_period, "1 or more");
    if (o.charge_offset < 0 || o.charge_offset >= o.charge_period)
        refuse("charge_offset", o.charge_offset, "0 to charge_period - 1");
    if (!(o.charge_below >= 0)) refuse("charge_below", o.charge_below, "0 or more");
    if (!(o.charge_probability >= 0 && o.charge_probability <= 1))
        refuse("charge_probability", o.charge_probability, "0 to 1");
}

/// Weight of a row: of all its edges, and of its edges in the factor.
struct covered_weight {
    double all;
    double covered;
};
struct add_covered_weight {
    COPPICE_HD covered_weight identity() const { return {0, 0}; }
    COPPICE_HD covered_weight operator()(covered_weight const& a, covered_weight const& b) const {
        return {a.all + b.all, a.covered + b.covered};
    }
};

template <class T, class I>
struct weigh_nonzero {
    I const* neighbors;
    int degree;

    COPPICE_HD covered_weight operator()(T const& value, I const& column, std::int64_t row) const {
        double const weight = column == static_cast<I>(row) ? 0 : static_cast<double>(magnitude_of(value));
        bool covered = false;
        for (int s = 0; s < degree; ++s) covered = covered | (neighbors[degree * row + s] == column);
        return {weight, weight * double(covered)};
    }
};
struct store_covered_weight {
    covered_weight* rows;
    COPPICE_HD void operator()(std::int64_t row, covered_weight const& sum) const { rows[row] = sum; }
};
struct row_weight {
    covered_weight const* rows;
    COPPICE_HD covered_weight operator()(std::int64_t row) const { return rows[row]; }
};

template <executor Executor, class T, class I, class O>
covered_weight sum_of_weights(Executor const& exec, csr_view<T, I, O> weights, srcsr_plan<O> const& plan,
                              weigh_nonzero<T, I> const& weigh) {
    buffer<covered_weight> rows(exec, weights.rows());
    reduce_rows(exec, plan, along_nonzeros{weigh, weights.coefficients, weights.indices}, add_covered_weight{},
                store_covered_weight{rows.data()});
    return reduce(exec, weights.rows(), covered_weight{0, 0}, row_weight{rows.data()}, add_covered_weight{});
}
/// Sum over a range of rows by one worker. Degree: degree of the factor, or 0 if it is not known at compile time.
template <int Degree, class T, class I, class O>
covered_weight sum_of_rows(csr_view<T, I, O> weights, weigh_nonzero<T, I> weigh, I first, I last) {
    if (Degree > 0) weigh.degree = Degree;
    covered_weight sum{0, 0};
    for (I row = first; row < last; ++row) {
        covered_weight of_row{0, 0}; // a separate sum per row shortens the dependency chain of additions
        for (O k = weights.offsets[row], end = weights.offsets[row + 1]; k < end; ++k)
            of_row = add_covered_weight{}(of_row, weigh(weights.coefficients[k], weights.indices[k], row));
        sum = add_covered_weight{}(sum, of_row);
    }
    return sum;
}
/// On the host no sums of rows are stored.
template <class T, class I, class O>
covered_weight sum_of_weights(host_executor const& exec, csr_view<T, I, O> weights, srcsr_plan<O> const&,
                              weigh_nonzero<T, I> const& weigh) {
    constexpr std::int64_t block = 1024;
    std::vector<covered_weight> sums(std::size_t((weights.rows() + block - 1) / block));
    coppice::detail::for_each_block(
        exec, weights.rows(), block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            auto const sum = [&]<int Degree>() { return sum_of_rows<Degree>(weights, weigh, I(first), I(last)); };
            sums[std::size_t(b)] = weigh.degree == 1   ? sum.template operator()<1>()
                                   : weigh.degree == 2 ? sum.template operator()<2>()
                                                       : sum.template operator()<0>();
        });
    covered_weight all{0, 0};
    for (auto const& sum : sums) all = add_covered_weight{}(all, sum);
    return all;
}

/// Computes weight, total weight and coverage in one pass. Throws matrix_error if the weights are not finite.
template <class Rank, class T, class I, class O>
void weigh_factor(Rank const& rank, csr_view<T, I, O> weights, srcsr_plan<O> const& plan, graph_factor<I>& f) {
    covered_weight const sum =
        rank.all_reduce(sum_of_weights(rank.exec(), weights, plan, weigh_nonzero<T, I>{f.neighbors.data(), f.degree}),
                        add_covered_weight{});
    // A NaN or an infinity in any weight makes the sum non-finite, so that one check suffices.
    if (!(sum.all <= std::numeric_limits<double>::max()))
        throw matrix_error("edge weights hold NaN or infinite values, or their sum overflows");
    f.total_weight = sum.all / 2; // every edge was counted at both ends
    f.weight = sum.covered / 2;
    f.weight_coverage = sum.all > 0 ? sum.covered / sum.all : 1.0;
}

} // namespace graph_detail
} // namespace coppice::inline v0_1
