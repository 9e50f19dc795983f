// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Locations of test files: the project's own under source_folder(), public matrices under datasets_folder().
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>

#ifndef COPPICE_SOURCE_DIR
#error "COPPICE_SOURCE_DIR must name the root of the source tree; coppice_add_tests() defines it"
#endif

namespace coppice::test {

/// Root of the source tree; the project's own small matrices are in source_folder() / "datasets".
inline std::filesystem::path source_folder() { return COPPICE_SOURCE_DIR; }

/// Folder of public matrices (real/, graph/, banded/, rect/ with *.mtx.gz): the environment variable COPPICE_DATASETS,
/// or else `shared/datasets` next to the source tree. Empty if there is none; the caller then reports that it skips.
inline std::optional<std::filesystem::path> datasets_folder() {
    std::error_code ignored;
    if (char const* named = std::getenv("COPPICE_DATASETS"); named && *named) {
        if (std::filesystem::is_directory(named, ignored)) return std::filesystem::path(named);
        return std::nullopt;
    }
    auto const neighbor = source_folder().parent_path() / "shared" / "datasets";
    if (std::filesystem::is_directory(neighbor, ignored)) return neighbor;
    return std::nullopt;
}

/// Reports that a test did not run, and the reason, so that skipped checks are visible.
inline void print_skipped(std::string const& what) { std::cout << "skipped: " << what << std::endl; }

/// A file of datasets_folder(), such as "real/add32.mtx.gz". If it does not exist, reports so and returns nothing:
///   auto const file = dataset("real/add32.mtx.gz"); if (!file) return;
inline std::optional<std::filesystem::path> dataset(std::string const& name) {
    std::error_code ignored;
    if (auto const folder = datasets_folder(); folder && std::filesystem::exists(*folder / name, ignored))
        return *folder / name;
    print_skipped("no dataset " + name + " (set COPPICE_DATASETS to a folder that holds it)");
    return std::nullopt;
}

} // namespace coppice::test
