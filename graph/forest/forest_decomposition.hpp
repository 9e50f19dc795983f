// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Decomposition of a weighted graph into several linear forests (thesis section 5.2.1).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <coppice/core/number_text.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::inline v0_1 {

struct decomposition_options {
    int factors = 4; ///< m >= 1: maximum number of forests
    /// omega in [0, 1]: factor applied to the weight of an edge each time that a forest takes it (Eq. 71)
    double omega = 0;
    double enough_coverage = 1; ///< stop if more than this fraction of the weight is covered,
    double min_gain = 0;        ///< or if a forest adds less than this fraction
    factor_options factor{};    ///< options of each factor; the degree is always 2
};

/// Linear forests of one graph; weights and coverages refer to the original weights.
template <class I>
struct forest_decomposition {
    std::vector<linear_forest<I>> forests{}; ///< at least one forest
    std::vector<double> covered{};           ///< fraction of the weight that forests 0 to l cover together
    bool exhausted = false;                  ///< no edge of nonzero weight was left for a further forest
};

/// Computes forest l from the weights C_l, where C_0 are the given weights and C_{l+1} is C_l with the weights of the
/// edges of forest l multiplied by omega (Eq. 71). With omega = 0 no edge occurs twice. Returns fewer than
/// options.factors forests if no weight is left, if the coverage suffices, or if the last forest added too little.
///
/// `weights` as for parallel_factor(). Deterministic; waits. Throws argument_error for options out of range,
/// dimension_error for a matrix that is not square, matrix_error for weights that are not finite.
template <executor Executor, class T, class I, class O>
forest_decomposition<I> decompose_into_forests(Executor const& exec, csr_view<T, I, O> weights,
                                               decomposition_options const& options = {});

namespace graph_detail {

inline void check_decomposition_options(decomposition_options const& o) {
    auto const refuse = [](char const* name, auto value, char const* expected) {
        throw argument_error(std::string("decomposition option ") + name + " is " +
                             coppice::detail::number_text(double(value)) + ", expected " + expected);
    };
    if (o.factors < 1) refuse("factors", o.factors, "1 or more");
    if (!(o.omega >= 0 && o.omega <= 1)) refuse("omega", o.omega, "0 to 1");
    if (!(o.enough_coverage >= 0 && o.enough_coverage <= 1)) refuse("enough_coverage", o.enough_coverage, "0 to 1");
    if (!(o.min_gain >= 0 && o.min_gain <= 1)) refuse("min_gain", o.min_gain, "0 to 1");
}

/// Weight of the newest forest, and of all forests together.
struct held_weight {
    double newest, all;
};
struct add_held_weight {
    COPPICE_HD held_weight identity() const { return {0, 0}; }
    COPPICE_HD held_weight operator()(held_weight const& a, held_weight const& b) const {
        return {a.newest + b.newest, a.all + b.all};
    }
};
struct store_held_weight {
    held_weight* rows;
    COPPICE_HD void operator()(std::int64_t row, held_weight const& sum) const { rows[row] = sum; }
};
struct held_in_row {
    held_weight const* rows;
    COPPICE_HD held_weight operator()(std::int64_t row) const { return rows[row]; }
};

/// Applies Eq. 71 to nonzero k and returns its weight in C_0. An edge that an earlier forest took differs from C_0.
template <class T, class I, class O>
struct adjust_weight {
    csr_view<T, I, O> now; ///< C_l
    T const* first;        ///< C_0
    I const* links;        ///< of forest l
    T omega;
    T* next; ///< C_{l+1}; does not alias C_l

    COPPICE_HD held_weight operator()(std::int64_t k, std::int64_t row) const {
        I const column = now.indices[k];
        T const weight = now.coefficients[k];
        bool const taken = column == links[2 * row] || column == links[2 * row + 1];
        next[k] = taken ? omega * weight : weight;
        double const size = std::int64_t(column) == row ? 0.0 : double(magnitude_of(first[k]));
        return {taken ? size : 0, taken || weight != first[k] ? size : 0};
    }
};

/// The weights C_l, each computed from the one before.
template <class Executor, class T, class I, class O>
class adjusted_weights {
public:
    adjusted_weights(Executor const& exec, csr_view<T, I, O> weights)
        : exec_(exec), first_(weights), now_(weights), plan_(make_srcsr_plan(exec, weights)),
          rows_(exec, weights.rows()) {}

