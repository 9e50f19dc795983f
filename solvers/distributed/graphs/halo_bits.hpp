// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Exchange of one bit for each element of a halo, for example whether a vertex is in a set: from the owners, or to
/// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <coppice/graph/frontier/frontier.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// Elements [begin[p], begin[p + 1]) for or from each rank p, and their bits in words of 32. The bits for each rank
/// begin with a new word.
struct bits_of_ranks {
    std::int64_t const* begin; ///< [ranks + 1]
    std::int64_t const* words; ///< [ranks + 1] first word of each rank
    int ranks;

    COPPICE_HD int rank_of_element(std::int64_t element) const { return last_up_to(begin, element); }
    COPPICE_HD int rank_of_word(std::int64_t word) const { return last_up_to(words, word); }

private:
    /// The last rank p with offsets[p] <= x.
    COPPICE_HD int last_up_to(std::int64_t const* offsets, std::int64_t x) const {
        return static_cast<int>(coppice::detail::lower_position(offsets, 1, ranks, x + 1)) - 1;
    }
};

/// Packs set(row) of the elements of a word.
template <class Set>
struct pack_sent_word {
    bits_of_ranks sent;
    std::int32_t const* rows; ///< null: the row of element i is i
    Set set;
    std::uint32_t* to;
    COPPICE_HD void operator()(std::int64_t word) const {
        int const p = sent.rank_of_word(word);
        std::int64_t const first = sent.begin[p] + 32 * (word - sent.words[p]), rest = sent.begin[p + 1] - first;
        int const count = rest < 32 ? int(rest) : 32;
        std::uint32_t bits = 0;
        for (int i = 0; i < count; ++i) bits |= std::uint32_t(set(rows ? rows[first + i] : first + i) ? 1 : 0) << i;
        to[word] = bits;
    }
};
/// Calls take(worker, row) for the elements of a received word whose bit is set.
template <class Take>
struct take_received_word {
    bits_of_ranks received;
    std::uint32_t const* from;
    std::int32_t const* rows;
    Take take;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id word) const {
        std::uint32_t bits = from[word];
        if (bits == 0) return;
        int const p = received.rank_of_word(word);
        std::int64_t element = received.begin[p] + 32 * (word - received.words[p]);
        for (; bits != 0; bits >>= 1, ++element)
            if ((bits & 1) != 0) take(worker, rows[element]);
    }
};
/// Moves the received bits of 32 consecutive elements to one word.
struct unpack_word {
    bits_of_ranks received;
    std::uint32_t const* from;
    std::uint32_t* to;
    COPPICE_HD void operator()(std::int64_t word) const {
        std::int64_t const end = received.begin[received.ranks];
        std::int64_t element = 32 * word, last = element + 32 < end ? element + 32 : end;
        std::uint32_t bits = 0;
        for (int p = received.rank_of_element(element); element < last; ++p) {
            std::int64_t const stop = received.begin[p + 1] < last ? received.begin[p + 1] : last;
            for (; element < stop;) { // the bits in one word of rank p
                std::int64_t const position = element - received.begin[p];
                int const shift = int(position & 31),
                          count = int(stop - element < 32 - shift ? stop - element : 32 - shift);
                std::uint32_t const rest = from[received.words[p] + (position >> 5)] >> shift;
                bits |= (count < 32 ? rest & ((std::uint32_t(1) << count) - 1) : rest) << (element & 31);
                element += count;
            }
        }
        to[word] = bits;
    }
};

/// Receives one bit for each element of the halo from its owner, or sends one to it.
template <executor Executor>
class halo_bits {
public:
    /// Not collective.
    halo_bits(Executor const& exec, rank_communicator const& comm, shared_halo_plan<Executor> plan)
        : comm_(comm), plan_(std::move(plan)), send_words_(words_of(plan_->plan.send_begin)),
          receive_words_(words_of(plan_->plan.receive_begin)), offsets_(exec.copy(all_offsets())),
          sent_(exec, send_words_.back()), received_(exec, receive_words_.back()),
          bits_(exec, analytics::words_of_bits(plan_->plan.received())) {}

    /// Fetches set(row) of the owners, a function of their rows. Collective. Waits for other ranks only without NCCL.
    template <class Set>
    void fetch(Executor const& exec, Set const& set) {
        if (!plan_->plan.any) return;
        for_each(exec, sent_.size(), pack_sent_word<Set>{offsets(0), plan_->sent_rows.data(), set, sent_.data()});
        exchange(exec, comm_, send_words_, static_cast<std::uint32_t const*>(sent_.data()), receive_words_,
                 received_.data());
        for_each(exec, bits_.size(), unpack_word{offsets(2), received_.data(), bits_.data()});
    }
    /// The opposite direction: sends set(k) for the elements k of the halo to their owners, which call
    /// take(worker, row) for each bit that is set; several ranks may set that of one row. Collective. Waits as fetch()
    /// does.
    template <class Set, class Take>
    void send(Executor const& exec, Set const& set, Take const& take) {
        if (!plan_->plan.any) return;
        for_each(exec, received_.size(), pack_sent_word<Set>{offsets(2), nullptr, set, received_.data()});
        exchange(exec, comm_, receive_words_, static_cast<std::uint32_t const*>(received_.data()), send_words_,
                 sent_.data());
        auto const words = analytics::placed(exec, analytics::worklist{nullptr, sent_.size(), 0});
        analytics::vertex_map(exec, nullptr, words.data(), analytics::nothing(),
                              take_received_word<Take>{offsets(0), sent_.data(), plan_->sent_rows.data(), take});
    }
    /// The bits of the last fetch(), in the order of the halo.
    analytics::bitmap bits() { return {bits_.data()}; }
    std::int64_t words() const { return bits_.size(); }
    bits_of_ranks received() const { return offsets(2); } ///< the elements of the halo from each rank

private:
    static rank_offsets words_of(rank_offsets const& begin) {
        rank_offsets words{0};
        for (std::size_t p = 1; p < begin.size(); ++p)
            words.push_back(words.back() + analytics::words_of_bits(begin[p] - begin[p - 1]));
        return words;
    }
    /// Offsets of sent elements and words, then of received ones.
    rank_offsets all_offsets() const {
        rank_offsets all;
        for (rank_offsets const* const of :
             {&plan_->plan.send_begin, &send_words_, &plan_->plan.receive_begin, &receive_words_})
            all.insert(all.end(), of->begin(), of->end());
        return all;
    }
    bits_of_ranks offsets(int first) const {
        int const size = comm_.ranks() + 1;
        std::int64_t const* const from = offsets_.data() + first * size;
        return {from, from + size, comm_.ranks()};
    }

    rank_communicator comm_;
    shared_halo_plan<Executor> plan_;
    rank_offsets send_words_, receive_words_;
    buffer<std::int64_t> offsets_;
    buffer<std::uint32_t> sent_, received_, bits_;
};

} // namespace coppice::inline v0_1::distributed
