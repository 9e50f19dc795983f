// SPDX-License-Identifier: BSD-3-Clause
// Vectors in Matrix Market files, plain text and NumPy arrays. See include/coppice/matrix_market.hpp.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include <coppice/algebra/files/edge_layout.hpp>
#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::string_view numpy_magic = "\x93NUMPY";

/// Header of a .npy file: NumPy Enhancement Proposal 1, versions 1 to 3.
struct numpy_header {
    char kind = 'f'; ///< f, c, i, u or b
    int width = 8;   ///< bytes of an element
    bool by_columns = false;
    std::int64_t rows = 0, columns = 1;
    bool is_row = false; ///< one dimension: a vector of either orientation
    std::size_t body = 0;
};

/// Returns the text after 'KEY': in the dictionary of the header.
std::string_view numpy_value(std::string const& file, std::string_view header, std::string_view key) {
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

numpy_header parse_numpy_header(std::string const& file, std::string_view bytes) {
    auto const refuse = [&](std::string const& why) { throw format_error(file, 0, why); };
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
    if (bytes.size() < 12) refuse("the file ends inside the header of a NumPy array");
    bool const is_short = byte(6) == 1;
    std::size_t const begin = is_short ? 10 : 12;
    std::size_t length = byte(8) + 256U * byte(9);
    if (!is_short) length += (std::size_t(byte(10)) << 16) + (std::size_t(byte(11)) << 24);
    if (byte(6) < 1 || byte(6) > 3) refuse("version " + std::to_string(byte(6)) + " of .npy is not known");
    if (bytes.size() - begin < length) refuse("the file ends inside the header of a NumPy array");
    auto const header = bytes.substr(begin, length);
    numpy_header h;
    h.body = begin + length;
    auto const type = numpy_value(file, header, "descr").substr(0, 8);
    std::string_view const known = "fciub";
    auto const quote = type.substr(0, 1);
    bool good = (quote == "'" || quote == "\"") && type.size() > 4 && known.find(type[2]) != known.npos &&
                type[3] >= '1' && type[3] <= '9';
    if (good) {
        h.kind = type[2];
        h.width = type[3] - '0';
        std::size_t end = 4;
        if (type[4] >= '0' && type[4] <= '9') h.width = 10 * h.width + (type[4] - '0'), ++end;
        good = type.substr(end, 1) == quote;
    }
    bool const wide = h.width == 1 || h.width == 2 || h.width == 4 || h.width == 8;
    good = good && (h.kind == 'f'   ? h.width == 4 || h.width == 8
                    : h.kind == 'c' ? h.width == 8 || h.width == 16
                    : h.kind == 'b' ? h.width == 1
                                    : wide);
    if (good && type[1] == '>') refuse("the array has big-endian values; write x.astype('<f8')");
    if (!good)
        refuse(shown_type(numpy_value(file, header, "descr")) +
               " is not read; write it as x.astype('float64') or 'complex128'");
    h.by_columns = numpy_value(file, header, "fortran_order").starts_with("True");
    auto shape = numpy_value(file, header, "shape");
    std::vector<std::int64_t> sizes;
    shape.remove_prefix(shape.starts_with('(') ? 1 : 0);
    while (!shape.empty() && sizes.size() < 3) {
        shape.remove_prefix(std::min(shape.find_first_not_of(" ,"), shape.size()));
        std::int64_t size = 0;
        auto const [stop, status] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
        if (status != std::errc{} || size < 0) break;
        shape.remove_prefix(static_cast<std::size_t>(stop - shape.data()));
        sizes.push_back(size);
    }
    if (!shape.starts_with(')') && !shape.starts_with(",)"))
        refuse("the shape in the header of the array is malformed");
    if (sizes.empty() || sizes.size() > 2)
        refuse("the array has " + std::to_string(sizes.size()) + " dimensions; expected one or two");
    h.rows = sizes[0];
    h.is_row = sizes.size() == 1;
    if (!h.is_row) h.columns = sizes[1];
    auto const capacity = static_cast<std::int64_t>((bytes.size() - h.body) / std::size_t(h.width));
    if (h.columns > 0 && h.rows > capacity / h.columns)
        refuse("an array of " + std::to_string(h.rows) + " x " + std::to_string(h.columns) +
               " values is longer than the file, which holds " + std::to_string(capacity));
    if (std::size_t(h.rows * h.columns) * std::size_t(h.width) != bytes.size() - h.body)
        refuse("the file has bytes after an array of " + std::to_string(h.rows) + " x " + std::to_string(h.columns));
    return h;
}

template <class N>
N load(char const* at) {
    N value;
    std::memcpy(&value, at, sizeof(N));
    return value;
}

/// Returns element k of the body as T; nothing if a finite value is out of the range of T.
template <class T>
std::optional<T> numpy_element(numpy_header const& h, char const* at) {
    using real = typename detail::real_type<T>::type;
    auto const real_value = [](double x) -> std::optional<real> {
        auto const y = static_cast<real>(x);
        return std::isinf(y) && !std::isinf(x) ? std::nullopt : std::optional(y);
    };
    auto const component = [&](char const* from, int width) {
        return real_value(width == 4 ? double(load<float>(from)) : load<double>(from));
    };
    if (h.kind == 'f') {
        auto const x = component(at, h.width);
        return x ? std::optional<T>(T(*x)) : std::nullopt;
    }
    if (h.kind == 'c') {
        if constexpr (detail::is_complex<T>) { // require_value_type() has refused the others
            auto const re = component(at, h.width / 2), im = component(at + h.width / 2, h.width / 2);
            return re && im ? std::optional<T>(T(*re, *im)) : std::nullopt;
        }
    }
    bool const is_signed = h.kind == 'i';
    switch (h.width) {
    case 1:
        return T(static_cast<real>(is_signed ? load<std::int8_t>(at) : int(load<std::uint8_t>(at))));
    case 2:
        return T(static_cast<real>(is_signed ? load<std::int16_t>(at) : int(load<std::uint16_t>(at))));
    case 4:
        return T(is_signed ? static_cast<real>(load<std::int32_t>(at)) : static_cast<real>(load<std::uint32_t>(at)));
    default:
        return T(is_signed ? static_cast<real>(load<std::int64_t>(at)) : static_cast<real>(load<std::uint64_t>(at)));
    }
}

/// Text of an element of the body if it is an integer that double does not represent exactly; else empty.
std::string inexact_element(numpy_header const& h, char const* at) {
    if (h.width != 8 || (h.kind != 'i' && h.kind != 'u')) return {};
    auto const digits =
        h.kind == 'i' ? std::to_string(load<std::int64_t>(at)) : std::to_string(load<std::uint64_t>(at));
    return detail::is_inexact_integer(digits) ? digits : std::string();
}

/// Throws dimension_error unless the vectors have the required length.
void require_length(std::string const& file, std::int64_t rows, std::int64_t length) {
    if (length >= 0 && rows != length)
        throw dimension_error(file + ": the vector has " + std::to_string(rows) + " elements, expected " +
                              std::to_string(length));
}

/// Whether a shape of one row is a vector stored as a row: if one vector is requested, or if its length fits.
bool is_single_row(std::int64_t rows, std::int64_t columns, std::int64_t length, bool one) {
    return rows == 1 && (one || columns == length);
}

void require_vector(std::string const& file, std::int64_t rows, std::int64_t columns) {
    if (rows != 1 && columns != 1)
        throw format_error(file, 0,
                           "expected a vector (n x 1 or 1 x n), found a matrix of " + std::to_string(rows) + " x " +
                               std::to_string(columns));
}

template <class T>
std::vector<T> zeros(std::string const& file, std::int64_t size) {
    try {
        return std::vector<T>(static_cast<std::size_t>(size), T(0));
    } catch (std::exception const&) { // bad_alloc, or length_error if the size is much larger
        throw memory_error(file + ": cannot allocate a vector of " + std::to_string(size) + " elements");
    }
}

template <class T>
dense_columns<T> read_numpy(std::string const& file, std::string_view bytes, vector_read_options const& options,
                            bool one) {
    auto const h = parse_numpy_header(file, bytes);
    detail::require_value_type<T>(file, 0, h.kind == 'c');
    if (one) require_vector(file, h.rows, h.columns);
    bool const is_row = !h.is_row && is_single_row(h.rows, h.columns, options.length, one);
    std::int64_t const rows = is_row ? h.columns : h.rows, columns = is_row ? 1 : h.columns;
    require_length(file, rows, options.length);
    dense_columns<T> all{rows, columns, zeros<T>(file, rows * columns)};
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) {
            std::int64_t const k = h.by_columns ? j * rows + i : i * columns + j;
            char const* const at = bytes.data() + h.body + std::size_t(k) * std::size_t(h.width);
            if (auto const digits = inexact_element(h, at); !digits.empty())
                throw format_error(file, 0,
                                   "element " + std::to_string(i + 1) + " is " + digits + ", " +
                                       detail::inexact_integer_message + "; x.astype('float64') rounds it");
            auto const value = numpy_element<T>(h, at);
            if (!value)
                throw format_error(file, 0,
                                   "element " + std::to_string(i + 1) + " is beyond the range of a " +
                                       std::to_string(8 * sizeof(typename detail::real_type<T>::type)) +
                                       "-bit floating-point number");
            all.values[std::size_t(j * rows + i)] = *value;
        }
    return all;
}

