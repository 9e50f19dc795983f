// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The smoothed prolongator of a level: P = (I - omega D_F^-1 A_F) P_0 with a filtered matrix A_F (Vanek, Mandel,
/// Brezina 1996), and the restriction: its transpose, or for unsymmetric matrices the transpose of what A^T gives (Sala
/// and Tuminaro 2008), without which convection makes the matrices of the coarse levels useless.
#pragma once

#include <utility>

#include <coppice/graph/forest/contract.hpp>
#include <coppice/solvers/multilevel/prolongator_rows.hpp>
#include <coppice/solvers/multilevel/prolongator_sample.hpp>

namespace coppice::multilevel_detail {

/// Marks what A_F keeps: the diagonal of every aggregated row, large entries of smoothed ones.
template <class T, class I>
struct mark_kept {
    csr_view<T, I> a;
    is_kept<T, I> kept;
    I const* of;
    std::uint8_t const* smoothed;
    std::uint8_t* marks;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        std::int64_t const column = a.indices[k];
        marks[k] = column == row ? of[row] >= 0 : smoothed[row] && kept(a.coefficients[k], row, column);
        return 0;
    }
};
struct mark_at {
    std::uint8_t const* marks;
    COPPICE_HD std::int32_t operator()(std::int64_t k) const { return marks[k]; }
};
template <class I>
struct place_kept {
    std::uint8_t const* marks;
    I const* columns;
    I *before, *source, *indices;
    COPPICE_HD void operator()(std::int64_t k, I position) const {
        before[k] = position;
        if (!marks[k]) return;
        source[position] = I(k);
        indices[position] = columns[k];
    }
};
template <class I>
struct offset_of_kept {
    I const *offsets, *before;
    I nonzeros, total;
    I* to;
    COPPICE_HD void operator()(std::int64_t row) const {
        to[row] = offsets[row] == nonzeros ? total : before[offsets[row]];
    }
};

template <class T>
struct store_damping {
    double one_by_unit;
    double const* diagonal;
    filtered_couplings<T> others;
    damped_row<T>* rows;
    COPPICE_HD void operator()(std::int64_t row, filtered_row<T> const& own) const {
        rows[row] = damp_row(with_others(own, others, row), others.magnitude(row), one_by_unit, diagonal[row]);
    }
};
/// The damping of some rows by themselves.
template <class T, class I>
struct write_damping {
    csr_view<T, I> a;
    std::uint8_t const* marks;
    double one_by_unit;
    double const* diagonal;
    filtered_couplings<T> others;
    std::int32_t const* rows;
    T* damping;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const row = rows[i];
        filtered_row<T> sum{T(0), T(0)};
        for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
            sum = add_filtered<T>{}(sum, filter_by_mark<T, I>{}(a.coefficients[k], a.indices[k], marks[k], row));
        damping[i] = damp_row(with_others(sum, others, row), others.magnitude(row), one_by_unit, diagonal[row]).damping;
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
        smoothing[p] = std::int64_t(indices[p]) == row ? r.on_diagonal() : r.beside(values[source[p]]);
        return 0;
    }
};

struct count_up {
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = std::int32_t(k); }
};
template <class T, class I>
struct take_source {
    T const* from;
    I const* source;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = source[k] < 0 ? T(0) : from[source[k]]; }
};

/// What is left out of the filtered matrix.
struct prolongator_limits {
    prolongator_share share; ///< with least = 0 nothing at all is left out
    /// Where P^T A P took more products, estimated by the mean length of rows, entries that do not lie along paths are
    /// left out as well, and then those below twice the share, four times, ...
    double products;
};

template <class T>
struct prolongator_values {
    buffer<T> r{}; ///< of the restriction
    prolongator_sides<T> sides{};
};

/// Structure of P, and how its values come from those of A. Everything but the values stays under refresh.
template <executor Executor, class T, class I>
class smoothed_prolongator {
public:
    smoothed_prolongator() = default;
    /// P_0 has columns of the rows that `aggregates` hold; it is `constant` on them, or is given by `tentative`.
    smoothed_prolongator(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                         filter_scales<T> const& scales, vertex_aggregates<I> const& aggregates, buffer<I> const& runs,
                         csr<T, I> tentative, bool constant, prolongator_limits limits, buffer<I> mirrors)
        : tentative_(std::move(tentative)), mirror_(std::move(mirrors)) {
        if (by_rows && constant) {
            of_ = copy_of(exec, aggregates.of);
            marks_ = buffer<std::uint8_t>(exec, a.nonzeros());
        }
        for (bool along_paths = false;; limits.share.least *= along_paths ? 2 : 1, along_paths = true) {
            is_kept<T, I> const kept{scales.one_by_unit(), limits.share, scales.diagonal(),
                                     scales.kinds(),       along_paths,  {aggregates.of.data(), runs.data()}};
            bool const is_last = limits.share.least == 0 || limits.share.least > 1;
            if (!is_last && is_worth_a_sample(a) &&
                takes_more_products(exec, length_of_row<T, I>{a, kept, scales.others}, limits.products))
                continue;
            find_structure(exec, a, plan, scales, kept);
            double const length = double(product_.nonzeros()) / double(a.rows());
            bool const lean = length * length * double(a.nonzeros()) <= limits.products;
            if (lean || is_last) break;
        }
        turn(exec);
    }
    /// P = P_0, which is 1 on the aggregates, and the restriction its transpose.
    smoothed_prolongator(Executor const& exec, csr<T, I> tentative) : smooths_(false) {
        product_.range = all_rows(tentative.view());
        product_.columns = tentative.columns();
        auto arrays = std::move(tentative).release();
        product_.offsets = std::move(arrays.offsets);
        product_.indices = std::move(arrays.indices);
        turn(exec);
    }

