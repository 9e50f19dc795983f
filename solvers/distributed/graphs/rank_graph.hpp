// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What algorithms over a graph ask of a place (graph/scan/single_rank_graph.hpp) that is one part of several.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/graph/scan/edge_order.hpp>
#include <coppice/solvers/distributed/graphs/distributed_scan.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::distributed {

/// The names of a part's vertices and, behind them, of the outer ones.
struct part_names {
    std::int32_t first, rows;
    std::int32_t const* outer; ///< ascending
    std::int32_t outer_count;

    COPPICE_HD std::int32_t operator()(std::int64_t v) const {
        return v < rows ? first + static_cast<std::int32_t>(v) : outer[v - rows];
    }
    COPPICE_HD std::int32_t own(std::int32_t name) const { return range_names<std::int32_t>{first, rows}.own(name); }
    COPPICE_HD std::int32_t place(std::int32_t name) const {
        if (std::int32_t const v = own(name); v >= 0) return v;
        std::int32_t const k = outer_place(name);
        return k < 0 ? -1 : rows + k;
    }
    COPPICE_HD std::int32_t outer_place(std::int32_t name) const {
        return detail::position_between(outer, std::int32_t{0}, outer_count, std::int64_t(name));
    }
};

/// The order of edges by the names of their ends; names are looked up where weights are equal.
struct order_by_names {
    edge_order<std::int32_t> order;
    part_names names;
    template <class T>
    COPPICE_HD bool before(std::int32_t vertex, T wa, std::int32_t a, T wb, std::int32_t b) const {
        if (wa != wb) return wa > wb;
        return order.before(names(vertex), wa, names(a), wb, names(b));
    }
};

template <class Value, class Make>
struct make_sent {
    std::int32_t const* rows;
    Value* to;
    Make make;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = make(rows[i]); }
};

/// Where a path begins, in this part or in another.
struct start_in_parts {
    std::int32_t const* starts;
    part_names names; ///< of this part's vertices, and of the other parts' path ids that it needs
    std::int32_t const* of_others;
    COPPICE_HD std::int32_t operator()(std::int32_t name) const {
        std::int32_t const v = names.own(name);
        return v >= 0 ? starts[v] : of_others[names.outer_place(name)];
    }
};
/// Whether the path of v, which goes on in another part, is named by a vertex of another.
template <class Neighbor>
struct needs_start {
    part_names names;
    Neighbor neighbor;
    std::int32_t const* path_ids;
    COPPICE_HD bool operator()(std::int64_t v) const {
        if (names.own(path_ids[v]) >= 0) return false;
        for (int d = 0; d < 2; ++d)
            if (std::int32_t const w = neighbor(v, d); w >= 0 && names.own(w) < 0) return true;
        return false;
    }
};
struct list_path {
    std::int32_t const* path_ids;
    std::int32_t* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t v) const { list[position] = path_ids[v]; }
};

struct placed_vertex {
    std::int32_t position, vertex;
};
struct is_placed_elsewhere {
    std::int32_t const* inverse;
    part_names names;
    COPPICE_HD bool operator()(std::int64_t v) const { return names.own(inverse[v]) < 0; }
};
struct list_placed {
    std::int32_t const* inverse;
    part_names names;
    placed_vertex* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t v) const { list[position] = {inverse[v], names(v)}; }
};
struct take_placed {
    placed_vertex const* list;
    part_names names;
    std::int32_t* permutation;
    COPPICE_HD void operator()(std::int64_t i) const { permutation[names.own(list[i].position)] = list[i].vertex; }
};

template <executor Executor>
class part_of_graph {
public:
    static constexpr bool in_parts = true;
    using I = std::int32_t;
    using names_type = part_names;

    /// `begins`[parts + 1]: where parts begin; `outer`: names of outer vertices, ascending.
    part_of_graph(Executor const& exec, part_messages const& others, std::vector<std::int64_t> const& begins,
                  std::vector<I> const& outer)
        : exec_(exec), others_(others), begins_(begins), outer_(exec.copy(outer)), plan_(others, begins, outer),
          sent_(exec.copy(plan_.send_rows)) {
        // What is sent is made in the order in which it is sent.
        for (std::size_t i = 0; i < plan_.send_rows.size(); ++i) plan_.send_rows[i] = I(i);
    }

