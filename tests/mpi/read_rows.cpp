// SPDX-License-Identifier: BSD-3-Clause
// Files that all ranks read together: the rows of one reader, bit for bit, and its messages.
#include "mpi/both_kinds.hpp"

#include <algorithm>
#include <complex>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <coppice/matrix_file.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

namespace fs = std::filesystem;

/// A file that rank 0 writes and all ranks read.
class shared_file {
public:
    shared_file(rank_communicator const& comm, std::string const& ending, std::string const& text)
        : path_(fs::temp_directory_path() / ("coppice-rows-" + std::to_string(comm.gather(::getpid())[0]) + ending)),
          writes_(comm.rank() == 0) {
        if (writes_) std::ofstream(path_, std::ios::binary) << text;
        comm.barrier();
    }
    ~shared_file() {
        if (writes_) fs::remove(path_);
    }
    fs::path const& path() const { return path_; }

private:
    fs::path path_;
    bool writes_;
};

template <class T>
struct whole_matrix {
    std::vector<std::int32_t> lengths{}, columns{};
    std::vector<T> values{};
    std::int64_t rows = 0, column_count = 0;
    bool operator==(whole_matrix const&) const = default;
};

template <class T>
whole_matrix<T> read_together(host_executor const& exec, rank_communicator const& comm, fs::path const& path,
                              std::int64_t unknowns) {
    auto const own = read_rows<T>(exec, comm, path, {}, unknowns);
    auto const points = own.all_rows / unknowns; // the tests have whole points
    CHECK(own.first == points * comm.rank() / comm.ranks() * unknowns);
    CHECK(own.first + own.rows() == points * (comm.rank() + 1) / comm.ranks() * unknowns);
    std::vector<std::int32_t> lengths;
    for (std::size_t i = 0; i + 1 < own.offsets.size(); ++i) lengths.push_back(own.offsets[i + 1] - own.offsets[i]);
    return {whole(comm, lengths), whole(comm, own.columns), whole(comm, own.values), own.all_rows, own.all_columns};
}

template <class T = double>
void check_file(std::string const& ending, std::string const& text, std::int64_t unknowns = 1) {
    CAPTURE(ending);
    CAPTURE(text.substr(0, 80));
    auto const body = [&](host_executor const& exec, rank_communicator const& comm) {
        shared_file const file(comm, ending, text);
        auto const found = read_together<T>(exec, comm, file.path(), unknowns);
        auto const a = read_matrix<T>(exec, file.path());
        whole_matrix<T> expected;
        for (std::int64_t i = 0; i < a.rows(); ++i)
            expected.lengths.push_back(a.row_offsets()[i + 1] - a.row_offsets()[i]);
        expected.columns.assign(a.column_indices().begin(), a.column_indices().end());
        expected.values.assign(a.values().begin(), a.values().end());
        expected.rows = a.rows();
        expected.column_count = a.columns();
        CHECK(found == expected);
        comm.barrier();
        return found;
    };
    over_processes(body);
    in_process(3, body);
}

std::string message_of(std::string const& text) {
    std::string message;
    fs::path path;
    try {
        processes().run([&](host_executor const& exec, rank_communicator const& comm) {
            shared_file const file(comm, ".mtx", text);
            path = file.path();
            read_rows<double>(exec, comm, file.path());
        });
    } catch (std::exception const& e) {
        message = e.what();
    }
    auto const at = message.find(path.string());
    return at == message.npos ? message : message.substr(at + path.string().size());
}

/// Lines "i j value" of a random pattern with repeated positions; in the lower triangle if `lower`.
std::string entries(int n, int count, bool lower) {
    std::string text;
    unsigned state = 7;
    auto const next = [&](int below) {
        state = state * 1664525 + 1013904223;
        return int((state >> 8) % unsigned(below));
    };
    for (int k = 0; k < count; ++k) {
        int i = next(n), j = next(n);
        if (lower && i < j) std::swap(i, j);
        text += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " + std::to_string(next(1000) - 500) + "." +
                std::to_string(next(1000)) + (k % 5 == 0 ? "  \n%\n" : "\n");
    }
    return text;
}

} // namespace

