// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/numpy_array.hpp>

#include <algorithm>
#include <charconv>

namespace coppice::inline v0_1::detail {
namespace {

/// Returns the text after 'KEY': in the dictionary of the header.
std::string_view value_of(std::string const& file, std::string_view header, std::string_view key) {
    auto const at = header.find("'" + std::string(key) + "'");
    auto const colon = at == header.npos ? at : header.find(':', at);
    if (colon == header.npos) throw format_error(file, 0, "the header of the NumPy array has no " + std::string(key));
    header.remove_prefix(colon + 1);
    header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
    return header;
}

/// "an array of type '<f2'", from the text at the type in the header, which has quotes or is a list of named fields.
std::string shown_type(std::string_view text) {
    if (text.empty() || (text[0] != '\'' && text[0] != '"')) return "an array of records";
    return "an array of type " + detail::quoted(text.substr(1, text.find(text[0], 1) - 1));
}

bool is_known(char kind, int width) {
    bool const wide = width == 1 || width == 2 || width == 4 || width == 8;
    switch (kind) {
    case 'f':
        return width == 4 || width == 8;
    case 'c':
        return width == 8 || width == 16;
    case 'b':
        return width == 1;
    case 'S':
    case 'U':
        return width >= 1 && width <= 64;
    default:
        return (kind == 'i' || kind == 'u') && wide;
    }
}

/// Reads '<f8': the order of the bytes, the kind and the width.
void parse_type(std::string const& file, std::string_view text, numpy_array& a) {
    auto const refuse = [&](std::string const& why) { throw format_error(file, 0, why); };
    auto const quote = text.substr(0, 1);
    auto const end = std::min(text.find(quote, 1), text.size());
    bool good = (quote == "'" || quote == "\"") && end > 3 && end < 8;
    if (good) {
        a.kind = text[2];
        char const* const last = text.data() + end;
        auto const [stop, status] = std::from_chars(text.data() + 3, last, a.width);
        good = status == std::errc{} && stop == last && text[3] != '0' && is_known(a.kind, a.width);
    }
    if (good && text[1] == '>') refuse("the array has big-endian values; write x.astype('<f8')");
    if (!good) refuse(shown_type(text) + " is not read; write it as x.astype('float64') or 'complex128'");
    if (a.kind == 'U') a.width *= 4;
}

/// Reads (2, 3), up to three dimensions.
void parse_shape(std::string const& file, std::string_view text, numpy_array& a) {
    text.remove_prefix(text.starts_with('(') ? 1 : 0);
    while (!text.empty() && a.shape.size() < 3) {
        text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
        std::int64_t size = 0;
        auto const [stop, status] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (status != std::errc{} || size < 0) break;
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
        a.shape.push_back(size);
    }
    if (!text.starts_with(')') && !text.starts_with(",)"))
        throw format_error(file, 0, "the shape in the header of the array is malformed");
}

/// Sets the number of elements, which the body must have.
void count_elements(std::string const& file, bool complete, numpy_array& a) {
    auto const width = std::size_t(a.width);
    auto const capacity = complete ? std::int64_t(a.body.size() / width) : INT64_MAX / a.width;
    bool const none = std::count(a.shape.begin(), a.shape.end(), 0) > 0;
    std::string sizes;
    for (auto const size : a.shape) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
    if (a.shape.size() == 1) sizes += " x 1";
    a.count = none ? 0 : 1;
    for (auto const size : a.shape) {
        if (size > 0 && a.count > capacity / size)
            throw format_error(file, 0,
                               "an array of " + sizes + " values is longer than the file, which holds " +
                                   std::to_string(capacity));
        a.count *= size;
    }
    if (complete && std::size_t(a.count) * width > a.body.size()) // of a single element
        throw format_error(file, 0, "the file ends within the element of the array");
    if (complete && std::size_t(a.count) * width != a.body.size())
        throw format_error(file, 0, "the file has bytes after an array of " + sizes);
}

} // namespace

numpy_array parse_numpy(std::string const& file, std::string_view bytes, bool complete) {
    auto const refuse = [&](std::string const& why) { throw format_error(file, 0, why); };
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
    if (!bytes.starts_with(numpy_magic)) refuse("not an array of NumPy");
    if (bytes.size() < 12) refuse("the file ends inside the header of a NumPy array");
    bool const is_short = byte(6) == 1;
    std::size_t const begin = is_short ? 10 : 12;
    std::size_t length = byte(8) + 256U * byte(9);
    if (!is_short) length += (std::size_t(byte(10)) << 16) + (std::size_t(byte(11)) << 24);
    if (byte(6) < 1 || byte(6) > 3) refuse("version " + std::to_string(byte(6)) + " of .npy is not known");
    if (bytes.size() - begin < length) refuse("the file ends inside the header of a NumPy array");
    auto const header = bytes.substr(begin, length);
    numpy_array a;
    a.body = bytes.substr(begin + length);
    parse_type(file, value_of(file, header, "descr"), a);
    a.by_columns = value_of(file, header, "fortran_order").starts_with("True");
    parse_shape(file, value_of(file, header, "shape"), a);
    count_elements(file, complete, a);
    return a;
}

std::string numpy_header(std::string_view type, std::vector<std::int64_t> const& shape) {
    std::string sizes;
    for (auto const size : shape) sizes += std::to_string(size) + ", ";
    std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': True, 'shape': (" + sizes + "), }";
    constexpr std::size_t prefix = 10, alignment = 64; // magic, version and length; of the body in the file
    header.resize((prefix + header.size() + alignment) / alignment * alignment - prefix - 1, ' ');
    header += '\n';
    return std::string(numpy_magic) + std::string("\1\0", 2) + char(header.size() % 256) + char(header.size() / 256) +
           header;
}

std::string inexact_integer_of(numpy_array const& a, char const* at) {
    if (a.width != 8 || (a.kind != 'i' && a.kind != 'u')) return {};
    auto const digits = with_integer(a, at, [](auto number) { return std::to_string(number); });
    return is_inexact_integer(digits) ? digits : std::string();
}

} // namespace coppice::inline v0_1::detail
