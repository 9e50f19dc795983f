// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/rpts_tuning.hpp>

#include <bit>
#include <map>
#include <mutex>

#include <coppice/core/error.hpp>
#include <coppice/core/number_text.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::string_view kind = "tridiagonal";

tridiagonal_tuning_record parse_record(detail::tuning_line& in) {
    tridiagonal_tuning_record r;
    r.device = in.value_of("device");
    r.element_bytes = in.number_of("bytes", 4, 8);
    if (r.element_bytes != 4 && r.element_bytes != 8)
        in.fail("bytes is " + std::to_string(r.element_bytes) + ", expected 4 or 8");
    constexpr int largest = rpts::tuning_table::classes - 1;
    r.rows_class = in.number_of("rows", 0, largest);
    r.systems_class = in.number_of("systems", 0, largest);
    r.choice.partition = in.number_of("partition", 1, 64);
    r.choice.tiles = r.choice.partition == rpts::min_partition;
    if (!r.choice.tiles && r.choice.partition * r.element_bytes != 32 && r.choice.partition * r.element_bytes != 64)
        in.fail("a partition has 32 or 64 bytes, or 32 rows");
    r.choice.threads = in.number_of("threads", 0, rpts::resident_threads);
    if (int const t = r.choice.threads; t != 0 && (t < rpts::min_resident_threads || !std::has_single_bit(unsigned(t))))
        in.fail("threads is " + std::to_string(t) + ", expected 0, 64, 128, 256 or 512");
    r.microseconds = in.number_of("microseconds", 0.0, 1e12);
    in.end();
    return r;
}

} // namespace

std::string to_line(tridiagonal_tuning_record const& r) {
    std::string text = "device=\"" + r.device + '"';
    auto const add = [&](char const* name, std::string_view value) {
        text.append(" ").append(name).append("=").append(value);
    };
    add("bytes", std::to_string(r.element_bytes));
    add("rows", std::to_string(r.rows_class));
    add("systems", std::to_string(r.systems_class));
    add("partition", std::to_string(r.choice.partition));
    add("threads", std::to_string(r.choice.threads));
    add("microseconds", detail::fixed_text(r.microseconds, 2));
    return text;
}

std::vector<tridiagonal_tuning_record> read_tridiagonal_tuning(std::filesystem::path const& file) {
    std::vector<tridiagonal_tuning_record> records;
    detail::read_tuning_lines(file, kind, [&](detail::tuning_line& line) { records.push_back(parse_record(line)); });
    return records;
}

void write_tridiagonal_tuning(std::filesystem::path const& file, tridiagonal_tuning const& tuning) {
    std::vector<std::string> lines;
    for (auto const& r : tuning.records) lines.push_back(to_line(r));
    detail::write_tuning_lines(file, kind, {tuning.device}, lines);
}

#if !defined(COPPICE_HAS_CUDA) // rpts_tune.cu measures
// not covered: no executor of this build is of CUDA
tridiagonal_tuning tune_tridiagonal(cuda_executor const&, std::function<void(std::string const&)> const&, double) {
    throw backend_error("this build of Coppice has no CUDA backend");
}
#endif

namespace rpts {

tuning_table::tuning_table(std::vector<tridiagonal_tuning_record> const& records, std::string const& device) {
    for (auto const& r : records)
        if (r.device == device) at(r.element_bytes, r.rows_class, r.systems_class) = r.choice;
}

tuning_table const& tuning_of(cuda_executor const& exec) { // not covered: devices only
    static detail::user_tuning<tridiagonal_tuning_record> const user(read_tridiagonal_tuning);
    static tuning_table const none;
    if (user.records.empty()) return none;
    static std::mutex guard;
    static std::map<int, tuning_table> tables; // by device; never moved
    std::lock_guard const lock(guard);
    auto const found = tables.find(exec.device());
    if (found != tables.end()) return found->second;
    return tables.emplace(exec.device(), tuning_table(user.records, exec.name())).first->second;
}

} // namespace rpts
} // namespace coppice::inline v0_1
