// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/band_order.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace coppice::inline v0_1::detail {
namespace {

/// Returns the numbers of lower and upper bands of a matrix whose row and column i are moved to position(i); nullopt if
/// one of them exceeds `bands`.
template <class Position>
std::optional<band_order> bands_of(pattern_view a, int bands, Position position) {
    band_order found;
    for (std::int32_t i = 0; i < a.rows; ++i)
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            std::int64_t const above = std::int64_t(position(a.indices[k])) - position(i);
            if (std::abs(above) > bands) return {};
            found.lower = std::max(found.lower, int(-above));
            found.upper = std::max(found.upper, int(above));
        }
    return found;
}

/// Adjacency lists of the pattern of A + A^T without the diagonal. If both a_ij and a_ji are stored, the edge occurs
/// twice in the lists of i and j.
struct neighbours {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> of;

    explicit neighbours(pattern_view a) : offsets(std::size_t(a.rows) + 1, 0), of(2 * std::size_t(a.nonzeros())) {
        auto const each_edge = [&](auto use) {
            for (std::int32_t i = 0; i < a.rows; ++i)
                for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
                    if (a.indices[k] != i) use(i, a.indices[k]), use(a.indices[k], i);
        };
        each_edge([&](std::int32_t i, std::int32_t) { ++offsets[std::size_t(i) + 1]; });
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
        std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
        each_edge([&](std::int32_t i, std::int32_t j) { of[std::size_t(next[std::size_t(i)]++)] = j; });
    }
    std::int64_t degree(std::int32_t v) const { return offsets[std::size_t(v) + 1] - offsets[std::size_t(v)]; }
};

/// Breadth-first searches that number the vertices of a graph by level, and in a level by degree.
class cuthill_mckee {
public:
    cuthill_mckee(neighbours const& graph, int bands)
        : graph_(graph), bands_(bands), seen_(graph.offsets.size() - 1, -1), order_() {}

    /// Returns all vertices in Cuthill-McKee order; nullopt if a search proves that every order has more than `bands`
    /// bands on a side.
    std::optional<std::vector<std::int32_t>> run() {
        std::vector<std::int32_t> vertices(seen_.size());
        for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = std::int32_t(v);
        std::stable_sort(vertices.begin(), vertices.end(),
                         [&](auto a, auto b) { return graph_.degree(a) < graph_.degree(b); });
        for (std::int32_t const v : vertices) {
            if (seen_[std::size_t(v)] >= 0) continue;
            // Each search starts at the last vertex of the previous one, a pseudo-peripheral vertex (Gibbs, Poole and
            // Stockmeyer 1976). The order of the third search is used.
            std::int32_t from = v;
            for (int k = 0; k < 3; ++k) {
                auto const before = order_.size();
                if (!search(from)) return {};
                from = order_.back();
                if (k < 2) order_.resize(before);
            }
        }
        return order_;
    }

private:
    /// Appends the connected component of `from` in breadth-first order. Returns false if more than 2 bands r + 1
    /// vertices are within distance r of `from`, which is impossible in a matrix with `bands` bands on each side.
    bool search(std::int32_t from) {
        ++round_;
        auto const first = order_.size();
        reach(from);
        std::int64_t radius = 1;
        for (std::size_t level = first; level < order_.size(); ++radius) {
            std::size_t const end = order_.size();
            for (std::size_t at = level; at < end; ++at) {
                std::int32_t const v = order_[at];
                std::size_t const children = order_.size();
                for (auto k = graph_.offsets[std::size_t(v)]; k < graph_.offsets[std::size_t(v) + 1]; ++k)
                    reach(graph_.of[std::size_t(k)]);
                std::stable_sort(order_.begin() + std::ptrdiff_t(children), order_.end(),
                                 [&](auto a, auto b) { return graph_.degree(a) < graph_.degree(b); });
            }
            if (std::int64_t(order_.size() - first) > 2 * bands_ * radius + 1) return false;
            level = end;
        }
        return true;
    }
    void reach(std::int32_t v) {
        if (seen_[std::size_t(v)] == round_) return;
        seen_[std::size_t(v)] = round_;
        order_.push_back(v);
    }

    neighbours const& graph_;
    std::int64_t bands_;
    std::vector<std::int32_t> seen_; ///< the last search that visited each vertex
    std::vector<std::int32_t> order_;
    std::int32_t round_ = -1;
};

/// Whether the matrix cannot have at most `bands` bands in any order, because some sampled vertex has more vertices
/// within some distance than such a matrix allows. Each search reads a few hundred rows of A (not of its transpose).
bool has_wide_levels(pattern_view a, int bands) {
    constexpr std::int64_t samples = 8;
    std::vector<std::int32_t> ball;
    for (std::int64_t s = 0; s < samples; ++s) {
        ball.assign(1, std::int32_t(s * a.rows / samples));
        std::size_t level = 0;
        for (std::int64_t radius = 1; radius <= 12 && level < ball.size(); ++radius) {
            std::size_t const end = ball.size();
            for (; level < end; ++level)
                for (auto k = a.offsets[ball[level]]; k < a.offsets[ball[level] + 1]; ++k)
                    if (std::find(ball.begin(), ball.end(), a.indices[k]) == ball.end()) ball.push_back(a.indices[k]);
            if (std::int64_t(ball.size()) > 2 * std::int64_t(bands) * radius + 1) return true;
        }
    }
    return false;
}

} // namespace

std::optional<band_order> find_band_order(pattern_view a, int bands) {
    if (a.rows == 0) return band_order{};
    if (auto given = bands_of(a, bands, [](std::int32_t i) { return i; })) return given;
    for (std::int32_t i = 0; i < a.rows; ++i)
        if (a.offsets[i + 1] - a.offsets[i] > 2 * bands + 1) return {};
    if (has_wide_levels(a, bands)) return {};
    neighbours const graph(a);
    auto const order = cuthill_mckee(graph, bands).run();
    if (!order) return {};
    std::vector<std::int32_t> position(order->size());
    for (std::size_t k = 0; k < order->size(); ++k)
        position[std::size_t((*order)[k])] = std::int32_t(order->size() - 1 - k); // reversed
    auto found = bands_of(a, bands, [&](std::int32_t i) { return position[std::size_t(i)]; });
    if (found) found->position = std::move(position);
    return found;
}

} // namespace coppice::inline v0_1::detail
