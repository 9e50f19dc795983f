// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The smoothed prolongator of a level: P = (I - omega D_F^-1 A_F) P_0 with a filtered matrix A_F (Vanek, Mandel,
/// Brezina 1996), and the restriction: its transpose or, for unsymmetric matrices, the transpose of the prolongator of
/// A^T (Sala and Tuminaro 2008); otherwise convection terms would spoil the coarse matrices.
#pragma once

#include <utility>

#include <coppice/graph/forest/contract.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>
#include <coppice/solvers/multilevel/aggregation.hpp>
#include <coppice/solvers/multilevel/prolongator_rows.hpp>
#include <coppice/solvers/multilevel/prolongator_sample.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Flags the entries of A_F: the diagonal of every aggregated row, and large entries of smoothed rows.
template <class T, class I>
struct flag_filtered {
    csr_view<T, I> a;
    filter_rule<T, I> rule;
    I const* of;
    std::uint8_t const* smoothed;
    std::uint8_t* flags;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        std::int64_t const column = a.indices[k];
        flags[k] = column == row ? of[row] >= 0 : smoothed[row] && rule(a.coefficients[k], row, column);
        return 0;
    }
};
struct flag_at {
    std::uint8_t const* flags;
    COPPICE_HD std::int32_t operator()(std::int64_t k) const { return flags[k]; }
};
template <class I>
struct compact_filtered {
    std::uint8_t const* flags;
    I const* columns;
    I *before, *source, *indices;
    COPPICE_HD void operator()(std::int64_t k, I position) const {
        before[k] = position;
        if (!flags[k]) return;
        source[position] = I(k);
        indices[position] = columns[k];
    }
};
template <class I>
struct offset_of_filtered {
    I const *offsets, *before;
    I nonzeros, total;
    I* to;
    COPPICE_HD void operator()(std::int64_t row) const {
        to[row] = offsets[row] == nonzeros ? total : before[offsets[row]];
    }
};

template <class T>
struct store_damping {
    double inverse_scale;
    double const* diagonal;
    filtered_couplings<T> others;
    damped_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t row, filtered_row<T> const& own) const {
        rows[row] = damp_row(with_couplings(own, others, row), others.magnitude(row), inverse_scale, diagonal[row]);
    }
};
/// The damping of selected rows.
template <class T, class I>
struct write_damping {
    csr_view<T, I> a;
    std::uint8_t const* flags;
    double inverse_scale;
    double const* diagonal;
    filtered_couplings<T> others;
    std::int32_t const* rows;
    T* damping;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const row = rows[i];
        filtered_row<T> sum{T(0), T(0)};
        for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
            sum = add_filtered<T>{}(sum, filter_by_flag<T, I>{}(a.coefficients[k], a.indices[k], flags[k], row));
        damping[i] =
            damp_row(with_couplings(sum, others, row), others.magnitude(row), inverse_scale, diagonal[row]).damping;
    }
};
/// s_ij of I - omega D_F^-1 A_F.
template <class T, class I>
struct write_smoothing {
    T const* values; ///< of A
    I const *source, *indices;
    damped_row<T> const* rows;
    T* smoothing;
    COPPICE_HD std::uint8_t operator()(std::int64_t p, std::int64_t row) const {
        damped_row<T> const r = rows[row];
        smoothing[p] = std::int64_t(indices[p]) == row ? r.on_diagonal() : r.off_diagonal(values[source[p]]);
        return 0;
    }
};

template <class T, class I>
struct take_source {
    T const* from;
    I const* source;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = source[k] < 0 ? T(0) : from[source[k]]; }
};

/// Limits of the filtered matrix.
struct prolongator_limits {
    filter_threshold threshold; ///< with min_ratio = 0 nothing is dropped
    /// If P^T A P takes more products, estimated from the mean length of rows, entries that are not along paths are
    /// dropped as well, then entries below 2, 4, ... times the threshold.
    double products;
};

template <class T>
struct prolongator_values {
    buffer<T> r{}; ///< of the restriction
    transfer_values<T> transfer{};
};

