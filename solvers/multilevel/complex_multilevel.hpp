// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method for complex matrices, and its registration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/core/conjugate.hpp>
#include <coppice/graph/search/bfs.hpp>
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>

namespace coppice::inline v0_1 {

namespace multilevel_detail {

/// Stores rows (re, -im) and (im, re) of the real form.
template <class R, class I>
struct store_real_rows {
    csr_view<complex_pair<R>, I> a;
    complex_pair<R> factor;
    I *offsets, *indices;
    R* values;
    COPPICE_HD void operator()(std::int64_t i) const {
        I const first = a.row_begin(i), length = a.row_end(i) - first;
        offsets[2 * i] = 4 * first;
        offsets[2 * i + 1] = 4 * first + 2 * length;
        if (i == std::int64_t(a.rows()) - 1) offsets[2 * i + 2] = 4 * (first + length);
        for (I k = 0; k < length; ++k) {
            complex_pair<R> const value = factor * a.coefficients[first + k];
            I const upper = 4 * first + 2 * k, lower = upper + 2 * length, column = 2 * a.indices[first + k];
            indices[upper] = indices[lower] = column;
            indices[upper + 1] = indices[lower + 1] = column + 1;
            values[upper] = values[lower + 1] = value.re;
            values[upper + 1] = -value.im;
            values[lower] = value.im;
        }
    }
};
/// Returns the real form of `factor` A, a 2 n x 2 n matrix for vectors of alternating real and imaginary parts. Throws
/// overflow_error if its rows or entries exceed the index type.
template <executor Executor, class R, class I>
csr<R, I> real_form(Executor const& exec, csr_view<complex_pair<R>, I> a, complex_pair<R> factor) {
    I const rows = checked_cast<I>(2 * std::int64_t(a.rows()), "rows of the real form of a complex matrix");
    I const entries = checked_cast<I>(4 * std::int64_t(a.nonzeros()), "entries of the real form of a complex matrix");
    buffer<I> offsets(exec, std::int64_t(rows) + 1), indices(exec, entries);
    buffer<R> values(exec, entries);
    if (rows == 0) fill(exec, offsets.view(), I(0));
    for_each(exec, a.rows(), store_real_rows<R, I>{a, factor, offsets.data(), indices.data(), values.data()});
    return {rows, rows, std::move(offsets), std::move(indices), std::move(values)};
}

/// Sums over rows of a_ii / |a_ii|, of -a_ij |a_ii| / a_ii for i != j, and of |a_ij|.
template <class R>
struct sum_of_phases {
    complex_pair<double> diagonal{0, 0}, couplings{0, 0};
    double magnitudes = 0;
    COPPICE_HD sum_of_phases operator()(sum_of_phases const& a, sum_of_phases const& b) const {
        return {a.diagonal + b.diagonal, a.couplings + b.couplings, a.magnitudes + b.magnitudes};
    }
};
/// a / |a|; 1 for 0
template <class R>
COPPICE_HD complex_pair<double> direction(complex_pair<R> const& a) {
    complex_pair<double> const wide(a);
    double const size = double(magnitude(a));
    return size > 0 ? wide / size : complex_pair<double>(1.0);
}
template <class R, class I>
struct phases_of_row {
    csr_view<complex_pair<R>, I> a;
    COPPICE_HD sum_of_phases<R> operator()(std::int64_t i) const {
        sum_of_phases<R> sum;
        for (I k = a.row_begin(i); k < a.row_end(i); ++k)
            if (std::int64_t(a.indices[k]) == i) sum.diagonal = direction(a.coefficients[k]);
        for (I k = a.row_begin(i); k < a.row_end(i); ++k) {
            if (std::int64_t(a.indices[k]) == i) continue;
            sum.couplings = sum.couplings - complex_pair<double>(a.coefficients[k]) * conjugate_of(sum.diagonal);
            sum.magnitudes += double(magnitude(a.coefficients[k]));
        }
        return sum;
    }
};

/// Doubles the lengths of the paths to the root: t_v / t_q for the parent q of the parent p.
struct double_paths {
    vertex_id const* parents;
    complex_pair<double> const* t;
    vertex_id* next_parents;
    complex_pair<double>* next_t;
    COPPICE_HD void operator()(std::int64_t v) const {
        vertex_id const p = parents[v];
        next_t[v] = std::int64_t(p) == v ? t[v] : t[v] * t[p];
        next_parents[v] = parents[p];
    }
};
template <class R, class C>
struct store_real_forms {
    std::int64_t n;
    array_view<C> vectors;
    R* reals;
    COPPICE_HD void operator()(std::int64_t k) const {
        auto const t = vectors[k];
        R* const real = reals + 4 * n * (k / n) + 2 * (k % n);
        real[0] = real[2 * n + 1] = R(t.re);
        real[1] = R(t.im);
        real[2 * n] = R(-t.im);
    }
};
/// Returns, for each vector t of n elements, the real forms of t and i t, 2 n elements each. Their real span is the
/// real form of the complex span of the vectors. Element k of a real form is the real (k even) or imaginary (k odd)
/// part of element k / 2.
template <class R, executor Executor, class C>
buffer<R> real_vectors(Executor const& exec, std::int64_t n, array_view<C> vectors) {
    buffer<R> reals(exec, 4 * vectors.size());
    for_each(exec, vectors.size(), store_real_forms<R, C>{n, vectors, reals.data()});
    return reals;
}

/// t_v / t_p = -(a_vp / |a_vp|) (|a_vv| / a_vv) for the parent p of v in the tree, so that a_vv t_v and a_vp t_p have
/// opposite directions; 1 for the root and for rows that the search has not reached, which become their own parents.
template <class R, class I>
struct store_quotient {
    csr_view<complex_pair<R>, I> a;
    vertex_id* parents;
    complex_pair<double>* quotients;
    COPPICE_HD void operator()(std::int64_t v) const {
        complex_pair<double> diagonal(1.0), coupling(-1.0);
        if (parents[v] < 0) parents[v] = vertex_id(v);
        for (I k = a.row_begin(v); k < a.row_end(v); ++k)
            if (std::int64_t(a.indices[k]) == v)
                diagonal = direction(a.coefficients[k]);
            else if (a.indices[k] == I(parents[v]))
                coupling = direction(a.coefficients[k]);
        bool const ends = std::int64_t(parents[v]) == v;
        quotients[v] = ends ? complex_pair<double>(1.0) : -(coupling * conjugate_of(diagonal));
    }
};
/// Returns the real forms of t and i t, where |t_v| = 1 and A t is small along the edges of a breadth-first search tree
/// from row n / 2: the phases of t cancel those of the entries. If A is replaced by D^H A D with a diagonal matrix D of
/// phases, t becomes D^H t times a constant phase.
template <executor Executor, class R, class I>
buffer<R> follow_phases(Executor const& exec, csr_view<complex_pair<R>, I> a) {
    std::int64_t const n = a.rows();
    auto tree = bfs(exec, graph_view(a), vertex_id(n / 2));
    buffer<complex_pair<double>> t(exec, n), next(exec, n);
    buffer<vertex_id> next_parents(exec, n);
    for_each(exec, n, store_quotient<R, I>{a, tree.parents.data(), t.data()});
    for (std::int64_t length = 1; length < std::int64_t(tree.depth); length *= 2) {
        for_each(exec, n, double_paths{tree.parents.data(), t.data(), next_parents.data(), next.data()});
        std::swap(t, next);
        std::swap(tree.parents, next_parents);
    }
    auto vectors = real_vectors<R>(exec, n, t.view());
    exec.synchronize(); // before temporary memory is freed
    return vectors;
}

/// to = factor from, or factor conj(from)
template <class R>
struct scale_elements {
    complex_pair<R> factor;
    bool conjugates;
    complex_pair<R> const* from;
    complex_pair<R>* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        to[i] = factor * (conjugates ? conjugate_of(from[i]) : from[i]);
    }
};

/// Fraction of the magnitudes of the couplings above which constants are near-null-space vectors.
inline constexpr double min_aligned_phases = 0.9;

/// require_sizes_of() vectors of a complex matrix with `n` rows.
template <class E>
void require_complex_sizes(near_null_space<E> const& near, std::int64_t n) {
    require_sizes_of(near, n, 16, "a point of a complex matrix"); // 32 of the real form
}
inline void refuse_gauss_seidel() {
    throw argument_error("the smoother gauss-seidel is for Hermitian matrices, and this complex matrix is not "
                         "Hermitian; use jacobi, l1 or chebyshev");
}

} // namespace multilevel_detail

