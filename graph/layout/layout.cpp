// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/graph/layout/layout.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace coppice::inline v0_1 {
namespace {

using positions = std::vector<plane_position>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// An undirected graph on one level of the hierarchy.
struct level_graph {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> neighbors{};
    std::vector<double> weights{}; ///< number of edges of the graph between the vertices of two aggregates
    std::vector<double> masses{};  ///< number of vertices of the graph
    std::int64_t size() const { return std::int64_t(masses.size()); }
    std::int64_t degree(std::int64_t v) const { return offsets[at(v + 1)] - offsets[at(v)]; }
};

struct layout_edge {
    std::int32_t from, to;
    double weight;
};

/// Sorts edges and adds the weights of equal ones; each edge is listed in both directions.
level_graph graph_of(std::vector<layout_edge> edges, std::vector<double> masses) {
    std::sort(edges.begin(), edges.end(),
              [](auto const& a, auto const& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    level_graph g;
    g.masses = std::move(masses);
    g.offsets.assign(g.masses.size() + 1, 0);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        bool const repeated = k > 0 && edges[k].from == edges[k - 1].from && edges[k].to == edges[k - 1].to;
        if (repeated) {
            g.weights.back() += edges[k].weight;
            continue;
        }
        ++g.offsets[at(edges[k].from) + 1];
        g.neighbors.push_back(edges[k].to);
        g.weights.push_back(edges[k].weight);
    }
    std::partial_sum(g.offsets.begin(), g.offsets.end(), g.offsets.begin());
    return g;
}

/// Number of the aggregate of every vertex: pairs along the edge of the largest weight per mass of its other end, small
/// degrees first; a vertex without a free neighbour joins the aggregate of a neighbour.
std::vector<std::int32_t> make_aggregates(level_graph const& g, std::int32_t& count) {
    std::vector<std::int32_t> order(at(g.size())), aggregate(at(g.size()), -1);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto u, auto v) { return g.degree(u) < g.degree(v); });
    count = 0;
    for (auto const u : order) {
        if (aggregate[at(u)] >= 0) continue;
        std::int32_t best = -1, adopted = -1;
        double largest = -1;
        for (auto k = g.offsets[at(u)]; k < g.offsets[at(u) + 1]; ++k) {
            auto const v = g.neighbors[at(k)];
            adopted = aggregate[at(v)];
            double const strength = g.weights[at(k)] / g.masses[at(v)];
            if (adopted >= 0 || strength <= largest) continue;
            best = v;
            largest = strength;
        }
        if (best < 0 && adopted >= 0) {
            aggregate[at(u)] = adopted;
            continue;
        }
        aggregate[at(u)] = count;
        if (best >= 0) aggregate[at(best)] = count;
        ++count;
    }
    return aggregate;
}

level_graph contracted(level_graph const& g, std::vector<std::int32_t> const& aggregate, std::int32_t count) {
    std::vector<double> masses(at(count), 0);
    std::vector<layout_edge> edges;
    edges.reserve(g.neighbors.size());
    for (std::int64_t u = 0; u < g.size(); ++u) {
        masses[at(aggregate[at(u)])] += g.masses[at(u)];
        for (auto k = g.offsets[at(u)]; k < g.offsets[at(u) + 1]; ++k) {
            auto const from = aggregate[at(u)], to = aggregate[at(g.neighbors[at(k)])];
            if (from != to) edges.push_back({from, to, g.weights[at(k)]});
        }
    }
    return graph_of(std::move(edges), std::move(masses));
}

/// Interleaves the bits of two numbers below 2^21.
std::uint64_t morton_key(std::uint64_t x, std::uint64_t y) {
    auto const spread = [](std::uint64_t v) {
        v = (v | v << 16) & 0x0000ffff0000ffffu;
        v = (v | v << 8) & 0x00ff00ff00ff00ffu;
        v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
        v = (v | v << 2) & 0x3333333333333333u;
        return (v | v << 1) & 0x5555555555555555u;
    };
    return spread(x) | spread(y) << 1;
}

/// Smallest and largest coordinates.
std::pair<plane_position, plane_position> extent(positions const& all) {
    plane_position low = all[0], high = all[0];
    for (auto const& p : all)
        for (std::size_t d : {0u, 1u}) {
            low[d] = std::min(low[d], p[d]);
            high[d] = std::max(high[d], p[d]);
        }
    return {low, high};
}

