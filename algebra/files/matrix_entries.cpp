// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_entries.hpp>

#include <utility>

namespace coppice::detail {
namespace {

/// The entries of a file and, for symmetric kinds, their mirror images, as compressor takes them.
template <class T, class I>
struct mirrored_source {
    buffer<triplet<T, I>> entries;
    matrix_market_symmetry symmetry;

    template <class Emit>
    void visit(std::int64_t first, std::int64_t last, Emit&& emit) const {
        for (std::int64_t k = first; k < last; ++k) {
            auto const& e = entries[k];
            emit(e.row, e.column, e.value);
            if (symmetry != matrix_market_symmetry::general && e.row != e.column)
                emit(e.column, e.row, mirrored(e.value, symmetry));
        }
    }
    void release() { entries = {}; }
};

} // namespace

template <class T, class I>
csr<T, I> to_rows(host_executor const& exec, std::string const& file, matrix_entries<T, I>&& m) {
    std::int64_t const entries = m.entries.size();
    mirrored_source<T, I> source{std::move(m.entries), m.symmetry};
    try {
        return compressor<T, I, mirrored_source<T, I>>(exec, static_cast<I>(m.rows), static_cast<I>(m.columns), entries,
                                                       source)
            .run();
    } catch (overflow_error const& e) {
        throw overflow_error(file + ": " + e.what());
    }
}

#define COPPICE_TO_ROWS(T, I)                                                                                          \
    template csr<T, I> to_rows(host_executor const&, std::string const&, matrix_entries<T, I>&&)
COPPICE_PARSER(COPPICE_TO_ROWS);

} // namespace coppice::detail
