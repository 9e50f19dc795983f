// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A sparse direct solver as a preconditioner: M = A.
///
/// A Krylov method with this preconditioner is a direct solver with iterative refinement: it converges after one or two
/// iterations, and its true residual is the check of the factorisation.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/executor.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/interface/wide_copy.hpp>
#include <coppice/solvers/precondition/sparse_direct/band_order.hpp>
#include <coppice/solvers/precondition/sparse_direct/cudss_direct.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

namespace coppice::inline v0_1 {

/// z = A^-1 r by a band solver, a sparse Cholesky or an LU factorisation (Eigen) in double precision on one core of the
/// host, for any executor; on CUDA, each application then copies r to the host and z back. On CUDA the factorisation is
/// that of cuDSS, on the device, if has_cudss(), method and order are automatic, and there are more bands than the band
/// solver takes; if cuDSS fails, or is not accurate, it is that on the host. Rows and columns are scaled by powers of
/// two. The pattern is analysed once; refresh() factorises new values. An interruption ends a factorisation on the
/// host. Memory and time grow with the fill: O(n log n) elements and O(n^1.5) operations for plane meshes, O(n^1.33)
/// and O(n^2) for meshes in space.
///
/// Errors: those of detail::sparse_factors, matrix_error for values that are not finite; for method cudss those of
/// detail::cudss_direct, and backend_error if the library is not found.
template <executor Executor, class T, class I = std::int32_t>
class sparse_direct {
    using scalar = detail::wide_number<T>;
    using on_device = detail::cudss_direct<Executor, T>;

public:
    sparse_direct(Executor const& exec, csr_view<T, I> a, sparse_direct_options const& options)
        : options_(options), pattern_(exec, a), nonzeros_(double(a.nonzeros())) {
        csr<scalar> const on_host = detail::wide_host_copy(exec, a);
        factorise(exec, on_host.view());
    }

    void refresh(Executor const& exec, csr_view<T, I> a) {
        pattern_.require_same_pattern(exec, a);
        csr<scalar> const on_host = detail::wide_host_copy(exec, a);
        factorise(exec, on_host.view());
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const { solve(exec, r, z, false); }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        solve(exec, r, z, true);
    }
    bool replayable() const { return false; } // works on the host, or in a library that may wait
    std::vector<finding> findings() const {
        auto const fill = [&](double count) { return nonzeros_ > 0 ? count / nonzeros_ : 0; };
        if (device_) {
            detail::cudss_estimate const& estimate = device_->estimate();
            bool const definite = device_->kind() == detail::factor_kind::definite;
            return {{"cudss", finding_unit::count, 1},
                    {"bands", finding_unit::count, 0},
                    {"cholesky", finding_unit::flag, definite ? 1.0 : 0.0},
                    {"matched", finding_unit::count, 0},
                    {"factor_nonzeros", finding_unit::count, estimate.nonzeros},
                    {"fill", finding_unit::number, fill(estimate.nonzeros)},
                    {"replaced_pivots", finding_unit::count, double(device_->replaced_pivots())},
                    {"estimated_gigabytes", finding_unit::number, estimate.bytes * 1e-9},
                    {"estimated_nonzeros", finding_unit::count, estimate.nonzeros},
                    {"estimated_operations", finding_unit::number, estimate.operations}};
        }
        detail::factor_report const report = factors_ ? factors_->report() : detail::factor_report{};
        return {{"bands", finding_unit::flag, report.bands ? 1.0 : 0.0},
                {"cholesky", finding_unit::flag, report.cholesky ? 1.0 : 0.0},
                {"matched", finding_unit::flag, report.matched ? 1.0 : 0.0},
                {"factor_nonzeros", finding_unit::count, report.nonzeros},
                {"fill", finding_unit::number, fill(report.nonzeros)},
                {"estimated_nonzeros", finding_unit::count, report.estimated_nonzeros},
                {"estimated_operations", finding_unit::number, report.estimated_operations}};
    }

private:
    /// Operations of an H200 in the time of one on a core of its host, measured with 6e11 operations; for limits of the
    /// time.
    static constexpr double device_speed = 60;

