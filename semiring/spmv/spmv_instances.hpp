// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions for the sources that instantiate them.
#pragma once

#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// One element of merge_result; `mask` and `w` are null if absent.
template <class Semiring, class T>
struct merge_element {
    Semiring s;
    T const* mask;
    T const* w;
    T* y;
    bool complement;

    COPPICE_HD void operator()(std::int64_t i) const {
        bool const admitted = !mask || (mask[i] != T(0)) != complement;
        if (!admitted)
            y[i] = w ? w[i] : static_cast<T>(s.result(s.add.identity()));
        else if (w)
            y[i] = merged(w[i], y[i]);
    }

private:
    COPPICE_HD T merged(T const& before, T const& now) const {
        using add = std::remove_cvref_t<decltype(s.add)>;
        using sum = accumulator_t<add>;
        if constexpr (std::is_invocable_v<add const&, sum const&, T const&>)
            return static_cast<T>(s.result(s.add(s.add(s.add.identity(), before), now)));
        else
            return now; // results are columns; merge_result has rejected w
    }
};

} // namespace detail

template <executor Executor, class T>
void semiring_spmv(Executor const& exec, srcsr_plan<std::int32_t> const& plan, std::string_view name, csr_view<T> a,
                   std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y) {
    std::visit([&](auto const& s) { semiring_spmv(exec, plan, s, a, x, y); }, semiring_by_name<T>(name));
}

template <executor Executor, class T>
void merge_result(Executor const& exec, std::string_view name, std::type_identity_t<array_view<T const>> mask,
                  bool complement, std::type_identity_t<array_view<T const>> w, array_view<T> y) {
    if (!mask.empty()) require_size("length of the mask", mask, y.size());
    if (!w.empty()) require_size("length of the accumulated vector", w, y.size());
    for (auto const& known : semiring_descriptions)
        if (known.name == name && known.writes_columns && !w.empty())
            throw argument_error("the results of " + std::string(name) + " are columns, which cannot be accumulated");
    auto const with = [&]<class Semiring>(Semiring const& s) {
        for_each(exec, y.size(),
                 detail::merge_element<Semiring, T>{s, mask.empty() ? nullptr : mask.data(),
                                                    w.empty() ? nullptr : w.data(), y.data(), complement});
    };
    std::visit(with, semiring_by_name<T>(name));
}

#define COPPICE_NAMED_SPMV(EXECUTOR, T)                                                                                \
    template void semiring_spmv(EXECUTOR const&, srcsr_plan<std::int32_t> const&, std::string_view, csr_view<T>,       \
                                array_view<T const>, array_view<T>);                                                   \
    template void merge_result(EXECUTOR const&, std::string_view, array_view<T const>, bool, array_view<T const>,      \
                               array_view<T>)

} // namespace coppice::inline v0_1