/// Structure of P, and the computation of its values from those of A. refresh() changes only values.
template <executor Executor, class T, class I>
class smoothed_prolongator {
public:
    smoothed_prolongator() = default;
    /// P_0 has columns for the aggregates; it is either constant on them (`constant`) or given by `tentative`. `block`:
    /// components whose entries in the columns of other components are dropped.
    smoothed_prolongator(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                         filter_scales<T> const& scales, level_aggregates<I> const& made, int block,
                         csr<T, I> tentative, bool constant, prolongator_limits limits, buffer<I> mirrors)
        : tentative_(std::move(tentative)), mirror_(std::move(mirrors)) {
        if (by_rows && constant) {
            of_ = copy_of(exec, made.aggregates.of);
            flags_ = buffer<std::uint8_t>(exec, a.nonzeros());
        }
        for (bool along_paths = false;; limits.threshold.min_ratio *= along_paths ? 2 : 1, along_paths = true) {
            filter_rule<T, I> const rule{
                scales.inverse_scale(), limits.threshold, scales.diagonal(),
                scales.kinds(),         along_paths,      {made.aggregates.of.data(), made.runs.data(), block}};
            bool const is_last = limits.threshold.min_ratio == 0 || limits.threshold.min_ratio > 1;
            if (!is_last && is_worth_sampling(a) &&
                exceeds_products(exec, length_of_row<T, I>{a, rule, scales.others}, limits.products))
                continue;
            find_structure(exec, a, plan, scales, rule);
            double const length = double(product_.nonzeros()) / double(a.rows());
            bool const lean = length * length * double(a.nonzeros()) <= limits.products;
            if (lean || is_last) break;
        }
        build_transpose(exec);
    }
    /// P = P_0, which is 1 on the aggregates; the restriction is its transpose.
    smoothed_prolongator(Executor const& exec, csr<T, I> tentative) : smooths_(false) {
        product_.range = all_rows(tentative.view());
        product_.columns = tentative.columns();
        auto arrays = std::move(tentative).release();
        product_.offsets = std::move(arrays.offsets);
        product_.indices = std::move(arrays.indices);
        build_transpose(exec);
    }

    /// P[rows, aggregates] with these values; null for the pattern only.
    template <class S>
    csr_view<S, I> matrix(S const* values) const {
        return {product_.product_rows(), product_.columns,        product_.nonzeros(),
                product_.offsets.data(), product_.indices.data(), values};
    }
    /// The pattern of P^T.
    template <class S>
    csr_view<S, I> transposed(S const* values) const {
        return {product_.columns,           product_.product_rows(),    product_.nonzeros(),
                transposed_offsets_.data(), transposed_indices_.data(), values};
    }

    /// Computes the values from those of A. The first call must be for the matrix of the constructor, whose P may
    /// already be computed.
    prolongator_values<T> values(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                                 filter_scales<T> const& scales) {
        prolongator_values<T> v{buffer<T>(exec, nonzeros())};
        if (!smooths_) {
            v.transfer.p = buffer<T>(exec, nonzeros());
            coppice::fill(exec, v.transfer.p.view(), T(1));
            coppice::fill(exec, v.r.view(), T(1));
            return v;
        }
        v.transfer = first_.p.empty() ? both_values(exec, a, plan, scales) : std::move(first_);
        auto const& r_transposed = v.transfer.r_transposed.empty() ? v.transfer.p : v.transfer.r_transposed;
        for_each(exec, v.r.size(), take_source<T, I>{r_transposed.data(), transposed_source_.data(), v.r.data()});
        return v;
    }
    I nonzeros() const { return product_.nonzeros(); }
    /// Whether all values of P and of the restriction are 1.
    bool has_ones() const { return !smooths_; }

    /// omega D_F^-1 in these rows.
    buffer<T> damping_of(Executor const& exec, csr_view<T, I> a, filter_scales<T> const& scales,
                         array_view<std::int32_t const> rows) const {
        buffer<T> damping(exec, rows.size());
        if (!smooths_)
            coppice::fill(exec, damping.view(), T(0));
        else
            for_each(exec, rows.size(),
                     write_damping<T, I>{a, flags_.data(), scales.inverse_scale(), scales.diagonal(), scales.others,
                                         rows.data(), damping.data()});
        return damping;
    }

private:
    /// Building a small prolongator, or one of long rows, takes no longer than the sample.
    static bool is_worth_sampling(csr_view<T, I> a) { return a.rows() >= 8 * max_samples && has_short_rows(a); }
    /// Builds the pattern of P^T, and the position of its values in P.
    void build_transpose(Executor const& exec) {
        buffer<I> numbers(exec, product_.nonzeros());
        for_each(exec, numbers.size(), count_up<I>{numbers.data()});
        auto transpose_of_p = transpose(exec, matrix(static_cast<I const*>(numbers.data())));
        auto arrays = std::move(transpose_of_p).release();
        transposed_offsets_ = std::move(arrays.offsets);
        transposed_indices_ = std::move(arrays.indices);
        transposed_source_ = std::move(arrays.values);
    }

    /// On the host a worker computes a row of P if P_0 is constant; devices, and other P_0, use a matrix product.
    static constexpr bool by_rows = std::is_same_v<Executor, host_executor>;

