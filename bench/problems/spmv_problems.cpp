// SPDX-License-Identifier: BSD-3-Clause
#include "bench/problems/spmv_problems.hpp"

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::bench {
namespace {

host_executor const& all_cores() {
    static host_executor const exec;
    return exec;
}

std::uint64_t mix(std::uint64_t x) { return mix_bits(x + golden_ratio); }

/// Rows of the given lengths; the columns of a row are distinct, one at random in each of `length` equal segments.
template <class Length>
csr<float> with_lengths(std::int32_t rows, Length const& length) {
    auto const& exec = all_cores();
    buffer<std::int32_t> offsets(exec, std::int64_t(rows) + 1);
    offsets[0] = 0;
    for (std::int32_t i = 0; i < rows; ++i) offsets[i + 1] = offsets[i] + length(i);
    buffer<std::int32_t> columns(exec, offsets[rows]);
    buffer<float> values(exec, offsets[rows]);
    for_each(exec, rows, [&](std::int64_t i) {
        std::int32_t const begin = offsets[i], end = offsets[i + 1], count = end - begin;
        std::int32_t const segment = count > 0 ? rows / count : 0;
        for (std::int32_t k = begin; k < end; ++k) {
            std::uint64_t const h = mix(std::uint64_t(k));
            columns[k] = (k - begin) * segment + std::int32_t(h % std::uint64_t(segment));
            values[k] = float(h >> 40) * 0x1p-24f + 0.5f;
        }
    });
    return {rows, rows, std::move(offsets), std::move(columns), std::move(values)};
}

/// The 27-point grid with `unknowns` coupled unknowns per node: rows of 27 * `unknowns` entries.
csr<float> block_grid(std::int64_t n, std::int32_t unknowns) {
    auto const grid = laplace27<float>(all_cores(), n, n, n);
    auto const& exec = all_cores();
    std::int32_t const rows = grid.rows() * unknowns;
    buffer<std::int32_t> offsets(exec, std::int64_t(rows) + 1);
    auto const& from = grid.row_offsets();
    for_each(exec, std::int64_t(rows) + 1, [&](std::int64_t i) {
        std::int64_t const node = i / unknowns, u = i % unknowns;
        std::int64_t const whole = std::int64_t(from[node]) * unknowns * unknowns;
        std::int64_t const length = u == 0 ? 0 : std::int64_t(from[node + 1] - from[node]) * unknowns;
        offsets[i] = std::int32_t(whole + u * length);
    });
    buffer<std::int32_t> columns(exec, offsets[rows]);
    buffer<float> values(exec, offsets[rows]);
    for_each(exec, rows, [&](std::int64_t i) {
        std::int64_t const node = i / unknowns;
        std::int32_t k = offsets[i];
        for (std::int32_t g = from[node]; g < from[node + 1]; ++g)
            for (std::int32_t v = 0; v < unknowns; ++v, ++k) {
                columns[k] = grid.column_indices()[g] * unknowns + v;
                values[k] = float(mix(std::uint64_t(k)) >> 40) * 0x1p-24f;
            }
    });
    return {rows, rows, std::move(offsets), std::move(columns), std::move(values)};
}

struct entry {
    char const* name;
    csr<float> (*large)();
    csr<float> (*small)();
};
csr<float> rmat_of(int scale) {
    generator_options o;
    o.scale = scale;
    o.edge_factor = 16;
    o.undirected = false;
    return rmat<float>(all_cores(), o);
}
csr<float> mostly_empty(std::int32_t rows) {
    return with_lengths(rows, [](std::int32_t i) {
        std::uint64_t const h = mix(std::uint64_t(i));
        return h % 8 == 0 ? std::int32_t((h >> 8) % 48) : 0;
    });
}
csr<float> dense_rows(std::int32_t rows) {
    return with_lengths(rows, [rows](std::int32_t i) { return i % (rows / 4) == rows / 8 ? rows / 2 : 3; });
}

constexpr entry entries[] = {
    {"aniso1", [] { return aniso1<float>(all_cores(), 2500, 2500); },
     [] { return aniso1<float>(all_cores(), 1200, 1200); }},
    {"5-point", [] { return laplace2d<float>(all_cores(), 1000, 1000); },
     [] { return laplace2d<float>(all_cores(), 1000, 1000); }},
    {"7-point", [] { return laplace3d<float>(all_cores(), 110, 110, 110); },
     [] { return laplace3d<float>(all_cores(), 110, 110, 110); }},
    {"27-point", [] { return laplace27<float>(all_cores(), 100, 100, 100); },
     [] { return laplace27<float>(all_cores(), 80, 80, 80); }},
    {"27-point, 3 unknowns", [] { return block_grid(80, 3); }, [] { return block_grid(40, 3); }},
    {"R-MAT", [] { return rmat_of(22); }, [] { return rmat_of(20); }},
    {"mostly empty rows", [] { return mostly_empty(1 << 22); }, [] { return mostly_empty(1 << 21); }},
    {"four dense rows", [] { return dense_rows(1 << 21); }, [] { return dense_rows(1 << 20); }},
};

} // namespace

std::vector<std::string> spmv_problem_names(bool, bool quick) {
    if (quick) return {"5-point, small", "R-MAT, small"};
    std::vector<std::string> names;
    for (entry const& e : entries) names.emplace_back(e.name);
    return names;
}

spmv_problem make_spmv_problem(std::string const& name, bool large, bool quick) {
    if (quick) return {name, name[0] == '5' ? laplace2d<float>(all_cores(), 100, 100) : rmat_of(12)};
    for (entry const& e : entries)
        if (name == e.name) return {name, large ? e.large() : e.small()};
    throw argument_error("unknown problem '" + name + "'");
}

} // namespace coppice::bench
