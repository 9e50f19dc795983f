// SPDX-License-Identifier: BSD-3-Clause
// Runs every method of every registry (semirings, preconditioners, Krylov methods, graph algorithms) on a CUDA device
// and makes calls of the CUDA runtime fail, one at a time. The call may throw coppice::error or std::bad_alloc, and
// nothing else, or return the right result. It must not change its inputs or lose graphs, events, streams or memory,
// and the same call must afterwards return bitwise the same result as before the failure. The linker replaces the calls
// (--wrap); those that free something do not fail.
//
//   coppice_failing_cuda_calls [CALLS [NAME]]    maximum number of failing calls for each method, evenly distributed
//                                                (default 20); only methods whose name contains NAME
//   exit code 77: skipped, since there is no device
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "faults/registry_rows.hpp"

namespace {

/// State of the replaced calls. Calls are counted from 0 while `counts`; call `failing` fails.
std::atomic<bool> counts{false};
std::atomic<std::int64_t> calls{0}, failing{-1}, held{0};
std::atomic<char const*> failed{nullptr};
thread_local cudaError_t last_error = cudaSuccess;

bool fails(char const* call, cudaError_t status) {
    if (!counts || calls.fetch_add(1) != failing) return false;
    failed = call;
    last_error = status;
    return true;
}

} // namespace

/// Replaces a call that returns a status. HOLDS: 1 if it makes an object that has to be destroyed.
#define COPPICE_FAILING(STATUS, HOLDS, NAME, PARAMETERS, ARGUMENTS)                                                    \
    cudaError_t __real_##NAME PARAMETERS;                                                                              \
    cudaError_t __wrap_##NAME PARAMETERS;                                                                              \
    cudaError_t __wrap_##NAME PARAMETERS {                                                                             \
        if (fails(#NAME, STATUS)) return STATUS;                                                                       \
        cudaError_t const status = __real_##NAME ARGUMENTS;                                                            \
        if (status == cudaSuccess) held += HOLDS;                                                                      \
        return status;                                                                                                 \
    }
/// Replaces a call that destroys an object.
#define COPPICE_DESTROYING(NAME, PARAMETERS, ARGUMENTS)                                                                \
    cudaError_t __real_##NAME PARAMETERS;                                                                              \
    cudaError_t __wrap_##NAME PARAMETERS;                                                                              \
    cudaError_t __wrap_##NAME PARAMETERS {                                                                             \
        cudaError_t const status = __real_##NAME ARGUMENTS;                                                            \
        if (status == cudaSuccess) --held;                                                                             \
        return status;                                                                                                 \
    }

extern "C" {
COPPICE_FAILING(cudaErrorMemoryAllocation, 1, cudaMalloc, (void** p, size_t bytes), (p, bytes))
COPPICE_FAILING(cudaErrorMemoryAllocation, 1, cudaMallocFromPoolAsync,
                (void** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream), (p, bytes, pool, stream))
COPPICE_FAILING(cudaErrorMemoryAllocation, 1, cudaHostAlloc, (void** p, size_t bytes, unsigned flags),
                (p, bytes, flags))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaMemcpyAsync,
                (void* to, void const* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
                (to, from, bytes, kind, stream))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
                (to, value, bytes, stream))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaMemGetInfo, (size_t * unused, size_t* total), (unused, total))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaStreamSynchronize, (cudaStream_t stream), (stream))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaStreamQuery, (cudaStream_t stream), (stream))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                (stream, event, flags))
COPPICE_FAILING(cudaErrorUnknown, 1, cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
                (stream, flags))
COPPICE_FAILING(cudaErrorUnknown, 1, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaEventSynchronize, (cudaEvent_t event), (event))
COPPICE_FAILING(cudaErrorMemoryAllocation, 1, cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), (graph, flags))
COPPICE_FAILING(cudaErrorMemoryAllocation, 1, cudaGraphInstantiate,
                (cudaGraphExec_t * replay, cudaGraph_t graph, unsigned long long flags), (replay, graph, flags))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaGraphLaunch, (cudaGraphExec_t replay, cudaStream_t stream), (replay, stream))
