// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Loops as CUDA graphs with a conditional while node. See core/repeat.hpp for the contract.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/repeat.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Runs before the while node: stores the condition that ends the loop.
template <class Loop> // a template, because several translation units include it
__global__ void enter_loop_kernel(Loop* loop, unsigned long long condition) {
    loop->condition = condition;
    if (!loop->on) loop->stop();
}
/// Runs after the while node: work that is queued later is not part of the graph.
template <class Loop>
__global__ void leave_loop_kernel(Loop* loop) {
    loop->condition = 0;
}

/// Pinned host memory with the same address on host and device.
class mapped_memory final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        void* p = nullptr;
        COPPICE_CUDA_CHECK(cudaHostAlloc(&p, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
        return p;
    }
    void deallocate(void* pointer, std::size_t) noexcept override { cudaFreeHost(pointer); }
    memory_space space() const noexcept override { return memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { __builtin_memcpy(host_to, from, bytes); }
};

/// A graph and its executable form, destroyed together.
class cuda_graph {
public:
    cuda_graph() { COPPICE_CUDA_CHECK(cudaGraphCreate(&graph_, 0)); }
    ~cuda_graph() {
        if (replay_) cudaGraphExecDestroy(replay_);
        cudaGraphDestroy(graph_);
    }
    cuda_graph(cuda_graph const&) = delete;
    cuda_graph& operator=(cuda_graph const&) = delete;

    cudaGraph_t get() const { return graph_; }
    void instantiate() { COPPICE_CUDA_CHECK(cudaGraphInstantiate(&replay_, graph_, 0)); }
    void launch(cudaStream_t stream) const { COPPICE_CUDA_CHECK(cudaGraphLaunch(replay_, stream)); }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t replay_ = nullptr;
};

#if CUDART_VERSION >= 12040

/// Captures the work that `work` queues on `stream` into `graph`, after the node `predecessor` if it is not null.
/// Returns the first root node of the graph if `predecessor` is null.
template <class Work>
cudaGraphNode_t capture_into(cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t const* predecessor,
                             Work const& work) {
    COPPICE_CUDA_CHECK(cudaStreamBeginCaptureToGraph(stream, graph, predecessor, nullptr, predecessor ? 1 : 0,
                                                     cudaStreamCaptureModeRelaxed));
    cudaGraph_t same = nullptr;
    try {
        work();
    } catch (...) {
        cudaStreamEndCapture(stream, &same);
        cudaGetLastError();
        throw;
    }
    COPPICE_CUDA_CHECK(cudaStreamEndCapture(stream, &same));
    std::size_t count = 1;
    cudaGraphNode_t first = nullptr;
    if (!predecessor) COPPICE_CUDA_CHECK(cudaGraphGetRootNodes(graph, &first, &count));
    return first;
}

inline cudaGraphNode_t add_while_node(cudaGraph_t graph, cudaGraphNode_t predecessor,
                                      cudaGraphConditionalHandle condition, cudaGraph_t& body) {
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = condition;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    COPPICE_CUDA_CHECK(cudaGraphAddNode(&node, graph, &predecessor, nullptr, 1, &parameters));
#else
    COPPICE_CUDA_CHECK(cudaGraphAddNode(&node, graph, &predecessor, 1, &parameters));
#endif
    body = parameters.conditional.phGraph_out[0];
    return node;
}

/// Nodes of a loop's body below which the body is repeated in the graph.
inline constexpr std::size_t few_nodes = 64;

/// Builds the graph of the loop: enter; while (condition) body; leave. A body of few nodes is repeated up to `times`
/// times: a turn of the loop takes some microseconds, which matters only for these, and each node takes a few
/// microseconds when the graph is built.
template <class Body>
void make_loop_graph(cuda_executor const& exec, cuda_graph& graph, loop_switch* loop, int times, Body const& body) {
    cuda_executor::recording const scope(exec);
    cudaStream_t const stream = exec.stream();
    cudaGraphConditionalHandle condition{};
    COPPICE_CUDA_CHECK(cudaGraphConditionalHandleCreate(&condition, graph.get(), 1, cudaGraphCondAssignDefault));
    auto const enter = capture_into(stream, graph.get(), nullptr, [&] {
        enter_loop_kernel<<<1, 1, 0, stream>>>(loop, condition);
        COPPICE_CUDA_CHECK(cudaGetLastError());
    });
    cudaGraph_t inner = nullptr;
    auto const node = add_while_node(graph.get(), enter, condition, inner);
    capture_into(stream, inner, nullptr, [&] {
        body();
        std::size_t nodes = 0;
        COPPICE_CUDA_CHECK(cudaGraphGetNodes(inner, nullptr, &nodes));
        for (int k = 1; k < times && (std::size_t(k) + 1) * nodes <= few_nodes; ++k) body();
    });
    capture_into(stream, graph.get(), &node, [&] {
        leave_loop_kernel<<<1, 1, 0, stream>>>(loop);
        COPPICE_CUDA_CHECK(cudaGetLastError());
    });
    graph.instantiate();
}

struct loop_set {
    loop_switch* loops[max_shared_loops];
    int count;
};
/// Runs before a while node and at the end of its body: the loop continues while at least one of the loops is on.
template <class Loops>
__global__ void decide_together_kernel(Loops all, unsigned long long condition) {
    unsigned on = 0;
    for (int k = 0; k < all.count; ++k) on |= unsigned(all.loops[k]->on != 0);
    cudaGraphSetConditional(condition, on);
}

#endif

} // namespace detail

