// SPDX-License-Identifier: BSD-3-Clause
// The C interface tridigpu.h (appendix A.1.4) on streams of the current device.
#include <coppice/tridigpu.h>

#include <coppice/solvers/c/c_interface.hpp>
#if defined(COPPICE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include <coppice/core/cuda/cuda_check.hpp>
#endif

namespace coppice::inline v0_1::c_interface {

template <>
struct element_of<cuComplex> {
    using type = std::complex<float>;
};
template <>
struct element_of<cuDoubleComplex> {
    using type = std::complex<double>;
};

namespace {

/// The current device and the stream of the caller; null is the default stream, as everywhere in CUDA.
struct on_stream {
    CUstream_st* stream = nullptr;

    template <class Work>
    void with([[maybe_unused]] Work const& work) const {
#if defined(COPPICE_HAS_CUDA)
        int device = 0;
        if (cuda_device_count() == 0) throw backend_error("no CUDA device is available on this machine");
        COPPICE_CUDA_CHECK(cudaGetDevice(&device));
        work(cuda_executor(device, stream));
#else
        throw backend_error("this library was built without CUDA");
#endif
    }
};

} // namespace
} // namespace coppice::inline v0_1::c_interface

using namespace coppice::c_interface;

char const* tridigpu_last_error(void) { return last_message().c_str(); }

#define COPPICE_TRIDIGPU_TYPES(F) F(S, float) F(D, double) F(C, cuComplex) F(Z, cuDoubleComplex)
#define COPPICE_TRIDIGPU_STREAM struct CUstream_st *stream,

#define COPPICE_C_NAME(t, f) tridigpu##t##f
#define COPPICE_C_TYPES COPPICE_TRIDIGPU_TYPES
#define COPPICE_C_STREAM COPPICE_TRIDIGPU_STREAM
#define COPPICE_C_SIZE int
#define COPPICE_C_STATUS tridigpu_status_t
#define COPPICE_C_PIVOTING tridigpu_pivoting_t
#define COPPICE_C_ADDITIONS 1
#define COPPICE_C_BACKEND                                                                                              \
    on_stream { stream }
#define COPPICE_C_DEFAULT_BACKEND                                                                                      \
    on_stream {}
#include <coppice/solvers/c/c_functions.inc>

#define COPPICE_C_NAME(t, f) tridigpu##t##f##_64
#define COPPICE_C_TYPES COPPICE_TRIDIGPU_TYPES
#define COPPICE_C_STREAM COPPICE_TRIDIGPU_STREAM
#define COPPICE_C_SIZE int64_t
#define COPPICE_C_STATUS tridigpu_status_t
#define COPPICE_C_PIVOTING tridigpu_pivoting_t
#define COPPICE_C_ADDITIONS 0
#define COPPICE_C_BACKEND                                                                                              \
    on_stream { stream }
#define COPPICE_C_DEFAULT_BACKEND                                                                                      \
    on_stream {}
#include <coppice/solvers/c/c_functions.inc>
