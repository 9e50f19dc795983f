// SPDX-License-Identifier: BSD-3-Clause
// Kernel bodies with a missing barrier, and a loop with dependent items. A build with the thread sanitizer expects that
// every case of this program ends with "data race" and that `none` succeeds.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "support/block_stand_in.hpp"
#include <coppice/core/parallel.hpp>

namespace {

enum class fault { none, no_barrier, exchange_only, neighbour_block };

template <class Block>
void rotate(Block const& block, int index, int* shared, std::vector<int>& out, fault f) {
    int const t = block.thread(), n = block.threads();
    shared[t] = t;
    if (f == fault::exchange_only) (void)block.from_lane(t, 0); // orders a warp, not the block
    if (f != fault::no_barrier && f != fault::exchange_only) block.sync();
    int const i = (index * n + t) % (f == fault::neighbour_block ? n : int(out.size()));
    out[std::size_t(i)] = shared[(t + 32) % n];
}

/// Every item writes to the same address: the annotations in core/host/host_loop.cpp must not hide the race.
struct careless_item {
    coppice::array_view<std::int64_t> out;
    void operator()(std::int64_t i) const {
        if (i % 8192 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2)); // gives the other worker time to run
        out[0] = i;
    }
};

} // namespace

int main(int argc, char** argv) {
    char const* const name = argc > 1 ? argv[1] : "none";
    auto const is = [name](char const* other) { return std::strcmp(name, other) == 0; };
    fault const f = is("no_barrier")        ? fault::no_barrier
                    : is("exchange_only")   ? fault::exchange_only
                    : is("neighbour_block") ? fault::neighbour_block
                                            : fault::none;
    if (is("shared_element")) {
        coppice::host_executor const exec{2};
        coppice::buffer<std::int64_t> out(exec, 1);
        coppice::for_each(exec, 100 * 8192, careless_item{out.view()});
        std::printf("%s: last item %d\n", name, int(out[0]));
        return 0;
    }
    constexpr int threads = 64, count = 8;
    std::vector<int> out(std::size_t(threads * count));
    coppice::test::block_runner blocks(threads, threads * sizeof(int));
    blocks.run(count, [&](auto const& block, int index, std::byte* shared) {
        rotate(block, index, reinterpret_cast<int*>(shared), out, f);
    });
    std::printf("%s: done\n", name);
}
