// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Passes over distributed vectors on CUDA: each device sums up its elements, the sums are gathered, and every device
/// computes the same result from them.
#pragma once

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/repeat_cuda.cuh>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes_cuda.cuh>
#include <coppice/solvers/iterative/vectors/vector_pass_cuda.cuh>

namespace coppice::inline v0_1 {

/// Repeats the body of a device loop. The host queues several iterations, as one CUDA graph if the body may be
/// captured, then reads whether the loop has ended: communication between devices cannot be captured into the body of a
/// conditional while node. Iterations after the end of the loop do nothing. `watch` must return the same value on all
/// ranks.
template <>
class repetition<cuda_rank> {
public:
    explicit repetition(cuda_rank const& exec) : exec_(exec) {}
    ~repetition() {
        if (replay_) {
            cudaStreamSynchronize(exec_.stream()); // a running graph must not be destroyed
            cudaGraphExecDestroy(replay_);
        }
    }
    repetition(repetition const&) = delete;
    repetition& operator=(repetition const&) = delete;
    void attach(shared_loop*) {} // ranks synchronise in any case

    template <class Body>
    void run(loop_switch const* loop, loop_body traits, Body const& body, std::function<void()> const& watch) {
        int const times = watch ? 1 : traits.repeats;
        bool first = true;
        while (exec_.load(&loop->on)) {
            if (!first && !captured_ && traits.replayable && exec_.comm().devices()) capture(times, body);
            if (replay_) {
                COPPICE_CUDA_CHECK(cudaGraphLaunch(replay_, exec_.stream()));
            } else {
                for (int k = 0; k < (first ? 1 : times); ++k)
                    body(); // the first call also creates lazily created state
            }
            first = false;
            if (watch) {
                exec_.synchronize();
                watch();
            }
        }
    }
    /// Iterations between two checks, from the mean number of elements per rank: if vectors are long, the host can
    /// check after each iteration.
    static int repeats_of(cuda_rank const& exec, std::int64_t size) {
        std::int64_t const mean = detail::position_in_whole(exec, size).size / exec.comm().ranks();
        if (mean <= std::int64_t(1) << 20) return 8;
        return mean <= std::int64_t(1) << 21 ? 4 : 1;
    }
    bool on_device() const { return false; }

private:
    template <class Body>
    void capture(int times, Body const& body) {
        captured_ = true;
        cudaGraph_t graph = nullptr;
        COPPICE_CUDA_CHECK(cudaStreamBeginCapture(exec_.stream(), cudaStreamCaptureModeRelaxed));
        try {
            for (int k = 0; k < times; ++k) body();
        } catch (...) {
            cudaStreamEndCapture(exec_.stream(), &graph);
            cudaGetLastError();
            throw;
        }
        COPPICE_CUDA_CHECK(cudaStreamEndCapture(exec_.stream(), &graph));
        cudaError_t const status = cudaGraphInstantiate(&replay_, graph, 0);
        cudaGraphDestroy(graph);
        COPPICE_CUDA_CHECK(status);
    }

    cuda_rank exec_;
    cudaGraphExec_t replay_ = nullptr;
    bool captured_ = false;
};

} // namespace coppice::inline v0_1

namespace coppice::inline v0_1::detail {

/// Gathers between devices if NCCL is available, otherwise through the host.
template <class T>
void gather_values(cuda_rank const& exec, T const* mine, T* all, std::int64_t count) {
    rank_communicator const& comm = exec.comm();
    if (device_group const* const devices = comm.devices())
        return devices->all_gather(comm.rank(), exec, mine, all, std::size_t(count) * sizeof(T));
    std::vector<T> const of_rank = to_vector(exec, array_view<T const>(mine, count));
    std::vector<T> of_all(std::size_t(count) * std::size_t(comm.ranks()));
    comm.all_gather(of_rank.data(), of_all.data(), count);
    exec.copy_elements(of_all.data(), all, std::int64_t(of_all.size()));
}

template <>
struct pass_scratch<cuda_rank> : pass_scratch<cuda_executor> {
    buffer<double> mine, all; ///< of max_sums
    pass_scratch(cuda_rank const& exec, std::int64_t n)
        : pass_scratch<cuda_executor>(exec, n), mine(exec, max_sums), all(exec, max_sums * exec.comm().ranks()) {}
};

/// The sums of a pass over the elements of this rank, without its final step.
template <class Pass>
struct sums_of_rank {
    using value = dot_value<pass_element<Pass>>;
    static constexpr int dots = Pass::dots;
    static constexpr bool backwards = runs_backwards<Pass>;
    Pass pass;
    value* sums;