    Executor const& exec() const { return exec_; }
    part_messages const& others() const { return others_; }
    part_names names() const {
        auto const p = std::size_t(others_.part());
        return {I(begins_[p]), I(begins_[p + 1] - begins_[p]), outer_.data(), I(outer_.size())};
    }
    std::int64_t outer() const { return outer_.size(); }
    order_by_names order(edge_order<I> const& of_names) const { return {of_names, names()}; }

    template <class Value, class Combine>
    Value join(Value const& mine, Combine const& combine) const {
        auto const all = others_.gather(mine);
        Value sum = all[0];
        for (std::size_t p = 1; p < all.size(); ++p) sum = combine(sum, all[p]);
        return sum;
    }
    template <class Value>
    Value sum_before(Value const& mine) const {
        auto const all = others_.gather(mine);
        Value sum(0);
        for (int p = 0; p < others_.part(); ++p) sum = sum + all[std::size_t(p)];
        return sum;
    }

    template <class Value>
    class outer_values {
    public:
        explicit outer_values(part_of_graph const& place)
            : place_(place), made_(place.exec_, place.sent_.size()), halo_(place.exec_, place.others_, place.plan_) {}
        template <class Make>
        Value const* fetch(Make const& make) {
            for_each(place_.exec_, made_.size(), make_sent<Value, Make>{place_.sent_.data(), made_.data(), make});
            halo_.start(place_.exec_, made_.data());
            halo_.finish(place_.exec_);
            return halo_.values();
        }

    private:
        part_of_graph const& place_;
        buffer<Value> made_;
        halo<Executor, Value> halo_;
    };

    template <class Value, class Names, class Neighbor, class Initial, class Combine>
    scan_result<Value, I> scan(std::int64_t vertices, Names const& names, Neighbor const& neighbor,
                               Initial const& initial, Combine const& combine) const {
        return scan_in_parts<Value, I>(exec_, others_, vertices, names, neighbor, initial, combine);
    }

    template <class Neighbor>
    class path_starts {
    public:
        path_starts(part_of_graph const& place, Neighbor const& neighbor, I const* starts, I const* path_ids)
            : path_starts(place, starts, paths_of_others(place, neighbor, path_ids)) {}

    private:
        path_starts(part_of_graph const& place, I const* starts, std::vector<I> const& paths)
            : paths_(place.exec_.copy(paths)),
              halo_(place.exec_, place.others_, halo_plan(place.others_, place.begins_, paths)) {
            halo_.start(place.exec_, starts);
            halo_.finish(place.exec_);
            part_names names = place.names();
            names.outer = paths_.data();
            names.outer_count = I(paths_.size());
            of = {starts, names, halo_.values()};
        }
        static std::vector<I> paths_of_others(part_of_graph const& place, Neighbor const& neighbor, I const* path_ids) {
            part_names const names = place.names();
            buffer<I> list(place.exec_, names.rows);
            std::int64_t const count = select(place.exec_, names.rows, needs_start<Neighbor>{names, neighbor, path_ids},
                                              list_path{path_ids, list.data()});
            return column_places(to_vector(place.exec_, array_view<I const>(list.data(), count))).distinct;
        }

        buffer<I> paths_;
        halo<Executor, I> halo_;

    public:
        start_in_parts of{};
    };

    void complete_permutation(I const* inverse, I* permutation, std::int64_t rows) const {
        part_names const names = this->names();
        is_placed_elsewhere const elsewhere{inverse, names};
        buffer<placed_vertex> list(exec_, rows);
        std::int64_t const count = select(exec_, rows, elsewhere, list_placed{inverse, names, list.data()});
        std::vector<placed_vertex> mine;
        for (auto const& part : others_.gather(to_vector(exec_, array_view<placed_vertex const>(list.data(), count))))
            for (placed_vertex const& placed : part)
                if (names.own(placed.position) >= 0) mine.push_back(placed);
        auto const placed = exec_.copy(mine);
        for_each(exec_, placed.size(), take_placed{placed.data(), names, permutation});
        exec_.synchronize();
    }

private:
    Executor exec_;
    part_messages others_;
    std::vector<std::int64_t> begins_;
    buffer<I> outer_;
    halo_plan plan_;
    buffer<I> sent_; ///< vertices of this part that are outer ones of others
};

} // namespace coppice::distributed
