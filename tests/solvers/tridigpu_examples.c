/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface, compiled by a C compiler: argument errors everywhere, the examples of the appendix with a device. */
#include <coppice/tridigpu.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void require(int condition, char const* what) {
    if (condition) return;
    printf("failed: %s\n", what);
    ++failures;
}

#if defined(COPPICE_HAS_CUDA)
#include <cuda_runtime_api.h>

static void succeed(tridigpu_status_t status) {
    if (status != TRIDIGPU_STATUS_SUCCESS) printf("%s\n", tridigpu_last_error());
    require(status == TRIDIGPU_STATUS_SUCCESS, "a call");
}

#define T float
#define S S
#define MAKE(x) ((float)(x))
#define REAL(x) ((double)(x))
#define EPSILON FLT_EPSILON
#include "tridigpu_examples.inc"
#define T double
#define S D
#define MAKE(x) (x)
#define REAL(x) (x)
#define EPSILON DBL_EPSILON
#include "tridigpu_examples.inc"
#define T cuComplex
#define S C
#define MAKE(x) make_cuComplex((float)(x), 0)
#define REAL(v) ((double)(v).x)
#define EPSILON FLT_EPSILON
#include "tridigpu_examples.inc"
#define T cuDoubleComplex
#define S Z
#define MAKE(x) make_cuDoubleComplex(x, 0)
#define REAL(v) ((v).x)
#define EPSILON DBL_EPSILON
#include "tridigpu_examples.inc"
#endif

int main(void) {
    size_t bytes = 0;
    tridigpu_pivoting_t const p = TRIDIGPU_DEFAULT_PIVOTING;
    require(tridigpuSgtsv_bufferSizeExt(p, -1, 1, &bytes) == TRIDIGPU_STATUS_INVALID_VALUE, "N = -1");
    require(strstr(tridigpu_last_error(), "-1") != NULL, "the message names the value");
    require(tridigpuDgtsv_bufferSizeExt((tridigpu_pivoting_t)9, 1, 1, &bytes) == TRIDIGPU_STATUS_INVALID_VALUE,
            "unknown pivoting");
    require(tridigpuCgtsv(NULL, p, 5, -2, NULL, NULL, NULL, NULL, NULL, NULL) == TRIDIGPU_STATUS_INVALID_VALUE,
            "n_r = -2");
    require(tridigpuZgtsv_csc2csc(p, 5, NULL, NULL, NULL, NULL, NULL, NULL, 1, -1, NULL, NULL, NULL, 0) ==
                TRIDIGPU_STATUS_INVALID_VALUE,
            "rhs_nnz = -1");
    if (tridigpuSgtsv_bufferSizeExt(p, 10, 1, &bytes) == TRIDIGPU_STATUS_NO_DEVICE) {
        printf("no CUDA device: the examples do not run\n");
        return failures ? 1 : 77;
    }
#if defined(COPPICE_HAS_CUDA)
    require(tridigpuSgtsv_bufferSizeExt(p, 10, 1, NULL) == TRIDIGPU_STATUS_INVALID_VALUE, "null size");
    require(tridigpuSbgtsv_bufferSizeExt(p, 10, 1, 9, &bytes) == TRIDIGPU_STATUS_INVALID_VALUE, "n = 9");
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    S_examples(stream);
    D_examples(stream);
    C_examples(stream);
    Z_examples(NULL);
    cudaStreamDestroy(stream);
#endif
    return failures ? 1 : 0;
}
