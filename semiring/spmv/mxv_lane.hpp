// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of mxv: the operations of a masked product over entries at one nonzero and at one row.
///
/// There are two forms. *Plain*, for a full u: products and sums are those of the semiring, and a row has an entry if
/// it has a nonzero. *Guarded*, for u with missing entries: every product carries a flag that marks whether it exists,
/// and the adder propagates the flag.
///
/// Masked-out rows: a launcher that folds row by row calls store.wants(row) and skips them. A launcher that computes
/// products before it has row bounds uses masked_product, which reads nothing for such a row.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/late.hpp>
#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::inline v0_1::detail {

/// ⊗ of a semiring for element `at` of the result and element `inner` of u: multiply(a, u), or multiply(u, a) if the
/// vector is the left operand.
COPPICE_NO_EXEC_CHECK
template <bool VectorFirst, class Semiring, class T, class U>
COPPICE_HD constexpr auto multiply_with_vector(Semiring const& s, T const& a, U const& u, std::int64_t at,
                                               std::int64_t inner) {
    if constexpr (VectorFirst)
        return multiply_at(s, u, a, element_positions{0, inner, inner, at});
    else
        return multiply_at(s, a, u, element_positions{at, inner, inner, 0});
}

/// ⊗ for a matrix element and its column; semirings that take positions also receive the row.
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

/// Whether a product or a sum is absent, present, or belongs to a masked-out row.
enum class entry_state : unsigned char { none, present, masked_out };

template <class T>
struct guarded {
    T value;
    entry_state state;
};

/// Product of a matrix element with u, present if u has an entry in its column.
template <class Product>
struct guarded_product {
    Product product;
    std::int8_t const* present; ///< flags of u; null if u is full
    COPPICE_NO_EXEC_CHECK
    template <class T, class I, class... Row>
    requires std::is_invocable_v<Product const&, T const&, I const&, Row...> COPPICE_HD auto
    operator()(T const& a, I const& column, Row... row) const {
        using value_type = std::invoke_result_t<Product const&, T const&, I const&, Row...>;
        if (present && present[column] == 0) return guarded<value_type>{late<value_type>{}.value, entry_state::none};
        return guarded<value_type>{product(a, column, row...), entry_state::present};
    }
};

/// A guarded value of a masked-out row.
template <class Guarded>
COPPICE_HD Guarded masked_out_value() {
    return {late<decltype(Guarded::value)>{}.value, entry_state::masked_out};
}

/// ⊗ in rows that the mask admits; in other rows neither element nor column is read.
template <class Product, class Mask>
struct masked_product {
    Product product;
    Mask mask;
    COPPICE_NO_EXEC_CHECK
    template <class T, class I>
    COPPICE_HD auto operator()(T const& a, I const& column, std::int64_t row) const {
        if constexpr (std::is_invocable_v<Product const&, T const&, I const&>) {
            using result = std::invoke_result_t<Product const&, T const&, I const&>;
            if (!mask.admits(row)) return masked_out_value<result>();
            return product(a, column);
        } else {
            using result = std::invoke_result_t<Product const&, T const&, I const&, std::int64_t>;
            if (!mask.admits(row)) return masked_out_value<result>();
            return product(a, column, row);
        }
    }
};

/// Adder over guarded values: absent values are skipped, and a masked-out value determines the sum.
///
/// The value of a sum without products is the identity of the monoid, and the first product is added to it like any
/// other. A NaN that min ignores is therefore ignored at any position, and sums are bitwise equal to those of a full u.
template <adder Add>
struct guarded_adder {
    using value_type = accumulator_t<Add>;
    Add add;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD guarded<value_type> identity() const { return {add.identity(), entry_state::none}; }

    COPPICE_NO_EXEC_CHECK
    template <class P>
    COPPICE_HD guarded<value_type> operator()(guarded<value_type> const& a, guarded<P> const& b) const {
        if (a.state == entry_state::masked_out || b.state == entry_state::none) return a;
        if (b.state == entry_state::masked_out) return {a.value, entry_state::masked_out};
        return {accumulate(add, a.value, b.value), entry_state::present};
    }

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto result(guarded<value_type> const& a) const {
        using result_type = result_t<Add>;
        return guarded<result_type>{result_of(add, a.value), a.state};
    }

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool terminal(guarded<value_type> const& a) const {
        return a.state == entry_state::masked_out || (a.state == entry_state::present && is_terminal(add, a.value));
    }
};

/// Admits every row.
struct every_row {
    COPPICE_HD bool admits(std::int64_t) const { return true; }
};

/// Admits a row if the mask has an entry there that is nonzero (with `values`) or of any value (without); `complement`
/// inverts.
template <class M>
struct mask_reader {
    M const* values;            ///< null if only the structure counts
    std::int8_t const* present; ///< null if the mask is full
    bool complement;
    COPPICE_HD bool admits(std::int64_t row) const {
        bool entry = true; // avoids a branch on the mask
        if (present) entry = present[row] != 0;
        if (values) entry = entry & is_nonzero(values[row]);
        return entry != complement;
    }
};

/// Writes one element of w ⊙ t that the mask admits (GraphBLAS C API 2.0, GrB_mxv). Without an accumulator the element
/// becomes that of t; it is deleted if t has no entry.
template <class W, class Accumulator>
struct entry_writer {
    W* values;
    std::int8_t* present; ///< null if w is full; w then stays full
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

/// Stores the sums of the rows that the mask admits. A plain sum is present if its row has a nonzero.
template <class Semiring, class O, class Mask, class Writer>
struct store_entry {
    Semiring s;
    O const* offsets;
    Mask mask;
    Writer write;

    /// For launchers that skip masked-out rows.
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

/// Deletes the entries of masked-out rows (GrB_REPLACE).
template <class Mask>
struct delete_left_out {
    Mask mask;
    std::int8_t* present;
    COPPICE_HD void operator()(std::int64_t row) const {
        present[row] = static_cast<std::int8_t>(present[row] & (mask.admits(row) ? -1 : 0));
    }
};

} // namespace coppice::inline v0_1::detail
