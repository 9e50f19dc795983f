// SPDX-License-Identifier: BSD-3-Clause
// The C interface of appendix A.1.4: translates arguments, catches everything.
#include <coppice/tridigpu.h>

#include <complex>
#include <exception>
#include <new>
#include <string>

#if defined(COPPICE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include "core/cuda_check.hpp"
#endif
#include "core/cuda_executor.hpp"
#include "solvers/band_factor.hpp"
#include "solvers/sparse_sides.hpp"

namespace coppice {
namespace {

std::string& last_message() {
    thread_local std::string message;
    return message;
}

tridigpu_status_t code_of(error_code code) {
    switch (code) {
    case error_code::out_of_memory:
        return TRIDIGPU_STATUS_ALLOC_FAILED;
    case error_code::backend_unavailable:
        return TRIDIGPU_STATUS_NO_DEVICE;
    case error_code::device:
        return TRIDIGPU_STATUS_EXECUTION_FAILED;
    default:
        return TRIDIGPU_STATUS_INVALID_VALUE;
    }
}

/// Runs `work` and turns what it throws into a code; the sentence stays for tridigpu_last_error.
template <class Work>
tridigpu_status_t guarded(char const* name, Work const& work) noexcept {
    try {
        try {
            work();
            return TRIDIGPU_STATUS_SUCCESS;
        } catch (error const& e) {
            last_message() = std::string(name) + ": " + e.what();
            return code_of(e.code());
        } catch (std::bad_alloc const&) {
            last_message() = std::string(name) + ": out of memory";
            return TRIDIGPU_STATUS_ALLOC_FAILED;
        } catch (std::exception const& e) {
            last_message() = std::string(name) + ": " + e.what();
            return TRIDIGPU_STATUS_INTERNAL_ERROR;
        }
    } catch (...) { // not even the message could be kept
        return TRIDIGPU_STATUS_INTERNAL_ERROR;
    }
}

/// The C++ type of an element; layouts agree.
template <class T>
struct element_of {
    using type = T;
};
template <>
struct element_of<cuComplex> {
    using type = std::complex<float>;
};
template <>
struct element_of<cuDoubleComplex> {
    using type = std::complex<double>;
};
template <class T>
using element = typename element_of<T>::type;
template <class T>
element<T> const* in(T const* p) {
    return reinterpret_cast<element<T> const*>(p);
}
template <class T>
element<T>* out(T* p) {
    return reinterpret_cast<element<T>*>(p);
}

band_options options_of(tridigpu_pivoting_t p, bool cyclic = false) {
    band_options o;
    switch (p) {
    case TRIDIGPU_NO_PIVOTING:
        o.pivot = pivoting::none;
        break;
    case TRIDIGPU_PARTIAL_PIVOTING:
    case TRIDIGPU_DEFAULT_PIVOTING:
        o.pivot = pivoting::partial;
        break;
    case TRIDIGPU_SCALED_PARTIAL_PIVOTING:
        o.pivot = pivoting::scaled_partial;
        break;
    default:
        throw argument_error("unknown pivoting " + std::to_string(int(p)));
    }
    o.cyclic = cyclic;
    return o;
}

void require_sizes(int rows, int sides) {
    if (rows < 0) throw argument_error("N is " + std::to_string(rows));
    if (sides < 0) throw argument_error("n_r is " + std::to_string(sides));
}

template <class T>
band_matrix<element<T>> blocks(int length, int n, T const* a, T const* b, T const* c) {
    return block_tridiagonal_view<element<T>>{length, n, in(a), in(b), in(c)};
}
template <class T>
band_matrix<element<T>> bands(int rows, int below, int above, T const* all) {
    return banded_view<element<T>>{rows, below, above, in(all)};
}

void give(std::size_t* to, std::int64_t bytes) {
    if (!to) throw argument_error("null pointer to the buffer size");
    *to = std::size_t(bytes);
}

#if defined(COPPICE_HAS_CUDA)

/// The current device and the caller's stream; null means the default stream, as everywhere in CUDA.
cuda_executor on_stream(CUstream_st* stream) {
    int device = 0;
    if (cuda_device_count() == 0) throw backend_error("no CUDA device is available on this machine");
    COPPICE_CUDA_CHECK(cudaGetDevice(&device));
    return cuda_executor(device, stream ? stream : cudaStreamLegacy);
}

/// A buffer of the caller's is as large as the matching function says.
array_view<std::byte> space(void* buffer, std::int64_t bytes) { return {static_cast<std::byte*>(buffer), bytes}; }

template <class T>
void size_solve(band_matrix<T> const& a, int sides, band_options const& o, std::size_t* bytes) {
    give(bytes, bands_workspace(on_stream(nullptr), a, sides, o));
}
template <class T>
void solve(CUstream_st* stream, band_matrix<T> const& a, int sides, band_options const& o, T* x, T const* d,
           void* buffer) {
    auto const exec = on_stream(stream);
    solve_bands(exec, a, columns_view<T const>(d, a.size, sides), columns_view<T>(x, a.size, sides),
                space(buffer, bands_workspace(exec, a, sides, o)), o);
}
template <class T>
void size_factor(band_matrix<T> const& a, band_options const& o, std::size_t* bytes) {
    give(bytes, bands_factor_bytes(on_stream(nullptr), a, o));
}
template <class T>
void factorise(CUstream_st* stream, band_matrix<T> const& a, band_options const& o, void* factor) {
    auto const exec = on_stream(stream);
    factorise_bands(exec, a, space(factor, bands_factor_bytes(exec, a, o)), o);
}
template <class T>
void size_factored(band_matrix<T> const& a, int sides, band_options const& o, std::size_t* bytes) {
    give(bytes, factored_workspace(on_stream(nullptr), a, sides, o));
}
template <class T>
void solve_factored(CUstream_st* stream, band_matrix<T> const& a, int sides, band_options const& o, T* x, T const* d,
                    void const* factor, void* buffer) {
    auto const exec = on_stream(stream);
    solve_factored_bands(
        exec, a, array_view<std::byte const>{static_cast<std::byte const*>(factor), bands_factor_bytes(exec, a, o)},
        columns_view<T const>(d, a.size, sides), columns_view<T>(x, a.size, sides),
        space(buffer, factored_workspace(exec, a, sides, o)), o);
}
template <class T>
void solve_to_dense(CUstream_st* stream, band_matrix<T> const& a, band_options const& o,
                    sparse_columns_view<T> const& d, T* x, void* buffer) {
    auto const exec = on_stream(stream);
    solve_sparse_to_dense(exec, a, d, columns_view<T>(x, a.size, d.columns),
                          space(buffer, bands_workspace(exec, a, d.columns, o)), o);
}
template <class T>
void solve_to_sparse(band_matrix<T> const& a, band_options const& o, sparse_columns_view<T> const& d, T* values,
                     int* rows, int const* offsets, int nonzeros) {
    auto const exec = on_stream(nullptr);
    if (!offsets || (nonzeros > 0 && (!values || !rows))) throw argument_error("null pointer to the result");
    solve_sparse_to_sparse(exec, a, d, array_view<std::int32_t const>{offsets, d.columns + 1},
                           array_view<std::int32_t>{rows, nonzeros}, array_view<T>{values, nonzeros}, o);
}

#else

[[noreturn]] void no_cuda() { throw backend_error("this library was built without CUDA"); }
template <class... Any>
void size_solve(Any const&...) {
    no_cuda();
}
template <class... Any>
void solve(Any const&...) {
    no_cuda();
}
template <class... Any>
void size_factor(Any const&...) {
    no_cuda();
}
template <class... Any>
void factorise(Any const&...) {
    no_cuda();
}
template <class... Any>
void size_factored(Any const&...) {
    no_cuda();
}
template <class... Any>
void solve_factored(Any const&...) {
    no_cuda();
}
template <class... Any>
void solve_to_dense(Any const&...) {
    no_cuda();
}
template <class... Any>
void solve_to_sparse(Any const&...) {
    no_cuda();
}

#endif

template <class T>
sparse_columns_view<element<T>> sparse(int rows, int columns, T const* values, int const* row_indices,
                                       int const* offsets, int nonzeros) {
    require_sizes(rows, columns);
    if (nonzeros < 0) throw argument_error("rhs_nnz is " + std::to_string(nonzeros));
    if (nonzeros > 0 && (!values || !row_indices)) throw argument_error("null pointer to sparse right-hand sides");
    return {rows, columns, offsets, row_indices, in(values)};
}

} // namespace
} // namespace coppice

