// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Crash safety of outputs: when they reach the disk, and removal of partial files of runs that were killed.
///
/// An output is written into a partial file `.coppice-partial-*` of the same folder and renamed when it is complete.
/// The partial file is locked (flock) by the process that writes it until it is renamed; the kernel releases the lock
/// when the process ends in any way. A partial file that nobody has locked is therefore abandoned. On a file system
/// without locks nothing is removed.
#pragma once

#include <filesystem>
#include <string_view>

namespace coppice::inline v0_1 {

/// Whether committed files are on the disk before they get their name, and their folder before the call returns: fsync
/// before and after the rename. Then a file has its old or its new content after a loss of power, too. Default: true.
/// False saves the wait for the disk, which matters for huge outputs; a file may then be empty or missing after a loss
/// of power, though not after a crash of the process. For the whole process; any thread may call it.
void sync_outputs(bool synced) noexcept;
bool outputs_are_synced() noexcept;

namespace detail {

inline constexpr std::string_view partial_prefix = ".coppice-partial-";

/// Locks a partial file or folder that this process has created. Returns false if another process has removed it in
/// between; then a new one is needed.
bool lock_partial(int descriptor);

/// Removes partial files and folders of this user in `folder` that no process has locked, the first time that this
/// process writes into the folder. Errors are ignored.
void remove_abandoned(std::filesystem::path const& folder) noexcept;

/// fsync of a file or folder. Returns 0, or the reason if data may not be on the disk. Files that cannot be
/// synchronised (pipes, some file systems) are no error.
int sync_to_disk(int descriptor) noexcept;
int sync_folder(std::filesystem::path const& folder) noexcept;

} // namespace detail
} // namespace coppice::inline v0_1
