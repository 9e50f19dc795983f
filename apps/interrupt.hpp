// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Signals that end the program: removal of partial files, and early termination of work by Ctrl-C.
#pragma once

#include <filesystem>
#include <string>

namespace coppice::app {

/// Installs the handling of signals that end the program (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGUSR1
/// and SIGUSR2, if they are neither ignored nor handled): they first remove the folders of make_removable_folder() and
/// then end the program as usual. Call it before the first thread is started, since a separate thread receives the
/// signals and all others block them. If no thread can be started, signals end the program without removing anything.
void handle_interrupts();

/// Creates a folder as mkdtemp() does. A signal removes it with its content until forget_interrupt() is called for it.
/// Returns an empty path, with errno, on failure.
std::filesystem::path make_removable_folder(std::string pattern);
void forget_interrupt(std::filesystem::path const& folder);

/// During its lifetime the first SIGINT does not end the program but requests that the work ends with its current
/// result; the second SIGINT ends the program. At most one object exists at a time.
class interruptible {
public:
    interruptible();
    ~interruptible();
    interruptible(interruptible const&) = delete;
    interruptible& operator=(interruptible const&) = delete;
};

/// Whether a SIGINT has requested the end of the work of a current or earlier `interruptible`.
bool is_interrupted();

} // namespace coppice::app
