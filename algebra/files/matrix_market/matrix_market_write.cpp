// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/files/numpy_array.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {
namespace detail {
namespace {

// Nonzeros or vector elements that one task formats; a constant, so that gzip members do not depend on threads.
constexpr std::int64_t entries_per_piece = std::int64_t(1) << 16;
// Number of pieces in memory at the same time.
constexpr std::int64_t pieces_per_wave = 32;

template <class Number>
void append_number(std::string& text, Number value) {
    if (value != value) { // the sign of NaN is ignored
        text += "nan";
        return;
    }
    char digits[64];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class T>
void append_value(std::string& text, T const& value) {
    if constexpr (is_complex<T>) {
        append_number(text, value.real());
        text += ' ';
        append_number(text, value.imag());
    } else {
        append_number(text, value);
    }
}

std::string banner(char const* format, bool complex, matrix_market_symmetry symmetry, std::string const& comment) {
    std::string text =
        std::string("%%MatrixMarket matrix ") + format + (complex ? " complex " : " real ") + name_of(symmetry) + "\n";
    for (std::size_t at = 0; at < comment.size();) {
        std::size_t const stop = std::min(comment.find('\n', at), comment.size());
        text += "% " + comment.substr(at, stop - at) + "\n";
        at = stop + 1;
    }
    return text;
}

/// Writes `top`, then the text of pieces 0, 1, ..., which make(piece, text) creates in parallel.
template <class Make>
void write_pieces(host_executor const& exec, std::filesystem::path const& path, std::string const& top,
                  std::int64_t pieces, file_progress const& tell, Make const& make) {
    bool const compress = path.extension() == ".gz";
    with_memory_errors(path.string(), [&] {
        atomic_file file(path);
        file.write(compress ? gzip_member(top) : top);
        std::vector<std::string> texts(static_cast<std::size_t>(std::min(pieces, pieces_per_wave)));
        for (std::int64_t base = 0; base < pieces; base += pieces_per_wave) {
            std::int64_t const wave = std::min(pieces_per_wave, pieces - base);
            for_each_block(exec, wave, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
                std::string& text = texts[static_cast<std::size_t>(p)];
                text.clear();
                make(base + p, text);
                if (compress) text = gzip_member(text);
            });
            for (std::int64_t p = 0; p < wave; ++p) file.write(texts[static_cast<std::size_t>(p)]);
            if (tell) tell("writing", base + wave, pieces);
        }
        file.commit();
    });
}

bool is_written(std::int64_t row, std::int64_t column, matrix_market_symmetry symmetry) {
    if (symmetry == matrix_market_symmetry::general) return true;
    return symmetry == matrix_market_symmetry::skew_symmetric ? column < row : column <= row;
}

/// Throws argument_error unless A has the symmetry of `kind`: compares A with its mirror image.
template <class T, class I>
void require_symmetry(host_executor const& exec, csr_view<T, I> a, matrix_market_symmetry symmetry) {
    std::string const kind = name_of(symmetry);
    if (!is_complex<T> && symmetry == matrix_market_symmetry::hermitian)
        throw argument_error("a real matrix cannot be written as hermitian; write it as symmetric");
    if (a.rows() != a.columns())
        throw argument_error("a matrix of " + std::to_string(a.rows()) + " x " + std::to_string(a.columns()) +
                             " cannot be written as " + kind);
    auto image = to_coo(exec, a);
    std::swap(image.row_indices, image.column_indices);
    for_each(exec, image.entries(), [&](std::int64_t k) {
        auto& value = image.values[static_cast<std::size_t>(k)];
        value = mirrored(value, symmetry);
    });
    auto const m = to_csr(exec, std::move(image));
    auto const s = to_csr(exec, to_coo(exec, a));
    auto const same_row = [&](std::int64_t i) {
        auto const first = s.row_offsets()[i];
        auto const last = s.row_offsets()[i + 1];
        if (m.row_offsets()[i] != first || m.row_offsets()[i + 1] != last) return false;
        for (auto k = first; k < last; ++k) {
            T const x = s.values()[k];
            T const y = m.values()[k];
            bool const diagonal = s.column_indices()[k] == i;
            if (s.column_indices()[k] != m.column_indices()[k] || !(x == y || (x != x && y != y)) ||
                (diagonal && symmetry == matrix_market_symmetry::skew_symmetric))
                return false;
        }
        return true;
    };
    auto const smaller = [](std::int64_t x, std::int64_t y) { return std::min(x, y); };
    std::int64_t const n = a.rows();
    auto const wrong = reduce(
        exec, n, n, [&](std::int64_t i) { return same_row(i) ? n : i; }, smaller);
    if (wrong < n) throw argument_error("the matrix is not " + kind + ": row " + std::to_string(wrong) + " differs");
}

} // namespace
} // namespace detail