    /// Computes the flags and product_.
    void find_structure(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                        filter_scales<T> const& scales, filter_rule<T, I> const& rule) {
        if constexpr (by_rows)
            if (!of_.empty()) {
                product_.range = all_rows(a);
                product_.columns = tentative_.columns();
                first_ = find_prolongator_rows<T, I>(exec, a, rule, scales, mirror_.empty() ? nullptr : mirror_.data(),
                                                     flags_.view(), product_);
                return;
            }
        flag_entries(exec, a, plan, scales, rule);
        I const nonzeros = compact(exec, a);
        smoothing_plan_ = make_srcsr_plan(exec, array_view<I const>(offsets_.view()), nonzeros, {});
        product_ = blank_plan(smoothing(nullptr), tentative_.view(), all_rows(smoothing(nullptr)));
        structure_of_product(exec, smoothing(nullptr), tentative_.view(), constant_mask{}, product_);
    }
    void flag_entries(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan, filter_scales<T> const& scales,
                      filter_rule<T, I> const& rule) {
        using namespace graph_detail;
        double const* const diagonal = scales.diagonal();
        I const* const of = rule.along.of;
        buffer<std::uint8_t> smoothed(exec, a.rows());
        flags_ = buffer<std::uint8_t>(exec, a.nonzeros());
        reduce_rows(exec, plan, along_nonzeros{filter_by_size<T, I>{rule}, a.coefficients, a.indices},
                    add_filtered<T>{},
                    store_smoothed<T, I>{scales.inverse_scale(), diagonal, scales.others, of, smoothed.data()});
        reduce_rows(exec, plan, flag_filtered<T, I>{a, rule, of, smoothed.data(), flags_.data()}, ignore_products{},
                    ignore_rows{});
    }
    I compact(Executor const& exec, csr_view<T, I> a) {
        std::int64_t const nonzeros = a.nonzeros();
        I const count = reduce(exec, nonzeros, I(0), flag_at{flags_.data()}, plus{});
        source_ = buffer<I>(exec, count);
        indices_ = buffer<I>(exec, count);
        offsets_ = buffer<I>(exec, std::int64_t(a.rows()) + 1);
        buffer<I> before(exec, nonzeros);
        exclusive_scan(exec, nonzeros, flag_at{flags_.data()},
                       compact_filtered<I>{flags_.data(), a.indices, before.data(), source_.data(), indices_.data()},
                       I(0));
        for_each(exec, std::int64_t(a.rows()) + 1,
                 offset_of_filtered<I>{a.offsets, before.data(), a.nonzeros(), count, offsets_.data()});
        return count;
    }
    transfer_values<T> both_values(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                                   filter_scales<T> const& scales) const {
        transfer_values<T> values{buffer<T>(exec, nonzeros()), buffer<T>(exec, mirror_.empty() ? I(0) : nonzeros())};
        if constexpr (by_rows)
            if (!of_.empty()) {
                auto const fill = [&](I const* mirrors, array_view<T> to) {
                    fill_prolongator_rows<T, I>(exec, a, mirrors, scales, flags_.view(), of_.view(), product_, to);
                };
                fill(nullptr, values.p.view());
                if (!mirror_.empty()) fill(mirror_.data(), values.r_transposed.view());
                return values;
            }
        smooth(exec, a, plan, scales, values.p.view());
        if (mirror_.empty()) return values;
        buffer<T> mirrored(exec, a.nonzeros());
        for_each(exec, mirrored.size(), take_source<T, I>{a.coefficients, mirror_.data(), mirrored.data()});
        a.coefficients = mirrored.data();
        smooth(exec, a, plan, scales, values.r_transposed.view());
        return values;
    }
    /// p = (I - omega D_F^-1 A_F) P_0
    void smooth(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan, filter_scales<T> const& scales,
                array_view<T> p) const {
        using namespace graph_detail;
        buffer<damped_row<T>> rows(exec, a.rows());
        buffer<T> values(exec, source_.size());
        reduce_rows(exec, plan, along_nonzeros{filter_by_flag<T, I>{}, a.coefficients, a.indices, flags_.data()},
                    add_filtered<T>{},
                    store_damping<T>{scales.inverse_scale(), scales.diagonal(), scales.others, rows.data()});
        reduce_rows(exec, smoothing_plan_,
                    write_smoothing<T, I>{a.coefficients, source_.data(), indices_.data(), rows.data(), values.data()},
                    ignore_products{}, ignore_rows{});
        product_values(exec, product_, plus_times<T>{}, smoothing(values.data()), tentative_.view(), p);
    }
    /// I - omega D_F^-1 A_F, with the columns of A_F.
    csr_view<T, I> smoothing(T const* values) const {
        I const n = static_cast<I>(offsets_.size() - 1);
        return {n, n, static_cast<I>(indices_.size()), offsets_.data(), indices_.data(), values};
    }

    bool smooths_ = true;        ///< false: P = P_0
    transfer_values<T> first_{}; ///< values of P found with its structure, until the first call of values()
    csr<T, I> tentative_{};
    buffer<I> of_{};               ///< aggregates of the unknowns, if P is computed row by row
    buffer<std::uint8_t> flags_{}; ///< nonzeros of A that are in A_F
    buffer<I> offsets_{}, indices_{}, source_{};
    srcsr_plan<I> smoothing_plan_{};
    product_plan<I> product_{};
    buffer<I> transposed_offsets_{}, transposed_indices_{}, transposed_source_{};
    buffer<I> mirror_{}; ///< position of a_ji for nonzero (i, j) of A; empty if A is symmetric
};

} // namespace coppice::inline v0_1::multilevel_detail
