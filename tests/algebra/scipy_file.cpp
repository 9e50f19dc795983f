// SPDX-License-Identifier: BSD-3-Clause
// Archives of scipy.sparse.save_npz: those of SciPy, variants of zip archives, and malformed ones.
#include <coppice/matrix_file.hpp>

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "support/datasets.hpp"
#include "support/dense_entries.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_archive.hpp"
#include <coppice/core/error.hpp>

#include <doctest/doctest.h>

using namespace coppice;
using test::dense_entries;

namespace {

using members = std::vector<std::pair<std::string, std::string>>;
using test::npy_file;

/// [1 0 2; 0 0 3] in compressed rows.
members rows_of_matrix() {
    return {{"indices.npy", npy_file<std::int32_t>("<i4", "(3,)", {0, 2, 2})},
            {"indptr.npy", npy_file<std::int64_t>("<i8", "(3,)", {0, 2, 3})},
            {"format.npy", npy_file<char>("|S3", "()", {'c', 's', 'r'})},
            {"shape.npy", npy_file<std::int64_t>("<i8", "(2,)", {2, 3})},
            {"data.npy", npy_file<double>("<f8", "(3,)", {1, 2, 3})},
            {"_is_array.npy", npy_file<char>("|b1", "()", {1})}};
}
members with(members all, std::string const& name, std::string const& content) {
    for (auto& [known, bytes] : all)
        if (known == name + ".npy") bytes = content;
    return all;
}
members without(members all, std::string const& name) {
    std::erase_if(all, [&](auto const& m) { return m.first == name + ".npy"; });
    return all;
}

template <class T = double>
std::vector<T> read(std::string const& archive, matrix_read_options const& options = {}) {
    test::temporary_folder const folder;
    return dense_entries(read_matrix<T>(host_executor{1}, folder.file("a.npz", archive), options));
}
std::string fault(std::string const& archive, matrix_read_options const& options = {}) {
    try {
        read(archive, options);
    } catch (format_error const& e) {
        return e.what();
    }
    return "accepted";
}
void refused(members const& all, std::string const& says) {
    for (bool const deflate : {false, true}) {
        auto const message = fault(test::zip_archive(all, {.deflate = deflate}));
        CAPTURE(message);
        CAPTURE(says);
        CHECK(message.find(says) != message.npos);
    }
}

std::vector<double> const entries_of_archive{1, 0, 2, 0, 0, 3};

} // namespace

TEST_CASE("archives that SciPy wrote") {
    auto const tiny = test::source_folder() / "datasets" / "tiny";
    host_executor const exec{1};
    matrix_file csr_file(tiny / "scipy_csr.npz");
    CHECK(csr_file.format() == matrix_format::scipy);
    CHECK(std::string(name_of(csr_file.format())) == "SciPy");
    CHECK_FALSE(csr_file.is_complex());
    auto const read = std::move(csr_file).read_numbered<double>(exec);
    CHECK(read.vertices.base == 0);
    CHECK(dense_entries(read.matrix) == std::vector<double>{1, 0, 2.5, 0, 0, -3});
    CHECK(dense_entries(read_matrix<double>(exec, tiny / "scipy_csc_stored.npz")) ==
          std::vector<double>{1, 0, 2.5, 0, 0, -3});
    matrix_file complex_file(tiny / "scipy_coo_complex.npz");
    CHECK(complex_file.is_complex());
    using number = std::complex<double>;
    CHECK(dense_entries(std::move(complex_file).read<number>(exec)) ==
          std::vector<number>{0, {1, 2}, 0, 0, {3, -4}, 0});
    CHECK_THROWS_AS(read_matrix<double>(exec, tiny / "scipy_coo_complex.npz"), format_error);
}

