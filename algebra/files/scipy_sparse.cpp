// SPDX-License-Identifier: BSD-3-Clause
// Archives of scipy.sparse.save_npz (.npz): arrays of NumPy in a zip archive. See include/coppice/matrix_file.hpp.
#include <algorithm>
#include <utility>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/numpy_array.hpp>
#include <coppice/core/files/zip.hpp>

namespace coppice::inline v0_1::detail {
namespace {

/// A member of the archive, decompressed.
struct sparse_array {
    std::string file{}; ///< name for messages
    file_text content{};
    numpy_array array{};
};

class sparse_archive {
public:
    sparse_archive(std::string const& file, std::string_view text, read_limits const& limits)
        : file_(file), limits_(limits), members_(read_zip(file, text)) {
        if (!find("format"))
            throw format_error(
                file, 0,
                "not a matrix of scipy.sparse.save_npz, which has arrays called format, shape and data; unpack "
                "other zip archives first");
        format_ = text_of(member("format"));
        auto const shape = integers("shape");
        if (shape.array.count != 2) refuse(shape, "has " + std::to_string(shape.array.count) + " sizes, expected two");
        rows = integer(shape, 0, INT64_MAX);
        columns = integer(shape, 1, INT64_MAX);
    }

    std::string const& format() const { return format_; }
    std::string const& file() const { return file_; }
    std::int64_t rows = 0, columns = 0;

    bool is_complex() const {
        constexpr std::size_t head = std::size_t(1) << 17; // contains the header, except a very long one of version 2
        auto const& m = required("data");
        auto const start = content_of(file_, m, limits_, head);
        return parse_numpy(name_of(m), start.view, false).kind == 'c';
    }

    sparse_array member(std::string const& name) const {
        auto const& m = required(name);
        sparse_array a{name_of(m), content_of(file_, m, limits_), {}};
        a.array = parse_numpy(a.file, a.content.view);
        return a;
    }
    /// An array of one dimension.
    sparse_array vector(std::string const& name) const {
        auto a = member(name);
        if (a.array.shape.size() != 1)
            refuse(a, "has " + std::to_string(a.array.shape.size()) + " dimensions, expected one");
        return a;
    }
    sparse_array integers(std::string const& name) const {
        auto a = vector(name);
        if (a.array.kind != 'i' && a.array.kind != 'u') refuse(a, "has no integers");
        return a;
    }
    /// Element k, which must be from 0 to `last`.
    static std::int64_t integer(sparse_array const& a, std::int64_t k, std::int64_t last) {
        bool inside = false;
        std::int64_t const found = with_integer(a.array, a.array.at(k), [&](auto number) {
            inside = std::in_range<std::int64_t>(number) && std::int64_t(number) >= 0 && std::int64_t(number) <= last;
            return std::int64_t(number);
        });
        if (!inside)
            refuse(a, "element " + std::to_string(k) + " is outside 0 to " + std::to_string(last) +
                          "; elements count from 0");
        return found;
    }
    [[noreturn]] static void refuse(sparse_array const& a, std::string const& why) {
        throw format_error(a.file, 0, why);
    }

private:
    zip_member const* find(std::string const& name) const {
        auto const found = std::find_if(members_.begin(), members_.end(),
                                        [&](zip_member const& m) { return m.name == name + ".npy"; });
        return found == members_.end() ? nullptr : &*found;
    }
    zip_member const& required(std::string const& name) const {
        auto const* const found = find(name);
        if (!found) throw format_error(file_, 0, "the archive has no array called " + name);
        return *found;
    }
    std::string name_of(zip_member const& m) const { return file_ + ":" + m.name; }
    /// The text of an array with one element.
    static std::string text_of(sparse_array const& a) {
        if ((a.array.kind != 'S' && a.array.kind != 'U') || a.array.count != 1) refuse(a, "has no text");
        std::string text;
        int const step = a.array.kind == 'U' ? 4 : 1;
        for (int k = 0; k < a.array.width; k += step) text += a.array.body[std::size_t(k)];
        return text.substr(0, text.find('\0'));
    }