/// Parses lines with the same number of numbers each.
template <class T>
dense_columns<T> read_plain(std::string const& file, std::string_view text, vector_read_options const& options,
                            bool one) {
    using real = typename detail::real_type<T>::type;
    std::vector<T> by_rows;
    std::int64_t rows = 0, columns = 0, line = 0;
    detail::line_chunk all_lines;
    all_lines.first = text.data();
    all_lines.last = text.data() + text.size();
    char separator = ' ';
    std::string problem;
    line = detail::lines_of_edges.for_each_line(all_lines, all_lines.last, [&](char const* at) {
        char const* const stop = detail::line_end(at, all_lines.last);
        std::string_view const whole(at, static_cast<std::size_t>(stop - at));
        if (rows == 0) separator = whole.find(';') != whole.npos ? ';' : whole.find(',') != whole.npos ? ',' : ' ';
        detail::field_reader fields(at, all_lines.last, separator);
        std::int64_t found = 0;
        for (std::string_view field; fields.next(field); ++found) {
            real value{};
            char const* digits = field.data();
            auto const status = detail::parse_real(digits, digits + field.size(), value);
            if (status == detail::number_status::out_of_range)
                problem = "value " + detail::quoted(field) + " is beyond the range of a " +
                          std::to_string(8 * sizeof(real)) + "-bit floating-point number";
            else if (status != detail::number_status::good || digits != field.data() + field.size())
                problem = "expected a number, found " + detail::quoted(field) +
                          "; a vector is a Matrix Market file, an array of NumPy (.npy), or text with a number a line";
            else if (detail::is_inexact_integer(value, field))
                problem = "value " + detail::quoted(field) + " is " + detail::inexact_integer_message +
                          "; with a decimal point at its end it is rounded";
            if (!problem.empty()) return false;
            by_rows.push_back(T(value));
        }
        if (rows == 0) columns = found;
        if (found != columns)
            problem =
                "the line has " + std::to_string(found) + " numbers, the first one has " + std::to_string(columns);
        return ++rows, problem.empty();
    });
    if (!problem.empty()) throw format_error(file, line, problem);
    if (rows == 0) throw format_error(file, 0, "the file holds no numbers");
    if (one) require_vector(file, rows, columns);
    if (is_single_row(rows, columns, options.length, one)) std::swap(rows, columns);
    require_length(file, rows, options.length);
    dense_columns<T> all{rows, columns, zeros<T>(file, rows * columns)};
    for (std::int64_t k = 0; k < rows * columns; ++k)
        all.values[std::size_t(k % columns * rows + k / columns)] = by_rows[std::size_t(k)];
    return all;
}

