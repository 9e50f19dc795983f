// SPDX-License-Identifier: BSD-3-Clause
// The C interface coppice.h on the host.
#include <coppice/coppice.h>

#include <optional>

#include <coppice/solvers/c/c_interface.hpp>

namespace coppice::inline v0_1::c_interface {

template <>
struct element_of<coppice_complex_float> {
    using type = std::complex<float>;
};
template <>
struct element_of<coppice_complex_double> {
    using type = std::complex<double>;
};

namespace {

/// The executor for calls of this thread; created at the first call.
std::optional<host_executor>& cores() {
    thread_local std::optional<host_executor> mine;
    return mine;
}

struct on_host {
    template <class Work>
    void with(Work const& work) const {
        if (!cores()) cores().emplace();
        work(*cores());
    }
};

} // namespace
} // namespace coppice::inline v0_1::c_interface

using namespace coppice::c_interface;

char const* coppice_last_error(void) { return last_message().c_str(); }

coppice_status_t coppice_set_threads(int threads) {
    return guarded("coppice_set_threads", [&] { cores() = coppice::host_executor(threads); });
}

#define COPPICE_C_NAME(t, f) coppice##t##f
#define COPPICE_C_TYPES(F) F(S, float) F(D, double) F(C, coppice_complex_float) F(Z, coppice_complex_double)
#define COPPICE_C_STREAM
#define COPPICE_C_SIZE int64_t
#define COPPICE_C_STATUS coppice_status_t
#define COPPICE_C_PIVOTING coppice_pivoting_t
#define COPPICE_C_ADDITIONS 1
#define COPPICE_C_BACKEND                                                                                              \
    on_host {}
#define COPPICE_C_DEFAULT_BACKEND                                                                                      \
    on_host {}
#include <coppice/solvers/c/c_functions.inc>
