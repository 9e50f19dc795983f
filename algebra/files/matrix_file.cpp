// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_file.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <coppice/algebra/files/edge_layout.hpp>
#include <coppice/algebra/files/harwell_boeing.hpp>
#include <coppice/algebra/files/lower_case.hpp>
#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>
#include <coppice/core/files/tar.hpp>
#include <coppice/core/files/zip.hpp>

namespace coppice::inline v0_1 {
namespace {

namespace fs = std::filesystem;

/// Returns the name without the ending of a compression.
std::string plain_name(fs::path const& path) {
    auto const name = detail::lower_case(path.filename().string());
    return name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
}

/// Whether the text starts like a JSON object.
bool is_object(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '{';
}

/// Returns a message for a file that is not a matrix, according to its first bytes.
std::string kind_of(std::string_view text) {
    struct signature {
        std::string_view bytes;
        char const* what;
    };
    static constexpr std::array known = {
        signature{"BZh", "compressed with bzip2; decompress it first, or use gzip"},
        signature{"\xFD"
                  "7zXZ",
                  "compressed with xz; decompress it first, or use gzip"},
        signature{"\x28\xB5\x2F\xFD", "compressed with Zstandard; decompress it first, or use gzip"},
        signature{"\x93NUMPY", "an array of NumPy, which is dense; write a sparse matrix by scipy.sparse.save_npz"},
        signature{"MATLAB 5.0", "a MATLAB file; write it as Matrix Market there"},
        signature{"\x89HDF", "an HDF5 file; write it as Matrix Market first"}};
    for (auto const& s : known)
        if (text.starts_with(s.bytes)) return std::string("the file is ") + s.what;
    return "not a matrix: expected a Matrix Market file (the first line must begin with %%MatrixMarket), a "
           "Harwell-Boeing or Rutherford-Boeing file, an edge list, a graph of METIS (.graph) or GAP (.sg, .wsg) by "
           "its name, a graph of NetworkX (JSON of node_link_data), a matrix of SciPy (.npz), or a tar archive "
           "that holds a .mtx or .rb file";
}

/// Selects the matrix of an archive: the only one, or the one named after its folder or the archive, as NAME/NAME.mtx
/// next to NAME/NAME_b.mtx.
tar_member find_matrix(std::string const& file, fs::path const& path, std::string_view text) {
    auto const members = read_tar(file, text);
    std::vector<tar_member> matrices;
    std::string all;
    for (auto const& m : members) {
        all += (all.empty() ? "" : ", ") + detail::quoted(m.name);
        auto const ending = detail::lower_case(fs::path(m.name).extension().string());
        if (ending == ".mtx" || ending == ".rb") matrices.push_back(m);
    }
    if (matrices.empty())
        throw format_error(
            file, 0, "the archive holds no .mtx or .rb file; " + (all.empty() ? "it is empty" : "it holds " + all));
    if (matrices.size() == 1) return matrices.front();
    auto const archive = fs::path(plain_name(path)).stem().string();
    auto const is_main = [&](tar_member const& m) {
        fs::path const name(m.name);
        return name.stem() == name.parent_path().filename() || detail::lower_case(name.stem().string()) == archive;
    };
    auto const found = std::find_if(matrices.begin(), matrices.end(), is_main);
    if (found == matrices.end())
        throw format_error(
            file, 0, "the archive holds several matrices, none of them named after its folder or the archive: " + all);
    return *found;
}

/// Whether the comments at the top contain a Matrix Market banner on any line.
bool mentions_matrix_market(std::string_view text) {
    while (text.starts_with('%')) {
        auto const line = text.substr(0, text.find('\n'));
        if (detail::lower_case(std::string(line.substr(0, 80))).find("matrixmarket") != line.npos) return true;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return false;
}

bool is_text(std::string_view text) {
    auto const begin = text.substr(0, 1000);
    return begin.find('\0') == begin.npos && begin.find('\xFF') == begin.npos;
}

/// `name`: name of the file or of the member of the archive, without .gz; `names`: vertices may be arbitrary words.
matrix_format format_of(std::string const& file, std::string const& name, std::string_view text, bool names) {
    if (is_zip(text)) return matrix_format::scipy;
    if (name.ends_with(".smat")) return matrix_format::smat;
    if (name.ends_with(".graph") || name.ends_with(".metis")) return matrix_format::metis;
    if (name.ends_with(".sg")) return matrix_format::gap;
    if (name.ends_with(".wsg")) return matrix_format::gap_weighted;
    if (name.ends_with(".json") || is_object(text)) return matrix_format::node_link;
    // A file with this name and without banner has no other format.
    if (name.ends_with(".mtx") || mentions_matrix_market(text)) return matrix_format::matrix_market;
    if (detail::is_harwell_boeing(text)) return matrix_format::harwell_boeing;
    for (auto const* ending : {".csv", ".tsv", ".edges", ".el", ".wel"})
        if (name.ends_with(ending)) return matrix_format::edge_list;
    if (detail::is_edge_list(text) || (names && is_text(text))) return matrix_format::edge_list;
    throw format_error(file, 1, kind_of(text));
}

bool holds_complex(std::string const& file, std::string_view text, matrix_format format, read_limits const& limits) {
    switch (format) {
    case matrix_format::matrix_market:
        return detail::parse_header(file, text, true)->header.field == matrix_market_field::complex;
    case matrix_format::harwell_boeing:
        return detail::parse_harwell_boeing_header(file, text).field == matrix_market_field::complex;
    case matrix_format::scipy:
        return detail::is_complex_scipy(file, text, limits);
    default:
        return false;
    }
}

} // namespace

char const* name_of(matrix_format format) {
    constexpr std::array names{"Matrix Market", "Harwell-Boeing", "edge list",      "SMAT", "METIS",
                               "GAP",           "GAP, weighted",  "node-link JSON", "SciPy"};
    return names[static_cast<std::size_t>(format)];
}

std::string vertex_numbering::name(std::int64_t row) const {
    if (row == -1) return "none";
    if (row < 0 || (!names.empty() && row >= std::int64_t(names.size())))
        throw argument_error("row " + std::to_string(row) + " has no name, expected 0 to " +
                             std::to_string(names.size()) + " - 1");
    return names.empty() ? std::to_string(row + base) : names[std::size_t(row)];
}

std::int64_t vertex_numbering::find(std::string_view name, std::int64_t rows) const {
    if (!names.empty()) {
        auto const found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? -1 : found - names.begin();
    }
    char const* at = name.data();
    char const* const end = at + name.size();
    std::int64_t number = 0;
    bool const whole = detail::parse_integer(at, end, number) == detail::number_status::good && at == end;
    return whole && number >= base && number - base < rows ? number - base : -1;
}

matrix_file::matrix_file(fs::path const& path, matrix_read_options options)
    : name_(input_name(path)), options_(std::move(options)) {
    detail::with_memory_errors(name_, [&] { open(path); });
}

void matrix_file::open(fs::path const& path) {
    text_ = read_text(path, SIZE_MAX, options_.progress, options_.limits);
    auto name = plain_name(path);
    if (is_tar(text_.view)) {
        auto const member = find_matrix(name_, path, text_.view);
        name_ += ":" + member.name;
        text_.view = member.bytes;
        name = plain_name(member.name);
    } else if (name.ends_with(".tar") || name.ends_with(".tgz")) {
        throw format_error(name_, 0, "not a tar archive, although the name says so");
    }
    detail::require_content(name_, text_.view);
    format_ = format_of(name_, name, text_.view, options_.renumber || !options_.columns.empty());
    require_columns_are_possible();
    is_complex_ = holds_complex(name_, text_.view, format_, options_.limits);
}

void matrix_file::require_columns_are_possible() const {
    auto const count = options_.columns.size();
    if (count == 0) return;
    if (count != 2 && count != 3)
        throw argument_error("columns has " + std::to_string(count) +
                             " names, expected those of the source, the target and, if there is one, the weight");
    for (auto column = options_.columns.begin(); column != options_.columns.end(); ++column)
        if (std::find(options_.columns.begin(), column, *column) != column)
            throw argument_error("columns names " + detail::quoted(*column) + " twice");
    if (format_ != matrix_format::edge_list)
        throw format_error(name_, 0,
                           std::string("columns are named, but the format of the file is ") + name_of(format_) +
                               ", which has no header line; tables of edges (.csv, .tsv) have named columns");
}

namespace {

template <class T, class I>
detail::matrix_entries<T, I> parse(host_executor const& exec, std::string const& file, matrix_format format,
                                   std::string_view text, matrix_read_options const& options) {
    switch (format) {
    case matrix_format::harwell_boeing:
        return detail::parse_harwell_boeing<T, I>(exec, file, text, options);
    case matrix_format::edge_list:
    case matrix_format::smat:
        return detail::parse_edge_list<T, I>(exec, file, text, options, format == matrix_format::smat);
    case matrix_format::metis:
        return detail::parse_metis<T, I>(exec, file, text, options);
    case matrix_format::gap:
    case matrix_format::gap_weighted:
        return detail::parse_gap<T, I>(exec, file, text, format == matrix_format::gap_weighted);
    case matrix_format::node_link:
        return detail::parse_node_link<T, I>(exec, file, text, options);
    case matrix_format::scipy:
        return detail::parse_scipy<T, I>(exec, file, text, options);
    default:
        return detail::parse_matrix_market<T, I>(exec, file, text, options);
    }
}

} // namespace

template <class T, class I>
numbered_matrix<T, I> matrix_file::read_numbered(host_executor const& exec) && {
    return detail::with_memory_errors(name_, [&] {
        auto const bytes = std::int64_t(text_.view.size());
        options_.inexact_integers = detail::rule_of_integers(options_);
        auto entries = [&] { // the text is released before the rows are created
            auto const text = std::exchange(text_, {});
            return parse<T, I>(exec, name_, format_, text.view, options_);
        }();
        std::string const remedy =
            format_ == matrix_format::edge_list ? "renumber (--renumber) numbers only the vertices that occur; " : "";
        detail::require_proportionate_rows(name_, entries.rows, sizeof(I), bytes, options_.limits, remedy);
        vertex_numbering vertices{entries.base, std::move(entries.names)};
        return numbered_matrix<T, I>{detail::to_rows(exec, name_, std::move(entries), options_.duplicates),
                                     std::move(vertices)};
    });
}

#define COPPICE_READ(T, I) template numbered_matrix<T, I> matrix_file::read_numbered(host_executor const&)&&
COPPICE_PARSER(COPPICE_READ);
#undef COPPICE_READ

} // namespace coppice::inline v0_1
