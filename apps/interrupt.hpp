// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a signal that ends the program must leave in order: no partial files; and work that Ctrl-C ends early.
#pragma once

#include <filesystem>
#include <string>

namespace coppice::app {

/// From here on signals that end the program (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGUSR1 and SIGUSR2,
/// if they are neither ignored nor handled) first remove the folders of make_removable_folder(), then end it as they
/// always do. Call it before the first thread is started: the signals are taken by a separate thread, all others leave
/// them alone. If no thread can be started, signals end the program without removing anything.
void handle_interrupts();

/// Makes a folder as mkdtemp() does; a signal removes it and all that is in it, from the moment in which it is there
/// until forget_interrupt() is called for it. An empty path, and errno, where it cannot be made.
std::filesystem::path make_removable_folder(std::string pattern);
void forget_interrupt(std::filesystem::path const& folder);

/// While it lives, the first SIGINT does not end the program but asks the work to come to an end with what it has; the
/// second one ends the program. One at a time.
class interruptible {
public:
    interruptible();
    ~interruptible();
    interruptible(interruptible const&) = delete;
    interruptible& operator=(interruptible const&) = delete;
};

/// Has a SIGINT asked the work of an interruptible, of this moment or an earlier one, to end?
bool is_interrupted();

} // namespace coppice::app