TEST_CASE("zip archives: stored and deflated, data descriptors, 64-bit sizes, comments") {
    for (bool const deflate : {false, true})
        for (bool const wide : {false, true})
            for (bool const descriptor : {false, true})
                for (auto const* comment : {"", "PK\x05\x06 not the end"})
                    CHECK(read(test::zip_archive(rows_of_matrix(), {deflate, wide, descriptor, comment})) ==
                          entries_of_archive);
    std::u32string const text = U"csr";
    auto const unicode = npy_file<char32_t>("<U3", "()", {text.begin(), text.end()});
    CHECK(read(test::zip_archive(with(rows_of_matrix(), "format", unicode))) == entries_of_archive);
    auto const ones = npy_file<std::int8_t>("|i1", "(3,)", {1, 2, 3});
    CHECK(read<float>(test::zip_archive(with(rows_of_matrix(), "data", ones))) == std::vector<float>{1, 0, 2, 0, 0, 3});
    auto const flags = npy_file<char>("|b1", "(3,)", {1, 1, 0});
    CHECK(read(test::zip_archive(with(rows_of_matrix(), "data", flags))) == std::vector<double>{1, 0, 1, 0, 0, 0});
}

TEST_CASE("matrices of SciPy: malformed arrays are reported with their names") {
    auto const good = rows_of_matrix();
    using longs = std::vector<std::int64_t>;
    auto const changed = [&](std::string const& name, longs const& numbers) {
        return with(good, name, npy_file<std::int64_t>("<i8", "(" + std::to_string(numbers.size()) + ",)", numbers));
    };
    for (std::string const name : {"shape", "data", "indices", "indptr"})
        refused(without(good, name), "a.npz: the archive has no array called " + name);
    refused(without(good, "format"), "not a matrix of scipy.sparse.save_npz");
    refused({}, "not a matrix of scipy.sparse.save_npz");
    refused(with(good, "format", npy_file<char>("|S3", "()", {'b', 's', 'r'})),
            "the format 'bsr', expected csr, csc or");
    refused(with(good, "format", npy_file<double>("<f8", "()", {1})), "a.npz:format.npy: has no text");
    refused(with(good, "format", "csr"), "a.npz:format.npy: not an array of NumPy");
    refused(changed("shape", {2}), "has 1 sizes, expected two");
    refused(changed("shape", {-2, 3}), "a.npz:shape.npy: element 0 is outside 0 to");
    refused(changed("shape", {2, 3000000000}), "too large for a 32-bit index");
    refused(changed("shape", {3, 3}), "indptr.npy: has 3 elements, expected 3 + 1");
    refused(changed("shape", {INT64_MAX, 3}), "too large for a 32-bit index");
    refused(changed("indptr", {1, 2, 3}), "indptr.npy: element 0 is outside 0 to 0");
    refused(changed("indptr", {0, 3, 2}), "indptr.npy: does not end with the number of entries");
    refused(changed("indptr", {0, 4, 3}), "indptr.npy: element 1 is outside 0 to 3");
    refused(changed("indptr", {0, -1, 3}), "indptr.npy: element 1 is outside 0 to 3");
    refused(changed("indices", {0, 2}), "indices.npy: has 2 elements, expected 3, as data");
    refused(changed("indices", {0, 3, 2}), "indices.npy: element 1 is outside 0 to 2; elements count from 0");
    refused(changed("indices", {0, -1, 2}), "indices.npy: element 1 is outside 0 to 2");
    refused(changed("data", {1, 2, (1LL << 53) + 1}), "data.npy: element 2 is 9007199254740993, an integer that");
    refused(with(good, "indices", npy_file<double>("<f8", "(3,)", {0, 2, 2})), "indices.npy: has no integers");
    refused(with(good, "indices", npy_file<std::uint64_t>("<u8", "(3,)", {0, UINT64_MAX, 2})), "element 1 is outside");
    refused(with(good, "data", npy_file<double>("<f8", "(3, 1)", {1, 2, 3})), "data.npy: has 2 dimensions");
    refused(with(good, "data", npy_file<double>(">f8", "(3,)", {1, 2, 3})), "big-endian");
    refused(with(good, "data", npy_file<char>("|S1", "(3,)", {'1', '2', '3'})), "data.npy: has no numbers");
    refused(with(good, "data", npy_file<double>("<f8", "(4,)", {1, 2, 3})), "longer than the file");
    CHECK(read(test::zip_archive(changed("data", {1, 2, (1LL << 53) + 1})),
               {.inexact_integers = inexact_integers::round})[5] == 0x1p53);
    auto coordinates = without(without(good, "indices"), "indptr");
    coordinates = with(coordinates, "format", npy_file<char>("|S3", "()", {'c', 'o', 'o'}));
    coordinates.emplace_back("row.npy", npy_file<std::int32_t>("<i4", "(3,)", {0, 0, 2}));
    coordinates.emplace_back("col.npy", npy_file<std::int32_t>("<i4", "(3,)", {0, 2, 2}));
    refused(coordinates, "row.npy: element 2 is outside 0 to 1");
    refused(with(coordinates, "row", npy_file<std::int32_t>("<i4", "(2,)", {0, 0})), "row.npy: has 2 elements");
}

