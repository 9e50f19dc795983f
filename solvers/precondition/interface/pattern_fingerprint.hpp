// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Fingerprint of a pattern: its sizes and a hash of all its indices.
#pragma once

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/precondition/interface/matrix_checks.hpp>

namespace coppice::inline v0_1::detail {

/// 32-bit hash of the index at position k, in vectorisable code. Different indices at the same k have different hashes.
template <class I>
struct hash_index {
    I const* indices;
    std::uint32_t salt;
    COPPICE_HD std::uint64_t operator()(std::int64_t k) const {
        std::uint32_t h = std::uint32_t(indices[k]) ^ (std::uint32_t(k) * 0x9e3779b9u + salt);
        h = (h ^ (h >> 16)) * 0x7feb352du; // of the mixer lowbias32 by C. Wellons
        h = (h ^ (h >> 15)) * 0x846ca68bu;
        return h ^ (h >> 16);
    }
};

/// Checks in refresh() that the pattern is unchanged, because new values are read on the old pattern.
class pattern_fingerprint {
public:
    template <executor Executor, class T, class I>
    pattern_fingerprint(Executor const& exec, csr_view<T, I> a) : size_(a), hash_(hash_of(exec, a)) {}

    pattern_size const& size() const { return size_; }
    /// Returns whether the words that queue_hash() has written are those of this pattern.
    COPPICE_HD static bool is_hash(std::uint64_t const* words, std::uint64_t hash) {
        return words[0] + words[1] == hash;
    }
    std::uint64_t hash() const { return hash_; }

    /// Throws dimension_error if the size differs, matrix_error if the pattern differs. Waits.
    template <executor Executor, class T, class I>
    void require_same_pattern(Executor const& exec, csr_view<T, I> a) const {
        size_.require_same(a);
        if (hash_of(exec, a) != hash_) refuse();
    }
    /// Calls require_same_pattern(); also throws matrix_error for values that are not finite.
    template <executor Executor, class T, class I>
    void require_same(Executor const& exec, csr_view<T, I> a) const {
        require_same_pattern(exec, a);
        require_finite(exec, a);
    }
    /// Writes the two words of the hash of a pattern to memory of the executor; does not wait.
    template <executor Executor, class T, class I>
    static void queue_hash(Executor const& exec, csr_view<T, I> a, std::uint64_t* to) {
        reduce_to(exec, std::int64_t(a.rows()) + 1, std::uint64_t(0), hash_index<I>{a.offsets, 1}, plus{}, to);
        reduce_to(exec, std::int64_t(a.nonzeros()), std::uint64_t(0), hash_index<I>{a.indices, 2}, plus{}, to + 1);
    }
    [[noreturn]] static void refuse() {
        throw matrix_error("the matrix to refresh from has another pattern than the one that the preconditioner was "
                           "made of; make a new one");
    }

private:
    template <executor Executor, class T, class I>
    static std::uint64_t hash_of(Executor const& exec, csr_view<T, I> a) {
        if (!a.offsets) return 0;
        return reduce(exec, std::int64_t(a.rows()) + 1, std::uint64_t(0), hash_index<I>{a.offsets, 1}, plus{}) +
               reduce(exec, std::int64_t(a.nonzeros()), std::uint64_t(0), hash_index<I>{a.indices, 2}, plus{});
    }

    pattern_size size_;
    std::uint64_t hash_;
};

} // namespace coppice::inline v0_1::detail