    void factorise(Executor const& exec, csr_view<scalar> a) {
        if (factorises_on_device(exec, a)) return;
        device_.reset();
        if (factors_)
            factors_->refactor(a);
        else
            factors_ = std::make_shared<detail::sparse_factors<scalar>>(a, options_);
    }
    /// Returns false if the host must factorise.
    bool factorises_on_device(Executor const& exec, csr_view<scalar> a) {
        if constexpr (std::is_same_v<Executor, cuda_executor>) {
            if (factors_) return false; // after a factorisation on the host, those of later values are, too
            using method = sparse_direct_method;
            bool const requested = options_.method == method::cudss;
            bool const automatic =
                options_.method == method::automatic && options_.order == sparse_direct_order::automatic;
            if (!requested && !device_ && (!automatic || !has_cudss() || has_few_bands(a))) return false;
            detail::cudss::library const& library = detail::found_cudss();
            if (!detail::why_no_cudss().empty())
                throw backend_error("sparse direct solver: " + detail::why_no_cudss() +
                                    "; install it (PyPI: nvidia-cudss-cu13), set COPPICE_CUDSS to its path, or use "
                                    "method=auto");
            try {
                if (device_)
                    device_->refactor(exec, a);
                else
                    device_ = std::make_shared<on_device>(exec, library, a, device_bytes(exec),
                                                          options_.max_operations * (requested ? 1 : device_speed),
                                                          options_.orders);
                return true;
            } catch (operations_error const&) {
                throw;
            } catch (error const&) {
                if (requested || !has_sparse_direct()) throw;
            }
        }
        return false;
    }
    static bool has_few_bands(csr_view<scalar> a) {
        return has_sparse_direct() && detail::find_band_order(a, detail::sparse_factors<scalar>::max_bands).has_value();
    }
    double device_bytes(Executor const& exec) const {
        return options_.max_gigabytes > 0 ? options_.max_gigabytes * 1e9 : 0.9 * detail::free_memory_of(exec);
    }

    void solve(Executor const& exec, array_view<T const> r, array_view<T> z, bool transposed) const {
        require_size("r of a preconditioner", r, pattern_.size().rows);
        require_size("z of a preconditioner", z, pattern_.size().rows);
        if (device_) return device_->solve(exec, r, z, transposed);
        if (!factors_) throw matrix_error("sparse direct solver: the last factorisation failed");
        auto const from = to_vector(exec, r);
        std::vector<scalar> x(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) x[i] = detail::widened(from[i]);
        transposed ? factors_->solve_transposed(x.data()) : factors_->solve(x.data());
        std::vector<T> to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = detail::narrowed<T>(x[i]);
        exec.copy_elements(to.data(), z.data(), std::int64_t(to.size()));
        exec.synchronize(); // before `to` is freed
    }
    sparse_direct_options options_;
    detail::pattern_fingerprint pattern_;
    double nonzeros_;
    std::shared_ptr<detail::sparse_factors<scalar>> factors_{};
    std::shared_ptr<on_device> device_{};
};

namespace detail {

inline constexpr option_row sparse_direct_option_rows[] = {
    {.name = "method",
     .kind = option_kind::choice,
     .standard = "auto",
     .meaning =
         "a band solver for at most 8 bands on either side, else cholesky for a symmetric matrix with positive "
         "pivots, else lu; klu, umfpack, cholmod: if the build has SuiteSparse; cudss: on CUDA, where auto uses it "
         "if it is installed",
     .choices = {"auto", "cholesky", "lu", "klu", "umfpack", "cholmod", "cudss"}},
    {.name = "order",
     .kind = option_kind::choice,
     .standard = "auto",
     .meaning = "order for lu: minimum degree of A + A^T; the same after a permutation of the rows that maximises the "
                "diagonal; minimum degree of A^T A; auto: the one with the smallest estimate",
     .choices = {"auto", "symmetric", "matched", "columns"}},
    {.name = "max-gigabytes",
     .kind = option_kind::real,
     .standard = "0",
     .meaning = "refuse a matrix whose factors are estimated to be larger; 0: half of the available memory, for cuDSS "
                "nine tenths of that of the device",
     .min = 0},
    {.name = "max-operations",
     .kind = option_kind::real,
     .standard = "0",
     .meaning = "refuse a matrix whose factorisation is estimated to take more operations (with method auto on a "
                "device: sixty times as many); 0: any number",
     .min = 0}};

} // namespace detail

struct sparse_direct_entry {
    static constexpr preconditioner_row row{
        .name = "direct",
        .matrix = "A itself, by a sparse Cholesky or LU factorisation on the host, on CUDA by cuDSS if it is installed",
        .setup = "a factorisation with fill: O(n^1.5) operations for plane meshes, O(n^2) for meshes in space",
        .suits = "matrices on which iterations fail, and small ones",
        .compared = false,
        .refresh_allocates = true,
        .options = detail::sparse_direct_option_rows};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return sparse_direct<Executor, T, I>(exec, a, read(o));
    }
    static sparse_direct_options read(chosen_options const& o) {
        return {.method = sparse_direct_method(o.choice("method")),
                .order = sparse_direct_order(o.choice("order")),
                .max_gigabytes = o.real("max-gigabytes"),
                .max_operations = o.real("max-operations")};
    }
};

} // namespace coppice::inline v0_1