    std::string const& file_;
    read_limits limits_;
    std::vector<zip_member> members_;
    std::string format_;
};

void require_equal(sparse_array const& a, std::int64_t count, char const* of) {
    if (a.array.count != count)
        sparse_archive::refuse(a, "has " + std::to_string(a.array.count) + " elements, expected " +
                                      std::to_string(count) + ", as " + of);
}

/// Sets the positions of entries in compressed rows, or columns if `by_columns`.
template <class T, class I>
void read_compressed(sparse_archive const& in, bool by_columns, buffer<triplet<T, I>>& entries) {
    std::int64_t const lines = by_columns ? in.columns : in.rows, across = by_columns ? in.rows : in.columns;
    auto const offsets = in.integers("indptr"), indices = in.integers("indices");
    if (offsets.array.count - 1 != lines)
        sparse_archive::refuse(offsets, "has " + std::to_string(offsets.array.count) + " elements, expected " +
                                            std::to_string(lines) + " + 1");
    require_equal(indices, entries.size(), "data");
    std::int64_t const last = sparse_archive::integer(offsets, lines, entries.size());
    std::int64_t begin = sparse_archive::integer(offsets, 0, 0);
    if (last != entries.size()) sparse_archive::refuse(offsets, "does not end with the number of entries");
    for (std::int64_t i = 0; i < lines; ++i) {
        std::int64_t const end = sparse_archive::integer(offsets, i + 1, last);
        if (end < begin) sparse_archive::refuse(offsets, "decreases at element " + std::to_string(i + 1));
        for (; begin < end; ++begin) {
            auto const j = sparse_archive::integer(indices, begin, across - 1);
            entries[begin].row = static_cast<I>(by_columns ? j : i);
            entries[begin].column = static_cast<I>(by_columns ? i : j);
        }
    }
}

/// Sets the positions of entries in a list of coordinates.
template <class T, class I>
void read_coordinates(sparse_archive const& in, buffer<triplet<T, I>>& entries) {
    auto const rows = in.integers("row"), columns = in.integers("col");
    require_equal(rows, entries.size(), "data");
    require_equal(columns, entries.size(), "data");
    for (std::int64_t k = 0; k < entries.size(); ++k) {
        entries[k].row = static_cast<I>(sparse_archive::integer(rows, k, in.rows - 1));
        entries[k].column = static_cast<I>(sparse_archive::integer(columns, k, in.columns - 1));
    }
}

} // namespace

bool is_complex_scipy(std::string const& file, std::string_view text, read_limits const& limits) {
    return sparse_archive(file, text, limits).is_complex();
}

template <class T, class I>
matrix_entries<T, I> parse_scipy(host_executor const& exec, std::string const& file, std::string_view text,
                                 matrix_read_options const& options) {
    sparse_archive const in(file, text, options.limits);
    auto const& format = in.format();
    if (format != "csr" && format != "csc" && format != "coo")
        throw format_error(file, 0,
                           "the matrix has the format " + detail::quoted(format) +
                               ", expected csr, csc or coo; write A.tocsr()");
    require_index_type<I>(file, 0, in.rows, in.columns);
    auto const data = in.vector("data");
    if (data.array.kind == 'S' || data.array.kind == 'U') sparse_archive::refuse(data, "has no numbers");
    require_value_type<T>(file, 0, data.array.kind == 'c');
    buffer<triplet<T, I>> entries(exec, data.array.count);
    if (format == "coo")
        read_coordinates(in, entries);
    else
        read_compressed(in, format == "csc", entries);
    for (std::int64_t k = 0; k < entries.size(); ++k)
        entries[k].value = checked_number<T>(data.file, data.array, k, k, options.inexact_integers);
    return {in.rows, in.columns, matrix_market_symmetry::general, std::move(entries), {}, 0};
}

#define COPPICE_PARSE(T, I)                                                                                            \
    template matrix_entries<T, I> parse_scipy(host_executor const&, std::string const&, std::string_view,              \
                                              matrix_read_options const&)
COPPICE_PARSER(COPPICE_PARSE);
#undef COPPICE_PARSE

} // namespace coppice::inline v0_1::detail
