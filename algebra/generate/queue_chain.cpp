// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/queue_chain.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <coppice/algebra/convert.hpp>
#include <coppice/core/number_text.hpp>

namespace coppice::inline v0_1 {
namespace {

void require_rate(char const* name, double rate, bool zero_too = false) {
    if (!(rate > 0 || (zero_too && rate == 0)) || std::isinf(rate))
        throw argument_error(std::string(name) + " rate of a queue is " + coppice::detail::number_text(rate) +
                             (zero_too ? ", expected a number >= 0" : ", expected a number > 0"));
}
void require_in(char const* name, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high)
        throw argument_error(std::string(name) + " of a queue is " + std::to_string(value) + ", expected " +
                             std::to_string(low) + " to " + std::to_string(high));
}

/// Checks options and replaces defaults.
queue_options checked(queue_options o) {
    constexpr std::int64_t max_entries = INT32_MAX / 5; // maximum number of entries of a column
    require_in("number of servers", o.servers, 1, max_entries);
    require_in("number of places", o.places, 1, max_entries);
    if (o.servers > max_entries / o.places)
        throw overflow_error("a queue of " + std::to_string(o.servers) + " servers and " + std::to_string(o.places) +
                             " places has too many states for 32-bit indices");
    require_in("share of a server", o.share, 1, std::max<std::int64_t>(o.places - 1, 1));
    if (o.upper == 0) o.upper = std::min(o.share + 1, o.places);
    if (o.lower == -1) o.lower = o.share - 1;
    require_in("upper limit", o.upper, 1, o.places);
    require_in("lower limit", o.lower, 0, o.places);
    require_rate("arrival", o.arrival);
    require_rate("service", o.service);
    require_rate("opening", o.opening);
    require_rate("closing", o.closing);
    require_rate("loss", o.loss, true);
    return o;
}

class chain {
public:
    explicit chain(queue_options const& o) : o_(o) {
        if (o.nonzeros == 0) return;
        // `given_` is the number of entries with the opening or the closing rate: o.nonzeros minus all other entries.
        // The others are a tridiagonal block for each level, and one transition in each direction between neighbouring
        // levels.
        gaps_ = o.servers - 1;
        given_ = o.nonzeros - o.servers * (3 * o.places - 2) - 2 * gaps_;
        std::int64_t const max_given = 2 * (o.places - o.share) * gaps_;
        if (given_ < 0 || given_ > max_given)
            throw argument_error("nonzeros of a queue is " + std::to_string(o.nonzeros) + ", expected " +
                                 std::to_string(o.nonzeros - given_) + " to " +
                                 std::to_string(o.nonzeros - given_ + max_given));
    }

    /// Calls emit(from, to, rate) for the transitions from position p of level j, both counted from 0.
    template <class Emit>
    void leave(std::int64_t j, std::int64_t p, Emit const& emit) const {
        std::int64_t const k = o_.places, s = o_.share, from = j * k + p, tasks = s * j + p;
        bool const last = j + 1 == o_.servers;
        if (p + 1 < k) emit(from, from + 1, o_.arrival);
        if (p + 1 == k && !last) emit(from, (j + 1) * k + std::max<std::int64_t>(k - s, 0), o_.arrival);
        double const busy = double(std::min(j + 1, (tasks + s - 1) / s));
        if (p > 0) emit(from, from - 1, o_.service * busy);
        if (p == 0 && j > 0) emit(from, (j - 1) * k + std::min(s, k) - 1, o_.service * busy);
        if (!last && p >= std::max(upper(j), s))
            emit(from, (j + 1) * k + p - s, o_.opening * double(servers_for(p - upper(j))));
        if (j > 0 && p <= std::min(lower(j - 1), k - 1 - s))
            emit(from, (j - 1) * k + p + s, o_.closing * double(servers_for(lower(j - 1) - p)));
    }

private:
    std::int64_t servers_for(std::int64_t beyond) const { return beyond / o_.share + 1; }
    /// Number of openings and closings between levels `gap` and gap + 1.
    std::int64_t migrations(std::int64_t gap) const { return given_ * (gap + 1) / gaps_ - given_ * gap / gaps_; }
    std::int64_t upper(std::int64_t gap) const {
        return o_.nonzeros > 0 ? o_.places - (migrations(gap) + 1) / 2 : o_.upper;
    }
    std::int64_t lower(std::int64_t gap) const { return o_.nonzeros > 0 ? migrations(gap) / 2 - 1 : o_.lower; }

    queue_options o_;
    std::int64_t gaps_ = 0, given_ = 0;
};

} // namespace

std::int64_t queue_states(queue_options const& options) {
    auto const o = checked(options);
    return o.servers * o.places;
}

template <class T>
csr<T> queue_matrix(host_executor const& exec, queue_options const& options) {
    auto const o = checked(options);
    chain const states(o);
    auto const n = static_cast<std::int32_t>(o.servers * o.places);
    coo<T, std::int32_t> entries{n, n};
    auto const add = [&](std::int64_t row, std::int64_t column, double value) {
        entries.add(static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), static_cast<T>(value));
    };
    for (std::int64_t j = 0; j < o.servers; ++j)
        for (std::int64_t p = 0; p < o.places; ++p) {
            double out = o.loss;
            states.leave(j, p, [&](std::int64_t from, std::int64_t to, double rate) {
                add(to, from, -rate);
                out += rate;
            });
            add(j * o.places + p, j * o.places + p, out);
        }
    return to_csr(exec, std::move(entries));
}

template csr<float> queue_matrix<float>(host_executor const&, queue_options const&);
template csr<double> queue_matrix<double>(host_executor const&, queue_options const&);

std::array<cloud_case, 10> const& cloud_cases() {
    // The article does not print the rates. Here half of the servers are busy; with a loss of 1 each, HBISA takes the
    // iterations of Table 3.
    auto const queue = [](std::int64_t servers, std::int64_t places, std::int64_t nonzeros, double loss) {
        double const arrival = 20, service = 2 * arrival / double(servers);
        return queue_options{.servers = servers,
                             .places = places,
                             .arrival = arrival,
                             .service = service,
                             .loss = loss,
                             .nonzeros = nonzeros};
    };
    static std::array<cloud_case, 10> const cases{{
        {"Cloud16-100", 1600, queue(100, 16, 7231, 1.66), 120, 154, 175},
        {"Cloud16-500", 8000, queue(500, 16, 35431, 2.12), 128, 956, 150},
        {"Cloud16-800", 12000, queue(800, 16, 56331, 2.36), 127, 971, 164},
        {"Cloud16-1000", 16000, queue(1000, 16, 70931, 2.49), 125, 959, 157},
        {"Cloud16-2000", 32000, queue(2000, 16, 135931, 2.45), 131, 836, 159},
        {"Cloud32-100", 3200, queue(100, 32, 14196, 1.77), 162, 163, 165},
        {"Cloud32-500", 16000, queue(500, 32, 66196, 1.09), 186, 195, 217},
        {"Cloud32-1000", 32000, queue(1000, 32, 136696, 1.49), 181, -1, 203},
        {"Cloud64-100", 6400, queue(100, 64, 25215, 0.205), 309, 333, 356},
        {"Cloud64-500", 32000, queue(500, 64, 127915, 0.28), 371, 334, 365},
    }};
    return cases;
}

} // namespace coppice::inline v0_1