struct complex_number {
    double re = 0, im = 0;
    friend complex_number operator+(complex_number a, complex_number b) { return {a.re + b.re, a.im + b.im}; }
    friend complex_number operator-(complex_number a, complex_number b) { return {a.re - b.re, a.im - b.im}; }
    friend complex_number operator*(complex_number a,
                                    complex_number b) { // without the checks for infinities of std::complex
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
};

/// Tree of points along a Morton curve: leaves of eight consecutive points, inner nodes of four consecutive nodes.
class point_tree {
public:
    point_tree(host_executor const& exec, positions const& points, std::vector<double> const& masses) {
        sort_points(exec, points, masses);
        levels_.emplace_back((sorted_.size() + leaf - 1) / leaf);
        for_each(exec, std::int64_t(levels_[0].size()), [&](std::int64_t i) {
            summary s;
            for (auto k = at(i) * leaf; k < std::min((at(i) + 1) * leaf, sorted_.size()); ++k)
                s.add({sorted_[k].mass, sorted_[k].where, sorted_[k].where, sorted_[k].where, 0});
            levels_[0][at(i)] = s.node();
        });
        while (levels_.back().size() > 1) {
            auto const& below = levels_.back();
            std::vector<node> level((below.size() + fan - 1) / fan);
            for (std::size_t i = 0; i < level.size(); ++i) {
                summary s;
                for (auto k = i * fan; k < std::min((i + 1) * fan, below.size()); ++k) s.add(below[k]);
                level[i] = s.node();
            }
            levels_.push_back(std::move(level));
        }
    }

    /// For every point p the sum over the other points of mass * (p - point) / distance^2, by a fast multipole method
    /// (Greengard and Rokhlin 1987): nodes far from each other act by their masses on series about their centres.
    positions repulsions(host_executor const& exec) const {
        positions forces(sorted_.size());
        std::size_t level = levels_.size() - 1;
        while (level > 0 && levels_[level].size() < min_tasks) --level;
        for_each(exec, std::int64_t(levels_[level].size()), [&](std::int64_t i) {
            std::vector<node_position> sources{{levels_.size() - 1, 0}}, open;
            act_on({level, at(i)}, {}, sources, 0, open, forces);
        });
        return forces;
    }
    /// The points in the order of the curve.
    std::int64_t point_at(std::int64_t k) const { return sorted_[at(k)].point; }

private:
    static constexpr std::size_t leaf = 8, fan = 4;
    static constexpr std::size_t min_tasks = 64; ///< nodes of the level whose subtrees are tasks of threads
    struct node_position {
        std::size_t level, i;
    };
    struct point {
        std::int32_t point;
        double mass;
        plane_position where;
    };
    struct node {
        double mass;
        plane_position centre, low, high;
        double size; ///< the longer side of the box
    };
    /// Field of far masses at c + h, conjugated: value + slope h + bend h^2 (h and the coefficients are complex).
    struct series {
        complex_number value{}, slope{}, bend{};

        /// Adds m / (d + h) with d = x + i y, to second order in h: m / d - m h / d^2 + m h^2 / d^3.
        void add(double mass, double x, double y) {
            double const square = x * x + y * y;
            complex_number const inverse{x / square, -y / square};
            complex_number term{mass * inverse.re, mass * inverse.im};
            value = value + term;
            term = term * inverse;
            slope = slope - term;
            bend = bend + term * inverse;
        }
        series about(complex_number h) const { // the same field, of h' = h + ...
            return {value + (slope + bend * h) * h, slope + bend * h + bend * h, bend};
        }
        complex_number at(complex_number h) const { return value + (slope + bend * h) * h; }
    };
    class summary {
    public:
        void add(node const& n) {
            for (std::size_t d : {0u, 1u}) {
                sum_[d] += n.mass * n.centre[d];
                low_[d] = mass_ > 0 ? std::min(low_[d], n.low[d]) : n.low[d];
                high_[d] = mass_ > 0 ? std::max(high_[d], n.high[d]) : n.high[d];
            }
            mass_ += n.mass;
        }
        point_tree::node node() const {
            return {mass_,
                    {sum_[0] / mass_, sum_[1] / mass_},
                    low_,
                    high_,
                    std::max(high_[0] - low_[0], high_[1] - low_[1])};
        }

    private:
        double mass_ = 0;
        plane_position sum_{0, 0}, low_{}, high_{};
    };

