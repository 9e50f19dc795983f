// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/own_arrays.md; regions between the markers are in the page word for word.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/csr.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/spmv.hpp>

namespace {
namespace own_arrays {

struct line_arrays {
    // clang-format off
// [begin]
// 3 x 3, rows (2 -1 0), (-1 2 -1), (0 -1 2)
std::vector<std::int32_t> offsets{0, 2, 5, 7};              // row i: nonzeros offsets[i] to offsets[i + 1] - 1
std::vector<std::int32_t> columns{0, 1, 0, 1, 2, 1, 2};     // column of each nonzero
std::vector<double> values{2, -1, -1, 2, -1, -1, 2};
// [end]
    // clang-format on
};

// [begin]
std::vector<double> times(coppice::host_executor const& exec, coppice::csr_view<double> a,
                          std::vector<double> const& x) {
    coppice::validate(exec, a); // once: operations rely on the arrays
    std::vector<double> y(std::size_t(a.rows()));
    coppice::spmv(exec, coppice::make_srcsr_plan(exec, a), a, coppice::array_view(x), coppice::array_view(y));
    return y;
}
// [end]

// [begin]
/// Frees what malloc() or a library with free() allocated.
class malloc_memory : public coppice::memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        if (void* const p = std::aligned_alloc(64, (bytes + 63) / 64 * 64)) return p; // blocks are aligned to 64 bytes
        throw coppice::memory_error("no memory");
    }
    void deallocate(void* pointer, std::size_t) noexcept override { std::free(pointer); }
    coppice::memory_space space() const noexcept override { return coppice::memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { std::memcpy(host_to, from, bytes); }
};

coppice::csr<double> take(int n, int* offsets, int* columns, double* values) {
    auto const memory = std::make_shared<malloc_memory>();
    return {n, n, coppice::buffer<int>::adopt(memory, offsets, n + 1),
            coppice::buffer<int>::adopt(memory, columns, offsets[n]),
            coppice::buffer<double>::adopt(memory, values, offsets[n])};
}
// [end]

template <class T>
T* by_malloc(std::vector<T> const& from) {
    auto* const to = static_cast<T*>(std::malloc(from.size() * sizeof(T)));
    std::copy(from.begin(), from.end(), to);
    return to;
}

} // namespace own_arrays
} // namespace

TEST_CASE("own arrays: views, owners, numbering from 1, 64 bits") {
    using namespace own_arrays;
    line_arrays line;
    auto& [offsets, columns, values] = line;
    coppice::host_executor const exec(2);
    std::vector<double> const x{1, 2, 3}, y{0, 0, 4};
    // clang-format off
// [begin]
coppice::csr_view<double> const a{3, 3, 7, offsets.data(), columns.data(), values.data()}; // rows, columns, nonzeros
// [end]
    // clang-format on
    CHECK(times(exec, a, x) == y);

    // clang-format off
// [begin]
coppice::csr<double> const b(3, 3, exec.copy(offsets), exec.copy(columns), exec.copy(values)); // a copy that it owns
// [end]
    // clang-format on
    CHECK(times(exec, b, x) == y);

    auto c = take(3, by_malloc(offsets), by_malloc(columns), by_malloc(values));
    CHECK(times(exec, c, x) == y);
    // clang-format off
// [begin]
auto arrays = std::move(c).release(); // the three buffers; arrays.values.release() gives up the pointer
// [end]
    // clang-format on
    CHECK(c.rows() == 0);
    double* const pointer = arrays.values.release();
    CHECK(pointer[1] == -1);
    std::free(pointer);

    // clang-format off
// [begin]
std::vector<long> const first_is_1{1, 3, 6, 8}, columns_from_1{1, 2, 1, 2, 3, 2, 3}; // of Fortran, MATLAB, METIS
auto const d = coppice::csr_from_arrays(exec, 3, 3, first_is_1, columns_from_1, values, {.base = 1}); // checked, 32 bits
// [end]
    // clang-format on
    static_assert(std::is_same_v<decltype(d), coppice::csr<double> const>);
    CHECK(times(exec, d, x) == y);
    try {
        std::vector<long> const wrong{1, 2, 1, 2, 4, 2, 3};
        coppice::csr_from_arrays(exec, 3, 3, first_is_1, wrong, values, {.base = 1});
        FAIL("column 4 of a matrix of three columns was accepted");
    } catch (coppice::matrix_error const& e) {
        CHECK(e.what() == std::string("element 4 of the column indices is 4, expected at least 1 and less than 4"));
    }

    // clang-format off
// [begin]
std::vector<std::int64_t> const offsets_64(offsets.begin(), offsets.end()), columns_64(columns.begin(), columns.end());
coppice::csr_view<double, std::int32_t, std::int64_t> const e{3, 3, 7, offsets_64.data(), columns.data(), values.data()};
coppice::csr_view<double, std::int64_t> const f{3, 3, 7, offsets_64.data(), columns_64.data(), values.data()};
// A copy with 32 bits; overflow_error if the sizes do not fit:
auto const g = coppice::csr_from_arrays<std::int32_t>(exec, 3, 3, offsets_64, columns_64, values);
// [end]
    // clang-format on
    for (int width = 0; width < 2; ++width) {
        std::vector<double> z(3);
        auto const multiply = [&](auto const& wide) {
            coppice::validate(exec, wide, {.sorted = true, .duplicates = false, .finite = true});
            coppice::spmv(exec, coppice::make_srcsr_plan(exec, wide), wide, coppice::array_view(x),
                          coppice::array_view(z));
        };
        width == 0 ? multiply(e) : multiply(f);
        CHECK(z == y);
    }
    CHECK(times(exec, g, x) == y);

    std::vector<double> rhs{0, 0, 4}, solution(3, 0.0);
    // clang-format off
// [begin]
coppice::csr_operator const op(exec, e);                                     // 64-bit offsets or indices: products
auto const result = coppice::solve(exec, "cg", op, coppice::identity_preconditioner{}, rhs, solution);
// [end]
    // clang-format on
    CHECK(result.converged);
    for (std::size_t i = 0; i < 3; ++i) CHECK(solution[i] == doctest::Approx(x[i]));
}

TEST_CASE("own arrays: what validate reports") {
    own_arrays::line_arrays line;
    coppice::host_executor const exec(2);
    coppice::csr_view<double> const a{3, 3, 7, line.offsets.data(), line.columns.data(), line.values.data()};
    auto const message = [&](coppice::validation_options const& options = {}) -> std::string {
        try {
            coppice::validate(exec, a, options);
        } catch (coppice::matrix_error const& e) {
            return e.what();
        }
        return "";
    };
    CHECK(message() == "");
    line.columns[4] = 3;
    CHECK(message() == "row 1: column 3 is outside [0, 3)");
    line.columns[4] = 1;
    CHECK(message() == "");
    CHECK(message({.duplicates = false}) == "row 1: column 1 occurs more than once");
    line.offsets = {1, 3, 6, 8};
    CHECK(message() == "row offsets begin with 1, expected 0");

    std::vector<std::int64_t> const offsets{0, 1, 2}, columns{0, 1};
    std::vector<std::complex<double>> values{{1, 2}, {3, std::nan("")}};
    coppice::csr_view<std::complex<double>, std::int64_t> const c{
        2, 2, 2, offsets.data(), columns.data(), values.data()};
    CHECK_NOTHROW(coppice::validate(exec, c));
    CHECK_THROWS_WITH_AS(coppice::validate(exec, c, {.finite = true}),
                         "row 1: the value in column 1 is (3.000000, nan), expected a finite value",
                         coppice::matrix_error);
}
