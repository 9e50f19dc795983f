// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/files/matrix_file.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <coppice/algebra/files/harwell_boeing.hpp>
#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_header.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market_text.hpp>
#include <coppice/core/files/tar.hpp>

namespace coppice {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// The name without what says that it is compressed.
std::string plain_name(fs::path const& path) {
    auto const name = lower(path.filename().string());
    return name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
}

bool is_number(std::string_view token) {
    auto const digits = token.substr(token.starts_with('-') || token.starts_with('+') ? 1 : 0);
    return !digits.empty() && std::isdigit(static_cast<unsigned char>(digits[0]));
}

/// Comments that begin with #, or a first line of two whole numbers and perhaps a third word.
bool is_edge_list(std::string_view text) {
    char const* const end = text.data() + text.size();
    char const* at = text.data();
    while (at != end && (detail::is_blank(*at) || *at == '\n')) ++at;
    if (at == end || *at == '#') return at != end;
    int words = 0;
    for (; at != end && *at != '\n'; at = detail::skip_blanks(at, end), ++words) {
        auto const token = detail::token_at(at, end);
        if (words == 3 || (words < 2 && !is_number(token))) return false;
        at += token.size();
    }
    return words >= 2;
}

/// Of JSON.
bool is_object(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '{';
}

/// What a file is that is no matrix, as far as its first bytes tell.
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
        signature{"PK\x03\x04", "a zip archive; unpack it first"},
        signature{"MATLAB 5.0", "a MATLAB file; write it as Matrix Market there"},
        signature{"\x89HDF", "an HDF5 file; write it as Matrix Market first"}};
    for (auto const& s : known)
        if (text.starts_with(s.bytes)) return std::string("the file is ") + s.what;
    return "not a matrix: expected a Matrix Market file (the first line must begin with %%MatrixMarket), a "
           "Harwell-Boeing or Rutherford-Boeing file, an edge list, a graph of METIS (.graph) or GAP (.sg, .wsg) by "
           "its name, a graph of NetworkX (JSON of node_link_data), or a tar archive that holds one of them";
}

/// The matrix of an archive: its only one, or the one that is called as its folder or as the archive, as in
/// NAME/NAME.mtx beside NAME/NAME_b.mtx.
tar_member find_matrix(std::string const& file, fs::path const& path, std::string_view text) {
    auto const members = read_tar(file, text);
    std::vector<tar_member> matrices;
    std::string all;
    for (auto const& m : members) {
        all += (all.empty() ? "" : ", ") + detail::quoted(m.name);
        auto const ending = lower(fs::path(m.name).extension().string());
        if (ending == ".mtx" || ending == ".rb") matrices.push_back(m);
    }
    if (matrices.empty())
        throw format_error(
            file, 0, "the archive holds no .mtx or .rb file; " + (all.empty() ? "it is empty" : "it holds " + all));
    if (matrices.size() == 1) return matrices.front();
    auto const archive = fs::path(plain_name(path)).stem().string();
    auto const is_main = [&](tar_member const& m) {
        fs::path const name(m.name);
        return name.stem() == name.parent_path().filename() || lower(name.stem().string()) == archive;
    };
    auto const found = std::find_if(matrices.begin(), matrices.end(), is_main);
    if (found == matrices.end())
        throw format_error(file, 0,
                           "the archive holds several matrices, none called as its folder or the archive: " + all);
    return *found;
}

/// `name`: of the file or the archive's member, without .gz.
matrix_format format_of(std::string const& file, std::string const& name, std::string_view text) {
    if (name.ends_with(".smat")) return matrix_format::smat;
    if (name.ends_with(".graph") || name.ends_with(".metis")) return matrix_format::metis;
    if (name.ends_with(".sg")) return matrix_format::gap;
    if (name.ends_with(".wsg")) return matrix_format::gap_weighted;
    if (name.ends_with(".json") || is_object(text)) return matrix_format::node_link;
    // A file that is called so but has lost its banner is none of the others; an empty text is refused as such.
    if (name.ends_with(".mtx") || text.empty() || text[0] == '%') return matrix_format::matrix_market;
    if (detail::is_harwell_boeing(text)) return matrix_format::harwell_boeing;
    if (is_edge_list(text)) return matrix_format::edge_list;
    throw format_error(file, 1, kind_of(text));
}

bool holds_complex(std::string const& file, std::string_view text, matrix_format format) {
    switch (format) {
    case matrix_format::matrix_market:
        return detail::parse_header(file, text, true)->header.field == matrix_market_field::complex;
    case matrix_format::harwell_boeing:
        return detail::parse_harwell_boeing_header(file, text).field == matrix_market_field::complex;
    default:
        return false;
    }
}

} // namespace

char const* name_of(matrix_format format) {
    constexpr std::array names{"Matrix Market", "Harwell-Boeing", "edge list",     "SMAT", "METIS",
                               "GAP",           "GAP, weighted",  "node-link JSON"};
    return names[static_cast<std::size_t>(format)];
}

matrix_file::matrix_file(fs::path const& path, file_progress progress)
    : name_(input_name(path)), text_(read_text(path, SIZE_MAX, progress)), progress_(std::move(progress)) {
    auto name = plain_name(path);
    if (is_tar(text_.view)) {
        auto const member = find_matrix(name_, path, text_.view);
        name_ += ":" + member.name;
        text_.view = member.bytes;
        name = plain_name(member.name);
    } else if (name.ends_with(".tar") || name.ends_with(".tgz")) {
        throw format_error(name_, 0, "not a tar archive, although the name says so");
    }
    format_ = format_of(name_, name, text_.view);
    is_complex_ = holds_complex(name_, text_.view, format_);
}

template <class T, class I>
csr<T, I> matrix_file::read(host_executor const& exec) && {
    auto entries = [&] { // the text is gone before rows are made
        auto const text = std::exchange(text_, {});
        switch (format_) {
        case matrix_format::harwell_boeing:
            return detail::parse_harwell_boeing<T, I>(exec, name_, text.view, progress_);
        case matrix_format::edge_list:
        case matrix_format::smat:
            return detail::parse_edge_list<T, I>(exec, name_, text.view, progress_, format_ == matrix_format::smat);
        case matrix_format::metis:
            return detail::parse_metis<T, I>(exec, name_, text.view, progress_);
        case matrix_format::gap:
        case matrix_format::gap_weighted:
            return detail::parse_gap<T, I>(exec, name_, text.view, format_ == matrix_format::gap_weighted);
        case matrix_format::node_link:
            return detail::parse_node_link<T, I>(exec, name_, text.view);
        default:
            return detail::parse_matrix_market<T, I>(exec, name_, text.view, progress_);
        }
    }();
    return detail::to_rows(exec, name_, std::move(entries));
}

#define COPPICE_READ(T, I) template csr<T, I> matrix_file::read(host_executor const&)&&
COPPICE_PARSER(COPPICE_READ);
#undef COPPICE_READ

} // namespace coppice
