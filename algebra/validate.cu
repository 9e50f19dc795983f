// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/validate.hpp>

#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Whether offset i is invalid.
template <class O>
struct offset_is_invalid {
    O const* offsets;
    std::int64_t rows;
    O nonzeros;

    COPPICE_HD int operator()(std::int64_t i) const {
        if (i == 0 && offsets[0] != 0) return 1;
        if (i == rows) return offsets[i] != nonzeros;
        return offsets[i + 1] < offsets[i];
    }
};

template <class I>
struct column_is_invalid {
    I const* indices;
    I columns;

    COPPICE_HD int operator()(std::int64_t k) const { return indices[k] < 0 || indices[k] >= columns; }
};

struct any_of {
    COPPICE_HD int operator()(int a, int b) const { return a | b; }
};

} // namespace

template <class T, class I, class O>
void validate(cuda_executor const& exec, csr_view<T, I, O> a, validation_options const& options) {
    std::int64_t const rows = a.rows(), nonzeros = a.nonzeros();
    bool const has_arrays = rows >= 0 && a.columns() >= 0 && nonzeros >= 0 && a.offsets && (nonzeros == 0 || a.indices);
    bool const asks_more = options.sorted || !options.duplicates || options.finite;
    if (has_arrays && !asks_more &&
        reduce(exec, rows + 1, 0, offset_is_invalid<O>{a.offsets, rows, a.nonzeros()}, any_of{}) == 0 &&
        reduce(exec, nonzeros, 0, column_is_invalid<I>{a.indices, a.columns()}, any_of{}) == 0)
        return;
    host_executor const host;
    auto const copied = [&]<class E>(E const* from, std::int64_t size) {
        buffer<E> to(host, from && size > 0 ? size : 0);
        exec.copy_elements(from, to.data(), to.size());
        return to;
    };
    auto const offsets = copied(a.offsets, rows + 1);
    auto const indices = copied(a.indices, nonzeros);
    auto const values = copied(a.coefficients, nonzeros);
    validate(host,
             csr_view<T, I, O>{a.rows(), a.columns(), a.nonzeros(), a.offsets ? offsets.data() : nullptr,
                               a.indices ? indices.data() : nullptr, a.coefficients ? values.data() : nullptr},
             options);
}

COPPICE_VALIDATE(, cuda_executor, float);
COPPICE_VALIDATE(, cuda_executor, double);
COPPICE_VALIDATE(, cuda_executor, std::complex<float>);
COPPICE_VALIDATE(, cuda_executor, std::complex<double>);

} // namespace coppice::inline v0_1