TEST_CASE("mpi: files that all ranks read have the rows of one reader") {
    std::string const banner = "%%MatrixMarket matrix coordinate real ";
    check_file(".mtx", banner + "general\n% a comment\n50 40 300\n" + entries(40, 300, false));
    check_file(".mtx", banner + "symmetric\n60 60 500\n" + entries(60, 500, true));
    check_file(".mtx", banner + "general\n3 3 1\n2 2 5"); // fewer entries than ranks, no line end
    check_file(".mtx", banner + "general\n5 5 0\n");
    check_file(".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n4 4\n");
    check_file(".mtx", "%%MatrixMarket matrix array real general\n4 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    check_file(".mtx", "%%MatrixMarket matrix array real skew-symmetric\n4 4\n1\n2\n3\n4\n5\n6\n");
    check_file(".el", "0 1\n1 2\n5 3\n2 0\n"); // read by rank 0
}

TEST_CASE("mpi: complex files, and whether they are Hermitian") {
    using number = std::complex<double>;
    std::string const banner = "%%MatrixMarket matrix coordinate complex ";
    std::string const lower = "5 5 4\n1 1 4 0\n2 1 1 2.5\n5 2 0 -1\n4 3 1e-3 7\n";
    for (std::string const kind : {"hermitian", "symmetric", "general", "skew-symmetric"})
        check_file<number>(".mtx", banner + kind + "\n" + (kind[1] == 'k' ? "5 5 1\n3 1 2 1\n" : lower));
    check_file<std::complex<float>>(".mtx", banner + "hermitian\n" + lower);
    check_file<number>(".mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n2 1 5\n3 3 1\n");
    auto const properties = [&](std::string const& ending, std::string const& text) {
        return over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            shared_file const file(comm, ending, text);
            bool const complex = has_complex_rows(comm, file.path());
            bool const hermitian = is_symmetric(exec, comm, read_rows<number>(exec, comm, file.path()));
            comm.barrier();
            return std::vector<int>{complex, hermitian};
        });
    };
    CHECK(properties(".mtx", banner + "hermitian\n" + lower) == std::vector<int>{1, 1});
    CHECK(properties(".mtx", banner + "symmetric\n" + lower) == std::vector<int>{1, 0});
    CHECK(properties(".mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n") ==
          std::vector<int>{0, 1});
    CHECK(properties(".el", "0 1\n1 0\n")[0] == 0);
}

TEST_CASE("mpi: files are read in rows of whole points") {
    std::string const general = "%%MatrixMarket matrix coordinate real general\n";
    check_file(".mtx", general + "51 40 300\n" + entries(40, 300, false), 3);
    check_file(".el", "0 1\n1 2\n5 3\n2 0\n", 2);
    // blocks of gcd(n, unknowns) rows
    auto const body = [](host_executor const& exec, rank_communicator const& comm) {
        shared_file const file(comm, ".mtx", "%%MatrixMarket matrix coordinate real general\n30 30 1\n1 1 1\n");
        auto const own = read_rows<double>(exec, comm, file.path(), {}, 12);
        comm.barrier();
        return offsets_of_ranks(comm, own.rows());
    };
    for (std::int64_t const first : over_processes(body)) CHECK(first % 6 == 0);
    in_process(2, [](host_executor const& exec, rank_communicator const& comm) {
        csr<double> const none;
        CHECK_THROWS_AS(scatter_rows(comm, none, 0), argument_error);
        CHECK_THROWS_AS(read_rows<double>(exec, comm, "a.mtx", {}, -1), argument_error);
        return 0;
    });
}

TEST_CASE("mpi: messages about a file name its line") {
    std::string const banner = "%%MatrixMarket matrix coordinate real general\n";
    std::string lines;
    for (int k = 1; k <= 100; ++k) lines += std::to_string(k) + " 1 2.5\n";
    std::string bad = lines;
    bad.replace(bad.find("90 1 2.5"), 8, "90 1 x.5");
    CHECK(message_of(banner + "100 100 100\n" + bad) == ":92: expected a real value, found 'x.5'");
    // The first wrong line, if other ranks find another one or a wrong number of entries.
    CHECK(message_of(banner + "100 100 99\n" + bad) == ":92: expected a real value, found 'x.5'");
    std::string worse = bad;
    for (char const* const row : {"10 1 2.5", "50 1 2.5", "70 1 2.5", "99 1 2.5"})
        worse.replace(worse.find(row) + 5, 1, "y");
    for (int k = 0; k < 20; ++k)
        CHECK(message_of(banner + "100 100 100\n" + worse) == ":12: expected a real value, found 'y.5'");
    CHECK(message_of(banner + "100 100 99\n" + lines) == ":2: the size line declares 99 entries, and the file has 100");
    CHECK(message_of(banner + "100 100 101\n" + lines) ==
          ":2: the size line declares 101 entries, and the file has 100");
    CHECK(message_of("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n").find("complex values") !=
          std::string::npos);
    CHECK(message_of("").find("the file is empty") != std::string::npos);
    std::string const integers =
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n2 1 9007199254740993\n";
    auto const counted = in_process(2, [&](host_executor const& exec, rank_communicator const& comm) {
        shared_file const file(comm, ".mtx", integers);
        auto const rows = read_rows<double>(exec, comm, file.path(), {.duplicates = duplicates::count});
        auto const ones = std::count(rows.values.begin(), rows.values.end(), 1.0);
        comm.barrier();
        return comm.all_reduce(std::int64_t(ones), plus{});
    });
    CHECK(counted == 2); // values are not used
    CHECK(
        message_of(integers).starts_with(":4: value '9007199254740993' is an integer that double does not represent"));
}