template <class T>
dense_columns<T> read_market(host_executor const& exec, std::string const& file, std::string_view text,
                             vector_read_options const& options, bool one) {
    auto const top = *detail::parse_header(file, text, true);
    auto const& h = top.header;
    if (one) require_vector(file, h.rows, h.columns);
    if (!one && h.rows != 1 && h.columns != 1 && h.format != matrix_market_format::array)
        throw format_error(file, 0,
                           "expected a vector, or several as an array, found a sparse matrix of " +
                               std::to_string(h.rows) + " x " + std::to_string(h.columns));
    bool const is_row = is_single_row(h.rows, h.columns, options.length, one);
    std::int64_t const rows = is_row ? h.columns : h.rows, columns = is_row ? 1 : h.columns;
    require_length(file, rows, options.length); // before memory is allocated
    auto const parsed = detail::parse_body<T, std::int64_t>(exec, file, text, top, {.progress = options.progress});
    if (options.length < 0) // a short text can declare a long vector
        detail::require_proportionate_rows(file, rows * columns, sizeof(T), std::int64_t(text.size()), options.limits);
    dense_columns<T> all{rows, columns, zeros<T>(file, rows * columns)};
    std::vector<T>& x = all.values;
    if (h.format == matrix_market_format::array && parsed.entries.size() == static_cast<std::int64_t>(x.size())) {
        std::transform(parsed.entries.begin(), parsed.entries.end(), x.begin(), [](auto const& e) { return e.value; });
        return all;
    }
    std::vector<bool> seen(x.size()); // the first entry is stored, not added: 0 + -0 would lose the sign
    for (auto const& e : parsed.entries) {
        auto const i = static_cast<std::size_t>(e.row + e.column * h.rows);
        x[i] = seen[i] ? x[i] + e.value : e.value;
        seen[i] = true;
    }
    return all;
}

