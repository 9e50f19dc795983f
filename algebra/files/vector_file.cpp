// SPDX-License-Identifier: BSD-3-Clause
// Vectors in Matrix Market files, plain text and NumPy arrays. See include/coppice/matrix_market.hpp.
#include <algorithm>
#include <cmath>

#include <coppice/algebra/files/edge_layout.hpp>
#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/algebra/files/numpy_array.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {
namespace {

/// An array of numbers of one or two dimensions.
detail::numpy_array parse_vectors(std::string const& file, std::string_view bytes) {
    auto a = detail::parse_numpy(file, bytes);
    if (a.kind == 'S' || a.kind == 'U') throw format_error(file, 0, "an array of text is not read");
    if (a.shape.empty() || a.shape.size() > 2)
        throw format_error(file, 0,
                           "the array has " + std::to_string(a.shape.size()) + " dimensions; expected one or two");
    return a;
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
    auto const a = parse_vectors(file, bytes);
    detail::require_value_type<T>(file, 0, a.kind == 'c');
    std::int64_t const high = a.shape[0], wide = a.shape.size() == 2 ? a.shape[1] : 1;
    if (one) require_vector(file, high, wide);
    bool const is_row = a.shape.size() == 2 && is_single_row(high, wide, options.length, one);
    std::int64_t const rows = is_row ? wide : high, columns = is_row ? 1 : wide;
    require_length(file, rows, options.length);
    dense_columns<T> all{rows, columns, zeros<T>(file, rows * columns)};
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) {
            std::int64_t const k = a.by_columns ? j * rows + i : i * columns + j;
            all.values[std::size_t(j * rows + i)] =
                detail::checked_number<T>(file, a, k, i + 1, inexact_integers::refuse);
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
        if (text.view.starts_with(detail::numpy_magic)) return read_numpy<T>(file, text.view, options, one);
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
    if (text.view.starts_with(detail::numpy_magic))
        return parse_vectors(input_name(path), read_text(path).view).kind == 'c';
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
