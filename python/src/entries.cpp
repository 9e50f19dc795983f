// SPDX-License-Identifier: BSD-3-Clause
// Values of bool, integers and complex numbers on the host: operators on arrays, reductions of rows, and products. The
// operations of sparse.cpp, on the numbers of entries instead of values, determine which entries are combined, so that
// they are not compiled for these types. This file is compiled with -fwrapv: arithmetic of integers wraps.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <coppice/core/parallel.hpp>

#include "complex_operators.hpp"
#include "components.hpp"
#include "matrix.hpp"

namespace coppice::python {
namespace {

template <class Body>
auto with_integer_or_complex(input_array const& a, Body const& body) {
    if (holds<bool>(a)) return body(std::type_identity<bool>{});
    if (holds<std::int8_t>(a)) return body(std::type_identity<std::int8_t>{});
    if (holds<std::int16_t>(a)) return body(std::type_identity<std::int16_t>{});
    if (holds<std::int32_t>(a)) return body(std::type_identity<std::int32_t>{});
    if (holds<std::int64_t>(a)) return body(std::type_identity<std::int64_t>{});
    if (holds<std::uint8_t>(a)) return body(std::type_identity<std::uint8_t>{});
    if (holds<std::uint16_t>(a)) return body(std::type_identity<std::uint16_t>{});
    if (holds<std::uint32_t>(a)) return body(std::type_identity<std::uint32_t>{});
    if (holds<std::uint64_t>(a)) return body(std::type_identity<std::uint64_t>{});
    if (holds<std::complex<float>>(a)) return body(std::type_identity<std::complex<float>>{});
    if (holds<std::complex<double>>(a)) return body(std::type_identity<std::complex<double>>{});
    throw argument_error("the type of the values is none of bool, integers and complex numbers");
}

/// The memory of an array of `size` elements of type T.
template <class T, class Array>
auto memory_of(Array const& a, char const* name, std::int64_t size) {
    require_type<T>(a, name, "that of the other values");
    require_size(name, std::int64_t(a.size()), size);
    return elements<T>(a).data();
}
/// An operand with an element for each result, or one for all.
template <class T>
struct operand {
    operand(input_array const& a, char const* name, std::int64_t size)
        : values(memory_of<T>(a, name, a.size() == 1 ? 1 : size)), stride(a.size() == 1 ? 0 : 1) {}
    T operator[](std::int64_t k) const { return values[k * stride]; }
    T const* values;
    std::int64_t stride;
};

/// z_k = op(x_k, y_k)
void combine_values(chosen_operator const& op, input_array const& x, input_array const& y, output_array const& z) {
    with_integer_or_complex(x, [&]<class T>(std::type_identity<T>) {
        auto const size = std::int64_t(z.size());
        operand<T> const left(x, "x", size), right(y, "y", size);
        T* const result = memory_of<T>(z, "z", size);
        unlocked const released;
        host_executor const exec = current_executor();
        auto const call = binary_of<T>(exec, op);
        for_each(exec, size, [=](std::int64_t k) { result[k] = call(left[k], right[k]); });
    });
}

/// Values of the union or intersection of two objects with values x and y: z_k = op(x_i, y_j). `first` holds the
/// numbers i and `second` the numbers j of the sources of each entry, from 1 on, 0: none; without `second`, `first`
/// holds i + 2^bits j. A value without a partner is the result, or is combined with that of `missing`, which has one
/// for x and one for y.
void merge_values(chosen_operator const& op, input_array const& first, std::optional<input_array> const& second,
                  int bits, input_array const& x, input_array const& y, std::optional<input_array> const& missing,
                  output_array const& z) {
    with_integer_or_complex(x, [&]<class T>(std::type_identity<T>) {
        auto const size = std::int64_t(z.size());
        double const* const one = memory_of<double>(first, "the sources", size);
        double const* const other = second ? memory_of<double>(*second, "the sources", size) : nullptr;
        T const* const left = memory_of<T>(x, "x", std::int64_t(x.size()));
        T const* const right = memory_of<T>(y, "y", std::int64_t(y.size()));
        T const* const absent = missing ? memory_of<T>(*missing, "the missing values", 2) : nullptr;
        T* const result = memory_of<T>(z, "z", size);
        unlocked const released;
        host_executor const exec = current_executor();
        for_each(exec, size, [=, call = binary_of<T>(exec, op)](std::int64_t k) {
            auto const number = static_cast<std::int64_t>(one[k]);
            std::int64_t const i = other ? number : number & ((std::int64_t(1) << bits) - 1);
            std::int64_t const j = other ? static_cast<std::int64_t>(other[k]) : number >> bits;
            if (!absent && (i == 0 || j == 0))
                result[k] = i == 0 ? right[j - 1] : left[i - 1];
            else
                result[k] = call(i == 0 ? absent[0] : left[i - 1], j == 0 ? absent[1] : right[j - 1]);
        });
    });
}

/// z = f of every entry
void map_entries(chosen_operator const& f, csr_matrix const& a, output_array const& z) {
    with_integer_or_complex(a.values, [&]<class T>(std::type_identity<T>) {
        T* const result = memory_of<T>(z, "z", std::int64_t(a.values.size()));
        unlocked const released;
        host_executor const exec = current_executor();
        auto const call = function_of<detail::map_table<T>, T>(exec, f, 0.0);
        for_each(exec, a.rows, [=, m = a.view<T>()](std::int64_t row) {
            for (std::int32_t k = m.row_offsets()[row]; k < m.row_offsets()[row + 1]; ++k)
                result[k] = call(m.values()[k], row, m.column_indices()[k]);
        });
    });
}

/// z_i = reduction of row i in its order, `identity` for an empty row
void fold_entries(chosen_operator const& add, input_array const& identity, csr_matrix const& a, output_array const& z) {
    with_integer_or_complex(a.values, [&]<class T>(std::type_identity<T>) {
        T const empty = *memory_of<T>(identity, "the identity", 1);
        T* const result = memory_of<T>(z, "z", a.rows);
        unlocked const released;
        host_executor const exec = current_executor();
        auto const call = binary_of<T>(exec, add);
        for_each(exec, a.rows, [=, m = a.view<T>()](std::int64_t row) {
            std::int32_t k = m.row_offsets()[row];
            std::int32_t const end = m.row_offsets()[row + 1];
            T sum = k < end ? m.values()[k++] : empty;
            for (; k < end; ++k) sum = call(sum, m.values()[k]);
            result[row] = sum;
        });
    });
}

/// Addition and multiplication by name, or as functions of Numba.
struct chosen_product {
    chosen_operator add, multiply;

