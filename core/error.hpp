// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Exceptions of the library. All derive from coppice::error and carry a code from a small closed set.
///
/// Numerical outcomes (singular, not converged) are results with a reason, never exceptions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

enum class error_code {
    invalid_argument,   ///< an option or value outside its documented range
    dimension_mismatch, ///< sizes that do not fit together
    invalid_matrix,     ///< a matrix that violates the rules of its storage format (offsets, columns, duplicates)
    format,             ///< a file that does not follow its format
    io,                 ///< a file that cannot be read or written
    overflow,           ///< a size that does not fit its index type
    out_of_memory,      ///< an allocation failed, or the system did not start a thread
    device,             ///< the CUDA runtime reported a failure
    backend_unavailable ///< CUDA was requested and is not available
};

/// Base of all exceptions of the library.
class error : public std::runtime_error {
public:
    error(error_code code, std::string const& message) : std::runtime_error(message), code_(code) {}
    error_code code() const noexcept { return code_; }

private:
    error_code code_;
};

/// An argument outside its documented range; the message names the argument, its value and what was expected.
class argument_error : public error {
public:
    explicit argument_error(std::string const& message) : error(error_code::invalid_argument, message) {}
};

/// Sizes that do not fit together; the message gives both numbers.
class dimension_error : public error {
public:
    explicit dimension_error(std::string const& message) : error(error_code::dimension_mismatch, message) {}
    dimension_error(std::string_view what, std::int64_t got, std::int64_t expected);
};

/// A matrix that violates the rules of its storage format; see validate().
class matrix_error : public error {
public:
    explicit matrix_error(std::string const& message) : error(error_code::invalid_matrix, message) {}
};

/// A file that does not follow its format. what() reads "FILE:LINE: message"; line 0 means the file as a whole.
class format_error : public error {
public:
    format_error(std::string file, std::int64_t line, std::string const& message);
    std::string const& file() const noexcept { return file_; }
    std::int64_t line() const noexcept { return line_; }

private:
    std::string file_;
    std::int64_t line_;
};

/// A file that cannot be opened, read or written.
class io_error : public error {
public:
    explicit io_error(std::string const& message) : error(error_code::io, message) {}
};

/// A size or index that does not fit its type.
class overflow_error : public error {
public:
    explicit overflow_error(std::string const& message) : error(error_code::overflow, message) {}
};

/// An allocation of host or device memory failed.
class memory_error : public error {
public:
    explicit memory_error(std::string const& message) : error(error_code::out_of_memory, message) {}
};

/// The system did not start a thread, usually because of a limit on the number of threads. No data was changed.
class thread_error : public error {
public:
    explicit thread_error(std::string const& message) : error(error_code::out_of_memory, message) {}
};

/// The CUDA runtime reported a failure.
class device_error : public error {
public:
    explicit device_error(std::string const& message) : error(error_code::device, message) {}
};

/// The requested backend is not part of this build or not available on this machine.
class backend_error : public error {
public:
    explicit backend_error(std::string const& message) : error(error_code::backend_unavailable, message) {}
};

/// Throws dimension_error unless got == expected.
inline void require_size(std::string_view what, std::int64_t got, std::int64_t expected) {
    if (got != expected) throw dimension_error(what, got, expected);
}

namespace detail {
[[noreturn]] void throw_narrow(std::int64_t value, std::string_view what, int bits);
[[noreturn]] void throw_beyond_64_bits(std::int64_t a, std::string_view operation, std::int64_t b,
                                       std::string_view what);
[[noreturn]] void throw_null(std::string_view what, std::int64_t elements);
} // namespace detail

/// Converts a size to a narrower index type. Throws overflow_error if the value does not fit.
template <class To>
To checked_cast(std::int64_t value, std::string_view what) {
    if (!std::in_range<To>(value)) detail::throw_narrow(value, what, 8 * int(sizeof(To)));
    return static_cast<To>(value);
}

/// Return a * b and a + b of sizes. Throw overflow_error if the result does not fit 64 bits.
inline std::int64_t checked_product(std::int64_t a, std::int64_t b, std::string_view what) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) detail::throw_beyond_64_bits(a, " times ", b, what);
    return product;
}
inline std::int64_t checked_sum(std::int64_t a, std::int64_t b, std::string_view what) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) detail::throw_beyond_64_bits(a, " plus ", b, what);
    return sum;
}

} // namespace coppice::inline v0_1
