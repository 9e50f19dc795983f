// SPDX-License-Identifier: BSD-3-Clause
// Every allocation of each operation fails once: the code is GrB_OUT_OF_MEMORY, and the output does not change.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include <GraphBLAS.h>

namespace {
std::atomic<long> until_failure{-1}; // allocations until one fails; negative: none does

bool fails() {
    long left = until_failure.load();
    while (left >= 0)
        if (until_failure.compare_exchange_weak(left, left - 1)) return left == 0;
    return false;
}
} // namespace

// The library calls these: they replace the operators of the C++ library in the whole program.
void* operator new(std::size_t size) {
    void* const p = fails() ? nullptr : std::malloc(size ? size : 1);
    if (!p) throw std::bad_alloc();
    return p;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    auto const a = static_cast<std::size_t>(alignment);
    void* const p = fails() ? nullptr : std::aligned_alloc(a, (size + a - 1) / a * a);
    if (!p) throw std::bad_alloc();
    return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

struct entry {
    GrB_Index i, j;
    double x;
    bool operator==(entry const&) const = default;
};
std::vector<entry> entries_of(GrB_Matrix a) {
    GrB_Index n = 0;
    GrB_Matrix_nvals(&n, a);
    std::vector<GrB_Index> i(n + 1), j(n + 1);
    std::vector<double> x(n + 1);
    GrB_Matrix_extractTuples_FP64(i.data(), j.data(), x.data(), &n, a);
    std::vector<entry> all;
    for (GrB_Index k = 0; k < n; ++k) all.push_back({i[k], j[k], x[k]});
    return all;
}
GrB_Matrix matrix_of(GrB_Index n) {
    GrB_Matrix a = nullptr;
    GrB_Matrix_new(&a, GrB_FP64, n, n);
    for (GrB_Index i = 0; i < n; ++i) GrB_Matrix_setElement_FP64(a, double(i) - 3, i, (3 * i + 1) % n);
    GrB_Matrix_wait(a, GrB_MATERIALIZE);
    return a;
}

int failures = 0;
long tried = 0;

/// Lets the first, second, … allocation of run(c) fail until none does.
template <class Run>
void every_allocation(char const* name, Run const& run) {
    for (long n = 0; n < 10000; ++n) {
        GrB_Matrix c = matrix_of(6);
        auto const before = entries_of(c);
        until_failure = n;
        GrB_Info const info = run(c);
        bool const failed = until_failure < 0;
        until_failure = -1;
        bool const unchanged = entries_of(c) == before;
        GrB_Matrix_free(&c);
        if (info == GrB_SUCCESS && !failed) return;
        ++tried;
        if (info == GrB_SUCCESS) continue; // an allocation that is not needed, such as the message of an error
        if (info != GrB_OUT_OF_MEMORY || !unchanged) {
            std::printf("%s: allocation %ld gives %d, output %s\n", name, n, int(info),
                        unchanged ? "unchanged" : "changed");
            if (++failures > 20) return;
        }
    }
}

} // namespace

int main() {
    GrB_init(GrB_NONBLOCKING);
    GrB_Matrix a = matrix_of(6), mask = matrix_of(6);
    GrB_Vector u = nullptr;
    GrB_Vector_new(&u, GrB_FP64, 6);
    for (GrB_Index i = 0; i < 6; i += 2) GrB_Vector_setElement_FP64(u, 1, i);
    GrB_Index const list[3] = {4, 0, 2};
    GrB_Descriptor const r = GrB_DESC_R, t = GrB_DESC_RST0T1;
    auto const plus = GrB_PLUS_FP64;
    every_allocation("mxm",
                     [&](GrB_Matrix c) { return GrB_mxm(c, mask, plus, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, t); });
    every_allocation("eWiseAdd",
                     [&](GrB_Matrix c) { return GrB_Matrix_eWiseAdd_BinaryOp(c, mask, plus, plus, a, c, r); });
    every_allocation("apply", [&](GrB_Matrix c) { return GrB_Matrix_apply(c, mask, plus, GrB_AINV_INT32, a, r); });
    every_allocation("select", [&](GrB_Matrix c) { return GrB_Matrix_select_INT64(c, mask, plus, GrB_TRIL, a, 0, r); });
    every_allocation("transpose", [&](GrB_Matrix c) { return GrB_transpose(c, mask, plus, a, r); });
    every_allocation("extract", [&](GrB_Matrix c) {
        GrB_Matrix small = nullptr;
        GrB_Info info = GrB_Matrix_new(&small, GrB_FP64, 3, 3);
        if (info == GrB_SUCCESS) info = GrB_Matrix_extract(small, nullptr, nullptr, c, list, 3, list, 3, nullptr);
        GrB_Matrix_free(&small);
        return info;
    });
    every_allocation("assign",
                     [&](GrB_Matrix c) { return GrB_Matrix_assign(c, mask, plus, a, GrB_ALL, 6, GrB_ALL, 6, r); });
    every_allocation("assign a value",
                     [&](GrB_Matrix c) { return GrB_Matrix_assign_FP64(c, mask, nullptr, 2, list, 3, GrB_ALL, 6, r); });
    every_allocation("assign a row", [&](GrB_Matrix c) { return GrB_Row_assign(c, u, plus, u, 1, GrB_ALL, 6, r); });
    every_allocation("assign a column", [&](GrB_Matrix c) { return GrB_Col_assign(c, u, plus, u, GrB_ALL, 6, 1, r); });
    every_allocation("resize", [&](GrB_Matrix c) { return GrB_Matrix_resize(c, 100, 3); });
    every_allocation("serialize", [&](GrB_Matrix c) {
        std::byte blob[4096];
        GrB_Index size = sizeof blob;
        GrB_Info info = GrB_Matrix_serialize(blob, &size, c);
        GrB_Matrix copy = nullptr;
        if (info == GrB_SUCCESS) info = GrB_Matrix_deserialize(&copy, nullptr, blob, size);
        GrB_Matrix_free(&copy);
        return info;
    });
    GrB_Matrix_free(&a);
    GrB_Matrix_free(&mask);
    GrB_Vector_free(&u);
    std::printf("%ld failing allocations, %d failures\n", tried, failures);
    return failures != 0 || tried < 100;
}
