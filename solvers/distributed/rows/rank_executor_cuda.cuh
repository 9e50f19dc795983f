// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Passes over vectors in parts on CUDA: each device sums up its part, the sums cross, and every device decides.
#pragma once

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/repeat_cuda.cuh>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes_cuda.cuh>
#include <coppice/solvers/iterative/vectors/vector_pass_cuda.cuh>

namespace coppice {

/// The host queues several passes of a loop that rests at its end, as one CUDA graph where the body may be captured,
/// then looks whether the loop has ended: what crosses between devices cannot stand in the body of a while node.
/// `watch` must decide alike on all parts.
template <>
class repetition<cuda_part> {
public:
    explicit repetition(cuda_part const& exec) : exec_(exec) {}
    ~repetition() {
        if (replay_) {
            cudaStreamSynchronize(exec_.stream()); // a graph that runs must not be destroyed
            cudaGraphExecDestroy(replay_);
        }
    }
    repetition(repetition const&) = delete;
    repetition& operator=(repetition const&) = delete;
    void join(shared_loop*) {} // parts meet anyway

    template <class Body>
    void run(loop_switch const* loop, loop_body traits, Body const& body, std::function<void()> const& watch) {
        int const times = watch ? 1 : traits.repeats;
        bool first = true;
        while (exec_.load(&loop->on)) {
            if (!first && !tried_ && traits.replayable && exec_.others().devices()) capture(times, body);
            if (replay_) {
                COPPICE_CUDA_CHECK(cudaGraphLaunch(replay_, exec_.stream()));
            } else {
                for (int k = 0; k < (first ? 1 : times); ++k) body(); // the first one also makes what is made once
            }
            first = false;
            if (watch) {
                exec_.synchronize();
                watch();
            }
        }
    }
    /// By what parts have on average: those of large ones take so long that the host may look after each.
    static int turns_of(cuda_part const& exec, std::int64_t size) {
        std::int64_t const mean = detail::place_in_whole(exec, size).size / exec.others().parts();
        if (mean <= std::int64_t(1) << 20) return 8;
        return mean <= std::int64_t(1) << 21 ? 4 : 1;
    }
    bool on_device() const { return false; }

private:
    template <class Body>
    void capture(int times, Body const& body) {
        tried_ = true;
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

    cuda_part exec_;
    cudaGraphExec_t replay_ = nullptr;
    bool tried_ = false;
};

} // namespace coppice

namespace coppice::detail {

/// Between devices where that is possible, or else by the host.
template <class T>
void gather_values(cuda_part const& exec, T const* mine, T* all, std::int64_t count) {
    part_messages const& others = exec.others();
    if (device_group const* const devices = others.devices())
        return devices->all_gather(others.part(), exec, mine, all, std::size_t(count) * sizeof(T));
    std::int64_t at = 0;
    for (std::vector<T> const& part : others.gather(to_vector(exec, array_view<T const>(mine, count)))) {
        exec.copy_elements(part.data(), all + at, count);
        at += count;
    }
}

template <>
struct pass_scratch<cuda_part> : pass_scratch<cuda_executor> {
    buffer<double> mine, all; ///< of most_sums
    pass_scratch(cuda_part const& exec, std::int64_t n)
        : pass_scratch<cuda_executor>(exec, n), mine(exec, most_sums), all(exec, most_sums * exec.others().parts()) {}
};

/// A pass over a part that leaves its sums and decides nothing.
template <class Pass>
struct sums_of_part {
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

/// What the pass decides, from the sums of all parts.
template <class Pass>
__global__ void finish_pass_kernel(Pass pass, dot_value<pass_element<Pass>> const* all, int parts) {
    dot_value<pass_element<Pass>> sums[Pass::dots];
    for (int p = 0; p < Pass::dots; ++p) {
        sums[p] = all[p];
        for (int q = 1; q < parts; ++q) sums[p] += all[q * Pass::dots + p];
    }
    if constexpr (decides_about_state<Pass>)
        pass.finish(*pass.state(), sums);
    else
        pass.finish(sums);
}

template <class Pass>
void run_pass(cuda_part const& exec, pass_scratch<cuda_part>& scratch, Pass const& pass) {
    cuda_executor const& own = exec;
    pass_scratch<cuda_executor>& own_scratch = scratch;
    if constexpr (Pass::dots == 0) {
        run_pass(own, own_scratch, pass);
    } else {
        using value = dot_value<pass_element<Pass>>;
        run_pass(own, own_scratch, sums_of_part<Pass>{pass, reinterpret_cast<value*>(scratch.mine.data())});
        gather_values(exec, scratch.mine.data(), scratch.all.data(), sums_of_pass<Pass>);
        finish_pass_kernel<<<1, 1, 0, exec.stream()>>>(pass, reinterpret_cast<value const*>(scratch.all.data()),
                                                       exec.others().parts());
        COPPICE_CUDA_CHECK(cudaGetLastError());
    }
}

template <>
struct basis_scratch<cuda_part> : basis_scratch<cuda_executor> {
    buffer<double> all;
    basis_scratch(cuda_part const& exec, std::int64_t n, int columns, int parts = 1)
        : basis_scratch<cuda_executor>(exec, n, columns, parts),
          all(exec, std::int64_t(columns) * parts * exec.others().parts()) {}
};

/// h[j] = the sum over the parts, for the columns there are.
template <class T>
struct join_projections {
    basis_columns<T> v;
    dot_value<T> const* all;
    dot_value<T>* h;
    int apart, parts;
    COPPICE_HD void operator()(std::int64_t j) const {
        if (j >= v.columns()) return;
        dot_value<T> sum = all[j];
        for (int q = 1; q < parts; ++q) sum += all[q * apart + j];
        h[j] = sum;
    }
};

template <class T>
void project(cuda_part const& exec, basis_scratch<cuda_part>& scratch, basis_columns<T> const& v, T const* w,
             dot_value<T>* h) {
    project(static_cast<cuda_executor const&>(exec), static_cast<basis_scratch<cuda_executor>&>(scratch), v, w, h);
    gather_values(exec, reinterpret_cast<double const*>(h), scratch.all.data(),
                  std::int64_t(scratch.most) * dot_parts<T>);
    for_each(exec, scratch.most,
             join_projections<T>{v, reinterpret_cast<dot_value<T> const*>(scratch.all.data()), h, scratch.most,
                                 exec.others().parts()});
}

} // namespace coppice::detail