    /// Adds the sources from `first` on to the forces on the points of a node: far ones to its series, near ones to
    /// those of its children, or one point by one. `far`: the series of the sources that are not listed.
    void act_on(node_position target, series far, std::vector<node_position>& sources, std::size_t first,
                std::vector<node_position>& open, positions& forces) const {
        constexpr double openness = 0.81; // square of the largest ratio of size and distance of two nodes
        node const& own = levels_[target.level][target.i];
        std::size_t const last = sources.size();
        open.assign(sources.begin() + std::ptrdiff_t(first), sources.end());
        while (!open.empty()) {
            auto const source = open.back();
            open.pop_back();
            node const& other = levels_[source.level][source.i];
            double const x = own.centre[0] - other.centre[0], y = own.centre[1] - other.centre[1];
            double const size = std::max(own.size, other.size);
            if (size * size < openness * (x * x + y * y)) {
                far.add(other.mass, x, y);
            } else if (source.level > target.level) {
                for (auto k = source.i * fan; k < std::min((source.i + 1) * fan, levels_[source.level - 1].size()); ++k)
                    open.push_back({source.level - 1, k});
            } else {
                sources.push_back(source);
            }
        }
        if (target.level == 0) {
            act_on_points(target.i, far, sources.data() + last, sources.data() + sources.size(), forces);
        } else {
            auto const& below = levels_[target.level - 1];
            for (auto k = target.i * fan; k < std::min((target.i + 1) * fan, below.size()); ++k)
                act_on({target.level - 1, k},
                       far.about({below[k].centre[0] - own.centre[0], below[k].centre[1] - own.centre[1]}), sources,
                       last, open, forces);
        }
        sources.resize(last);
    }
    /// Forces on the points of a leaf: its series, and the points of the leaves in [first, last). The innermost loop is
    /// over the targets, so that compilers use SIMD instructions and sums keep their order.
    void act_on_points(std::size_t target, series const& far, node_position const* first, node_position const* last,
                       positions& forces) const {
        auto const begin = target * leaf, count = std::min(leaf, sorted_.size() - begin);
        std::array<double, leaf> x, y, right{}, up{};
        for (std::size_t k = 0; k < leaf; ++k) {
            auto const& p = sorted_[begin + std::min(k, count - 1)].where;
            x[k] = p[0];
            y[k] = p[1];
        }
        for (auto const* source = first; source != last; ++source)
            for (auto j = source->i * leaf; j < std::min((source->i + 1) * leaf, sorted_.size()); ++j) {
                auto const& where = sorted_[j].where;
                double const mass = sorted_[j].mass;
                for (std::size_t k = 0; k < leaf; ++k) {
                    double const dx = x[k] - where[0], dy = y[k] - where[1];
                    double const factor = mass / (dx * dx + dy * dy + 1e-6);
                    right[k] += factor * dx;
                    up[k] += factor * dy;
                }
            }
        auto const& centre = levels_[0][target].centre;
        for (std::size_t k = 0; k < count; ++k) {
            auto const field = far.at({x[k] - centre[0], y[k] - centre[1]});
            forces[at(sorted_[begin + k].point)] = {right[k] + field.re, up[k] - field.im};
        }
    }

    void sort_points(host_executor const& exec, positions const& points, std::vector<double> const& masses) {
        auto const [low, high] = extent(points);
        double const size = std::max({high[0] - low[0], high[1] - low[1], 1e-300});
        std::int64_t const n = std::int64_t(points.size());
        std::vector<std::uint64_t> keys(points.size());
        std::vector<std::int32_t> order(points.size());
        double const scale = double((1 << 20) - 1) / size;
        for_each(exec, n, [&, low = low](std::int64_t i) {
            keys[at(i)] = morton_key(std::uint64_t((points[at(i)][0] - low[0]) * scale),
                                     std::uint64_t((points[at(i)][1] - low[1]) * scale));
            order[at(i)] = std::int32_t(i);
        });
        sort_by_key(exec, array_view<std::uint64_t>(keys), array_view<std::int32_t>(order));
        sorted_.resize(points.size());
        for_each(exec, n, [&](std::int64_t k) {
            auto const v = order[at(k)];
            sorted_[at(k)] = {v, masses[at(v)], points[at(v)]};
        });
    }

