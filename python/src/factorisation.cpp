// SPDX-License-Identifier: BSD-3-Clause
// Factorisations that are reused for several solves.
#include <memory>

#include <nanobind/stl/unique_ptr.h>

#include "bands.hpp"
#include "components.hpp"

namespace coppice::python {
namespace {

/// The factors of all systems, for every value type.
struct factorisation {
    virtual ~factorisation() = default;
    /// b and x: [columns, systems, rows]; x may be b.
    virtual void solve(input_array const& b, output_array const& x, std::int64_t columns) const = 0;
    std::vector<std::int64_t> singular_rows; ///< per system: the first column without a pivot, or -1
};

template <class T>
struct factors_of final : factorisation {
    factors_of(bands const& matrix, band_options const& o) : shape(matrix), options(o), batches(batches_of<T>(matrix)) {
        unlocked const released;
        with_executor(matrix.diagonal, [&](auto const& exec) {
            buffer<std::int64_t> rows(exec, matrix.systems);
            for (band_batch<T> const& batch : batches) {
                factors.emplace_back(exec, bands_factor_bytes(exec, batch.matrix, options));
                factorise_bands(exec, batch.matrix, factors.back().view(), options,
                                array_view(rows.data() + batch.first, batch.matrix.systems));
            }
            singular_rows = to_vector(exec, rows);
        });
    }
    void solve(input_array const& b, output_array const& x, std::int64_t columns) const override {
        require_same_memory(b, shape.diagonal, "b");
        with_executor(b, [&](auto const& exec) {
            for (std::size_t k = 0; k < batches.size(); ++k) {
                buffer<std::byte> workspace(exec, factored_workspace(exec, batches[k].matrix, columns, options));
                solve_factored_bands(exec, batches[k].matrix, factors[k].view(),
                                     columns_of<T const>(shape, batches[k], elements<T>(b).data(), columns),
                                     columns_of<T>(shape, batches[k], elements<T>(x).data(), columns), workspace.view(),
                                     options);
            }
        });
    }

    bands shape; // owns the arrays to which `batches` points
    band_options options;
    std::vector<band_batch<T>> batches;
    std::vector<buffer<std::byte>> factors;
};

std::unique_ptr<factorisation> factorise(bands const& a, band_options const& options) {
    return with_number(a.diagonal, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<factorisation> {
        return std::make_unique<factors_of<T>>(a, options);
    });
}

} // namespace

void add_factorisation(nb::module_& m) {
    nb::class_<factorisation>(m, "Factorisation")
        .def("solve",
             [](factorisation const& f, input_array const& b, output_array const& x, std::int64_t columns) {
                 unlocked const released;
                 f.solve(b, x, columns);
             })
        .def_prop_ro("singular_rows", [](factorisation const& f) { return to_python(f.singular_rows); });
    m.def("factorise", factorise);
}

} // namespace coppice::python