    csr_view<T, I, O> now() const { return now_; }
    /// The forest of C_l; `total` is set to the sum of its weights.
    linear_forest<I> find(factor_options const& options, double& total) const {
        auto const edges = parallel_factor(exec_, now_, options);
        total = edges.total_weight;
        return extract_forest(exec_, now_, edges);
    }
    /// Computes C_{l+1}; returns the weight of the forest in C_0.
    held_weight take(linear_forest<I> const& forest, double omega) { return take(forest.links, omega); }
    /// `links`: of a forest, as columns of the weights.
    held_weight take(buffer<I> const& links, double omega) {
        auto& next = values_[current_];
        if (next.size() < now_.nonzeros()) next = buffer<T>(exec_, now_.nonzeros());
        reduce_rows(exec_, plan_,
                    adjust_weight<T, I, O>{now_, first_.coefficients, links.data(), T(omega), next.data()},
                    add_held_weight{}, store_held_weight{rows_.data()});
        now_.coefficients = next.data();
        current_ = 1 - current_;
        return reduce(exec_, now_.rows(), held_weight{0, 0}, held_in_row{rows_.data()}, add_held_weight{});
    }

private:
    Executor const& exec_;
    csr_view<T, I, O> first_, now_;
    srcsr_plan<O> plan_;
    buffer<held_weight> rows_;
    buffer<T> values_[2]{};
    int current_ = 0;
};

/// decompose_into_forests() of weights with find() and take(), as those of adjusted_weights.
template <class I, class Weights>
forest_decomposition<I> decompose(Weights& adjusted, decomposition_options const& options) {
    factor_options factor = options.factor;
    factor.degree = 2; // paths
    forest_decomposition<I> result;
    double total = 0, before = 0;
    while (int(result.forests.size()) < options.factors) {
        double now = 0;
        auto forest = adjusted.find(factor, now);
        bool const first = result.forests.empty();
        if (first) total = 2 * now;
        result.exhausted = forest.edges == 0;
        if (result.exhausted && !first) break;
        auto const held = adjusted.take(forest, options.omega);
        double const covered = total > 0 ? held.all / total : 1;
        forest.weight = held.newest / 2; // every edge was counted at both ends
        forest.weight_coverage = total > 0 ? held.newest / total : 1;
        result.forests.push_back(std::move(forest));
        result.covered.push_back(covered);
        bool const too_little = !first && covered - before < options.min_gain;
        if (result.exhausted || covered > options.enough_coverage || too_little) break;
        before = covered;
    }
    return result;
}

} // namespace graph_detail

template <executor Executor, class T, class I, class O>
forest_decomposition<I> decompose_into_forests(Executor const& exec, csr_view<T, I, O> weights,
                                               decomposition_options const& options) {
    graph_detail::check_decomposition_options(options);
    require_square(weights, "decompose_into_forests");
    graph_detail::adjusted_weights<Executor, T, I, O> adjusted(exec, weights);
    return graph_detail::decompose<I>(adjusted, options);
}

#define COPPICE_FOREST_DECOMPOSITION(EXTERN, EXECUTOR, T, I)                                                           \
    EXTERN template forest_decomposition<I> decompose_into_forests(EXECUTOR const&, csr_view<T, I>,                    \
                                                                   decomposition_options const&)
COPPICE_FOREST_DECOMPOSITION(extern, host_executor, float, std::int32_t);
COPPICE_FOREST_DECOMPOSITION(extern, host_executor, double, std::int32_t);
COPPICE_FOREST_DECOMPOSITION(extern, cuda_executor, float, std::int32_t);
COPPICE_FOREST_DECOMPOSITION(extern, cuda_executor, double, std::int32_t);

} // namespace coppice::inline v0_1