template <>
class repetition<cuda_executor> {
public:
    explicit repetition(cuda_executor const& exec) : exec_(exec) {}
    ~repetition() {
        if (graph_) cudaStreamSynchronize(exec_.stream()); // a running graph must not be destroyed
    }
    repetition(repetition const&) = delete;
    repetition& operator=(repetition const&) = delete;
    void attach(shared_loop* together) { together_ = together; }

    template <class Body>
    void run(loop_switch* loop, loop_body traits, Body const& body, std::function<void()> const& watch) {
        if (together_ && traits.replayable && traits.repeats > 1 && !watch) {
            shared_graph_ = together_->run(loop, traits.repeats, body);
            return;
        }
        if (!tried_ && traits.replayable) make(loop, traits.repeats, body);
        if (!graph_) {
            while (exec_.load(&loop->on)) {
                body();
                if (watch) {
                    exec_.synchronize();
                    watch();
                }
            }
            return;
        }
        graph_->launch(exec_.stream());
        if (!watch) return;
        while (cudaStreamQuery(exec_.stream()) == cudaErrorNotReady) {
            watch();
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        exec_.synchronize(); // throws if the work failed
        watch();
    }
    static int repeats_of(cuda_executor const&, std::int64_t size) { return size <= std::int64_t(1) << 20 ? 8 : 4; }
    bool on_device() const { return graph_ || shared_graph_; }
    /// Reason why the host runs a replayable body; empty if there is none.
    std::string const& why_not() const { return why_not_; }

private:
    template <class Body>
    void make(loop_switch* loop, [[maybe_unused]] int times, Body const& body) {
        tried_ = true;
#if CUDART_VERSION >= 12040
        try {
            auto graph = std::make_unique<detail::cuda_graph>();
            detail::make_loop_graph(exec_, *graph, loop, times, body);
            graph_ = std::move(graph);
        } catch (device_error const& e) { // an older driver, or the body cannot be captured
            why_not_ = e.what();
        }
#else
        why_not_ = "this toolkit has no while nodes";
#endif
    }

    cuda_executor exec_;
    std::unique_ptr<detail::cuda_graph> graph_;
    shared_loop* together_ = nullptr;
    bool shared_graph_ = false, tried_ = false;
    std::string why_not_{};
};

template <>
class loop_recorder<cuda_executor> {
public:
    explicit loop_recorder(cuda_executor const& exec) : exec_(exec) {}
    ~loop_recorder() { stop(); }
    loop_recorder(loop_recorder const&) = delete;
    loop_recorder& operator=(loop_recorder const&) = delete;

    bool records() const { return graph_ != nullptr; }
    void stop() {
        if (!graph_) return;
        cudaGraph_t same = nullptr;
        cudaStreamEndCapture(exec_.stream(), &same);
        cudaGetLastError();
        forget();
    }

#if CUDART_VERSION >= 12040
    bool begin(loop_switch* const* loops, int count) {
        loops_ = {};
        for (; loops_.count < count; ++loops_.count) loops_.loops[loops_.count] = loops[loops_.count];
        try {
            auto graph = std::make_unique<detail::cuda_graph>();
            scope_ = std::make_unique<cuda_executor::recording>(exec_);
            COPPICE_CUDA_CHECK(
                cudaGraphConditionalHandleCreate(&condition_, graph->get(), 1, cudaGraphCondAssignDefault));
            auto const enter = detail::capture_into(exec_.stream(), graph->get(), nullptr, [&] { decide(); });
            cudaGraph_t inner = nullptr;
            detail::add_while_node(graph->get(), enter, condition_, inner);
            COPPICE_CUDA_CHECK(cudaStreamBeginCaptureToGraph(exec_.stream(), inner, nullptr, nullptr, 0,
                                                             cudaStreamCaptureModeRelaxed));
            graph_ = std::move(graph);
        } catch (device_error const&) { // an older driver
            forget();
        }
        return records();
    }
    void run() {
        decide();
        cudaGraph_t same = nullptr;
        COPPICE_CUDA_CHECK(cudaStreamEndCapture(exec_.stream(), &same));
        auto const graph = std::move(graph_);
        forget();
        graph->instantiate();
        graph->launch(exec_.stream());
        exec_.synchronize(); // a running graph must not be destroyed
    }

private:
    void decide() const {
        detail::decide_together_kernel<<<1, 1, 0, exec_.stream()>>>(loops_, condition_);
        COPPICE_CUDA_CHECK(cudaGetLastError());
    }
    detail::loop_set loops_{};
    cudaGraphConditionalHandle condition_{};
#else
    bool begin(loop_switch* const*, int) { return false; }
    void run() {}

private:
#endif
    void forget() {
        graph_.reset();
        scope_.reset();
    }
    cuda_executor exec_;
    std::unique_ptr<detail::cuda_graph> graph_{};
    std::unique_ptr<cuda_executor::recording> scope_{}; ///< during the recording
};

inline std::shared_ptr<memory_resource> shared_memory(cuda_executor const&) {
    static auto const memory = std::make_shared<detail::mapped_memory>();
    return memory;
}

} // namespace coppice::inline v0_1
