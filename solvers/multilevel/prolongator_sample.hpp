// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How long the rows of a smoothed prolongator would be, by some of them: finding all of them to leave them again takes
/// as long as making a prolongator.
#pragma once

#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::multilevel_detail {

/// Entries of a row of P where P_0 is constant on aggregates: these are counted that the kept entries lead to. By one
/// lane, in a time that grows with the square of the row's length.
template <class T, class I>
struct length_of_row {
    csr_view<T, I> a;
    is_kept<T, I> kept;
    filtered_couplings<T> others;

    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        filtered_row<T> sum{T(0), T(0)};
        for (I k = a.row_begin(row); k < a.row_end(row); ++k)
            sum = add_filtered<T>{}(sum, filter_by_size<T, I>{kept}(a.coefficients[k], a.indices[k], row));
        I const* const of = kept.along.of;
        if (of[row] < 0) return 0;
        if (!smooths(in_units(with_others(sum, others, row), kept.one_by_unit), kept.diagonal[row])) return 1;
        std::int64_t length = 0;
        for (I k = a.row_begin(row); k < a.row_end(row); ++k) length += leads_to_new(k, row) ? 1 : 0;
        return length;
    }

private:
    COPPICE_HD bool leads(I k, std::int64_t row) const {
        return std::int64_t(a.indices[k]) == row || kept(a.coefficients[k], row, a.indices[k]);
    }
    COPPICE_HD bool leads_to_new(I k, std::int64_t row) const {
        I const* const of = kept.along.of;
        I const aggregate = of[a.indices[k]];
        if (aggregate < 0 || !leads(k, row)) return false;
        for (I j = a.row_begin(row); j < k; ++j)
            if (of[a.indices[j]] == aggregate && leads(j, row)) return false;
        return true;
    }
};
/// Of a row of each of `samples` stretches, drawn by a hash.
template <class T, class I>
struct store_sampled_length {
    length_of_row<T, I> length;
    std::int64_t samples;
    std::int64_t* lengths;
    COPPICE_HD void operator()(std::int64_t s) const {
        std::int64_t const rows = length.a.rows(), first = s * rows / samples, behind = (s + 1) * rows / samples;
        auto const drawn = std::int64_t(mix_bits(std::uint64_t(s)) >> 1) % (behind - first);
        lengths[s] = length(first + drawn);
    }
};

struct stored_length {
    std::int64_t const* lengths;
    COPPICE_HD std::int64_t operator()(std::int64_t s) const { return lengths[s]; }
};

/// Whether P^T A P, estimated as in prolongator_limits, surely took more than `products`. No answer about small
/// matrices and long rows, where the sample takes as long as what it saves.
template <executor Executor, class T, class I>
bool takes_more_products(Executor const& exec, length_of_row<T, I> const& length, double products) {
    constexpr std::int64_t samples = 4096, rows_a_sample = 8, longest_row = 32;
    constexpr double margin = 1.2;
    std::int64_t const rows = length.a.rows();
    double const nonzeros = double(length.a.nonzeros());
    if (rows < samples * rows_a_sample || nonzeros > double(rows) * longest_row) return false;
    // A reduction would give a lane sixteen of the samples, one after the other.
    buffer<std::int64_t> lengths(exec, samples);
    for_each(exec, samples, store_sampled_length<T, I>{length, samples, lengths.data()});
    double const mean =
        double(reduce(exec, samples, std::int64_t{0}, stored_length{lengths.data()}, plus{})) / double(samples);
    return mean * mean * nonzeros > margin * products;
}

} // namespace coppice::multilevel_detail
