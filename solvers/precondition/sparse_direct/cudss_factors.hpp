// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors of a matrix in device memory, by cuDSS.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1::detail {

namespace cudss {
struct library;
} // namespace cudss

/// The library of this process, see has_cudss(), and the reason why there is none (empty: there is one).
cudss::library const& found_cudss();
std::string const& why_no_cudss();

/// What is computed: L L^H, L D L^H or L U.
enum class factor_kind { definite, symmetric, general };

/// A system in the memory of a device. The arrays are of the caller and must outlive the factors. Of definite and
/// symmetric matrices, which are Hermitian if they are complex, there is the lower half with its diagonal.
struct device_system {
    std::int64_t rows = 0, nonzeros = 0;
    std::int32_t const *offsets = nullptr, *indices = nullptr; ///< sorted, without duplicates
    void const* values = nullptr;                              ///< double or std::complex<double>
    void *rhs = nullptr, *solution = nullptr;                  ///< `rows` elements each
    bool is_complex = false;
    factor_kind kind = factor_kind::general;
};

/// Estimates of the analysis.
struct cudss_estimate {
    double nonzeros = 0;   ///< of the factors
    double operations = 0; ///< of the factorisation; 0: unknown
    double bytes = 0;      ///< peak of device memory, without the arrays of the caller
};

/// The device is that of the thread at construction. Work is queued on `stream`. Deterministic.
///
/// Errors: matrix_error for a matrix that cuDSS does not support, or whose factors do not fit into memory; device_error
/// for a failure of the device or of cuDSS.
class cudss_factors {
public:
    /// Computes an order and the pattern of the factors. Waits.
    cudss_factors(cudss::library const& library, CUstream_st* stream, device_system const& of);
    ~cudss_factors();

    cudss_estimate const& estimate() const;
    /// Factorises the values, which may have changed. Returns false for a definite matrix with a pivot that is not
    /// positive. Waits.
    bool factorise(CUstream_st* stream);
    /// Number of pivots that were too small and were replaced, so that A + E is factorised; negative: unknown.
    std::int64_t replaced_pivots() const;
    /// Queues the work of later calls, and of the destruction, on this stream.
    void use(CUstream_st* stream) const;
    /// solution = A^-1 rhs or, for general matrices, A^-T rhs, on a stream of the same device.
    void solve(CUstream_st* stream, bool transposed) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Makes the device of the executor current and returns its stream. Host executors, in tests: null.
CUstream_st* enter_device(cuda_executor const& exec);
inline CUstream_st* enter_device(host_executor const&) { return nullptr; }

/// Bytes that can be allocated on the device of the executor.
double free_memory_of(cuda_executor const& exec);

} // namespace coppice::inline v0_1::detail
