// SPDX-License-Identifier: BSD-3-Clause
// Products of a pattern and rows of features, for graph networks. Python code has checked types, sizes and memory
// spaces; arrays are passed by their addresses, since the conversion of an argument takes as long as a small product.
#include <map>
#include <mutex>
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <coppice/semiring/spmv/spmv.hpp>

#include "arrays.hpp"
#include "components.hpp"
#include "sparse_operations.hpp"

namespace coppice::python {
namespace {

row_reduction reduction_of(std::string const& name) {
    if (name == "sum") return row_reduction::sum;
    if (name == "mean") return row_reduction::mean;
    if (name == "max") return row_reduction::max;
    if (name == "min") return row_reduction::min;
    throw argument_error("reduce is \"" + name + "\", expected sum, mean, max or min");
}

template <class T>
T* at(std::uintptr_t address) {
    return reinterpret_cast<T*>(address);
}
/// Throws argument_error for the address 0 of an array with elements: some tensors of PyTorch have no memory.
void require_memory(char const* name, std::uintptr_t address, std::int64_t elements) {
    if (address == 0 && elements > 0)
        throw argument_error(std::string(name) + " has no memory of its elements, expected a plain dense tensor");
}

/// The pattern of a graph in host memory or on a device, and the plans for sums of one feature there. `owner` owns the
/// arrays offsets[rows + 1] and indices[entries], int32.
class feature_pattern {
public:
    feature_pattern(std::uintptr_t offsets, std::uintptr_t indices, std::int32_t entries, std::int32_t rows,
                    std::int32_t columns, std::optional<int> device, nb::object owner)
        : offsets_(offsets), indices_(indices), entries_(entries), rows_(rows), columns_(columns),
          owner_(std::move(owner)) {
        if (device) {
#if defined(COPPICE_HAS_CUDA)
            where_.emplace().device = *device;
#else
            throw backend_error("features are on a device, and this build of Coppice has no CUDA");
#endif
        }
    }

    /// See sparse_operations::reduce_features. Addresses of arrays that are not given are 0, as is the default stream.
    void reduce(int bytes, std::uintptr_t values, std::uintptr_t x, std::int64_t width, std::string const& reduce,
                std::uintptr_t y, std::uintptr_t from, std::uintptr_t chosen, std::uintptr_t numbers,
                std::uintptr_t stream, nb::object stream_owner) {
        auto const how = reduction_of(reduce);
        chosen_entries const among{at<std::int32_t const>(chosen), at<std::int32_t const>(numbers)};
        bool const adds = how == row_reduction::sum || how == row_reduction::mean;
        require_memory("X", x, columns_ * width);
        require_memory("weights", values, entries_);
        with_operations(
            bytes, stream, std::move(stream_owner), [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
                auto const a = view<T>(values);
                if (where_ && width == 1 && adds && !among.chosen)
                    return on.sum_single_features(exec, plan_of(exec, a, stream), a, at<T const>(x),
                                                  how == row_reduction::mean, at<T>(y));
                on.reduce_features(exec, a, at<T const>(x), width, how, at<T>(y), at<std::int32_t>(from), among);
            });
    }
    void add_chosen(int bytes, std::uintptr_t values, std::uintptr_t y, std::int64_t width, std::uintptr_t chosen,
                    std::uintptr_t z) {
        require_memory("the gradient", y, rows_ * width);
        require_memory("weights", values, entries_);
        with_operations(bytes, 0, nb::none(), [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
            on.add_chosen(exec, view<T>(values), at<T const>(y), width, at<std::int32_t const>(chosen), at<T>(z));
        });
    }
    void sample(int bytes, std::uintptr_t u, std::uintptr_t v, std::int64_t width, std::uintptr_t values,
                std::uintptr_t chosen, std::uintptr_t stream, nb::object stream_owner) {
        require_memory("U", u, rows_ * width);
        require_memory("V", v, columns_ * width);
        with_operations(bytes, stream, std::move(stream_owner),
                        [&]<class T>(auto const& exec, auto on, std::type_identity<T>) {
                            on.sample_products(exec, view<T>(0), at<T const>(u), at<T const>(v), width, at<T>(values),
                                               at<std::int32_t const>(chosen));
                        });
    }

private:
    template <class T>
    csr_view<T> view(std::uintptr_t values) const {
        return {rows_,
                columns_,
                entries_,
                at<std::int32_t const>(offsets_),
                at<std::int32_t const>(indices_),
                at<T const>(values)};
    }

    /// Calls body(executor, operations, type) for numbers of 4 or 8 bytes, without the interpreter's lock.
    template <class Body>
    void with_operations(int bytes, [[maybe_unused]] std::uintptr_t stream, [[maybe_unused]] nb::object stream_owner,
                         Body const& body) {
        auto const typed = [&]<class Executor>(Executor const& exec) {
            if (bytes == 4)
                body(exec, sparse_operations<Executor, float>{}, std::type_identity<float>{});
            else
                body(exec, sparse_operations<Executor, double>{}, std::type_identity<double>{});
        };
#if defined(COPPICE_HAS_CUDA)
        if (where_) {
            device_array where = *where_;
            where.stream = stream;
            if (stream) where.stream_owner = keep(std::move(stream_owner));
            unlocked const released;
            std::lock_guard const lock(mutex_);
            device_lease const lease(where);
            return typed(lease.executor());
        }
#endif
        unlocked const released;
        typed(current_executor());
    }

    /// The plan of matrix-vector products, which sums of one feature are, for calls on a stream; see srcsr_plan.
    template <class Executor, class T>
    srcsr_plan<std::int32_t> const& plan_of(Executor const& exec, csr_view<T> a, std::uintptr_t stream) {
        auto& plan = plans_[stream];
        if (!plan) plan = make_srcsr_plan(exec, a);
        return *plan;
    }

    std::uintptr_t offsets_, indices_;
    std::int32_t entries_, rows_, columns_;
    nb::object owner_;
    std::optional<device_array> where_; ///< none: host memory
    std::mutex mutex_;                  ///< one call at a time on a device
    std::map<std::uintptr_t, std::optional<srcsr_plan<std::int32_t>>> plans_;
};

} // namespace

void add_features(nb::module_& m) {
    nb::class_<feature_pattern>(m, "FeaturePattern")
        .def(nb::init<std::uintptr_t, std::uintptr_t, std::int32_t, std::int32_t, std::int32_t, std::optional<int>,
                      nb::object>(),
             nb::arg("offsets"), nb::arg("indices"), nb::arg("entries"), nb::arg("rows"), nb::arg("columns"),
             nb::arg("device").none(), nb::arg("owner"))
        .def("reduce", &feature_pattern::reduce, nb::arg("bytes"), nb::arg("values"), nb::arg("x"), nb::arg("width"),
             nb::arg("reduce"), nb::arg("y"), nb::arg("entries"), nb::arg("chosen"), nb::arg("numbers"),
             nb::arg("stream"), nb::arg("stream_owner").none())
        .def("add_chosen", &feature_pattern::add_chosen, nb::arg("bytes"), nb::arg("values"), nb::arg("y"),
             nb::arg("width"), nb::arg("chosen"), nb::arg("z"))
        .def("sample", &feature_pattern::sample, nb::arg("bytes"), nb::arg("u"), nb::arg("v"), nb::arg("width"),
             nb::arg("values"), nb::arg("chosen"), nb::arg("stream"), nb::arg("stream_owner").none());
}

} // namespace coppice::python
