// SPDX-License-Identifier: BSD-3-Clause
// Partitioning of systems on a GPU: the rule, the records of the user, and their file.
#include <coppice/solvers/direct/tridiagonal/rpts_tuning.hpp>

#include <doctest/doctest.h>

#include <fstream>

#include "support/temporary_folder.hpp"

using namespace coppice;
using namespace coppice::rpts;

namespace {

tridiagonal_tuning_record some_record(std::string device, int rows_class, resident_choice choice) {
    return {std::move(device), 4, rows_class, 0, choice, 7.25};
}

} // namespace

TEST_CASE_TEMPLATE("rpts: the rule plans batches of every size so that the device can run them", T, float, double) {
    // Consumer devices with 100 KiB of shared memory, and devices with 228 KiB and clusters.
    std::vector<device_limits> devices{{132, 8, 233472}, {114, 8, 233472}};
    for (int const multiprocessors : {1, 8, 9, 12, 16, 20, 21, 24, 46, 68, 82, 84, 128, 199})
        devices.push_back({multiprocessors, 1, 102400});
    std::vector<std::int64_t> sizes;
    for (std::int64_t rows = 1; rows < std::int64_t(1) << 34; rows = rows < 40 ? rows + 1 : rows * 9 / 7)
        sizes.push_back(rows);
    for (int k = 6; k < 34; ++k) sizes.push_back((std::int64_t(1) << k) - 1), sizes.push_back(std::int64_t(1) << k);
    for (device_limits const& device : devices)
        for (std::int64_t const rows : sizes)
            for (std::int64_t const systems : {1, 2, 7, 60, 1000, 65535}) {
                auto const choice = choose_without<T>(rows, systems, device);
                CAPTURE(rows);
                CAPTURE(systems);
                CAPTURE(device.multiprocessors);
                REQUIRE(is_possible<T>(choice, rows, systems, device));
                if (choice.tiles) continue;
                auto const plan = plan_resident(rows, systems, choice, device.multiprocessors, device.in_cluster);
                REQUIRE(plan.threads <= resident_threads);
                REQUIRE(std::int64_t(plan.partitions) * plan.partition * plan.slices >= rows);
                REQUIRE(plan.items * (plan.slices > 1 ? 1 : plan.systems_of_block()) >= systems * plan.slices);
                if (plan.cluster) REQUIRE(plan.slices <= device.in_cluster);
            }
    // More systems than the second dimension of a grid allows.
    CHECK(choose_without<T>(32768, 65535, devices[0]).tiles);
    CHECK_FALSE(choose_without<T>(32768, 65536, devices[0]).tiles);
}

TEST_CASE("rpts: no plan whose slices would deadlock") {
    device_limits const device{132, 8, 233472};
    CHECK_FALSE(
        is_possible<float>({16, 64}, 1 << 19, 1, device)); // 512 slices of 62 KiB each: three fit on a multiprocessor
    CHECK(is_possible<float>({16, 64}, 1 << 18, 1, device));
    CHECK_FALSE(is_possible<float>({8, 512}, 1 << 20, 1, device)); // 256 slices, one on a multiprocessor
    CHECK(is_possible<float>({8, 512}, 1 << 19, 1, device));
    CHECK_FALSE(is_possible<double>({16, 64}, 4096, 1, device)); // this M is for float
    CHECK_FALSE(is_possible<double>({}, 4096, 1, device));
    CHECK_FALSE(is_possible<float>({32, 0, true}, 4096, 65536, device));
}

TEST_CASE_TEMPLATE("rpts: small partitions for little work, large ones and tiles for much", T, float, double) {
    constexpr int small = min_resident_partition<T>, large = max_resident_partition<T>;
    for (int const multiprocessors : {16, 84, 132})
        for (std::int64_t const systems : {1, 3, 64, 1000, 40000})
            for (int const in_cluster : {1, 8}) {
                CAPTURE(multiprocessors);
                CAPTURE(systems);
                CAPTURE(in_cluster);
                auto const rule = [&](std::int64_t rows, std::int64_t count) {
                    return choose_by_rule<T>(rows, count, multiprocessors, in_cluster);
                };
                auto const on_chip = std::int64_t(multiprocessors) * resident_rows<T>;
                CHECK(rule(on_chip + 1, systems).tiles);
                CHECK(rule(32768, std::min<std::int64_t>(max_tiled_systems, 8 * on_chip / 32768 + 1)).tiles);
                bool grown = false;
                for (std::int64_t rows = 1; rows <= on_chip; rows = rows * 9 / 8 + 1) {
                    CAPTURE(rows);
                    auto const c = rule(rows, systems);
                    if (c.tiles) continue;
                    REQUIRE((c.partition == small || c.partition == large));
                    // Systems longer than a block of the larger partitions are sliced, short ones never.
                    if (rows <= 256 * small) REQUIRE(c.threads == 0);
                    if (rows > resident_threads * large) REQUIRE(c.threads > 0);
                    // An almost idle device takes small partitions, a full one large ones.
                    if (rows * systems <= 64 * std::int64_t(multiprocessors) * small) REQUIRE(c.partition == small);
                    if (rows * systems > 256 * std::int64_t(multiprocessors) * small) REQUIRE(c.partition == large);
                    // For sliced systems: if large partitions are chosen, they are also chosen for longer systems.
                    if (c.threads > 0) {
                        REQUIRE_FALSE((grown && c.partition == small));
                        grown = c.partition == large;
                    }
                    // If systems are not sliced, a device of twice the size takes twice as many systems in the same
                    // way.
                    if (c.threads == 0)
                        REQUIRE(choose_by_rule<T>(rows, 2 * systems, 2 * multiprocessors, in_cluster) == c);
                }
            }
    // A system fits into one warp with the larger partitions, but not with the smaller ones.
    CHECK(choose_by_rule<T>(warp_lanes * large, 132 * 4, 132, 8) == resident_choice{large, 0});
}

