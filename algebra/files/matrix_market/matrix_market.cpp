// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

#include <algorithm>
#include <exception>
#include <limits>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/line_chunks.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice {
namespace detail {
namespace {

constexpr line_rule lines_of_body{'%'};

/// Throws for what is wrong first in the file: a line, one entry too many, or an early end.
void report(std::string const& file, header_place const& place, std::string_view body,
            std::vector<line_chunk> const& chunks) {
    report_failed_line(file, place.size_line, chunks);
    std::int64_t const found = chunks.back().entries;
    std::int64_t const stored = place.header.stored;
    std::string const promise = place.header.format == matrix_market_format::coordinate
                                    ? "the size line promises "
                                    : "an array of this size holds ";
    if (found < stored)
        throw format_error(file, place.size_line + chunks.back().lines,
                           "the file ends after " + std::to_string(found) + " entries; " + promise +
                               std::to_string(stored));
    if (found == stored) return;
    std::size_t b = chunks.size() - 1;
    while (chunks[b].entries > stored) --b; // the chunk that holds entry number `stored`, counted from 0
    std::int64_t k = chunks[b].entries;
    std::int64_t const lines =
        lines_of_body.for_each_line(chunks[b], body.data() + body.size(), [&](char const*&) { return k++ < stored; });
    throw format_error(file, place.size_line + chunks[b].lines + lines,
                       "more entries than expected; " + promise + std::to_string(stored));
}

template <class T, class I>
struct parsed_text {
    matrix_market_header header;
    buffer<triplet<T, I>> entries; ///< as they stand in the file
};

/// `place` is where the header of the text was found.
template <class T, class I>
parsed_text<T, I> parse_text(host_executor const& exec, std::string const& file, std::string_view text,
                             header_place const& place, file_progress const& tell) {
    matrix_market_header const& h = place.header;
    require_value_type<T>(file, 1, h.field == matrix_market_field::complex);
    require_index_type<I>(file, place.size_line, h.rows, h.columns);
    std::string_view const body = text.substr(place.body);
    auto chunks = cut_lines(exec, body, lines_of_body);
    // Never more than the text holds, whatever the size line says.
    buffer<triplet<T, I>> entries(exec, std::min(chunks.back().entries, h.stored));
    parse_lines(
        exec, body, lines_of_body, chunks, entries.view(), tell,
        [&](std::int64_t first) { return line_parser<T, I>(h, first); }, [](std::int64_t, auto const&) {});
    report(file, place, body, chunks);
    return {h, std::move(entries)};
}

template <class T>
std::vector<T> zeros(std::string const& file, std::int64_t size) {
    try {
        return std::vector<T>(static_cast<std::size_t>(size), T(0));
    } catch (std::exception const&) { // bad_alloc, or length_error far beyond it
        throw memory_error(file + ": cannot allocate a vector of " + std::to_string(size) + " elements");
    }
}

} // namespace
} // namespace detail

namespace detail {

template <class T, class I>
matrix_entries<T, I> parse_matrix_market(host_executor const& exec, std::string const& file, std::string_view text,
                                         file_progress const& tell) {
    auto parsed = parse_text<T, I>(exec, file, text, *parse_header(file, text, true), tell);
    return {parsed.header.rows, parsed.header.columns, parsed.header.symmetry, std::move(parsed.entries), {}, 1};
}

} // namespace detail

template <class T, class I>
csr<T, I> read_matrix_market(host_executor const& exec, std::filesystem::path const& path) {
    std::string const file = input_name(path);
    auto entries = [&] { // the text is gone before rows are made
        file_text const text = read_text(path);
        return detail::parse_matrix_market<T, I>(exec, file, text.view, {});
    }();
    return detail::to_rows(exec, file, std::move(entries));
}

namespace {

/// Vectors as the columns of a file; where `one` is asked for, or there is but one row that fits, that is one vector.
template <class T>
dense_columns<T> read_dense(host_executor const& exec, std::filesystem::path const& path,
                            vector_read_options const& options, bool one) {
    std::string const file = input_name(path);
    file_text const text = read_text(path, SIZE_MAX, options.progress);
    auto const place = *detail::parse_header(file, text.view, true);
    auto const& h = place.header;
    if (one && h.rows != 1 && h.columns != 1)
        throw format_error(file, 0,
                           "expected a vector (n x 1 or 1 x n), found a matrix of " + std::to_string(h.rows) + " x " +
                               std::to_string(h.columns));
    if (!one && h.rows != 1 && h.columns != 1 && h.format != matrix_market_format::array)
        throw format_error(file, 0,
                           "expected a vector, or several as an array, found a sparse matrix of " +
                               std::to_string(h.rows) + " x " + std::to_string(h.columns));
    bool const is_row = h.rows == 1 && (one || h.columns == options.length);
    std::int64_t const rows = is_row ? h.columns : h.rows, columns = is_row ? 1 : h.columns;
    // Before anything is allocated: a short text can promise a long vector.
    if (options.length >= 0 && rows != options.length)
        throw dimension_error(file + ": the vector has " + std::to_string(rows) + " elements, expected " +
                              std::to_string(options.length));
    if (rows > 0 && columns > std::numeric_limits<std::int64_t>::max() / rows)
        throw overflow_error(file + ": " + std::to_string(columns) + " vectors of " + std::to_string(rows) +
                             " elements");
    auto const parsed = detail::parse_text<T, std::int64_t>(exec, file, text.view, place, options.progress);
    dense_columns<T> all{rows, columns, detail::zeros<T>(file, rows * columns)};
    std::vector<T>& x = all.values;
    if (h.format == matrix_market_format::array && parsed.entries.size() == static_cast<std::int64_t>(x.size())) {
        std::transform(parsed.entries.begin(), parsed.entries.end(), x.begin(), [](auto const& e) { return e.value; });
        return all;
    }
    std::vector<bool> seen(x.size()); // the first entry is taken as it is: 0 + -0 would lose a sign
    for (auto const& e : parsed.entries) {
        auto const i = static_cast<std::size_t>(e.row + e.column * h.rows);
        x[i] = seen[i] ? x[i] + e.value : e.value;
        seen[i] = true;
    }
    return all;
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

#define COPPICE_READ(T)                                                                                                \
    template csr<T, std::int32_t> read_matrix_market(host_executor const&, std::filesystem::path const&);              \
    template csr<T, std::int64_t> read_matrix_market(host_executor const&, std::filesystem::path const&);              \
    template std::vector<T> read_vector(host_executor const&, std::filesystem::path const&,                            \
                                        vector_read_options const&);                                                   \
    template dense_columns<T> read_vectors(host_executor const&, std::filesystem::path const&,                         \
                                           vector_read_options const&)
COPPICE_READ(float);
COPPICE_READ(double);
COPPICE_READ(std::complex<float>);
COPPICE_READ(std::complex<double>);
#undef COPPICE_READ

#define COPPICE_PARSE(T, I)                                                                                            \
    template detail::matrix_entries<T, I> detail::parse_matrix_market(host_executor const&, std::string const&,        \
                                                                      std::string_view, file_progress const&)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice
