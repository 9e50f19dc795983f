// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of mxv: what a masked product over entries does at one nonzero and at one row.
///
/// Two forms. *Plain*, for a full u: products and sums are those of the semiring, and a row has an entry where it has a
/// nonzero. *Guarded*, for u with missing entries: every product says whether there is one, and the adder is lifted to
/// carry that along.
///
/// Rows that a mask leaves out: a launcher that folds row by row asks store.wants(row) and does not begin them. One
/// that stages products before it sees rows is given masked_product, which reads nothing for such a row.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::detail {

/// ⊗ of a semiring for element `at` of the result and element `inner` of u: multiply(a, u) or, where the vector stands
/// on the left, multiply(u, a).
COPPICE_NO_EXEC_CHECK
template <bool VectorFirst, class Semiring, class T, class U>
COPPICE_HD constexpr auto multiply_with_vector(Semiring const& s, T const& a, U const& u, std::int64_t at,
                                               std::int64_t inner) {
    if constexpr (VectorFirst)
        return multiply_at(s, u, a, meeting{0, inner, inner, at});
    else
        return multiply_at(s, a, u, meeting{at, inner, inner, 0});
}

/// The same for a matrix element and its column; semirings that ask for positions are given the row as well.
template <bool VectorFirst, class Semiring, class U>
struct product_with {
    Semiring s;
    U const* COPPICE_RESTRICT u;
    COPPICE_NO_EXEC_CHECK
    template <class T, class I>
    COPPICE_HD auto operator()(T const& a, I const& column) const requires(!is_positional_v<Semiring>) {
        return multiply_with_vector<VectorFirst>(s, a, u[column], 0, column);
    }
    COPPICE_NO_EXEC_CHECK
    template <class T, class I>
    COPPICE_HD auto operator()(T const& a, I const& column, std::int64_t row) const requires is_positional_v<Semiring> {
        return multiply_with_vector<VectorFirst>(s, a, u[column], row, column);
    }
};

/// Whether a product or a sum is there, or belongs to a row that nobody wants.
enum class entry_state : unsigned char { none, present, unwanted };

template <class T>
struct guarded {
    T value;
    entry_state state;
};

/// The product of a matrix element, where u has an entry in its column.
template <class Product>
struct guarded_product {
    Product product;
    std::int8_t const* present; ///< of u; null where u is full
    COPPICE_NO_EXEC_CHECK
    template <class T, class I, class... Row>
    requires std::is_invocable_v<Product const&, T const&, I const&, Row...> COPPICE_HD auto
    operator()(T const& a, I const& column, Row... row) const {
        using value_type = std::invoke_result_t<Product const&, T const&, I const&, Row...>;
        if (present && present[column] == 0) return guarded<value_type>{value_type{}, entry_state::none};
        return guarded<value_type>{product(a, column, row...), entry_state::present};
    }
};

/// The same, in rows that the mask admits; neither element nor column are read for the others.
template <class Product, class Mask>
struct masked_product {
    Product product;
    Mask mask;
    COPPICE_NO_EXEC_CHECK
    template <class T, class I>
    COPPICE_HD auto operator()(T const& a, I const& column, std::int64_t row) const {
        if constexpr (std::is_invocable_v<Product const&, T const&, I const&>) {
            using result = std::invoke_result_t<Product const&, T const&, I const&>;
            if (!mask.admits(row)) return result{{}, entry_state::unwanted};
            return product(a, column);
        } else {
            using result = std::invoke_result_t<Product const&, T const&, I const&, std::int64_t>;
            if (!mask.admits(row)) return result{{}, entry_state::unwanted};
            return product(a, column, row);
        }
    }
};

/// An adder over guarded values: absent ones do not take part, and an unwanted one decides the sum.
///
/// The value of a sum without a product is the identity of the monoid, and what comes first joins it as anything later
/// does. So a NaN that min ignores is ignored at every place, and sums have the bits that those of a full u have.
template <adder Add>
struct guarded_adder {
    using value_type = accumulator_t<Add>;
    Add add;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD guarded<value_type> identity() const { return {add.identity(), entry_state::none}; }

    COPPICE_NO_EXEC_CHECK
    template <class P>
    COPPICE_HD guarded<value_type> operator()(guarded<value_type> const& a, guarded<P> const& b) const {
        if (a.state == entry_state::unwanted || b.state == entry_state::none) return a;
        if (b.state == entry_state::unwanted) return {a.value, entry_state::unwanted};
        return {accumulate(add, a.value, b.value), entry_state::present};
    }

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto result(guarded<value_type> const& a) const {
        using result_type = result_t<Add>;
        return guarded<result_type>{result_of(add, a.value), a.state};
    }

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool terminal(guarded<value_type> const& a) const {
        return a.state == entry_state::unwanted || (a.state == entry_state::present && is_terminal(add, a.value));
    }
};

/// Every row is wanted.
struct every_row {
    COPPICE_HD bool admits(std::int64_t) const { return true; }
};

/// A row is wanted where the mask has an entry, and, where values count, one that is not zero; or the other way round.
template <class M>
struct mask_reader {
    M const* values;            ///< null where only the structure counts
    std::int8_t const* present; ///< null where the mask is full
    bool complement;
    COPPICE_HD bool admits(std::int64_t row) const {
        bool entry = true; // no branch on what the mask holds
        if (present) entry = present[row] != 0;
        if (values) entry = entry & (values[row] != M(0));
        return entry != complement;
    }
};

/// One element of w ⊙ t that the mask admits (GraphBLAS C API 2.0, GrB_mxv): without an accumulator it becomes what t
/// has there, also nothing.
template <class W, class Accumulator>
struct entry_writer {
    W* values;
    std::int8_t* present; ///< null where w is full, and then stays so
    Accumulator accumulate;

    COPPICE_NO_EXEC_CHECK
    template <class T>
    COPPICE_HD void operator()(std::int64_t i, bool has_result, T const& t) const {
        if constexpr (std::is_same_v<Accumulator, no_accumulator>) {
            if (has_result) values[i] = static_cast<W>(t);
            if (present) present[i] = has_result ? 1 : 0;
        } else if (has_result) {
            bool const is_new = present && present[i] == 0;
            values[i] = is_new ? static_cast<W>(t) : static_cast<W>(apply(accumulate, values[i], t, i));
            if (present) present[i] = 1;
        }
    }
};

/// Stores the sums of the rows that the mask admits. A plain sum is there where its row has a nonzero.
template <class Semiring, class O, class Mask, class Writer>
struct store_entry {
    Semiring s;
    O const* offsets;
    Mask mask;
    Writer write;

    /// For launchers that leave out rows that nobody wants.
    COPPICE_HD bool wants(std::int64_t row) const requires(!std::is_same_v<Mask, every_row>) {
        return mask.admits(row);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Sum>
    COPPICE_HD void operator()(std::int64_t row, Sum const& sum) const {
        if (mask.admits(row)) write(row, offsets[row] < offsets[row + 1], s.result(sum));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Sum>
    COPPICE_HD void operator()(std::int64_t row, guarded<Sum> const& sum) const {
        if (mask.admits(row)) write(row, sum.state == entry_state::present, s.result(sum.value));
    }
};

/// Deletes the entries that the mask leaves out (GrB_REPLACE).
template <class Mask>
struct delete_left_out {
    Mask mask;
    std::int8_t* present;
    COPPICE_HD void operator()(std::int64_t row) const {
        present[row] = static_cast<std::int8_t>(present[row] & (mask.admits(row) ? -1 : 0));
    }
};

} // namespace coppice::detail