/// multilevel_preconditioner for a complex matrix: the cycle of the real form of f A, whose points are the real and
/// imaginary parts of an unknown. f has |f| = 1 and makes the diagonals positive on average. Aggregates follow |a_ij|;
/// the restriction is P^H. If A is Hermitian positive definite, so is M. The coarse levels represent the given vectors
/// and their complex multiples; without vectors the constants or, if the entries have other directions than those of a
/// Laplace matrix (links of a gauge field), a vector whose phases follow the entries.
///
/// For matrices that are not Hermitian, the smoother is jacobi, l1 or chebyshev: M is complex-linear with each of them.
/// Takes four times the memory of a real matrix with the same pattern.
template <executor Executor, class R, class I>
class complex_multilevel {
public:
    using element = complex_pair<R>;

    /// near.block = 0 means 1, since the block size is not detected. At most 16 unknowns per point and 16 vectors.
    /// Throws the exceptions of multilevel_preconditioner, and argument_error for the smoother gauss_seidel if A is not
    /// Hermitian.
    complex_multilevel(Executor const& exec, csr_view<element, I> a, multilevel_options const& options,
                       near_null_space<element> const& near)
        : hermitian_(asymmetry_of(exec, a, symmetry_tolerance<R>) <= symmetry_tolerance<R>),
          levels_(make(exec, a, options, near)) {}

