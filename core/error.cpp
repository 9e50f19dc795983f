// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {

dimension_error::dimension_error(std::string_view what, std::int64_t got, std::int64_t expected)
    : dimension_error(std::string(what) + ": got " + std::to_string(got) + ", expected " + std::to_string(expected)) {}

format_error::format_error(std::string file, std::int64_t line, std::string const& message)
    : error(error_code::format, (line > 0 ? file + ':' + std::to_string(line) : file) + ": " + message),
      file_(std::move(file)), line_(line) {}

void detail::throw_null(std::string_view what, std::int64_t elements) {
    throw argument_error(std::string(what) + ": a null pointer, expected " + std::to_string(elements) + " elements");
}

void detail::throw_beyond_64_bits(std::int64_t a, std::string_view operation, std::int64_t b, std::string_view what) {
    throw overflow_error(std::string(what) + ": " + std::to_string(a) + std::string(operation) + std::to_string(b) +
                         " does not fit 64 bits");
}

void detail::throw_narrow(std::int64_t value, std::string_view what, int bits) {
    throw overflow_error(std::string(what) + " is " + std::to_string(value) + " and does not fit a " +
                         std::to_string(bits) + "-bit index");
}

} // namespace coppice::inline v0_1