    /// P[rows, aggregates] with these values; null for none.
    template <class S>
    csr_view<S, I> matrix(S const* values) const {
        return {product_.product_rows(), product_.columns,        product_.nonzeros(),
                product_.offsets.data(), product_.indices.data(), values};
    }
    /// The pattern of P^T
    template <class S>
    csr_view<S, I> transposed(S const* values) const {
        return {product_.columns,       product_.product_rows(), product_.nonzeros(),
                turned_offsets_.data(), turned_indices_.data(),  values};
    }

    /// From the values of A; the first call is for those that it was made of, whose values of P may be known already.
    prolongator_values<T> values(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                                 filter_scales<T> const& scales) {
        prolongator_values<T> v{buffer<T>(exec, nonzeros())};
        if (!smooths_) {
            v.sides.p = buffer<T>(exec, nonzeros());
            coppice::fill(exec, v.sides.p.view(), T(1));
            coppice::fill(exec, v.r.view(), T(1));
            return v;
        }
        v.sides = first_.p.empty() ? both_sides(exec, a, plan, scales) : std::move(first_);
        auto const& turned_r = v.sides.turned_r.empty() ? v.sides.p : v.sides.turned_r;
        for_each(exec, v.r.size(), take_source<T, I>{turned_r.data(), turned_source_.data(), v.r.data()});
        return v;
    }
    I nonzeros() const { return product_.nonzeros(); }
    /// Whether all values of P and the restriction are 1.
    bool has_ones() const { return !smooths_; }

    /// omega D_F^-1 in these rows.
    buffer<T> damping_of(Executor const& exec, csr_view<T, I> a, filter_scales<T> const& scales,
                         array_view<std::int32_t const> rows) const {
        buffer<T> damping(exec, rows.size());
        if (!smooths_)
            coppice::fill(exec, damping.view(), T(0));
        else
            for_each(exec, rows.size(),
                     write_damping<T, I>{a, marks_.data(), scales.one_by_unit(), scales.diagonal(), scales.others,
                                         rows.data(), damping.data()});
        return damping;
    }

private:
    /// Finding a small prolongator, or one of long rows, takes no longer than the sample.
    static bool is_worth_a_sample(csr_view<T, I> a) { return a.rows() >= 8 * most_samples && has_short_rows(a); }
    /// The pattern of P^T, and where its values stand in P.
    void turn(Executor const& exec) {
        buffer<I> numbers(exec, product_.nonzeros());
        for_each(exec, numbers.size(), count_up{numbers.data()});
        auto turned = transpose(exec, matrix(static_cast<I const*>(numbers.data())));
        auto arrays = std::move(turned).release();
        turned_offsets_ = std::move(arrays.offsets);
        turned_indices_ = std::move(arrays.indices);
        turned_source_ = std::move(arrays.values);
    }

    /// On the host a worker makes a row of P where P_0 is constant; devices, and other P_0, take a product.
    static constexpr bool by_rows = std::is_same_v<Executor, host_executor>;

