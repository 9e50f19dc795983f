// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error of a refresh over several ranks, which all ranks throw before any change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/core/rank_communicator.hpp>

namespace coppice::inline v0_1 {

/// A matrix that a preconditioner of several ranks cannot be refreshed from; thrown on all ranks, with the message of
/// the first rank that refused.
class refused_refresh : public matrix_error {
public:
    using matrix_error::matrix_error;
};

namespace distributed {

/// Throws refused_refresh with the same message on all ranks if check() throws matrix_error or dimension_error on any.
/// Other errors are those of one rank; the others throw here too, because they wait for it. Collective.
template <class Check>
void refuse_on_all_ranks(rank_communicator const& messages, Check const& check) {
    std::vector<char> why;
    auto const keep = [&](error const& e) {
        std::string const text = e.what();
        why.assign(text.begin(), text.end());
    };
    try {
        check();
    } catch (matrix_error const& e) {
        keep(e);
    } catch (dimension_error const& e) {
        keep(e);
    }
    auto const of_ranks = messages.gather(why);
    for (std::size_t p = 0; p < of_ranks.size(); ++p)
        if (!of_ranks[p].empty())
            throw refused_refresh("rank " + std::to_string(p) + ": " +
                                  std::string(of_ranks[p].begin(), of_ranks[p].end()));
}

} // namespace distributed
} // namespace coppice::inline v0_1
