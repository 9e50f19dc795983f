// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Estimates the length of the rows of a smoothed prolongator from a sample: computing a prolongator and then
/// discarding it would take as long as the final one.
#pragma once

#include <algorithm>

#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Limits the entries of row `row` that a lane checks pair by pair: a high-degree vertex in the sample must not delay
/// all others.
template <class T, class I>
COPPICE_HD I scan_end(csr_view<T, I> const& a, std::int64_t row) {
    constexpr I max_entries = 64;
    return a.row_end(row) - a.row_begin(row) < max_entries ? a.row_end(row) : a.row_begin(row) + max_entries;
}

/// Number of entries of a row of P if P_0 is constant on aggregates: the number of distinct aggregates of the remaining
/// entries. Computed by one lane; of long rows only the first entries are compared pair by pair.
template <class T, class I>
struct length_of_row {
    csr_view<T, I> a;
    filter_rule<T, I> rule;
    filtered_couplings<T> others;

    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        filtered_row<T> sum{T(0), T(0)};
        for (I k = a.row_begin(row); k < a.row_end(row); ++k)
            sum = add_filtered<T>{}(sum, filter_by_size<T, I>{rule}(a.coefficients[k], a.indices[k], row));
        I const* const of = rule.along.of;
        if (of[row] < 0) return 0;
        if (!smooths(scaled(with_couplings(sum, others, row), rule.inverse_scale), rule.diagonal[row])) return 1;
        std::int64_t length = 0;
        for (I k = a.row_begin(row), end = scan_end(a, row); k < end; ++k) length += leads_to_new(k, row) ? 1 : 0;
        return length;
    }

private:
    COPPICE_HD bool leads(I k, std::int64_t row) const {
        return std::int64_t(a.indices[k]) == row || rule(a.coefficients[k], row, a.indices[k]);
    }
    COPPICE_HD bool leads_to_new(I k, std::int64_t row) const {
        I const* const of = rule.along.of;
        I const aggregate = of[a.indices[k]];
        if (aggregate < 0 || !leads(k, row)) return false;
        for (I j = a.row_begin(row); j < k; ++j)
            if (of[a.indices[j]] == aggregate && leads(j, row)) return false;
        return true;
    }
};
/// Number of off-diagonal entries of a row that pass the filter.
template <class T, class I>
struct filtered_degree {
    csr_view<T, I> a;
    filter_rule<T, I> rule;
    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        std::int64_t sum = 0;
        for (I k = a.row_begin(row); k < a.row_end(row); ++k) sum += keeps(k, row) ? 1 : 0;
        return sum;
    }
    COPPICE_HD bool keeps(I k, std::int64_t row) const {
        return std::int64_t(a.indices[k]) != row && rule(a.coefficients[k], row, a.indices[k]);
    }
};

/// Number of pairs of such entries that are coupled with each other; only the first entries of long rows count.
template <class T, class I>
struct triangles_of_row {
    filtered_degree<T, I> row_of;
    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        csr_view<T, I> const& a = row_of.a;
        std::int64_t pairs = 0;
        for (I k = a.row_begin(row), end = scan_end(a, row); k < end; ++k)
            for (I l = a.row_begin(row); row_of.keeps(k, row) && l < k; ++l)
                pairs += row_of.keeps(l, row) && has_column(a.indices[k], a.indices[l]) ? 1 : 0;
        return pairs;
    }

private:
    COPPICE_HD bool has_column(I row, I column) const {
        csr_view<T, I> const& a = row_of.a;
        I const end = a.row_end(row);
        I const at = I(lower_position(a.indices, a.row_begin(row), end, std::int64_t(column)));
        return at < end && a.indices[at] == column;
    }
};

/// One row of each of `samples` equal ranges of rows, drawn by a hash.
template <class Value>
struct store_sample {
    Value value;
    std::int64_t rows, samples;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t s) const {
        std::int64_t const first = s * rows / samples, end = (s + 1) * rows / samples;
        auto const drawn = std::int64_t(mix_bits(std::uint64_t(s)) >> 1) % (end - first);
        to[s] = value(first + drawn);
    }
};
struct stored_sample {
    std::int64_t const* values;
    COPPICE_HD std::int64_t operator()(std::int64_t s) const { return values[s]; }
};

inline constexpr std::int64_t max_samples = 4096;

// Each sample waits for memory several times, so small chunks balance the load.
template <class Value>
void draw_samples(host_executor const& exec, store_sample<Value> const& store) {
    constexpr std::int64_t chunk = 64;
    for_each_block(exec, store.samples, chunk, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s) store(s);
    });
}
template <class Value>
void draw_samples(cuda_executor const& exec, store_sample<Value> const& store) {
    for_each(exec, store.samples, store);
}

/// Mean of value(row) over a sample of the rows, or over all rows if they are few; 0 without rows.
template <executor Executor, class Value>
double sampled_mean(Executor const& exec, std::int64_t rows, Value const& value) {
    std::int64_t const samples = std::min(rows, max_samples);
    if (samples == 0) return 0;
    // The samples are stored first and then summed: a reduction alone would let each lane draw sixteen samples one
    // after the other, each with its memory latency.
    buffer<std::int64_t> drawn(exec, samples);
    draw_samples(exec, store_sample<Value>{value, rows, samples, drawn.data()});
    return double(reduce(exec, samples, std::int64_t{0}, stored_sample{drawn.data()}, plus{})) / double(samples);
}

/// Whether rows are short enough for one lane.
template <class T, class I>
bool has_short_rows(csr_view<T, I> a) {
    constexpr double longest = 32;
    return double(a.nonzeros()) <= longest * double(a.rows());
}
/// Whether P^T A P, estimated by a sample as in prolongator_limits, exceeds `products` with a margin. `outside`:
/// entries per row of P in columns of other ranks.
template <executor Executor, class T, class I>
bool exceeds_products(Executor const& exec, length_of_row<T, I> const& length, double products, double outside = 0) {
    constexpr double margin = 1.2;
    double const mean = sampled_mean(exec, length.a.rows(), length) + outside;
    return mean * mean * double(length.a.nonzeros()) > margin * products;
}

} // namespace coppice::inline v0_1::multilevel_detail
