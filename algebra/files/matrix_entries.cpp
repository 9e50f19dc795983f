// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_entries.hpp>

#include <algorithm>
#include <utility>

namespace coppice::inline v0_1::detail {
namespace {

/// Source for compressor: the entries of a file and, for symmetric kinds, their mirror images.
template <class T, class I>
struct mirrored_source {
    buffer<triplet<T, I>> entries;
    matrix_market_symmetry symmetry;
    bool ones; ///< the value of each entry is 1

    template <class Emit>
    void emit_items(std::int64_t first, std::int64_t last, Emit&& emit) const {
        for (std::int64_t k = first; k < last; ++k) {
            auto const& e = entries[k];
            emit(e.row, e.column, ones ? T(1) : e.value);
            if (symmetry != matrix_market_symmetry::general && e.row != e.column)
                emit(e.column, e.row, ones ? T(1) : mirrored(e.value, symmetry));
        }
    }
    void release() { entries = {}; }
};

struct combine_by {
    duplicates rule;

    template <class T>
    bool operator()(T& value, T const& next) const {
        switch (rule) {
        case duplicates::sum:
        case duplicates::count:
            value += next;
            return true;
        case duplicates::first:
            return true;
        case duplicates::last:
            value = next;
            return true;
        case duplicates::min:
        case duplicates::max:
            if constexpr (!is_complex<T>)
                if (next != next || (rule == duplicates::min ? next < value : next > value)) value = next;
            return true;
        default:
            return false;
        }
    }
};

/// Throws format_error for the first row that contains a column twice.
template <class T, class I>
void refuse_duplicates(host_executor const& exec, std::string const& file, csr<T, I> const& a) {
    auto const repeated = [&](std::int64_t row) {
        auto const* const first = a.column_indices().begin() + a.row_offsets()[row];
        auto const* const last = a.column_indices().begin() + a.row_offsets()[row + 1];
        auto const* const found = std::adjacent_find(first, last);
        return found == last ? std::int64_t(-1) : std::int64_t(*found);
    };
    std::int64_t const n = a.rows();
    auto const row = reduce(
        exec, n, n, [&](std::int64_t i) { return repeated(i) < 0 ? n : i; },
        [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
    if (row < n)
        throw format_error(file, 0,
                           "the entry in row " + std::to_string(row + 1) + ", column " +
                               std::to_string(repeated(row) + 1) +
                               " is stored more than once; choose how duplicates are combined (sum, min, max, first, "
                               "last, count)");
}

} // namespace

void require_proportionate_rows(std::string const& file, std::int64_t rows, std::size_t bytes_of_index,
                                std::int64_t bytes_of_text, read_limits const& limits, std::string const& remedy) {
    double const needed = double(rows) * double(bytes_of_index);
    if (limits.max_expansion <= 0 || needed <= double(limits.small_bytes) ||
        needed <= limits.max_expansion * double(bytes_of_text))
        return;
    throw format_error(file, 0,
                       std::to_string(rows) + " rows take more than " +
                           std::to_string(std::int64_t(limits.max_expansion)) + " times the memory of a text of " +
                           std::to_string(bytes_of_text) + " bytes; " + remedy +
                           "if this is intended, raise max_expansion (--max-expansion)");
}

template <class T, class I>
csr<T, I> to_rows(host_executor const& exec, std::string const& file, matrix_entries<T, I>&& m, duplicates rule) {
    if (is_complex<T> && (rule == duplicates::min || rule == duplicates::max))
        throw argument_error(file + ": complex entries have no order; duplicates cannot be combined by min or max");
    std::int64_t const entries = m.entries.size();
    mirrored_source<T, I> source{std::move(m.entries), m.symmetry, rule == duplicates::count};
    try {
        auto a = compressor<T, I, mirrored_source<T, I>, combine_by>(exec, static_cast<I>(m.rows),
                                                                     static_cast<I>(m.columns), entries, source, {rule})
                     .run();
        if (rule == duplicates::refuse) refuse_duplicates(exec, file, a);
        return a;
    } catch (overflow_error const& e) {
        throw overflow_error(file + ": " + e.what()); // not covered: more than 2^31 entries
    }
}

#define COPPICE_TO_ROWS(T, I)                                                                                          \
    template csr<T, I> to_rows(host_executor const&, std::string const&, matrix_entries<T, I>&&, duplicates)
COPPICE_PARSER(COPPICE_TO_ROWS);

} // namespace coppice::inline v0_1::detail