COPPICE_FAILING(cudaErrorMemoryAllocation, 0, cudaGraphAddNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, cudaGraphNode_t const* predecessors,
                 cudaGraphEdgeData const* data, size_t count, cudaGraphNodeParams* parameters),
                (node, graph, predecessors, data, count, parameters))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaGraphConditionalHandleCreate,
                (cudaGraphConditionalHandle * condition, cudaGraph_t graph, unsigned value, unsigned flags),
                (condition, graph, value, flags))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count),
                (graph, nodes, count))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count),
                (graph, nodes, count))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaStreamBeginCaptureToGraph,
                (cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t const* predecessors,
                 cudaGraphEdgeData const* data, size_t count, cudaStreamCaptureMode mode),
                (stream, graph, predecessors, data, count, mode))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaFuncGetAttributes, (cudaFuncAttributes * found, void const* kernel),
                (found, kernel))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaFuncSetAttribute, (void const* kernel, cudaFuncAttribute which, int value),
                (kernel, which, value))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaDeviceGetAttribute, (int* value, cudaDeviceAttr which, int device),
                (value, which, device))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                (int* blocks, void const* kernel, int threads, size_t bytes, unsigned flags),
                (blocks, kernel, threads, bytes, flags))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaGetDevice, (int* device), (device))
COPPICE_FAILING(cudaErrorUnknown, 0, cudaSetDevice, (int device), (device))
COPPICE_FAILING(cudaErrorLaunchOutOfResources, 0, cudaLaunchKernelExC,
                (cudaLaunchConfig_t const* config, void const* kernel, void** arguments), (config, kernel, arguments))
COPPICE_FAILING(cudaErrorLaunchOutOfResources, 0, __cudaLaunchKernel,
                (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t bytes, cudaStream_t stream),
                (kernel, grid, block, arguments, bytes, stream))
COPPICE_DESTROYING(cudaFree, (void* p), (p))
COPPICE_DESTROYING(cudaFreeAsync, (void* p, cudaStream_t stream), (p, stream))
COPPICE_DESTROYING(cudaFreeHost, (void* p), (p))
COPPICE_DESTROYING(cudaStreamDestroy, (cudaStream_t stream), (stream))
COPPICE_DESTROYING(cudaEventDestroy, (cudaEvent_t event), (event))
COPPICE_DESTROYING(cudaGraphDestroy, (cudaGraph_t graph), (graph))
COPPICE_DESTROYING(cudaGraphExecDestroy, (cudaGraphExec_t replay), (replay))

// A capture ends even if the call reports an error.
cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    cudaError_t const status = __real_cudaStreamEndCapture(stream, graph);
    return fails("cudaStreamEndCapture", cudaErrorUnknown) ? cudaErrorUnknown : status;
}
cudaError_t __real_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError() {
    cudaError_t const status = __real_cudaGetLastError();
    return last_error != cudaSuccess ? std::exchange(last_error, cudaSuccess) : status;
}
cudaError_t __real_cudaPeekAtLastError();
cudaError_t __wrap_cudaPeekAtLastError();
cudaError_t __wrap_cudaPeekAtLastError() {
    return last_error != cudaSuccess ? last_error : __real_cudaPeekAtLastError();
}
} // extern "C"

