// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>

#include <algorithm>
#include <cmath>

#include <coppice/core/error.hpp>
#include <coppice/core/number_text.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::string_view kind = "product";

// Smallest number of path steps of a block, divided by its threads. With fewer steps, blocks for very short rows would
// have more overhead than work.
constexpr std::int64_t min_steps = 4;
// Largest number of path steps of a block, divided by its threads. A range may have one step more per thread, because
// it is extended to the end of a row.
constexpr std::int64_t max_steps = 10;

tuning_record parse_record(detail::tuning_line& in) {
    tuning_record r;
    r.device = in.value_of("device");
    r.nonzero_bytes = in.number_of("bytes", 1, 1024);
    r.length_class = in.number_of("class", 0, 9);
    r.threads = in.number_of("threads", 64, 256);
    if (r.threads != 64 && r.threads != 128 && r.threads != 256)
        in.fail("threads is " + std::to_string(r.threads) + ", expected 64, 128 or 256");
    r.lanes = in.number_of("lanes", 1, 32);
    r.lane_chunk = in.number_of("stretch", 1, 1024);
    std::string_view const reduction = in.value_of("reduction");
    auto const found = std::find(segmented_reduction_names.begin(), segmented_reduction_names.end(), reduction);
    if (found == segmented_reduction_names.end()) in.fail("unknown reduction '" + std::string(reduction) + "'");
    r.reduction = static_cast<segmented_reduction>(found - segmented_reduction_names.begin());
    r.microseconds = in.number_of("microseconds", 0.0, 1e12);
    in.end();
    return r;
}

detail::user_tuning<tuning_record> const& user_records() { // not covered: devices only
    static detail::user_tuning<tuning_record> const read(read_tuning_file);
    return read;
}

tuning_record const* find_record(std::vector<tuning_record> const& records, std::string const& device, int bytes,
                                 int length_class, int threads) {
    for (auto const& r : records)
        if (r.device == device && r.nonzero_bytes == bytes && r.length_class == length_class && r.threads == threads)
            return &r;
    return nullptr;
}

} // namespace

int row_length_class(double mean) {
    int c = 0;
    for (double limit = 2; c < 9 && mean > limit; limit *= 2) ++c;
    return c;
}

std::string to_line(tuning_record const& r) {
    std::string text = "device=\"" + r.device + '"';
    auto const add = [&](char const* name, std::string_view value) {
        text.append(" ").append(name).append("=").append(value);
    };
    add("bytes", std::to_string(r.nonzero_bytes));
    add("class", std::to_string(r.length_class));
    add("threads", std::to_string(r.threads));
    add("lanes", std::to_string(r.lanes));
    add("stretch", std::to_string(r.lane_chunk));
    add("reduction", segmented_reduction_names[static_cast<std::size_t>(r.reduction)]);
    add("microseconds", detail::fixed_text(r.microseconds, 1));
    return text;
}

std::vector<tuning_record> read_tuning_file(std::filesystem::path const& file) {
    std::vector<tuning_record> records;
    detail::read_tuning_lines(file, kind, [&](detail::tuning_line& line) { records.push_back(parse_record(line)); });
    return records;
}

void write_tuning_file(std::filesystem::path const& file, std::vector<tuning_record> const& records) {
    std::vector<std::string> devices, lines;
    for (auto const& r : records) {
        devices.push_back(r.device);
        lines.push_back(to_line(r));
    }
    detail::write_tuning_lines(file, kind, devices, lines);
}

namespace detail {

std::int64_t steps_for_lanes(int threads, int lanes, double steps_per_row) {
    int const rows = threads / lanes; // at a time
    std::int64_t const work = std::llround(rows * steps_per_row);
    return std::clamp(work, min_steps * threads, max_steps * threads);
}

tuning_choice choose_tuning_from(std::vector<tuning_record> const& user, std::vector<tuning_record> const& shipped,
                                 srcsr_tuning const& requested, std::string const& device, int nonzero_bytes,
                                 std::int64_t rows, std::int64_t nonzeros) {
    double const mean = rows > 0 ? double(nonzeros) / double(rows) : 0;
    tuning_choice c{requested, {}};
    srcsr_tuning& t = c.tuning;
    if (t.threads == 0) t.threads = srcsr_default_threads;
    if (t.threads != 64 && t.threads != 128 && t.threads != 256)
        throw argument_error("blocks of " + std::to_string(t.threads) + " threads: 64, 128 or 256 are possible");
    if (t.work_per_block < 0 || t.work_per_block > max_steps * t.threads)
        throw argument_error("work_per_block is " + std::to_string(t.work_per_block) + ": at most " +
                             std::to_string(max_steps * t.threads) + " for " + std::to_string(t.threads) +
                             " threads, or 0");
    if (t.lane_chunk < 0)
        throw argument_error("lane_chunk is " + std::to_string(t.lane_chunk) + ", expected at least 0");

    int const length_class = row_length_class(mean);
    auto const text =
        std::to_string(nonzero_bytes) + " bytes a nonzero, " + detail::fixed_text(mean, 1) + " nonzeros a row";
    int lanes = 0;
    tuning_record const* record = find_record(user, device, nonzero_bytes, length_class, t.threads);
    char const* from = "the tuning file";
    if (!record) {
        record = find_record(shipped, device, nonzero_bytes, length_class, t.threads);
        from = "the shipped table";
    }
    if (record) {
        lanes = record->lanes;
        if (t.lane_chunk == 0) t.lane_chunk = record->lane_chunk;
        if (requested.reduction == segmented_reduction::warp_transposed) t.reduction = record->reduction;
        c.reason = text + ": measured on " + device + " (" + from + ")";
    } else {
        // Rule: each thread folds one row, or one chunk of a row, if all rows have the mean length. On an H200 with 128
        // threads per block, a product with a nine-point grid took 143 us with 128 rows per block, and 155 to 163 us
        // with 102 or 154 rows.
        lanes = 1;
        auto const rows_of_block = [&] { return t.threads / lanes; };
        while (lanes < 32 && rows_of_block() * (mean + 1) > double(max_steps * t.threads) + 0.5) lanes *= 2;
        c.reason = text + ": by rule, nothing measured for '" + device + "'";
    }
    if (t.lane_chunk == 0) t.lane_chunk = 32;
    if (t.work_per_block == 0) {
        t.work_per_block = steps_for_lanes(t.threads, lanes, mean + 1);
        // Large values: several rounds of rows per block. Irregular patterns with short rows profit from tiles of many
        // products (a matrix of mostly empty rows in double: 206 -> 156 us); other patterns lose at most 2 %.
        if (nonzero_bytes > 8) t.work_per_block *= std::max<std::int64_t>(1, max_steps * t.threads / t.work_per_block);
    }
    if (requested.work_per_block > 0 || requested.lane_chunk > 0) c.reason += "; sizes as requested";
    return c;
}

tuning_choice choose_tuning(srcsr_tuning const& requested, std::string const& device, int nonzero_bytes,
                            std::int64_t rows, std::int64_t nonzeros) {
    auto const& user = user_records();
    tuning_choice c =
        choose_tuning_from(user.records, shipped_tuning(), requested, device, nonzero_bytes, rows, nonzeros);
    if (!user.trouble.empty()) c.reason += "; the tuning file was ignored: " + user.trouble;
    return c;
}

} // namespace detail
} // namespace coppice::inline v0_1