    bool are(char const* sum, char const* product) const {
        auto const *const a = std::get_if<std::string>(&add), *const m = std::get_if<std::string>(&multiply);
        return a && m && *a == sum && *m == product;
    }
    /// Calls body(add, multiply) with inlined operators for frequent semirings, with pointers to functions for others.
    template <class T, class Body>
    void with(host_executor const& exec, Body const& body) const {
        if (are("plus", "times")) return body(op::plus<T>{}, op::times<T>{});
        if (are("lor", "land")) return body(op::logical_or<T>{}, op::logical_and<T>{});
        if constexpr (!complex_number<T>) {
            if (are("min", "plus")) return body(op::min<T>{}, op::plus<T>{});
            if (are("max", "plus")) return body(op::max<T>{}, op::plus<T>{});
        }
        body(binary_of<T>(exec, add), binary_of<T>(exec, multiply));
    }
};

/// y = A x; y_i is `identity` for an empty row.
void multiply_vector(chosen_operator const& add, chosen_operator const& op, input_array const& identity,
                     csr_matrix const& a, input_array const& x, output_array const& y) {
    with_integer_or_complex(a.values, [&]<class T>(std::type_identity<T>) {
        T const empty = *memory_of<T>(identity, "the identity", 1);
        T const* const in = memory_of<T>(x, "x", a.columns);
        T* const out = memory_of<T>(y, "y", a.rows);
        unlocked const released;
        host_executor const exec = current_executor();
        chosen_product{add, op}.with<T>(exec, [&](auto const& plus, auto const& times) {
            for_each(exec, a.rows, [=, m = a.view<T>()](std::int64_t row) {
                auto const product = [&](std::int32_t k) -> T {
                    return times(m.values()[k], in[m.column_indices()[k]]);
                };
                std::int32_t k = m.row_offsets()[row];
                std::int32_t const end = m.row_offsets()[row + 1];
                T sum = k < end ? product(k++) : empty;
                for (; k < end; ++k) sum = plus(sum, product(k));
                out[row] = sum;
            });
        });
    });
}

/// Rows of a product A B at the positions of `offsets` and `indices`; each position has at least one product.
template <class T, class Add, class Multiply>
struct product_rows {
    csr_view<T> a, b;
    std::int32_t const* offsets;
    std::int32_t const* indices;
    T* values;
    Add add;
    Multiply multiply;