template <class T, class I>
void write_matrix_market(host_executor const& exec, std::filesystem::path const& path, csr_view<T, I> a,
                         matrix_market_write_options const& options) {
    auto const symmetry = options.symmetry;
    if (symmetry != matrix_market_symmetry::general)
        detail::with_memory_errors(path.string(), [&] { detail::require_symmetry(exec, a, symmetry); });
    auto const written_in_row = [&](std::int64_t i) {
        std::int64_t count = 0;
        for (I k = a.row_begin(i); k < a.row_end(i); ++k) count += detail::is_written(i, a.indices[k], symmetry);
        return count;
    };
    std::int64_t const stored = symmetry == matrix_market_symmetry::general
                                    ? std::int64_t(a.nonzeros())
                                    : reduce(exec, a.rows(), std::int64_t(0), written_in_row, plus{});
    std::string const top = detail::banner("coordinate", detail::is_complex<T>, symmetry, options.comment) +
                            std::to_string(a.rows()) + " " + std::to_string(a.columns()) + " " +
                            std::to_string(stored) + "\n";

    constexpr std::int64_t step = detail::entries_per_piece;
    std::int64_t const nonzeros = a.nonzeros();
    detail::write_pieces(exec, path, top, (nonzeros + step - 1) / step, options.progress,
                         [&](std::int64_t piece, std::string& text) {
                             auto const offsets = a.row_offsets();
                             std::int64_t k = piece * step;
                             // Row of nonzero k: the last row that starts at or before it.
                             std::int64_t row = std::upper_bound(offsets.begin(), offsets.end(), static_cast<I>(k)) -
                                                offsets.begin() - 1;
                             for (std::int64_t const last = std::min(nonzeros, k + step); k < last; ++k) {
                                 while (k >= offsets[row + 1]) ++row;
                                 if (!detail::is_written(row, a.indices[k], symmetry)) continue;
                                 detail::append_number(text, row + 1);
                                 text += ' ';
                                 detail::append_number(text, std::int64_t(a.indices[k]) + 1);
                                 text += ' ';
                                 detail::append_value(text, a.coefficients[k]);
                                 text += '\n';
                             }
                         });
}

namespace detail {
namespace {

template <class T>
void write_numpy(std::filesystem::path const& path, array_view<T const> x, std::int64_t columns) {
    std::string const type = std::string(is_complex<T> ? "<c" : "<f") + std::to_string(sizeof(T));
    auto const shape = columns == 1 ? std::vector<std::int64_t>{x.size()}
                                    : std::vector<std::int64_t>{columns > 0 ? x.size() / columns : 0, columns};
    with_memory_errors(path.string(), [&] {
        atomic_file file(path);
        file.write(numpy_header(type, shape));
        file.write({reinterpret_cast<char const*>(x.data()), std::size_t(x.size()) * sizeof(T)});
        file.commit();
    });
}

} // namespace
} // namespace detail

template <class T>
void write_vector(host_executor const& exec, std::filesystem::path const& path, array_view<T const> x,
                  std::string const& comment, file_progress const& progress) {
    write_vectors(exec, path, x, 1, comment, progress);
}

template <class T>
void write_vectors(host_executor const& exec, std::filesystem::path const& path, array_view<T const> x,
                   std::int64_t columns, std::string const& comment, file_progress const& progress) {
    if (path.extension() == ".npy") return detail::write_numpy(path, x, columns);
    std::string const top = detail::banner("array", detail::is_complex<T>, matrix_market_symmetry::general, comment) +
                            std::to_string(columns > 0 ? x.size() / columns : 0) + " " + std::to_string(columns) + "\n";
    constexpr std::int64_t step = detail::entries_per_piece;
    detail::write_pieces(exec, path, top, (x.size() + step - 1) / step, progress,
                         [&](std::int64_t piece, std::string& text) {
                             for (std::int64_t i = piece * step, last = std::min(x.size(), i + step); i < last; ++i) {
                                 detail::append_value(text, x[i]);
                                 text += '\n';
                             }
                         });
}

#define COPPICE_WRITE(T)                                                                                               \
    template void write_matrix_market(host_executor const&, std::filesystem::path const&, csr_view<T, std::int32_t>,   \
                                      matrix_market_write_options const&);                                             \
    template void write_matrix_market(host_executor const&, std::filesystem::path const&, csr_view<T, std::int64_t>,   \
                                      matrix_market_write_options const&);                                             \
    template void write_vector<T>(host_executor const&, std::filesystem::path const&, array_view<T const>,             \
                                  std::string const&, file_progress const&);                                           \
    template void write_vectors<T>(host_executor const&, std::filesystem::path const&, array_view<T const>,            \
                                   std::int64_t, std::string const&, file_progress const&)
COPPICE_WRITE(float);
COPPICE_WRITE(double);
COPPICE_WRITE(std::complex<float>);
COPPICE_WRITE(std::complex<double>);

} // namespace coppice::inline v0_1
