// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A type-erased linear operator.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <coppice/core/executor.hpp>
#include <coppice/solvers/iterative/krylov/krylov_monitor.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class A, class Executor, class T>
concept sized_operator = linear_operator<A, Executor, T> && requires(A const& a) {
    { a.size() } -> std::convertible_to<std::int64_t>;
};
template <class A, class Executor, class T>
concept apply_or_function =
    linear_operator<A, Executor, T> || std::invocable<A const&, Executor const&, array_view<T const>, array_view<T>>;
template <class A, class Executor, class T>
concept operator_with_dots = requires(A const& a, Executor const& exec, array_view<T const> x, array_view<T> y,
                                      T const* left, dot_value<T>* sums) {
    a.template apply_and_dot<1>(exec, x, y, left, sums);
    a.template apply_and_dot<2>(exec, x, y, left, sums);
};

} // namespace detail

/// Holds any linear operator: a class with apply(exec, x, y) const, which computes y = A x, or a function object of the
/// same arguments. Copies share the operator and cost little. The library contains Krylov methods compiled for
/// any_operator, so a program that is not compiled by nvcc can use a user-defined operator on CUDA.
///
///     any_operator<host_executor, double> const a(n, [&](auto const& exec, auto x, auto y) { ... });
///     auto const result = solve(exec, "gmres", a, m, b, x);
template <executor Executor, class T>
class any_operator {
public:
    using value_type = T;

    /// Takes the number of rows from the operator.
    template <detail::sized_operator<Executor, T> A>
    explicit any_operator(A a)
        : size_(checked(static_cast<std::int64_t>(a.size()))), held_(std::make_shared<model<A>>(std::move(a))) {}
    /// An operator of `size` rows. Throws argument_error if `size` is negative.
    template <detail::apply_or_function<Executor, T> A>
    any_operator(std::int64_t size, A a) : size_(checked(size)), held_(std::make_shared<model<A>>(std::move(a))) {}

    std::int64_t size() const { return size_; }
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const { held_->apply(exec, x, y); }

    /// Whether the operator computes dot products with its product, so that apply_and_dot() may be called.
    bool has_dots() const { return held_->has_dots(); }
    template <int Count>
    void apply_and_dot(Executor const& exec, array_view<T const> x, array_view<T> y, T const* left,
                       dot_value<T>* sums) const {
        held_->apply_and_dot(exec, x, y, left, sums, Count);
    }
    /// Whether apply() may be captured into a CUDA graph, as declared by the operator.
    bool replayable() const { return held_->replayable(); }
    shared_loop* shared() const { return held_->shared(); }

private:
    struct concept_type {
        virtual ~concept_type() = default;
        virtual void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const = 0;
        virtual bool has_dots() const = 0;
        virtual void apply_and_dot(Executor const& exec, array_view<T const> x, array_view<T> y, T const* left,
                                   dot_value<T>* sums, int count) const = 0;
        virtual bool replayable() const = 0;
        virtual shared_loop* shared() const = 0;
    };
    template <class A>
    struct model final : concept_type {
        explicit model(A a) : held(std::move(a)) {}
        void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const override {
            if constexpr (linear_operator<A, Executor, T>)
                held.apply(exec, x, y);
            else
                held(exec, x, y);
        }
        bool has_dots() const override { return detail::operator_with_dots<A, Executor, T>; }
        void apply_and_dot([[maybe_unused]] Executor const& exec, [[maybe_unused]] array_view<T const> x,
                           [[maybe_unused]] array_view<T> y, [[maybe_unused]] T const* left,
                           [[maybe_unused]] dot_value<T>* sums, [[maybe_unused]] int count) const override {
            if constexpr (detail::operator_with_dots<A, Executor, T>) {
                if (count == 1)
                    held.template apply_and_dot<1>(exec, x, y, left, sums);
                else
                    held.template apply_and_dot<2>(exec, x, y, left, sums);
            }
        }
        bool replayable() const override {
            if constexpr (detail::declares_replayable<A>)
                return held.replayable();
            else
                return false;
        }
        shared_loop* shared() const override { return detail::loop_of(held); }
        A held;
    };

    static std::int64_t checked(std::int64_t size) {
        if (size < 0) throw argument_error("an operator of " + std::to_string(size) + " rows");
        return size;
    }

    std::int64_t size_;
    std::shared_ptr<concept_type const> held_;
};

namespace detail {

/// A reference to an operator that is owned elsewhere.
template <class A>
struct borrowed_operator {
    A const* a;

    std::int64_t size() const { return a->size(); }
    template <class Executor, class T>
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        a->apply(exec, x, y);
    }
    // A named concept, because nvcc evaluates a nested requires-expression differently from the host compiler and then
    // does not compile the kernels that the called function needs.
    template <int Count, class Executor, class T>
    requires operator_with_dots<A, Executor, T>
    void apply_and_dot(Executor const& exec, array_view<T const> x, array_view<T> y, T const* left,
                       dot_value<T>* sums) const {
        a->template apply_and_dot<Count>(exec, x, y, left, sums);
    }
    bool replayable() const { return a->replayable(); }
    shared_loop* shared() const { return loop_of(*a); }
};

} // namespace detail
} // namespace coppice::inline v0_1
