// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Batches of small graphs (molecules, neighbourhoods), processed as one block-diagonal graph.
///
///     auto const batch = make_graph_batch(exec, std::span<csr_view<double> const>(views));
///     batch_components(exec, batch);                       // number of components of each graph
///     batch_pagerank(exec, batch);                         // the ranks of each graph sum to 1
///     batch_sssp(exec, batch, sources);                    // from a source in each graph
///     core_numbers(exec, graph_view(batch.graph));         // and other algorithms; batch_sum() adds by graph
///
/// Results are the same on host and CUDA where the algorithm's are, for any number of threads.
#pragma once

#include <coppice/graph/batch/graph_batch.hpp>