/// Whether a file that is not a NumPy array is plain text, according to its first byte, unless its name requires a
/// banner.
bool is_plain(std::filesystem::path const& path, std::string_view text) {
    auto name = path.filename();
    if (name.extension() == ".gz") name = name.stem();
    if (text.empty() || name.extension() == ".mtx") return false;
    auto const first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return false;
    return text[first] == '%' ? text.substr(0, 200).find("arket") == text.npos : text[first] != '{';
}

template <class T>
dense_columns<T> read_dense(host_executor const& exec, std::filesystem::path const& path,
                            vector_read_options const& options, bool one) {
    std::string const file = input_name(path);
    return detail::with_memory_errors(file, [&] {
        file_text const text = read_text(path, SIZE_MAX, options.progress, options.limits);
        if (text.view.starts_with(numpy_magic)) return read_numpy<T>(file, text.view, options, one);
        if (is_plain(path, text.view)) return read_plain<T>(file, text.view, options, one);
        return read_market<T>(exec, file, text.view, options, one);
    });
}

} // namespace

template <class T>
std::vector<T> read_vector(host_executor const& exec, std::filesystem::path const& path,
                           vector_read_options const& options) {
    return read_dense<T>(exec, path, options, true).values;
}
template <class T>
dense_columns<T> read_vectors(host_executor const& exec, std::filesystem::path const& path,
                              vector_read_options const& options) {
    return read_dense<T>(exec, path, options, false);
}

bool is_complex_vector(std::filesystem::path const& path) {
    constexpr std::size_t head = std::size_t(1) << 16;
    file_text const text = read_text(path, head);
    if (text.view.starts_with(numpy_magic))
        return parse_numpy_header(input_name(path), read_text(path).view).kind == 'c';
    if (is_plain(path, text.view)) return false;
    return read_matrix_market_header(path).field == matrix_market_field::complex;
}

#define COPPICE_READ(T)                                                                                                \
    template std::vector<T> read_vector(host_executor const&, std::filesystem::path const&,                            \
                                        vector_read_options const&);                                                   \
    template dense_columns<T> read_vectors(host_executor const&, std::filesystem::path const&,                         \
                                           vector_read_options const&)
COPPICE_READ(float);
COPPICE_READ(double);
COPPICE_READ(std::complex<float>);
COPPICE_READ(std::complex<double>);
#undef COPPICE_READ

} // namespace coppice::inline v0_1