using namespace coppice;

char const* tridigpu_last_error(void) { return last_message().c_str(); }

// One body for each function, four types.
#define COPPICE_TRIDIGPU_SCALAR(name, T, is_cyclic)                                                                    \
    tridigpu_status_t name##_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* bytes) {                     \
        return guarded(#name "_bufferSizeExt", [&] {                                                                   \
            require_sizes(N, n_r);                                                                                     \
            size_solve(blocks<T>(N, 1, nullptr, nullptr, nullptr), n_r, options_of(p, is_cyclic), bytes);              \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t name(CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, T const* a, T const* b,         \
                           T const* c, T* X, T const* D, void* buffer) {                                               \
        return guarded(#name, [&] {                                                                                    \
            require_sizes(N, n_r);                                                                                     \
            solve(stream, blocks(N, 1, a, b, c), n_r, options_of(p, is_cyclic), out(X), in(D), buffer);                \
        });                                                                                                            \
    }
#define COPPICE_TRIDIGPU_BLOCK(name, T, is_cyclic)                                                                     \
    tridigpu_status_t name##_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n, size_t* bytes) {              \
        return guarded(#name "_bufferSizeExt", [&] {                                                                   \
            require_sizes(N, n_r);                                                                                     \
            size_solve(blocks<T>(N, n, nullptr, nullptr, nullptr), n_r, options_of(p, is_cyclic), bytes);              \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t name(CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n, T const* a, T const* b,  \
                           T const* c, T* X, T const* D, void* buffer) {                                               \
        return guarded(#name, [&] {                                                                                    \
            require_sizes(N, n_r);                                                                                     \
            solve(stream, blocks(N, n, a, b, c), n_r, options_of(p, is_cyclic), out(X), in(D), buffer);                \
        });                                                                                                            \
    }
