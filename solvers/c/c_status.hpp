// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Common code of the functions of the C interfaces: converts exceptions to codes and messages, checks arguments.
#pragma once

#include <coppice/c_types.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::c_interface {

/// The message that coppice_last_error and tridigpu_last_error return.
inline std::string& last_message() {
    thread_local std::string message;
    return message;
}

inline coppice_status_t code_of(error_code code) {
    switch (code) {
    case error_code::out_of_memory:
        return COPPICE_STATUS_ALLOC_FAILED;
    case error_code::backend_unavailable:
        return COPPICE_STATUS_NO_DEVICE;
    case error_code::device:
        return COPPICE_STATUS_EXECUTION_FAILED;
    case error_code::io:
    case error_code::format:
        return COPPICE_STATUS_FILE_ERROR;
    default:
        return COPPICE_STATUS_INVALID_VALUE;
    }
}

/// Runs `work` and converts exceptions to codes; the message is stored for the last error. If there is no memory for
/// the message, a short one without the name of the function is stored, which needs none.
template <class Work>
coppice_status_t guarded(char const* name, Work const& work) noexcept {
    try {
        try {
            work();
            return COPPICE_STATUS_SUCCESS;
        } catch (error const& e) {
            last_message() = std::string(name) + ": " + e.what();
            return code_of(e.code());
        } catch (std::bad_alloc const&) {
            last_message() = std::string(name) + ": out of memory";
            return COPPICE_STATUS_ALLOC_FAILED;
        } catch (std::exception const& e) {
            last_message() = std::string(name) + ": " + e.what();
            return COPPICE_STATUS_INTERNAL_ERROR;
        }
    } catch (std::bad_alloc const&) {
        last_message() = "out of memory";
        return COPPICE_STATUS_ALLOC_FAILED;
    } catch (...) {
        last_message() = "unknown error";
        return COPPICE_STATUS_INTERNAL_ERROR;
    }
}

[[noreturn]] inline void refuse(std::string const& name, std::string const& what) {
    throw argument_error(name + " is " + what);
}
inline void require_range(char const* name, std::int64_t value, std::int64_t minimum, std::int64_t maximum) {
    if (value < minimum || value > maximum)
        refuse(name,
               std::to_string(value) + ", expected " + std::to_string(minimum) + " to " + std::to_string(maximum));
}
template <class T>
void require_pointer(char const* name, T const* p, std::size_t alignment = alignof(T)) {
    if (!p) refuse(name, "NULL");
    if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0)
        refuse(name, "not aligned to " + std::to_string(alignment) + " bytes");
}

} // namespace coppice::inline v0_1::c_interface