TEST_CASE("rpts: a record of the user precedes the rule if the device can run it") {
    device_limits const device{132, 8, 233472};
    auto const rule = choose_by_rule<float>(3000, 1, 132, 8);
    auto const chosen = [&](resident_choice const& measured, std::int64_t rows = 3000, std::int64_t systems = 1) {
        return tuning_table({some_record("GPU", 12, measured)}, "GPU").choose<float>(rows, systems, device);
    };
    CHECK(chosen({16, 128}) == resident_choice{16, 128});
    CHECK(chosen({32, 0, true}) == resident_choice{32, 0, true});
    CHECK(chosen({4, 128}) == rule);  // this M is for double
    CHECK(chosen({16, 256}) == rule); // one slice of 4096 rows would be the whole system
    CHECK(chosen({16, 128}, 2048) == choose_by_rule<float>(2048, 1, 132, 8));
    CHECK(chosen({16, 128}, 3000, 2) == choose_by_rule<float>(3000, 2, 132, 8));
    CHECK(tuning_table({some_record("other", 12, {16, 128})}, "GPU").choose<float>(3000, 1, device) == rule);
    CHECK(tuning_table().choose<float>(std::int64_t(1) << 40, 1, device).tiles);
}

TEST_CASE("rpts: records in a file coexist with those of products and of other devices") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "deep" / "tuning.txt";
    auto const first = some_record("GPU A", 12, {8, 128}), second = some_record("GPU B", 20, {32, 0, true});
    write_tridiagonal_tuning(file, {"GPU A", {some_record("GPU A", 9, {16, 0})}});
    write_tridiagonal_tuning(file, {"GPU B", {second}});
    std::string const product = "product device=\"GPU A\" of another part";
    std::ofstream(file, std::ios::app) << product << '\n';
    write_tridiagonal_tuning(file, {"GPU A", {first}});
    auto const read = read_tridiagonal_tuning(file);
    REQUIRE(read.size() == 2);
    CHECK(to_line(read[0]) == to_line(second));
    CHECK(to_line(read[1]) == to_line(first));
    CHECK(read[0].choice == second.choice);
    std::ifstream in(file);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    CHECK(text.find(product) != std::string::npos);
    write_tridiagonal_tuning(file, {"GPU B", {}}); // no choice faster than the rule
    CHECK(read_tridiagonal_tuning(file).size() == 1);
}

TEST_CASE("rpts: invalid lines throw with their number") {
    test::temporary_folder const folder;
    auto const file = folder.path() / "tuning.txt";
    std::string const good = to_line(some_record("GPU", 12, {8, 128}));
    struct bad_case {
        std::string from, to, says;
    };
    for (auto const& c :
         {bad_case{"bytes=4", "bytes=5", "bytes is"}, bad_case{"rows=12", "rows=99", "bad value of rows"},
          bad_case{"partition=8", "partition=9", "a partition has"},
          bad_case{"threads=128", "threads=96", "threads is"}, bad_case{"threads=128", "threads=32", "threads is"},
          bad_case{"threads=", "thread=", "expected threads="}, bad_case{"7.25", "fast", "bad value of microseconds"},
          bad_case{"7.25", "7.25 more", "text after"}}) {
        std::string line = good;
        line.replace(line.find(c.from), c.from.size(), c.to);
        CAPTURE(line);
        std::ofstream(file) << "# a comment\ntridiagonal " << good << "\ntridiagonal " << line << "\n";
        try {
            read_tridiagonal_tuning(file);
            FAIL_CHECK("not refused");
        } catch (format_error const& e) {
            CHECK(std::string(e.what()).find(":3: ") != std::string::npos);
            CHECK(std::string(e.what()).find(c.says) != std::string::npos);
        }
    }
    CHECK_THROWS_AS(read_tridiagonal_tuning(folder.path() / "absent"), io_error);
}