    void operator()(std::int64_t first, std::int64_t last) const {
        // Position p of a column of this row: p + 1, and -(p + 1) before its first product.
        std::vector<std::int32_t> positions(static_cast<std::size_t>(b.columns()));
        for (std::int64_t row = first; row < last; ++row) {
            for (std::int32_t p = offsets[row]; p < offsets[row + 1]; ++p)
                positions[std::size_t(indices[p])] = -(p + 1);
            for (std::int32_t k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k)
                add_row(row, a.values()[k], a.column_indices()[k], positions);
        }
    }

private:
    void add_row(std::int64_t row, T factor, std::int32_t inner, std::vector<std::int32_t>& positions) const {
        for (std::int32_t q = b.row_offsets()[inner]; q < b.row_offsets()[inner + 1]; ++q) {
            std::int32_t& position = positions[std::size_t(b.column_indices()[q])];
            std::int32_t const p = (position < 0 ? -position : position) - 1;
            if (p < offsets[row]) continue; // a column of an earlier row, or of none
            T const product = multiply(factor, b.values()[q]);
            values[p] = position < 0 ? product : add(values[p], product);
            position = p + 1;
        }
    }
};

void multiply_values(chosen_operator const& add, chosen_operator const& op, csr_matrix const& a, csr_matrix const& b,
                     csr_matrix const& where, output_array const& z) {
    with_integer_or_complex(a.values, [&]<class T>(std::type_identity<T>) {
        require_type<T>(b.values, "the second matrix", "that of the first matrix");
        T* const values = memory_of<T>(z, "z", std::int64_t(where.indices.size()));
        unlocked const released;
        host_executor const exec = current_executor();
        chosen_product{add, op}.with<T>(exec, [&]<class Add, class Multiply>(Add const& plus, Multiply const& times) {
            auto const c = where.view<T>();
            product_rows<T, Add, Multiply> const rows{
                a.view<T>(), b.view<T>(), c.row_offsets().data(), c.column_indices().data(), values, plus, times};
            std::int64_t const block = std::max<std::int64_t>(1, a.rows / (8 * exec.threads()));
            coppice::detail::for_each_block(
                exec, a.rows, block, [&](std::int64_t, std::int64_t first, std::int64_t last) { rows(first, last); });
        });
    });
}

} // namespace

void add_entries(nb::module_& m) {
    m.def("combine_values", combine_values, nb::arg("op"), nb::arg("x"), nb::arg("y"), nb::arg("z"));
    m.def("merge_values", merge_values, nb::arg("op"), nb::arg("first"), nb::arg("second").none(), nb::arg("bits"),
          nb::arg("x"), nb::arg("y"), nb::arg("missing").none(), nb::arg("z"));
    m.def("map_entries", map_entries, nb::arg("f"), nb::arg("a"), nb::arg("z"));
    m.def("fold_entries", fold_entries, nb::arg("add"), nb::arg("identity"), nb::arg("a"), nb::arg("z"));
    m.def("multiply_vector", multiply_vector, nb::arg("add"), nb::arg("multiply"), nb::arg("identity"), nb::arg("a"),
          nb::arg("x"), nb::arg("y"));
    m.def("multiply_values", multiply_values, nb::arg("add"), nb::arg("multiply"), nb::arg("a"), nb::arg("b"),
          nb::arg("where"), nb::arg("z"));
}

} // namespace coppice::python
