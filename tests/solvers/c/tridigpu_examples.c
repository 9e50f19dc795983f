/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface on CUDA, compiled by a C compiler: argument errors everywhere, the examples with a device. */
#include <coppice/tridigpu.h>

#include "c_examples.h"

#if defined(COPPICE_HAS_CUDA)
#include <cuda_runtime_api.h>

static cudaStream_t stream;

static void* take(size_t bytes) {
    void* memory = NULL;
    require(cudaMalloc(&memory, bytes + 64) == cudaSuccess, "cudaMalloc");
    return memory;
}
static void* put(void const* host, size_t bytes) {
    void* const memory = take(bytes);
    cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice);
    return memory;
}
static void get(void* to, void const* from, size_t bytes) {
    require(cudaDeviceSynchronize() == cudaSuccess, "synchronize");
    cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
static void give_back(void* memory) { cudaFree(memory); }

#else /* Without a device only checks of arguments are called. */
static struct CUstream_st* stream;

static void* take(size_t bytes) { return malloc(bytes); }
static void* put(void const* host, size_t bytes) { return memcpy(take(bytes), host, bytes); }
static void get(void* to, void const* from, size_t bytes) { memcpy(to, from, bytes); }
static void give_back(void* memory) { free(memory); }
#endif

static void succeed(tridigpu_status_t status) {
    if (status != TRIDIGPU_STATUS_SUCCESS) printf("%s\n", tridigpu_last_error());
    require(status == TRIDIGPU_STATUS_SUCCESS, "a call");
}

#if defined(COPPICE_HAS_CUDA)
/* Captures calls on a stream into a graph and launches it: a capture forbids waiting and allocation. The default stream
 * cannot be captured. */
static void begin_call(void) {
    if (stream)
        require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "begin of a capture");
}
static void end_call(tridigpu_status_t status) {
    succeed(status);
    if (!stream) return;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    require(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "a capture");
    require(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess, "a graph");
    for (int i = 0; i < 1; ++i) require(cudaGraphLaunch(ready, stream) == cudaSuccess, "launch of a graph");
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}
#define run(call)                                                                                                      \
    do {                                                                                                               \
        begin_call();                                                                                                  \
        end_call(call);                                                                                                \
    } while (0)
#else
#define run(call) succeed(call)
#endif

#define PREFIX tridigpu
#define PIVOTING tridigpu_pivoting_t
#define DEFAULT_PIVOTING TRIDIGPU_DEFAULT_PIVOTING
#define INVALID_VALUE TRIDIGPU_STATUS_INVALID_VALUE
#define LAST_ERROR tridigpu_last_error
#define INDEX int
#define ON_STREAM stream,

#define COMPLEX_FLOAT cuComplex
#define COMPLEX_DOUBLE cuDoubleComplex
#define MAKE_COMPLEX_FLOAT(x) ((cuComplex){(float)(x), 0})
#define MAKE_COMPLEX_DOUBLE(x) ((cuDoubleComplex){x, 0})
#define REAL_PART(v) ((v).x)
#include "c_examples_of_types.inc"

#if defined(COPPICE_HAS_CUDA)
static void on_a_device(void) {
    size_t bytes = 0, wide_bytes = 0;
    tridigpu_pivoting_t const p = TRIDIGPU_DEFAULT_PIVOTING;
    require(tridigpuSgtsv_bufferSizeExt(p, 10, 1, NULL) == TRIDIGPU_STATUS_INVALID_VALUE, "null size");
    require(tridigpuSbgtsv_bufferSizeExt(p, 10, 1, 9, &bytes) == TRIDIGPU_STATUS_INVALID_VALUE, "n = 9");
    require(tridigpuSgbsv_bufferSizeExt(p, 10, 1, -1, 2, &bytes) == TRIDIGPU_STATUS_INVALID_VALUE, "kl = -1");
    succeed(tridigpuSgtsv_bufferSizeExt(p, 1 << 20, 3, &bytes));
    succeed(tridigpuSgtsv_bufferSizeExt_64(p, 1 << 20, 3, &wide_bytes));
    require(bytes == wide_bytes, "both widths ask for the same");
    succeed(tridigpuDgtsv_bufferSizeExt_64(p, (int64_t)1 << 33, 1, &wide_bytes));
    require(wide_bytes > ((size_t)1 << 33), "2^33 rows");
    cudaStreamCreate(&stream);
    S_examples(), S_batches(), S_bands(), S_bad_buffers();
    D_examples(), D_batches(), D_bands(), D_bad_buffers();
    C_examples(), C_batches(), C_bands(), C_bad_buffers();
    cudaStreamDestroy(stream);
    stream = NULL;
    Z_examples(), Z_batches(), Z_bands(), Z_bad_buffers();
}
#endif

int main(void) {
    size_t bytes = 0;
    int const ends[] = {0, 0};
    tridigpu_pivoting_t const p = TRIDIGPU_DEFAULT_PIVOTING;
    /* Detected before a device is needed. */
    refused(tridigpuSgtsv_bufferSizeExt(p, -1, 1, &bytes), tridigpu_last_error, "-1");
    refused(tridigpuDgtsv_bufferSizeExt((tridigpu_pivoting_t)9, 1, 1, &bytes), tridigpu_last_error, "p is 9");
    refused(tridigpuCgtsv(NULL, p, 5, -2, NULL, NULL, NULL, NULL, NULL, NULL), tridigpu_last_error, "-2");
    refused(tridigpuZgtsv_csc2csc(p, 5, NULL, NULL, NULL, NULL, NULL, NULL, 1, -1, NULL, NULL, ends, 0),
            tridigpu_last_error, "rhs_nnz");
    S_bad_memory(), D_bad_memory(), C_bad_memory(), Z_bad_memory();
    S_bad_shapes(), D_bad_shapes(), C_bad_shapes(), Z_bad_shapes();
    if (tridigpuSgtsv_bufferSizeExt(p, 10, 1, &bytes) == TRIDIGPU_STATUS_NO_DEVICE) {
        printf("no CUDA device: the examples do not run\n");
        return failures ? 1 : 77;
    }
#if defined(COPPICE_HAS_CUDA)
    on_a_device();
#endif
    return failures ? 1 : 0;
}