TEST_CASE("zip archives: every truncation and many changed bytes are errors or the matrix") {
    for (bool const wide : {false, true}) {
        auto const good = test::zip_archive(rows_of_matrix(), {.deflate = true, .wide = wide});
        for (std::size_t length = 4; length < good.size(); ++length) CHECK(fault(good.substr(0, length)) != "accepted");
        for (std::size_t at = 4; at < good.size(); ++at)
            for (char const mask : {'\x01', '\x80', '\x7f'}) {
                auto bytes = good;
                bytes[at] = char(bytes[at] ^ mask);
                auto const message = fault(bytes);
                if (message != "accepted") continue;
                CHECK(read(bytes) == entries_of_archive); // a byte that has no meaning, such as a date
            }
    }
    auto bytes = test::zip_archive(rows_of_matrix(), {});
    auto const damaged = [&](std::size_t at, std::string const& by) {
        return std::string(bytes).replace(at, by.size(), by);
    };
    auto const entry = bytes.find("PK\x01\x02"), end = bytes.rfind("PK\x05\x06");
    auto const says = [](std::string const& archive, std::string const& expected_text) {
        auto const message = fault(archive);
        CAPTURE(message);
        CHECK(message.find(expected_text) != message.npos);
    };
    says(damaged(entry + 8, "\x01"), "'indices.npy' is encrypted");
    says(damaged(entry + 10, "\x0c"), "'indices.npy' has the compression method 12");
    says(damaged(entry + 16, "????"), "a.npz:indices.npy: damaged: the checksum of the content is wrong");
    says(damaged(entry + 24, "\xff\xff"), "'indices.npy' is truncated");
    says(damaged(entry + 42, "\xff\xff\xff"), "'indices.npy' is missing");
    says(damaged(end + 4, "\x01"), "several volumes");
    says(damaged(end + 16, "\xff\xff\xff"), "its directory is outside the file");
    says(damaged(end + 8, "\xff\xff\xff\xff"), "fewer entries than declared");
    auto twice = rows_of_matrix();
    twice.push_back(twice.front());
    says(test::zip_archive(twice), "two members are called 'indices.npy'");

    bytes = test::zip_archive(rows_of_matrix(), {.deflate = true});
    auto const first = bytes.find("PK\x01\x02");
    says(damaged(first + 24, std::string("\0\0\0\x7f", 4)), "more bytes than its compressed data can hold");
    says(damaged(first + 24, "\x01"), "damaged: the compressed data are invalid or have another length");
}

TEST_CASE("decompressed arrays have the limits of other files") {
    std::string const zeros = npy_file<double>("<f8", "(1000000,)", std::vector<double>(1000000));
    auto const archive = test::zip_archive(with(rows_of_matrix(), "data", zeros), {.deflate = true});
    auto const message = fault(archive, {.limits = {.max_expansion = 64, .small_bytes = 1000}});
    CHECK(message.find("data.npy: is more than 64 times as long as its") != message.npos);
    CHECK(fault(archive, {.limits = {.max_bytes = 100000}}).find("raise max_bytes") != message.npos);
    CHECK(fault(archive).find("indices.npy: has 3 elements, expected 1000000") != message.npos);
}
