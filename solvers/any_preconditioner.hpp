// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A preconditioner whose kind is chosen at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <coppice/algebra/csr.hpp>
#include <coppice/graph/linear_forest.hpp>

namespace coppice {

/// What the setup of a preconditioner found, and how long it took on the clock (waiting for the device).
struct preconditioner_report {
    std::string name{};
    double setup_seconds = 0;
    // The forest alone:
    double weights_seconds = 0; ///< symmetrised edge weights
    double factor_seconds = 0;  ///< [0, 2]-factor
    double forest_seconds = 0;  ///< cycles, paths, permutation
    double system_seconds = 0;  ///< coefficients of the tridiagonal system
    int rounds = 0;             ///< rounds of the factor
    double weight_coverage = 0; ///< c_pi of the forest (Eq. 23); of the sub- and superdiagonal for "tridiagonal"
    std::int64_t paths = 0;
    std::int64_t longest_path = 0; ///< in vertices
    std::int64_t cycles_broken = 0;
};

/// Holds any preconditioner: a class with apply(exec, r, z) const and refresh(exec, a). A cheap handle; copies share
/// the preconditioner, which serves one solve at a time.
template <executor Executor, class T, class I = std::int32_t>
class any_preconditioner {
public:
    template <class M>
    any_preconditioner(M preconditioner, preconditioner_report report)
        : held_(std::make_shared<model<M>>(std::move(preconditioner))), report_(std::move(report)) {}

    /// z ≈ A^-1 r
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const { held_->apply(exec, r, z); }
    /// New values on the pattern of the matrix that it was made of; what depends on the pattern, and the forest, stay.
    void refresh(Executor const& exec, csr_view<T, I> a) { held_->refresh(exec, a); }

    /// The linear forest of a "forest" preconditioner, else null; lives as long as the preconditioner.
    linear_forest<I> const* forest() const { return held_->forest(); }
    std::string const& name() const { return report_.name; }
    preconditioner_report const& report() const { return report_; }

private:
    struct concept_type {
        virtual ~concept_type() = default;
        virtual void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const = 0;
        virtual void refresh(Executor const& exec, csr_view<T, I> a) = 0;
        virtual linear_forest<I> const* forest() const = 0;
    };
    template <class M>
    struct model final : concept_type {
        explicit model(M m) : preconditioner(std::move(m)) {}
        void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const override {
            preconditioner.apply(exec, r, z);
        }
        void refresh(Executor const& exec, csr_view<T, I> a) override {
            if constexpr (requires { preconditioner.refresh(exec, a); }) preconditioner.refresh(exec, a);
        }
        linear_forest<I> const* forest() const override {
            if constexpr (requires { preconditioner.forest(); }) return &preconditioner.forest();
            return nullptr;
        }
        M preconditioner;
    };

    std::shared_ptr<concept_type> held_;
    preconditioner_report report_;
};

} // namespace coppice
