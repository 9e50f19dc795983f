// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/cudss_factors.hpp>

#include <functional>
#include <string>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/error.hpp>
#include <coppice/core/host/interruption.hpp>
#include <coppice/solvers/precondition/sparse_direct/cudss_library.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

namespace coppice::inline v0_1 {

bool has_cudss() { return detail::why_no_cudss().empty(); }

namespace detail {

cudss::library const& found_cudss() { return cudss::library::found(); }
std::string const& why_no_cudss() { return found_cudss().why_not; }

CUstream_st* enter_device(cuda_executor const& exec) {
    make_current(exec);
    return exec.stream();
}

double free_memory_of(cuda_executor const& exec) { return double(free_device_memory(exec)); }

namespace {

/// An object of cuDSS, which is destroyed at the end.
using object = std::unique_ptr<void, std::function<void(void*)>>;

int type_of(device_system const& a) {
    switch (a.kind) {
    case factor_kind::definite:
        return a.is_complex ? cudss::positive_hermitian : cudss::positive_symmetric;
    case factor_kind::symmetric:
        return a.is_complex ? cudss::hermitian : cudss::symmetric;
    case factor_kind::general:
        break;
    }
    return cudss::general;
}

} // namespace

struct cudss_factors::state {
    cudss::library const& call;
    device_system system;
    cudss_estimate estimate{};
    std::int64_t replaced_pivots = -1;
    // Later ones are destroyed before earlier ones, which they use.
    object handle{}, config{}, data{}, matrix{}, rhs{}, solution{};

    state(cudss::library const& library, CUstream_st* stream, device_system const& of) : call(library), system(of) {
        create(handle, "cudssCreate", call.create, call.destroy);
        check(call.set_stream(handle.get(), stream), "cudssSetStream");
        create(config, "cudssConfigCreate", call.config_create, call.config_destroy);
        set(cudss::deterministic, 1);
        // Pivots of 1 and 2 rows (Bunch-Kaufman) are deterministic without superpanels only.
        if (system.kind == factor_kind::symmetric) set(cudss::superpanels, 0);
        create(
            data, "cudssDataCreate", [&](void** made) { return call.data_create(handle.get(), made); },
            [&](void* made) { return call.data_destroy(handle.get(), made); });
        int const element = system.is_complex ? cudss::complex_64 : cudss::real_64;
        bool const half = system.kind != factor_kind::general;
        auto const make_matrix = [&](void** made) {
            return call.create_csr(made, system.rows, system.rows, system.nonzeros, system.offsets, nullptr,
                                   system.indices, system.values, cudss::integer_32, cudss::integer_32, element,
                                   type_of(system), half ? cudss::lower : cudss::full, cudss::base_zero);
        };
        create(matrix, "cudssMatrixCreateCsr", make_matrix, call.matrix_destroy);
        auto const vector_at = [&](void* values) {
            return [this, element, values](void** made) {
                return call.create_dense(made, system.rows, 1, system.rows, values, element, cudss::column_major);
            };
        };
        create(rhs, "cudssMatrixCreateDn", vector_at(system.rhs), call.matrix_destroy);
        create(solution, "cudssMatrixCreateDn", vector_at(system.solution), call.matrix_destroy);
    }

    [[noreturn]] void fail(cudss::status code, char const* what) const {
        std::string const text = "sparse direct solver: " + std::string(what) + " of cuDSS " + call.version +
                                 " reports: " + cudss::text_of(code);
        if (code == cudss::allocation_failed)
            throw matrix_error(text + "; the factors of this matrix do not fit into the memory of the device");
        if (code == cudss::not_supported || code == cudss::invalid_value) throw matrix_error(text);
        throw device_error(text);
    }
    void check(cudss::status code, char const* what) const {
        if (code != cudss::success) fail(code, what);
    }
    template <class Create, class Destroy>
    void create(object& to, char const* what, Create const& make, Destroy const& destroy) {
        void* made = nullptr;
        check(make(&made), what);
        to = object(made, [destroy](void* one) { destroy(one); });
    }
    void set(int parameter, int value) const {
        check(call.config_set(config.get(), parameter, &value, sizeof value), "cudssConfigSet");
    }
    /// Reads an integer, or returns `otherwise` if cuDSS does not provide it for this matrix. The type must have the
    /// size that cuDSS expects.
    template <class Integer>
    Integer number(int parameter, Integer otherwise) const {
        Integer value = 0;
        std::size_t written = 0;
        auto const code = call.data_get(handle.get(), data.get(), parameter, &value, sizeof value, &written);
        return code == cudss::success ? value : otherwise;
    }
    void execute(int phase, char const* what) {
        interruption::check();
        check(call.execute(handle.get(), phase, config.get(), data.get(), matrix.get(), solution.get(), rhs.get()),
              what);
    }
};

cudss_factors::cudss_factors(cudss::library const& library, CUstream_st* stream, device_system const& of)
    : state_(std::make_unique<state>(library, stream, of)) {
    state_->execute(cudss::analysis, "the analysis");
    std::int64_t bytes[16] = {};
    std::size_t written = 0;
    state_->check(library.data_get(state_->handle.get(), state_->data.get(), cudss::memory_estimates, bytes,
                                   sizeof bytes, &written),
                  "the estimate of memory");
    state_->estimate = {.nonzeros = double(state_->number(cudss::factor_nonzeros, std::int64_t(0))),
                        .operations = double(state_->number(cudss::operations, std::int64_t(0))),
                        .bytes = double(bytes[1])};
}
cudss_factors::~cudss_factors() = default;

cudss_estimate const& cudss_factors::estimate() const { return state_->estimate; }
std::int64_t cudss_factors::replaced_pivots() const { return state_->replaced_pivots; }

void cudss_factors::use(CUstream_st* stream) const {
    state_->check(state_->call.set_stream(state_->handle.get(), stream), "cudssSetStream");
}

bool cudss_factors::factorise(CUstream_st* stream) {
    use(stream);
    state_->execute(cudss::factorisation, "the factorisation");
    bool const definite = state_->system.kind == factor_kind::definite;
    if (definite && state_->number(cudss::info, std::int32_t(0)) != 0) return false;
    state_->replaced_pivots = state_->number(cudss::replaced_pivots, std::int32_t(definite ? 0 : -1));
    return true;
}

void cudss_factors::solve(CUstream_st* stream, bool transposed) const {
    use(stream);
    state_->set(cudss::solve_mode, transposed ? cudss::transposed : cudss::normal);
    state_->execute(cudss::solution, "the solution");
}

} // namespace detail
} // namespace coppice::inline v0_1
