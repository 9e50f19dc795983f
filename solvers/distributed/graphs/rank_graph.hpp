// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Implements the interface of single_rank_graph.hpp for one rank of a distributed graph.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/graph/scan/edge_order.hpp>
#include <coppice/solvers/distributed/graphs/distributed_scan.hpp>
#include <coppice/solvers/distributed/rows/compact_indices.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// Global indices of the vertices of a rank, followed by those of its outer vertices.
struct rank_ids {
    std::int32_t first, rows;
    std::int32_t const* outer; ///< ascending
    std::int32_t outer_count;

    COPPICE_HD std::int32_t operator()(std::int64_t v) const {
        return v < rows ? first + static_cast<std::int32_t>(v) : outer[v - rows];
    }
    COPPICE_HD std::int32_t local(std::int32_t id) const { return contiguous_ids<std::int32_t>{first, rows}.local(id); }
    COPPICE_HD std::int32_t local_or_outer(std::int32_t id) const {
        if (std::int32_t const v = local(id); v >= 0) return v;
        std::int32_t const k = outer_index(id);
        return k < 0 ? -1 : rows + k;
    }
    COPPICE_HD std::int32_t outer_index(std::int32_t id) const {
        return detail::position_between(outer, std::int32_t{0}, outer_count, std::int64_t(id));
    }
};

/// Orders edges by the global indices of their ends. The indices are read only if the weights are equal.
struct order_by_ids {
    edge_order<std::int32_t> order;
    rank_ids ids;
    template <class T>
    COPPICE_HD bool before(std::int32_t vertex, T wa, std::int32_t a, T wb, std::int32_t b) const {
        if (wa != wb) return wa > wb;
        return order.before(ids(vertex), wa, ids(a), wb, ids(b));
    }
};

template <class Value, class Make>
struct make_sent {
    std::int32_t const* rows;
    Value* to;
    Make make;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = make(rows[i]); }
};

/// Returns the position at which a path starts, for paths with ids of this rank and of other ranks.
struct start_of_path {
    std::int32_t const* starts;
    rank_ids ids; ///< of the vertices of this rank, and of the required path ids of other ranks
    std::int32_t const* of_others;
    COPPICE_HD std::int32_t operator()(std::int32_t id) const {
        std::int32_t const v = ids.local(id);
        return v >= 0 ? starts[v] : of_others[ids.outer_index(id)];
    }
};
/// Whether the path of v continues on another rank and its id belongs to another rank.
template <class Neighbor>
struct needs_start {
    rank_ids ids;
    Neighbor neighbor;
    std::int32_t const* path_ids;
    COPPICE_HD bool operator()(std::int64_t v) const {
        if (ids.local(path_ids[v]) >= 0) return false;
        for (int d = 0; d < 2; ++d)
            if (std::int32_t const w = neighbor(v, d); w >= 0 && ids.local(w) < 0) return true;
        return false;
    }
};

struct placed_vertex {
    std::int32_t position, vertex;
};
/// Whether the position of v belongs to another rank.
struct is_placed_elsewhere {
    rank_ids ids;
    std::int32_t const* inverse;
    COPPICE_HD bool operator()(std::int64_t v) const { return ids.local(inverse[v]) < 0; }
};
struct list_placed_vertex {
    rank_ids ids;
    std::int32_t const* inverse;
    placed_vertex* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t v) const { list[position] = {inverse[v], ids(v)}; }
};
struct store_placed_vertex {
    rank_ids ids;
    placed_vertex const* placed;
    std::int32_t* permutation;
    COPPICE_HD void operator()(std::int64_t i) const { permutation[ids.local(placed[i].position)] = placed[i].vertex; }
};

template <executor Executor>
class rank_graph {
public:
    static constexpr bool is_distributed = true;
    using I = std::int32_t;
    using ids_type = rank_ids;

    /// `begins`[ranks + 1]: first vertex of each rank; `outer`: global indices of the outer vertices, ascending.
    rank_graph(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
               std::vector<I> const& outer)
        : exec_(exec), comm_(comm), begins_(begins), outer_(exec.copy(outer)), plan_(comm, begins, outer),
          sent_(exec.copy(plan_.send_rows)) {
        // outer_values computes the values in the order in which they are sent, so the halo exchange sends value i as
        // element i.
        for (std::size_t i = 0; i < plan_.send_rows.size(); ++i) plan_.send_rows[i] = I(i);
    }