#define COPPICE_TRIDIGPU_FACTOR(t, T)                                                                                  \
    tridigpu_status_t tridigpu##t##bgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,                \
                                                                   size_t* bytes) {                                    \
        return guarded("tridigpu" #t "bgtf_factorizationBufferSizeExt", [&] {                                          \
            require_sizes(N, 0);                                                                                       \
            size_factor(blocks<T>(N, n, nullptr, nullptr, nullptr), options_of(p), bytes);                             \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t tridigpu##t##bgtf(CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, T* a, T* b, T* c,    \
                                        void* factor) {                                                                \
        return guarded("tridigpu" #t "bgtf", [&] {                                                                     \
            require_sizes(N, 0);                                                                                       \
            factorise(stream, blocks<T>(N, n, a, b, c), options_of(p), factor);                                        \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t tridigpu##t##bgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n, size_t* bytes) {  \
        return guarded("tridigpu" #t "bgtfs_bufferSizeExt", [&] {                                                      \
            require_sizes(N, n_r);                                                                                     \
            size_factored(blocks<T>(N, n, nullptr, nullptr, nullptr), n_r, options_of(p), bytes);                      \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t tridigpu##t##bgtfs(CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,            \
                                         T const* a, T const* b, T const* c, T* X, T const* D, void const* factor,     \
                                         void* buffer) {                                                               \
        return guarded("tridigpu" #t "bgtfs", [&] {                                                                    \
            require_sizes(N, n_r);                                                                                     \
            solve_factored(stream, blocks(N, n, a, b, c), n_r, options_of(p), out(X), in(D), factor, buffer);          \
        });                                                                                                            \
    }
#define COPPICE_TRIDIGPU_BANDED(t, T)                                                                                  \
    tridigpu_status_t tridigpu##t##gbsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,           \
                                                      size_t* bytes) {                                                 \
        return guarded("tridigpu" #t "gbsv_bufferSizeExt", [&] {                                                       \
            require_sizes(N, n_r);                                                                                     \
            size_solve(bands<T>(N, kl, ku, nullptr), n_r, options_of(p), bytes);                                       \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t tridigpu##t##gbsv(CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,    \
                                        T const* AB, T* X, T const* D, void* buffer) {                                 \
        return guarded("tridigpu" #t "gbsv", [&] {                                                                     \
            require_sizes(N, n_r);                                                                                     \
            solve(stream, bands(N, kl, ku, AB), n_r, options_of(p), out(X), in(D), buffer);                            \
        });                                                                                                            \
    }
#define COPPICE_TRIDIGPU_SPARSE(t, T)                                                                                  \
    tridigpu_status_t tridigpu##t##gtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,                 \
                                                                size_t* bytes) {                                       \
        return guarded("tridigpu" #t "gtsv_csc2dense_bufferSizeExt", [&] {                                             \
            require_sizes(N, n_r);                                                                                     \
            size_solve(blocks<T>(N, 1, nullptr, nullptr, nullptr), n_r, options_of(p), bytes);                         \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t tridigpu##t##gtsv_csc2dense(                                                                     \
        CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, T const* a, T const* b, T const* c, T* X,          \
        T const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs, int rhs_nnz, void* buffer) {         \
        return guarded("tridigpu" #t "gtsv_csc2dense", [&] {                                                           \
            auto const d = sparse(N, n_r, rhs_values, rhs_row_indices, rhs_col_ptrs, rhs_nnz);                         \
            solve_to_dense(stream, blocks(N, 1, a, b, c), options_of(p), d, out(X), buffer);                           \
        });                                                                                                            \
    }                                                                                                                  \
    tridigpu_status_t tridigpu##t##gtsv_csc2csc(tridigpu_pivoting_t p, int N, T const* a, T const* b, T const* c,      \
                                                T const* rhs_values, int const* rhs_row_indices,                       \
                                                int const* rhs_col_ptrs, int n_r, int rhs_nnz, T* result_values,       \
                                                int* result_row_indices, int const* result_col_ptrs, int result_nnz) { \
        return guarded("tridigpu" #t "gtsv_csc2csc", [&] {                                                             \
            auto const d = sparse(N, n_r, rhs_values, rhs_row_indices, rhs_col_ptrs, rhs_nnz);                         \
            if (result_nnz < 0) throw argument_error("result_nnz is " + std::to_string(result_nnz));                   \
            solve_to_sparse(blocks(N, 1, a, b, c), options_of(p), d, out(result_values), result_row_indices,           \
                            result_col_ptrs, result_nnz);                                                              \
        });                                                                                                            \
    }
#define COPPICE_TRIDIGPU_ALL(t, T)                                                                                     \
    COPPICE_TRIDIGPU_SCALAR(tridigpu##t##gtsv, T, false)                                                               \
    COPPICE_TRIDIGPU_SCALAR(tridigpu##t##cgtsv, T, true)                                                               \
    COPPICE_TRIDIGPU_BLOCK(tridigpu##t##bgtsv, T, false)                                                               \
    COPPICE_TRIDIGPU_BLOCK(tridigpu##t##cbgtsv, T, true)                                                               \
    COPPICE_TRIDIGPU_FACTOR(t, T)                                                                                      \
    COPPICE_TRIDIGPU_BANDED(t, T)                                                                                      \
    COPPICE_TRIDIGPU_SPARSE(t, T)

COPPICE_TRIDIGPU_ALL(S, float)
COPPICE_TRIDIGPU_ALL(D, double)
COPPICE_TRIDIGPU_ALL(C, cuComplex)
COPPICE_TRIDIGPU_ALL(Z, cuDoubleComplex)