    /// Recomputes M for new values on the same pattern. The smoother is chosen once: if the old matrix is Hermitian,
    /// the new one must be Hermitian too.
    void refresh(Executor const& exec, csr_view<element, I> a) {
        element const factor = factor_for(sum_phases(exec, a));
        auto const real = multilevel_detail::real_form(exec, a, factor);
        levels_.refresh(exec, real.view());
        factor_ = factor;   // that of a refused matrix is not stored
        exec.synchronize(); // before the real form is freed
    }
    void apply(Executor const& exec, array_view<element const> r, array_view<element> z) const {
        levels_.apply(exec, reals<R const>(r), reals<R>(z));
        if (!(factor_ == element(R(1)))) for_each(exec, z.size(), scaled(false, z.data(), z.data()));
    }
    /// Computes z[n] = M^-T r[n]. M^-1 = f M_f^-1, where M_f is the preconditioner of f A. The transpose of the real
    /// form of M_f^-1 is the real form of M_f^-H; therefore M^-T r = f conj(M_f^-H conj(r)). Allocates a vector.
    void apply_transpose(Executor const& exec, array_view<element const> r, array_view<element> z) const {
        buffer<element> conjugated(exec, r.size());
        for_each(exec, r.size(),
                 multilevel_detail::scale_elements<R>{element(R(1)), true, r.data(), conjugated.data()});
        levels_.apply_transpose(exec, reals<R const>(array_view<element const>(conjugated.view())), reals<R>(z));
        for_each(exec, z.size(), scaled(true, z.data(), z.data()));
    }
    bool replayable() const { return true; } // not covered: devices only
    std::vector<finding> findings() const { return levels_.findings(); }

private:
    template <class To, class From>
    static array_view<To> reals(array_view<From> x) {
        return {reinterpret_cast<To*>(x.data()), 2 * x.size()};
    }
    multilevel_detail::scale_elements<R> scaled(bool conjugates, element const* from, element* to) const {
        return {factor_, conjugates, from, to};
    }

    static auto sum_phases(Executor const& exec, csr_view<element, I> a) {
        using namespace multilevel_detail;
        return reduce(exec, a.rows(), sum_of_phases<R>{}, phases_of_row<R, I>{a}, sum_of_phases<R>{});
    }
    element factor_for(multilevel_detail::sum_of_phases<R> const& sum) const {
        if (hermitian_ || !detail::is_finite(sum.diagonal)) return factor_;
        return element(conjugate_of(multilevel_detail::direction(sum.diagonal)));
    }
    multilevel_preconditioner<Executor, R, I> make(Executor const& exec, csr_view<element, I> a,
                                                   multilevel_options options, near_null_space<element> const& given) {
        using namespace multilevel_detail;
        std::int64_t const n = a.rows();
        require_complex_sizes(given, n);
        require_finite_vectors(exec, given);
        if (!hermitian_ && options.smoother == multilevel_smoother::gauss_seidel) refuse_gauss_seidel();
        if (!hermitian_ && options.smoother == multilevel_smoother::automatic)
            options.smoother = multilevel_smoother::jacobi;
        auto const sum = sum_phases(exec, a);
        factor_ = factor_for(sum);
        bool const follows = given.block <= 1 && sum.couplings.re < min_aligned_phases * sum.magnitudes;
        int const per_point = 2 * std::max(given.block, 1);
        buffer<R> const vectors = given.count > 0 ? real_vectors<R>(exec, n, given.vectors)
                                  : follows       ? follow_phases(exec, a)
                                                  : constants_of_components<R>(exec, per_point, 2 * n);
        near_null_space<R> const near{per_point, given.count > 0 ? 2 * given.count : per_point, vectors.view()};
        auto const real = real_form(exec, a, factor_);
        multilevel_preconditioner<Executor, R, I> made(exec, real.view(), options, near);
        exec.synchronize(); // before the vectors are freed
        return made;
    }

    bool hermitian_;
    element factor_{R(1)};
    multilevel_preconditioner<Executor, R, I> levels_;
};

/// Registration of the multilevel method for complex matrices.
struct complex_multilevel_entry {
    static constexpr preconditioner_row row = multilevel_entry::row;

    template <executor Executor, class R, class I>
    static auto make(Executor const& exec, csr_view<complex_pair<R>, I> a, chosen_options const& o) {
        return complex_multilevel<Executor, R, I>(exec, a, multilevel_entry::read(o),
                                                  near_null_space<complex_pair<R>>{.block = int(o.integer("block"))});
    }
};

} // namespace coppice::inline v0_1
