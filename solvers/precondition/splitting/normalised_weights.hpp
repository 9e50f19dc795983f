// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The edge weights from which the forests of a splitting are computed (thesis Eqs. 70 and 75).
#pragma once

#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/solvers/precondition/interface/rounded_weight.hpp>
#include <coppice/solvers/precondition/one_level/diagonal.hpp>

namespace coppice::inline v0_1::detail {

/// 1 / diagp_1(A) of every row (Eq. 40); 1 in a row without entries.
template <class T, class I>
struct row_scales {
    srcsr_plan<I> plan{};
    buffer<T> inverse{};
    buffer<std::uint8_t> regularised{};
    bool made = false;

    template <executor Executor>
    void read(Executor const& exec, csr_view<T, I> a) {
        if (!made || plan.nonzeros != a.nonzeros() || inverse.size() != a.rows()) {
            made = true;
            plan = make_srcsr_plan(exec, a);
            inverse = buffer<T>(exec, a.rows());
            regularised = buffer<std::uint8_t>(exec, a.rows());
        }
        plan.offsets = a.row_offsets();
        reduce_rows(exec, plan, along_nonzeros{diagonal_sums_of<T, I>{}, a.coefficients, a.indices},
                    add_diagonal_sums<T>{},
                    store_inverse<T>{diagonal_kind::diagp_1, false, inverse.data(), regularised.data(), nullptr});
    }
};

/// D^-1 A|, entry by entry, computed as a reduction without result.
template <class T, class I>
struct normalise_nonzero {
    csr_view<T, I> a;
    T const* inverse;
    T* weights;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        weights[k] = to_16_bits(magnitude(a.coefficients[k] * inverse[row]));
        return 0;
    }
};

/// C = |D^-1 A| + |D^-1 A|^T with D = diagp_1(A); |D^-1 A| if this is symmetric, which gives the same forests. C does
/// not change if A is multiplied by a diagonal matrix from the left. Borrows the pattern of A.
template <class T, class I>
struct normalised_weights {
    buffer<T> scaled{};
    edge_weights<T, I> edges{};

    /// Waits. Throws the same exceptions as make_edge_weights().
    template <executor Executor>
    normalised_weights(Executor const& exec, csr_view<T, I> a, row_scales<T, I>& scales) : scaled(exec, a.nonzeros()) {
        scales.read(exec, a);
        reduce_rows(exec, scales.plan, normalise_nonzero<T, I>{a, scales.inverse.data(), scaled.data()},
                    graph_detail::ignore_products{}, graph_detail::ignore_rows{});
        csr_view<T, I> weights = a;
        weights.coefficients = scaled.data();
        edges = make_edge_weights(exec, weights);
    }
    csr_view<T, I> view() const { return edges.view; }
};

template <class T, class I>
struct off_diagonal_weight_of_row {
    csr_view<T, I> weights;
    COPPICE_HD double operator()(std::int64_t i) const {
        double sum = 0;
        for (I k = weights.row_begin(i); k < weights.row_end(i); ++k)
            sum += weights.indices[k] == I(i) ? 0.0 : double(magnitude(weights.coefficients[k]));
        return sum;
    }
};
/// Sum of the magnitudes of the off-diagonal entries. Waits.
template <executor Executor, class T, class I>
double off_diagonal_weight(Executor const& exec, csr_view<T, I> weights) {
    return reduce(exec, weights.rows(), 0.0, off_diagonal_weight_of_row<T, I>{weights}, plus{});
}

} // namespace coppice::inline v0_1::detail
