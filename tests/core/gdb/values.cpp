// SPDX-License-Identifier: BSD-3-Clause
// Values for the test of gdb's pretty-printers: check.cmake stops the program in stop_here() and prints variables of
// main().
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/host/host_executor.hpp>
#include <coppice/core/memory.hpp>

[[gnu::noinline]] void stop_here() { asm volatile(""); }

int main() {
    coppice::host_executor const exec(1);
    auto numbers = exec.copy(std::vector<double>{1.5, -2, 3});
    coppice::buffer<float> nothing;
    coppice::array_view<double const> last_two = numbers.view().slice(1, 2);
    coppice::csr<double> a(3, 4, exec.copy(std::vector<int>{0, 2, 2, 4}), exec.copy(std::vector<int>{0, 2, 1, 3}),
                           exec.copy(std::vector<double>{1, 0.5, 2, 4}));
    coppice::csr<float, std::int64_t> wide(1, 5'000'000'000, exec.copy(std::vector<std::int64_t>{0, 1}),
                                           exec.copy(std::vector<std::int64_t>{4'999'999'999}),
                                           exec.copy(std::vector<float>{7}));
    coppice::csr_view<double> view = a.view();
    coppice::csr_view<double> broken = view;
    std::vector<int> const falling{0, 3, 2, 4};
    broken.offsets = falling.data();
    coppice::csr_view<double> unreadable{2, 2, 2, nullptr, nullptr, nullptr};
    unreadable.offsets = reinterpret_cast<int const*>(16); // an address that this process does not have
    stop_here();
    return numbers.size() + nothing.size() + last_two.size() + a.rows() + wide.rows() + view.rows() + broken.rows() +
                       unreadable.rows() >
                   0
               ? 0
               : 1;
}