    Executor const& exec() const { return exec_; }
    rank_communicator const& comm() const { return comm_; }
    rank_ids ids() const {
        auto const p = std::size_t(comm_.rank());
        return {I(begins_[p]), I(begins_[p + 1] - begins_[p]), outer_.data(), I(outer_.size())};
    }
    std::int64_t outer() const { return outer_.size(); }
    order_by_ids order(edge_order<I> const& of_ids) const { return {of_ids, ids()}; }

    template <class Value, class Combine>
    Value all_reduce(Value const& mine, Combine const& combine) const {
        return comm_.all_reduce(mine, combine);
    }
    template <class Value>
    Value sum_before(Value const& mine) const {
        auto const all = comm_.gather(mine);
        Value sum(0);
        for (int p = 0; p < comm_.rank(); ++p) sum = sum + all[std::size_t(p)];
        return sum;
    }

    template <class Value>
    class outer_values {
    public:
        explicit outer_values(rank_graph const& graph)
            : graph_(graph), made_(graph.exec_, graph.sent_.size()), halo_(graph.exec_, graph.comm_, graph.plan_) {}
        template <class Make>
        Value const* fetch(Make const& make) {
            for_each(graph_.exec_, made_.size(), make_sent<Value, Make>{graph_.sent_.data(), made_.data(), make});
            halo_.start(graph_.exec_, made_.data());
            halo_.finish(graph_.exec_);
            return halo_.values();
        }

    private:
        rank_graph const& graph_;
        buffer<Value> made_;
        halo<Executor, Value> halo_;
    };

    template <class Value, class Ids, class Neighbor, class Initial, class Combine>
    scan_result<Value, I> scan(std::int64_t vertices, Ids const& ids, Neighbor const& neighbor, Initial const& initial,
                               Combine const& combine) const {
        return scan_distributed<Value, I>(exec_, comm_, vertices, ids, neighbor, initial, combine);
    }

    template <class Neighbor>
    class path_starts {
    public:
        path_starts(rank_graph const& graph, Neighbor const& neighbor, I const* starts, I const* path_ids)
            : path_starts(graph, starts, paths_of_others(graph, neighbor, path_ids)) {}

    private:
        path_starts(rank_graph const& graph, I const* starts, std::vector<I> const& paths)
            : paths_(graph.exec_.copy(paths)),
              halo_(graph.exec_, graph.comm_, halo_plan(graph.comm_, graph.begins_, paths)) {
            halo_.start(graph.exec_, starts);
            halo_.finish(graph.exec_);
            rank_ids ids = graph.ids();
            ids.outer = paths_.data();
            ids.outer_count = I(paths_.size());
            of = {starts, ids, halo_.values()};
        }
        static std::vector<I> paths_of_others(rank_graph const& graph, Neighbor const& neighbor, I const* path_ids) {
            rank_ids const ids = graph.ids();
            buffer<I> list(graph.exec_, ids.rows);
            std::int64_t const count = select(graph.exec_, ids.rows, needs_start<Neighbor>{ids, neighbor, path_ids},
                                              list_index{path_ids, list.data()});
            auto const paths = to_vector(graph.exec_, array_view<I const>(list.data(), count));
            return compact_columns(set_up_executor(graph.exec_), array_view<I const>(paths)).distinct;
        }

        buffer<I> paths_;
        halo<Executor, I> halo_;

    public:
        start_of_path of{};
    };

    void complete_permutation(I const* inverse, I* permutation, std::int64_t rows) const {
        rank_ids const ids = this->ids();
        buffer<placed_vertex> list(exec_, rows);
        std::int64_t const count =
            select(exec_, rows, is_placed_elsewhere{ids, inverse}, list_placed_vertex{ids, inverse, list.data()});
        std::vector<placed_vertex> mine;
        for (auto const& rank : comm_.gather(to_vector(exec_, array_view<placed_vertex const>(list.data(), count))))
            for (placed_vertex const& placed : rank)
                if (ids.local(placed.position) >= 0) mine.push_back(placed);
        auto const placed = exec_.copy(mine);
        for_each(exec_, placed.size(), store_placed_vertex{ids, placed.data(), permutation});
        exec_.synchronize();
    }

private:
    Executor exec_;
    rank_communicator comm_;
    std::vector<std::int64_t> begins_;
    buffer<I> outer_;
    halo_plan plan_;
    buffer<I> sent_; ///< vertices of this rank that are outer vertices of others
};

} // namespace coppice::inline v0_1::distributed