    /// The marks, and product_.
    void find_structure(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                        filter_scales<T> const& scales, is_kept<T, I> const& kept) {
        if constexpr (by_rows)
            if (!of_.empty()) {
                product_.range = all_rows(a);
                product_.columns = tentative_.columns();
                first_ = find_prolongator_rows<T, I>(exec, a, kept, scales, mirror_.empty() ? nullptr : mirror_.data(),
                                                     marks_.view(), product_);
                return;
            }
        mark(exec, a, plan, scales, kept);
        I const nonzeros = place(exec, a);
        smoothing_plan_ = make_srcsr_plan(exec, array_view<I const>(offsets_.view()), nonzeros, {});
        product_ = blank_plan(smoothing(nullptr), tentative_.view(), all_rows(smoothing(nullptr)));
        structure_of_product(exec, smoothing(nullptr), tentative_.view(), constant_mask{}, product_);
    }
    void mark(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan, filter_scales<T> const& scales,
              is_kept<T, I> const& kept) {
        using namespace graph_detail;
        double const* const diagonal = scales.diagonal();
        I const* const of = kept.along.of;
        buffer<std::uint8_t> smoothed(exec, a.rows());
        marks_ = buffer<std::uint8_t>(exec, a.nonzeros());
        reduce_rows(exec, plan, along_nonzeros{filter_by_size<T, I>{kept}, a.coefficients, a.indices},
                    add_filtered<T>{},
                    store_smoothed<T, I>{scales.one_by_unit(), diagonal, scales.others, of, smoothed.data()});
        reduce_rows(exec, plan, mark_kept<T, I>{a, kept, of, smoothed.data(), marks_.data()}, ignore_products{},
                    ignore_rows{});
    }
    I place(Executor const& exec, csr_view<T, I> a) {
        std::int64_t const nonzeros = a.nonzeros();
        I const kept = reduce(exec, nonzeros, I(0), mark_at{marks_.data()}, plus{});
        source_ = buffer<I>(exec, kept);
        indices_ = buffer<I>(exec, kept);
        offsets_ = buffer<I>(exec, std::int64_t(a.rows()) + 1);
        buffer<I> before(exec, nonzeros);
        exclusive_scan(exec, nonzeros, mark_at{marks_.data()},
                       place_kept<I>{marks_.data(), a.indices, before.data(), source_.data(), indices_.data()}, I(0));
        for_each(exec, std::int64_t(a.rows()) + 1,
                 offset_of_kept<I>{a.offsets, before.data(), a.nonzeros(), kept, offsets_.data()});
        return kept;
    }
    prolongator_sides<T> both_sides(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                                    filter_scales<T> const& scales) const {
        prolongator_sides<T> sides{buffer<T>(exec, nonzeros()), buffer<T>(exec, mirror_.empty() ? I(0) : nonzeros())};
        if constexpr (by_rows)
            if (!of_.empty()) {
                auto const fill = [&](I const* mirrors, array_view<T> to) {
                    fill_prolongator_rows<T, I>(exec, a, mirrors, scales, marks_.view(), of_.view(), product_, to);
                };
                fill(nullptr, sides.p.view());
                if (!mirror_.empty()) fill(mirror_.data(), sides.turned_r.view());
                return sides;
            }
        smooth(exec, a, plan, scales, sides.p.view());
        if (mirror_.empty()) return sides;
        buffer<T> mirrored(exec, a.nonzeros());
        for_each(exec, mirrored.size(), take_source<T, I>{a.coefficients, mirror_.data(), mirrored.data()});
        a.coefficients = mirrored.data();
        smooth(exec, a, plan, scales, sides.turned_r.view());
        return sides;
    }
    /// p = (I - omega D_F^-1 A_F) P_0
    void smooth(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan, filter_scales<T> const& scales,
                array_view<T> p) const {
        using namespace graph_detail;
        buffer<damped_row<T>> rows(exec, a.rows());
        buffer<T> values(exec, source_.size());
        reduce_rows(exec, plan, along_nonzeros{filter_by_mark<T, I>{}, a.coefficients, a.indices, marks_.data()},
                    add_filtered<T>{},
                    store_damping<T>{scales.one_by_unit(), scales.diagonal(), scales.others, rows.data()});
        reduce_rows(exec, smoothing_plan_,
                    write_smoothing<T, I>{a.coefficients, source_.data(), indices_.data(), rows.data(), values.data()},
                    ignore_products{}, ignore_rows{});
        product_values(exec, product_, plus_times<T>{}, smoothing(values.data()), tentative_.view(), p);
    }
    /// I - omega D_F^-1 A_F, whose columns are those that A_F keeps.
    csr_view<T, I> smoothing(T const* values) const {
        I const n = static_cast<I>(offsets_.size() - 1);
        return {n, n, static_cast<I>(indices_.size()), offsets_.data(), indices_.data(), values};
    }

    bool smooths_ = true;          ///< else P is P_0
    prolongator_sides<T> first_{}; ///< where rows of P are made by themselves, until somebody asks for it
    csr<T, I> tentative_{};
    buffer<I> of_{};               ///< aggregates of the unknowns, where rows of P are made by themselves
    buffer<std::uint8_t> marks_{}; ///< nonzeros of A that A_F keeps
    buffer<I> offsets_{}, indices_{}, source_{};
    srcsr_plan<I> smoothing_plan_{};
    product_plan<I> product_{};
    buffer<I> turned_offsets_{}, turned_indices_{}, turned_source_{};
    buffer<I> mirror_{}; ///< where a_ji stands for nonzero (i, j) of A, unless A is symmetric
};

} // namespace coppice::multilevel_detail
