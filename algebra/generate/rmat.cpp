// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Recursive-matrix random graphs.
#include <algorithm>
#include <cmath>
#include <utility>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/algebra/rows/compress.hpp>
#include <coppice/core/number_text.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Value of an edge that may be drawn several times and is stored once.
struct once {
    once& operator+=(once) { return *this; }
};

/// Drawn edges as triplets. Edge e depends on the seed and on e only.
class drawn_edges {
public:
    explicit drawn_edges(generator_options const& o)
        : options_(o), random_(o.seed, 0), below_{threshold(o.a), threshold(o.a + o.b), threshold(o.a + o.b + o.c)} {}

    template <class Emit>
    void emit_items(std::int64_t first, std::int64_t last, Emit&& emit) const {
        for (std::int64_t e = first; e < last; ++e) {
            auto const [from, to] = draw(static_cast<std::uint64_t>(e));
            if (from == to) continue;
            emit(from, to, once{});
            if (options_.undirected) emit(to, from, once{});
        }
    }
    void release() {}

private:
    /// One quadrant per level, the highest bit first; one random word is used for two levels. Branch-free, since the
    /// branches would be unpredictable.
    std::pair<std::int32_t, std::int32_t> draw(std::uint64_t e) const {
        auto const words = static_cast<std::uint64_t>(options_.scale + 1) / 2;
        std::uint64_t from = 0, to = 0, word = 0;
        for (int level = 0; level < options_.scale; ++level) {
            word = level % 2 == 0 ? random_.bits(e * words + static_cast<std::uint64_t>(level / 2)) : word << 32;
            std::uint64_t const u = word >> 32;
            std::uint64_t const after_a = u >= below_[0], after_b = u >= below_[1], after_c = u >= below_[2];
            from = from << 1 | after_b;
            to = to << 1 | (after_a ^ after_b ^ after_c);
        }
        return {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)};
    }
    static std::uint64_t threshold(double probability) {
        return static_cast<std::uint64_t>(std::ldexp(probability, 32));
    }

    generator_options const& options_;
    random_stream random_;
    std::uint64_t below_[3]; ///< a, a + b, a + b + c in units of 2^-32
};

void check(generator_options const& o) {
    if (o.scale < 0 || o.scale > 30) throw argument_error("scale is " + std::to_string(o.scale) + ", expected 0 to 30");
    if (!(o.edge_factor >= 0 && o.edge_factor <= 1e6))
        throw argument_error("edge_factor is " + coppice::detail::number_text(o.edge_factor) + ", expected 0 to 1e6");
    double const sum = o.a + o.b + o.c + o.d;
    if (!(o.a >= 0 && o.b >= 0 && o.c >= 0 && o.d >= 0 && std::abs(sum - 1) <= 1e-6))
        throw argument_error("probabilities a, b, c, d are " + coppice::detail::number_text(o.a) + ", " +
                             coppice::detail::number_text(o.b) + ", " + coppice::detail::number_text(o.c) + ", " +
                             coppice::detail::number_text(o.d) + ", expected not negative with sum 1");
    if (std::ldexp(o.edge_factor, o.scale) > INT32_MAX)
        throw overflow_error("edge_factor 2^scale is beyond 32-bit indices");
}

} // namespace

template <class T>
csr<T> rmat(host_executor const& exec, generator_options const& o) {
    check(o);
    std::int32_t const n = std::int32_t{1} << o.scale;
    std::int64_t const draws = std::llround(std::ldexp(o.edge_factor, o.scale));
    drawn_edges edges(o);
    auto const graph = detail::compressor<once, std::int32_t, drawn_edges>(exec, n, n, draws, edges).run();
    auto const pattern = graph.view();

    random_stream const weights(o.seed, 1);
    buffer<T> values(exec, pattern.nonzeros());
    for_each(exec, n, [&](std::int64_t i) {
        for (std::int32_t k = pattern.row_begin(i); k < pattern.row_end(i); ++k) {
            auto const j = static_cast<std::uint64_t>(pattern.indices[k]), row = static_cast<std::uint64_t>(i);
            values[k] = static_cast<T>(weights.uniform(std::min(row, j) << 32 | std::max(row, j), 0, 1));
        }
    });
    return {n, n, copy_of(exec, graph.row_offsets()), copy_of(exec, graph.column_indices()), std::move(values)};
}

template csr<float> rmat<float>(host_executor const&, generator_options const&);
template csr<double> rmat<double>(host_executor const&, generator_options const&);

} // namespace coppice::inline v0_1