namespace {

using namespace coppice;
using test::bits, test::same_bits;
using problems = test::row_problems<cuda_executor>;

struct totals {
    std::int64_t rows = 0, calls = 0, failures = 0, errors = 0, bad_allocs = 0, harmless = 0, findings = 0;
    std::map<std::string, std::int64_t> ignored{}; ///< calls whose failure did not change the result
};

void report(totals& all, std::string const& text) {
    ++all.findings;
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

/// Whether work() returns the bits `expected`; reports an exception.
bool returns(std::string const& name, std::function<bits()> const& work, bits const& expected, totals& all) {
    try {
        return same_bits(work(), expected);
    } catch (std::exception const& e) {
        report(all, name + ": " + e.what());
        return false;
    }
}

void fail_call(std::string const& name, std::int64_t call, std::function<bits()> const& work, bits const& expected,
               totals& all) {
    failed = nullptr;
    calls = 0;
    failing = call;
    last_error = cudaSuccess;
    counts = true;
    std::string wrong;
    try {
        auto const found = work();
        counts = false;
        if (!failed) return; // the call was not made this time
        if (same_bits(found, expected)) {
            ++all.harmless;
            ++all.ignored[failed.load()];
        } else {
            wrong = "other bits instead of an exception";
        }
    } catch (coppice::error const&) {
        ++all.errors;
    } catch (std::bad_alloc const&) {
        ++all.bad_allocs;
    } catch (std::exception const& e) {
        wrong = std::string("an exception that is neither coppice::error nor std::bad_alloc: ") + e.what();
    }
    counts = false;
    last_error = cudaSuccess;
    ++all.failures;
    char const* const function = failed;
    auto const where = name + ", call " + std::to_string(call) + " " + (function ? function : "(not made)");
    if (!wrong.empty()) report(all, where + ": " + wrong);
    if (!returns(where + ", the next call", work, expected, all)) report(all, where + ": the next call has other bits");
}

void check_row(std::string const& name, cuda_executor const& exec, problems const& given, std::int64_t limit,
               std::function<bits()> const& work, totals& all) {
    auto const inputs = given.all(exec);
    auto const expected = work(); // caches between calls are allocated here
    if (!returns(name + ", the second call", work, expected, all)) return report(all, name + ": two calls differ");
    calls = 0;
    failing = -1;
    counts = true;
    work();
    counts = false;
    if (calls == 0) return report(all, name + ": no call is counted; is the library shared?");
    std::int64_t const made = calls, step = std::max<std::int64_t>(1, made / limit), before = held;
    for (std::int64_t call = 0; call < made; call += step) fail_call(name, call, work, expected, all);
    if (!same_bits(given.all(exec), inputs)) report(all, name + ": a failure has changed the inputs");
    // A cache may have more blocks than before; a loss at every failure is larger.
    if (std::int64_t const lost = held - before; lost > 12)
        report(all, name + ": " + std::to_string(lost) + " objects are lost after " + std::to_string(made / step) +
                        " failures");
    ++all.rows;
    all.calls += made;
}

} // namespace

int main(int argc, char** argv) {
    if (cuda_device_count() == 0) {
        std::puts("skipped: no CUDA device on this machine");
        return 77;
    }
    std::int64_t const limit = argc > 1 ? std::atoll(argv[1]) : 20;
    if (limit < 1) {
        std::fprintf(stderr, "CALLS is %s, expected a number of at least 1\n", argv[1]);
        return 2;
    }
    std::string const only = argc > 2 ? argv[2] : "";
    cuda_executor const exec(0);
    problems const given(exec, true);
    totals all;
    test::for_each_row(exec, given, [&](char const* registry, std::string const& row, auto const& work) {
        auto const name = std::string(registry) + " " + row;
        if (name.find(only) != std::string::npos) check_row(name, exec, given, limit, work, all);
    });
    std::printf("%lld rows, %lld calls, %lld failures: %lld coppice::error, %lld std::bad_alloc, %lld right results; "
                "%lld findings\n",
                static_cast<long long>(all.rows), static_cast<long long>(all.calls),
                static_cast<long long>(all.failures), static_cast<long long>(all.errors),
                static_cast<long long>(all.bad_allocs), static_cast<long long>(all.harmless),
                static_cast<long long>(all.findings));
    for (auto const& [function, count] : all.ignored)
        std::printf("right result after a failure of %s: %lld\n", function.c_str(), static_cast<long long>(count));
    return all.findings == 0 && all.failures > 0 ? 0 : 1;
}