    COPPICE_HD auto begin() const { return pass.begin(); }
    template <class Operands>
    COPPICE_HD value term(int p, Operands const& operands) const {
        return pass.term(p, operands);
    }
    COPPICE_HD auto pair(int p) const { return pass.pair(p); }
    COPPICE_HD void finish(value const* all) const {
        for (int p = 0; p < dots; ++p) sums[p] = all[p];
    }
};

/// Final step of a pass, from the sums of all ranks.
template <class Pass>
__global__ void finish_pass_kernel(Pass pass, dot_value<pass_element<Pass>> const* all, int ranks) {
    dot_value<pass_element<Pass>> sums[Pass::dots];
    for (int p = 0; p < Pass::dots; ++p) {
        sums[p] = all[p];
        for (int q = 1; q < ranks; ++q) sums[p] += all[q * Pass::dots + p];
    }
    if constexpr (decides_about_state<Pass>)
        pass.finish(*pass.state(), sums);
    else
        pass.finish(sums);
}

template <class Pass>
void run_pass(cuda_rank const& exec, pass_scratch<cuda_rank>& scratch, Pass const& pass) {
    cuda_executor const& own = exec;
    pass_scratch<cuda_executor>& own_scratch = scratch;
    if constexpr (Pass::dots == 0) {
        run_pass(own, own_scratch, pass);
    } else {
        using value = dot_value<pass_element<Pass>>;
        run_pass(own, own_scratch, sums_of_rank<Pass>{pass, reinterpret_cast<value*>(scratch.mine.data())});
        gather_values(exec, scratch.mine.data(), scratch.all.data(), sums_of_pass<Pass>);
        finish_pass_kernel<<<1, 1, 0, exec.stream()>>>(pass, reinterpret_cast<value const*>(scratch.all.data()),
                                                       exec.comm().ranks());
        COPPICE_CUDA_CHECK(cudaGetLastError());
    }
}

template <>
struct basis_scratch<cuda_rank> : basis_scratch<cuda_executor> {
    buffer<double> all;
    basis_scratch(cuda_rank const& exec, std::int64_t n, int columns, int components = 1)
        : basis_scratch<cuda_executor>(exec, n, columns, components),
          all(exec, std::int64_t(columns) * components * exec.comm().ranks()) {}
};

/// h[j] = sum over the ranks of their contribution to column j, for the columns that exist.
template <class T>
struct sum_projections {
    basis_columns<T> v;
    dot_value<T> const* all;
    dot_value<T>* h;
    int stride, ranks;
    COPPICE_HD void operator()(std::int64_t j) const {
        if (j >= v.columns()) return;
        dot_value<T> sum = all[j];
        for (int q = 1; q < ranks; ++q) sum += all[q * stride + j];
        h[j] = sum;
    }
};

template <class T>
void project(cuda_rank const& exec, basis_scratch<cuda_rank>& scratch, basis_columns<T> const& v, T const* w,
             dot_value<T>* h) {
    project(static_cast<cuda_executor const&>(exec), static_cast<basis_scratch<cuda_executor>&>(scratch), v, w, h);
    gather_values(exec, reinterpret_cast<double const*>(h), scratch.all.data(),
                  std::int64_t(scratch.max_columns) * dot_components<T>);
    for_each(exec, scratch.max_columns,
             sum_projections<T>{v, reinterpret_cast<dot_value<T> const*>(scratch.all.data()), h, scratch.max_columns,
                                exec.comm().ranks()});
}

} // namespace coppice::inline v0_1::detail
