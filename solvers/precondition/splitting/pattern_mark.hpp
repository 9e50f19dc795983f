// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A pattern known by its sizes and a hash of all its entries.
#pragma once

#include <coppice/algebra/random.hpp>
#include <coppice/solvers/precondition/matrix_checks.hpp>

namespace coppice::detail {

template <class I>
struct hash_index {
    I const* indices;
    std::uint64_t salt;
    COPPICE_HD std::uint64_t operator()(std::int64_t k) const {
        return mix_bits(mix_bits(std::uint64_t(k) * golden_ratio + salt) + std::uint64_t(indices[k]));
    }
};

/// For refresh(): new values are read on the old pattern, so that another one has to be refused.
class pattern_mark {
public:
    template <executor Executor, class T, class I>
    pattern_mark(Executor const& exec, csr_view<T, I> a) : size_(a), hash_(hash_of(exec, a)) {}

    /// Throws dimension_error for another size, matrix_error for another pattern and for values that are not finite.
    /// Waits.
    template <executor Executor, class T, class I>
    void require_same(Executor const& exec, csr_view<T, I> a) const {
        size_.require_same(a);
        if (hash_of(exec, a) != hash_)
            throw matrix_error("the matrix to refresh from has another pattern than the one that the preconditioner "
                               "was made of; make a new one");
        require_finite(exec, a);
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

} // namespace coppice::detail
