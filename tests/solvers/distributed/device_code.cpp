// SPDX-License-Identifier: BSD-3-Clause
// Code of distributed algorithms that only devices execute, on the host: with an executor whose type is not
// host_executor, templates take the branches of devices.
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>

#include <memory>
#include <utility>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

namespace coppice::inline v0_1 {

struct device_stand_in : host_executor {
    using host_executor::host_executor;
};

namespace distributed {

template <class T>
class halo<device_stand_in, T> : public halo<host_executor, T> {
public:
    using halo<host_executor, T>::halo;
    halo(device_stand_in const& exec, rank_communicator const& comm, shared_halo_plan<device_stand_in> const& shared)
        : halo<host_executor, T>(exec, comm, shared->plan) {}
};

} // namespace distributed
} // namespace coppice::inline v0_1

using namespace coppice;
using namespace coppice::test;

namespace {

struct on_stand_in {
    static device_stand_in exec() { return device_stand_in(2); }
};

} // namespace

TEST_CASE("distributed communities: code of devices on the host") {
    rank_pool<on_stand_in> pool;
    for (auto const& graph : graphs_for_ranks(true)) {
        CAPTURE(graph.name);
        auto const simple = summed_edges(graph.edges);
        louvain_options const options{.tolerance = 0};
        auto const expected = communities_of_one(host_executor{1}, simple, options);
        for (auto const& begin : divisions_of_vertices(simple.vertices())) {
            CAPTURE(begin);
            pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                for (std::int64_t const gathered : {0, 300})
                    CHECK(communities_over_ranks(exec, comm, simple, begin, options, gathered) == expected);
                CHECK(communities_over_ranks(exec, comm, graph.edges, begin, options, 0).labels == expected.labels);
            });
        }
    }
}
