// SPDX-License-Identifier: BSD-3-Clause
// Writing of Matrix Market files: the text reads back to the same bits; the file is complete or does not appear.
#include <coppice/matrix_market.hpp>

#include <csignal>
#include <cstring>
#include <limits>
#include <random>

#include <sys/resource.h>

#include "support/datasets.hpp"
#include "support/executors.hpp"
#include "support/matrix_market_reference.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/core/files/file.hpp>

using namespace coppice;
namespace fs = std::filesystem;

namespace {

// Any bits except NaN, whose bits are not written.
template <class T>
T random_value(std::mt19937_64& random) {
    if constexpr (requires { typename T::value_type; }) {
        auto const re = random_value<typename T::value_type>(random);
        return {re, random_value<typename T::value_type>(random)};
    } else {
        for (;;) {
            std::uint64_t const bits = random();
            T value;
            std::memcpy(&value, &bits, sizeof value);
            if (value == value) return value;
        }
    }
}

template <class T, class I>
csr<T, I> random_matrix(I rows, I columns, int entries, unsigned seed) {
    std::mt19937_64 random(seed);
    coo<T, I> a{rows, columns};
    for (int k = 0; k < entries; ++k)
        a.add(static_cast<I>(random() % std::uint64_t(rows)), static_cast<I>(random() % std::uint64_t(columns)),
              random_value<T>(random));
    return to_csr(host_executor{1}, a);
}

template <class T, class I>
void check_round_trip(char const* name) {
    test::temporary_folder const folder;
    for (int entries : {0, 1, 40, 3000}) {
        auto const a = random_matrix<T, I>(I(37), I(1 + entries), entries, unsigned(entries) + 1);
        write_matrix_market(folder.path() / name, a);
        CHECK(test::same_bits(a, read_matrix_market<T, I>(host_executor{2}, folder.path() / name)));
    }
}

std::size_t files_in(fs::path const& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string reason_of(auto const& write) {
    try {
        write();
    } catch (io_error const& e) {
        return e.what();
    }
    return "written";
}

} // namespace

TEST_CASE("matrices of all types read back to the same bits, plain and compressed") {
    check_round_trip<float, std::int32_t>("a.mtx");
    check_round_trip<double, std::int32_t>("a.mtx.gz");
    check_round_trip<std::complex<float>, std::int32_t>("a.mtx");
    check_round_trip<std::complex<double>, std::int32_t>("a.mtx");
    check_round_trip<float, std::int64_t>("a.mtx.gz");
    check_round_trip<double, std::int64_t>("a.mtx");
    check_round_trip<std::complex<float>, std::int64_t>("a.mtx");
    check_round_trip<std::complex<double>, std::int64_t>("a.mtx.gz");
}

TEST_CASE("the written text is exact") {
    test::temporary_folder const folder;
    coo<double> a{3, 4};
    a.add(0, 3, 0.1);
    a.add(2, 0, -1e300);
    a.add(2, 1, 0);
    auto const file = folder.path() / "a.mtx";
    write_matrix_market(file, to_csr(host_executor{1}, a), {.comment = "two\nlines"});
    CHECK(test::read_bytes(file) == "%%MatrixMarket matrix coordinate real general\n% two\n% lines\n3 4 3\n"
                                    "1 4 0.1\n3 1 -1e+300\n3 2 0\n");
    write_vector(file, std::vector<std::complex<float>>{{1, -0.5f}, {0.1f, 3}}, "v");
    CHECK(test::read_bytes(file) == "%%MatrixMarket matrix array complex general\n% v\n2 1\n1 -0.5\n0.1 3\n");
    write_vector(file, std::vector<double>{});
    CHECK(test::read_bytes(file) == "%%MatrixMarket matrix array real general\n0 1\n");
    write_matrix_market(file, csr<double>{});
    CHECK(test::read_bytes(file) == "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
}

TEST_CASE("long files give the same matrix for any number of threads") {
    test::temporary_folder const folder;
    auto const a = random_matrix<double, std::int32_t>(5000, 4000, 300000, 17);
    for (std::string const name : {"a.mtx", "a.mtx.gz"}) {
        write_matrix_market(host_executor{1}, folder.path() / ("one" + name), a);
        write_matrix_market(host_executor{2}, folder.path() / ("two" + name), a);
        auto const bytes = test::read_bytes(folder.path() / ("one" + name));
        CHECK(bytes == test::read_bytes(folder.path() / ("two" + name)));
        CHECK((bytes.substr(0, 2) == "\x1f\x8b") == name.ends_with(".gz"));
        CHECK(test::same_bits(a, read_matrix_market<double>(host_executor{2}, folder.path() / ("one" + name))));
    }
    CHECK(test::inflate_file(folder.path() / "onea.mtx.gz") == test::read_bytes(folder.path() / "onea.mtx"));
}

TEST_CASE("vectors read back to the same bits") {
    test::temporary_folder const folder;
    std::mt19937_64 random(4);
    std::vector<double> x(200001);
    for (double& v : x) v = random_value<double>(random);
    for (auto const* name : {"x.mtx", "x.mtx.gz"}) {
        write_vector(folder.path() / name, x);
        auto const back = read_vector<double>(host_executor{2}, folder.path() / name);
        REQUIRE(back.size() == x.size());
        CHECK(std::memcmp(back.data(), x.data(), x.size() * sizeof(double)) == 0);
    }
    host_executor const exec{1};
    auto y = exec.copy(std::vector<float>{1, 2});
    write_vector(folder.path() / "y.mtx", y);
    CHECK(read_vector<float>(exec, folder.path() / "y.mtx") == std::vector<float>{1, 2});
    write_vector(folder.path() / "y.mtx", y.view());
    CHECK(read_vector<float>(exec, folder.path() / "y.mtx") == std::vector<float>{1, 2});
}

TEST_CASE("symmetric kinds are written as their lower triangle") {
    test::temporary_folder const folder;
    auto const tiny = test::source_folder() / "datasets" / "tiny";
    host_executor const exec{2};
    using c = std::complex<double>;
    for (auto const* name :
         {"coordinate_real_symmetric.mtx", "coordinate_real_skew.mtx", "coordinate_complex_hermitian.mtx",
          "coordinate_complex_skew.mtx", "coordinate_complex_symmetric.mtx", "array_complex_hermitian.mtx"}) {
        CAPTURE(name);
        auto const h = read_matrix_market_header(tiny / name);
        auto const a = read_matrix_market<c>(exec, tiny / name);
        auto const file = folder.path() / "a.mtx";
        write_matrix_market(file, a, {.symmetry = h.symmetry});
        CHECK(read_matrix_market_header(file).symmetry == h.symmetry);
        CHECK(read_matrix_market_header(file).stored == h.stored);
        CHECK(test::same_bits(a, read_matrix_market<c>(exec, file)));
    }
}

TEST_CASE("a matrix that contradicts its symmetry is rejected, and nothing is written") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "a.mtx";
    auto const message_of = [&](coo<double> const& a, matrix_market_symmetry symmetry) -> std::string {
        try {
            write_matrix_market(file, to_csr(host_executor{1}, a), {.symmetry = symmetry});
        } catch (argument_error const& e) {
            CHECK(files_in(folder.path()) == 0);
            return e.what();
        }
        return "written";
    };
    using enum matrix_market_symmetry;
    coo<double> a{3, 3, {0, 1, 2, 1, 2}, {0, 1, 1, 2, 2}, {1, 2, 3, 4, 5}};
    CHECK(message_of(a, symmetric) == "the matrix is not symmetric: row 1 differs");
    a.values[3] = 3;
    CHECK(message_of(a, hermitian) == "a real matrix cannot be written as hermitian; write it as symmetric");
    CHECK(message_of(a, skew_symmetric) == "the matrix is not skew-symmetric: row 0 differs");
    CHECK(message_of({2, 3}, symmetric) == "a matrix of 2 x 3 cannot be written as symmetric");
    CHECK(message_of({2, 2, {0}, {1}, {1}}, symmetric) == "the matrix is not symmetric: row 0 differs");
    CHECK(message_of({2, 2, {1}, {1}, {0}}, skew_symmetric) == "the matrix is not skew-symmetric: row 1 differs");
    CHECK(message_of(a, symmetric) == "written");
}

TEST_CASE("paths that cannot be written") {
    test::temporary_folder const folder;
    std::vector<double> const x{1, 2, 3};
    auto const nowhere = folder.path() / "no" / "such" / "x.mtx";
    CHECK(reason_of([&] { write_vector(nowhere, x); }) ==
          "cannot write " + nowhere.string() + ": No such file or directory");
    CHECK(reason_of([&] { write_vector(folder.path(), x); }) ==
          "cannot write " + folder.path().string() + ": Is a directory");
    CHECK(reason_of([&] { write_vector(folder.file("plain", "") / "x.mtx", x); }).find("Not a directory") !=
          std::string::npos);
    auto const guarded = folder.file("guarded.mtx", "old");
    fs::permissions(guarded, fs::perms::owner_read);
    if (::geteuid() == 0)
        test::print_skipped("a file that may not be written: the superuser writes it all the same");
    else
        CHECK(reason_of([&] { write_vector(guarded, x); }).find("Permission denied") != std::string::npos);
    if (fs::exists("/dev/full"))
        CHECK(reason_of([&] { write_vector("/dev/full", x); }) == "cannot write /dev/full: No space left on device");
}

TEST_CASE("a write that fails keeps the older file and leaves nothing else") {
    test::temporary_folder const folder;
    auto const file = folder.file("x.mtx", "old content");
    std::vector<double> const x(100000, 1.25);
    rlimit old_limit{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
    auto const old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit const small{65536, old_limit.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    std::string const reason = reason_of([&] { write_vector(file, x); });
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);
    CHECK(reason == "cannot write " + file.string() + ": File too large");
    CHECK(test::read_bytes(file) == "old content");
    CHECK(files_in(folder.path()) == 1);

    {
        atomic_file dropped(file);
        dropped.write("new");
        CHECK(files_in(folder.path()) == 2);
    }
    CHECK(test::read_bytes(file) == "old content");
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("partial files of a killed run block nobody and are removed") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "x.mtx";
    auto const prefix = ".coppice-partial-" + std::to_string(::getpid()) + "-";
    for (int serial = 0; serial < 1000; ++serial) folder.file(prefix + std::to_string(serial), "left behind");
    fs::create_directory(folder.path() / ".coppice-partial-folder");
    folder.file(".coppice-partial-folder/x.mtx", "left behind");
    folder.file(".coppice-other", "not a partial file");
    write_vector(file, std::vector<double>{7});
    CHECK(test::read_bytes(file).find("\n7\n") != std::string::npos);
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("an older file is replaced; symbolic links and permissions are kept") {
    test::temporary_folder const folder;
    auto const file = folder.file("x.mtx", "a much longer old content than the new one will ever be, ever, ever, ever");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    auto const symbolic = folder.path() / "link.mtx";
    fs::create_symlink(file, symbolic);
    write_vector(symbolic, std::vector<double>{7});
    CHECK(fs::is_symlink(symbolic));
    CHECK(read_vector<double>(host_executor{1}, file) == std::vector<double>{7});
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("not-a-number is written without a sign") {
    test::temporary_folder const folder;
    double const nan = std::numeric_limits<double>::quiet_NaN();
    write_vector(folder.path() / "x.mtx", std::vector<double>{nan, -nan, -std::numeric_limits<double>::infinity()});
    CHECK(test::read_bytes(folder.path() / "x.mtx") ==
          "%%MatrixMarket matrix array real general\n3 1\nnan\nnan\n-inf\n");
}
