// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A type-erased preconditioner, chosen at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/graph/forest/linear_forest_result.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>

namespace coppice::inline v0_1 {

namespace detail {

/// Whether several threads may call apply() simultaneously.
template <class M>
inline constexpr bool is_shareable = false;
template <class M>
requires requires { M::shareable; }
inline constexpr bool is_shareable<M> = M::shareable;

} // namespace detail

/// Type-erased preconditioner. Holds any class with apply(exec, r, z) const and, optionally, refresh(exec, a),
/// apply_transpose(exec, r, z) const and findings(). Copies share the preconditioner and cost little. It serves one
/// thread at a time: apply() and refresh() throw argument_error if another thread executes one of them, or a solve with
/// a preconditioner that varies(). Preconditioners without mutable state declare `static constexpr bool shareable =
/// true` ("none", "jacobi") and serve any number of threads.
template <executor Executor, class T, class I = std::int32_t>
class any_preconditioner {
public:
    template <class M>
    any_preconditioner(M preconditioner, preconditioner_report report)
        : held_(std::make_shared<model<M>>(std::move(preconditioner), std::move(report))) {}

    /// Computes z ≈ A^-1 r.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const use = enter();
        held_->apply(exec, r, z);
    }
    /// Computes z = M^-T r for apply(): z = M^-1 r; complex values are not conjugated. May allocate and wait, and may
    /// transpose matrices at the first call. Throws argument_error if the preconditioner varies(), or is of a class
    /// without apply_transpose(); all of the registry have it.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const use = enter();
        held_->apply_transpose(exec, r, z);
    }
    /// Recomputes the preconditioner for new values on the same pattern. Everything that depends only on the pattern is
    /// reused, also the forest.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        auto const use = enter();
        held_->refresh(exec, a);
    }

    /// Calls `use` with the preconditioner if it is an M; returns whether it is. For refreshes that need more than the
    /// matrix of one executor.
    template <class M, class Use>
    bool use_as(Use const& use) {
        auto* const of_class = dynamic_cast<model<M>*>(held_.get());
        if (!of_class) return false;
        auto const guard = enter();
        use(of_class->preconditioner);
        return true;
    }

    /// Whether apply() queues the same work at every call and neither allocates nor synchronises, so that it may be
    /// captured into a CUDA graph.
    bool replayable() const { return held_->replayable(); }
    /// Whether apply() computes z = r.
    bool is_identity() const { return held_->is_identity(); }

    /// Whether M differs between calls of apply(), cyclically: only for fgmres.
    bool varies() const { return held_->varies(); }
    /// Restarts the cycle of a varying preconditioner, so that every solve is reproducible. If it varies(), no other
    /// thread may use it while the result exists.
    detail::one_user::use begin_solve() const {
        auto use = enter();
        held_->begin_solve();
        return varies() ? std::move(use) : detail::one_user::use();
    }

    /// Linear forest of a "forest" preconditioner (of several: the first one), or null; valid as long as the
    /// preconditioner.
    linear_forest<I> const* forest() const { return held_->forest(); }
    std::string const& name() const { return held_->report.name; }
    /// Findings of the set-up or of the last refresh.
    preconditioner_report report() const {
        preconditioner_report report = held_->report;
        for (finding const& f : held_->findings()) report.findings.push_back(f);
        return report;
    }

private:
    struct concept_type {
        explicit concept_type(preconditioner_report r) : report(std::move(r)) {}
        virtual ~concept_type() = default;
        virtual void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const = 0;
        virtual void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const = 0;
        virtual void refresh(Executor const& exec, csr_view<T, I> a) = 0;
        virtual linear_forest<I> const* forest() const = 0;
        virtual bool replayable() const = 0;
        virtual bool is_identity() const = 0;
        virtual bool varies() const = 0;
        virtual bool shareable() const = 0;
        virtual void begin_solve() const = 0;
        virtual std::vector<finding> findings() const = 0;
        preconditioner_report report;
        detail::one_user user{};
    };
    template <class M>
    struct model final : concept_type {
        model(M m, preconditioner_report r) : concept_type(std::move(r)), preconditioner(std::move(m)) {}
        void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const override {
            preconditioner.apply(exec, r, z);
        }
        void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const override {
            if (varies())
                throw argument_error("preconditioner \"" + this->report.name +
                                     "\" changes from call to call and has no transpose; use another preconditioner");
            if constexpr (requires { preconditioner.apply_transpose(exec, r, z); })
                preconditioner.apply_transpose(exec, r, z);
            else
                throw argument_error("preconditioner \"" + this->report.name +
                                     "\" has no apply_transpose(exec, r, z), which transposed solves need");
        }
        void refresh(Executor const& exec, csr_view<T, I> a) override {
            if constexpr (requires { preconditioner.refresh(exec, a); }) preconditioner.refresh(exec, a);
        }
        linear_forest<I> const* forest() const override {
            if constexpr (requires { preconditioner.forest(); }) return &preconditioner.forest();
            return nullptr;
        }
        std::vector<finding> findings() const override {
            if constexpr (requires { preconditioner.findings(); }) return preconditioner.findings();
            return {};
        }
        bool replayable() const override {
            if constexpr (requires { preconditioner.replayable(); }) return preconditioner.replayable();
            return false;
        }
        bool is_identity() const override {
            if constexpr (requires { preconditioner.is_identity(); }) return preconditioner.is_identity();
            return false;
        }
        bool varies() const override {
            if constexpr (requires { preconditioner.varies(); }) return preconditioner.varies();
            return false;
        }
        bool shareable() const override { return detail::is_shareable<M>; }
        void begin_solve() const override {
            if constexpr (requires { preconditioner.begin_solve(); }) static_cast<void>(preconditioner.begin_solve());
        }
        M preconditioner;
    };

    detail::one_user::use enter() const {
        return held_->shareable() ? detail::one_user::use() : held_->user.enter("this preconditioner");
    }

    std::shared_ptr<concept_type> held_;
};

} // namespace coppice::inline v0_1