    std::vector<point> sorted_{};
    std::vector<std::vector<node>> levels_{};
};

/// Moves all vertices along their forces, at most by `step`, which decreases. The force at aggregate u is the mean of
/// those at its vertices: sum of m_v (x_u - x_v) / d^2 over all v, minus sum of w_uv d (x_u - x_v) / m_u over
/// neighbours.
void refine(host_executor const& exec, level_graph const& g, positions& where, int steps, double step) {
    positions next(where.size());
    for (int i = 0; i < steps; ++i) {
        point_tree const tree(exec, where, g.masses);
        auto const forces = tree.repulsions(exec);
        double const longest = step * (1 - double(i) / steps) + 0.001;
        for_each(exec, g.size(), [&](std::int64_t k) {
            auto const u = tree.point_at(k); // neighbours on the curve read the same nodes
            auto const p = where[at(u)];
            auto force = forces[at(u)];
            for (auto e = g.offsets[at(u)]; e < g.offsets[at(u + 1)]; ++e) {
                auto const& q = where[at(g.neighbors[at(e)])];
                double const x = q[0] - p[0], y = q[1] - p[1];
                double const pull = g.weights[at(e)] * std::sqrt(x * x + y * y) / g.masses[at(u)];
                force[0] += pull * x;
                force[1] += pull * y;
            }
            double const length = std::hypot(force[0], force[1]);
            double const factor = length > longest ? longest / length : 1.0;
            next[at(u)] = {p[0] + factor * force[0], p[1] + factor * force[1]};
        });
        where.swap(next);
    }
}

/// Point k of a spiral that fills a disc with an area of about 1 per point.
plane_position on_spiral(double k) {
    double const radius = 0.6 * std::sqrt(k + 0.5), angle = 2.39996322972865332 * k; // the golden angle
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Positions of the vertices of aggregates: around the position of the aggregate, in the area of its mass.
positions prolonged(level_graph const& fine, level_graph const& coarse, std::vector<std::int32_t> const& aggregate,
                    positions const& where) {
    std::vector<double> before(coarse.masses.size(), 0); // mass of the earlier vertices of an aggregate
    positions found(aggregate.size());
    for (std::size_t v = 0; v < aggregate.size(); ++v) {
        auto const a = at(aggregate[v]);
        found[v] = where[a];
        if (fine.masses[v] == coarse.masses[a]) continue;
        auto const offset = on_spiral(before[a] + fine.masses[v] / 2);
        before[a] += fine.masses[v];
        for (std::size_t d : {0u, 1u}) found[v][d] += offset[d];
    }
    return found;
}

/// Layout of a connected graph of two vertices or more.
positions lay_out(host_executor const& exec, level_graph const& g, double total) {
    constexpr std::int64_t coarsest = 24;
    std::int32_t count = 0;
    std::vector<std::int32_t> aggregate;
    if (g.size() > coarsest) aggregate = make_aggregates(g, count);
    positions where(at(g.size()));
    // Local spacing of the vertices of a level.
    double const spacing = std::sqrt(total / double(g.size()));
    if (g.size() <= coarsest) {
        for (std::size_t v = 0; v < where.size(); ++v) {
            where[v] = on_spiral(double(v));
            for (auto& x : where[v]) x *= spacing;
        }
        refine(exec, g, where, 400, 0.1 * std::sqrt(total));
        return where;
    }
    auto const coarse = contracted(g, aggregate, count);
    if (coarse.size() > 1) where = prolonged(g, coarse, aggregate, lay_out(exec, coarse, total));
    if (coarse.size() == 1)
        for (std::size_t v = 0; v < where.size(); ++v) where[v] = on_spiral(double(v));
    refine(exec, g, where, int(std::clamp<std::int64_t>(1'000'000 / g.size(), 15, 100)), spacing);
    return where;
}

/// Turns the axis of the largest variance to the horizontal, and scales to a mean length of the edges of 1.
void normalise(level_graph const& g, positions& where) {
    plane_position mean{0, 0};
    for (auto const& p : where)
        for (std::size_t d : {0u, 1u}) mean[d] += p[d] / double(where.size());
    double xx = 0, xy = 0, yy = 0, length = 0;
    for (auto const& p : where) {
        xx += (p[0] - mean[0]) * (p[0] - mean[0]);
        xy += (p[0] - mean[0]) * (p[1] - mean[1]);
        yy += (p[1] - mean[1]) * (p[1] - mean[1]);
    }
    for (std::int64_t u = 0; u < g.size(); ++u)
        for (auto k = g.offsets[at(u)]; k < g.offsets[at(u + 1)]; ++k) {
            auto const& q = where[at(g.neighbors[at(k)])];
            length += std::hypot(q[0] - where[at(u)][0], q[1] - where[at(u)][1]);
        }
    length /= double(g.neighbors.size());
    double const angle = 0.5 * std::atan2(2 * xy, xx - yy), scale = length > 0 ? 1 / length : 1.0;
    double const c = std::cos(angle) * scale, s = std::sin(angle) * scale;
    for (auto& p : where) {
        double const x = p[0] - mean[0], y = p[1] - mean[1];
        p = {c * x + s * y, c * y - s * x};
    }
}

/// A connected component: its vertices in the order of a breadth-first search, and its edges between positions in this
/// order.
struct component {
    std::vector<std::int32_t> vertices{};
    level_graph graph{};
};

std::vector<component> components_of(level_graph const& g, std::vector<std::int32_t>& isolated) {
    std::vector<component> all;
    std::vector<std::int32_t> position(at(g.size()), -1);
    for (std::int64_t first = 0; first < g.size(); ++first) {
        if (position[at(first)] >= 0) continue;
        if (g.degree(first) == 0) {
            isolated.push_back(std::int32_t(first));
            continue;
        }
        auto& one = all.emplace_back();
        auto& order = one.vertices;
        position[at(first)] = 0;
        order.push_back(std::int32_t(first));
        for (std::size_t next = 0; next < order.size(); ++next)
            for (auto k = g.offsets[at(order[next])]; k < g.offsets[at(order[next]) + 1]; ++k) {
                auto const v = g.neighbors[at(k)];
                if (position[at(v)] >= 0) continue;
                position[at(v)] = std::int32_t(order.size());
                order.push_back(v);
            }
        for (auto const u : order) {
            for (auto k = g.offsets[at(u)]; k < g.offsets[at(u) + 1]; ++k) {
                one.graph.neighbors.push_back(position[at(g.neighbors[at(k)])]);
                one.graph.weights.push_back(1);
            }
            one.graph.offsets.push_back(std::int64_t(one.graph.neighbors.size()));
        }
        one.graph.masses.assign(order.size(), 1);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& a, auto const& b) { return a.vertices.size() > b.vertices.size(); });
    return all;
}

/// A group of vertices with positions relative to each other.
struct placed_component {
    std::vector<std::int32_t> vertices{};
    positions where{};
};

/// Vertices without edges, in rows.
placed_component block_of(std::vector<std::int32_t> isolated) {
    auto const width = std::size_t(std::ceil(std::sqrt(2.0 * double(isolated.size()))));
    placed_component b;
    b.where.reserve(isolated.size());
    for (std::size_t k = 0; k < isolated.size(); ++k) {
        std::size_t const row = k / width;
        b.where.push_back({double(k % width), double(row)});
    }
    b.vertices = std::move(isolated);
    return b;
}

/// Places blocks in rows with a gap of 1.
positions packed(std::int64_t vertices, std::vector<placed_component> const& blocks) {
    double area = 0, widest = 0;
    std::vector<std::pair<plane_position, plane_position>> extents;
    for (auto const& b : blocks) {
        auto const [low, high] = extents.emplace_back(extent(b.where));
        area += (high[0] - low[0] + 1) * (high[1] - low[1] + 1);
        widest = std::max(widest, high[0] - low[0] + 1);
    }
    double const row = std::max(widest, std::sqrt(2 * area)); // pages are wider than high
    positions found(at(vertices));
    double x = 0, y = 0, height = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        auto const [low, high] = extents[k];
        if (x > 0 && x + high[0] - low[0] + 1 > row) {
            x = 0;
            y += std::exchange(height, 0.0);
        }
        for (std::size_t v = 0; v < blocks[k].vertices.size(); ++v)
            found[at(blocks[k].vertices[v])] = {x + blocks[k].where[v][0] - low[0], y + blocks[k].where[v][1] - low[1]};
        x += high[0] - low[0] + 1;
        height = std::max(height, high[1] - low[1] + 1);
    }
    return found;
}

} // namespace

std::vector<plane_position> graph_layout(host_executor const& exec, graph_view g) {
    std::vector<layout_edge> edges;
    for (vertex_id u = 0; u < g.vertices; ++u)
        for (auto k = g.offsets[u]; k < g.offsets[u + 1]; ++k) {
            if (g.neighbors[k] == u) continue;
            edges.push_back({u, g.neighbors[k], 1});
            edges.push_back({g.neighbors[k], u, 1});
        }
    std::vector<std::int32_t> isolated;
    auto const whole = graph_of(std::move(edges), std::vector<double>(at(g.vertices), 1));
    std::vector<placed_component> blocks;
    for (auto& c : components_of(whole, isolated)) {
        auto where = lay_out(exec, c.graph, double(c.vertices.size()));
        normalise(c.graph, where);
        blocks.push_back({std::move(c.vertices), std::move(where)});
    }
    if (!isolated.empty()) blocks.push_back(block_of(std::move(isolated)));
    return packed(g.vertices, blocks);
}

} // namespace coppice::inline v0_1
