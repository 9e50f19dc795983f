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
std::vector<entry> entries_of(GrB_Vector v) {
    GrB_Index n = 0;
    GrB_Vector_nvals(&n, v);
    std::vector<GrB_Index> i(n + 1);
    std::vector<double> x(n + 1);
    GrB_Vector_extractTuples_FP64(i.data(), x.data(), &n, v);
    std::vector<entry> all;
    for (GrB_Index k = 0; k < n; ++k) all.push_back({i[k], 0, x[k]});
    return all;
}
GrB_Matrix matrix_of(GrB_Index n) {
    GrB_Matrix a = nullptr;
    GrB_Matrix_new(&a, GrB_FP64, n, n);
    for (GrB_Index i = 0; i < n; ++i) GrB_Matrix_setElement_FP64(a, double(i) - 3, i, (3 * i + 1) % n);
    GrB_Matrix_wait(a, GrB_MATERIALIZE);
    return a;
}

/// The outputs of the tested calls.
void make(GrB_Matrix& c) { c = matrix_of(6); }
void make(GrB_Vector& v) {
    GrB_Vector_new(&v, GrB_FP64, 6);
    for (GrB_Index i = 0; i < 6; i += 2) GrB_Vector_setElement_FP64(v, double(i) - 3, i);
    GrB_Vector_wait(v, GrB_MATERIALIZE);
}
void remove(GrB_Matrix& c) { GrB_Matrix_free(&c); }
void remove(GrB_Vector& v) { GrB_Vector_free(&v); }

int failures = 0;
long tried = 0;

/// Lets the first, second, … allocation of run(c) fail until none does.
template <class Output = GrB_Matrix, class Run>
void every_allocation(char const* name, Run const& run) {
    for (long n = 0; n < 10000; ++n) {
        Output c = nullptr;
        make(c);
        auto const before = entries_of(c);
        until_failure = n;
        GrB_Info const info = run(c);
        bool const failed = until_failure < 0;
        until_failure = -1;
        bool const unchanged = entries_of(c) == before;
        remove(c);
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

/// Operations with a vector as their output.
void vector_operations(GrB_Matrix a, GrB_Vector u, GrB_Vector full) {
    auto const plus = GrB_PLUS_FP64;
    GrB_Descriptor const r = GrB_DESC_R, sc = GrB_DESC_RSC;
    GrB_Index const list[3] = {4, 0, 2};
    auto const tried_by = []<class Run>(char const* name, Run const& run) { every_allocation<GrB_Vector>(name, run); };
    for (GrB_Vector const x : {u, full}) {
        tried_by("vxm", [&](GrB_Vector w) { return GrB_vxm(w, u, plus, GrB_PLUS_TIMES_SEMIRING_FP64, x, a, r); });
        tried_by("mxv", [&](GrB_Vector w) { return GrB_mxv(w, u, plus, GrB_MIN_PLUS_SEMIRING_FP64, a, x, sc); });
        tried_by("mxv over complex numbers",
                 [&](GrB_Vector w) { return GrB_mxv(w, u, plus, GxB_PLUS_TIMES_FC64, a, x, r); });
        tried_by("eWiseAdd of vectors",
                 [&](GrB_Vector w) { return GrB_Vector_eWiseAdd_BinaryOp(w, u, plus, plus, x, w, r); });
        tried_by("eWiseMult of vectors",
                 [&](GrB_Vector w) { return GrB_Vector_eWiseMult_BinaryOp(w, u, plus, plus, x, w, r); });
        tried_by("apply to a vector", [&](GrB_Vector w) { return GrB_Vector_apply(w, u, plus, GrB_AINV_INT32, x, r); });
        tried_by("select of a vector",
                 [&](GrB_Vector w) { return GrB_Vector_select_FP64(w, u, plus, GrB_VALUEGT_FP64, x, 0, r); });
        tried_by("assign to a vector", [&](GrB_Vector w) { return GrB_Vector_assign(w, x, plus, x, GrB_ALL, 6, r); });
        tried_by("assign a value to a vector",
                 [&](GrB_Vector w) { return GrB_Vector_assign_FP64(w, x, nullptr, 2, GrB_ALL, 6, r); });
        tried_by("subassign to a vector",
                 [&](GrB_Vector w) { return GxB_Vector_subassign_FP64(w, nullptr, plus, 2, list, 3, r); });
    }
    tried_by("reduce rows",
             [&](GrB_Vector w) { return GrB_Matrix_reduce_Monoid(w, u, plus, GrB_PLUS_MONOID_FP64, a, r); });
    tried_by("extract a column", [&](GrB_Vector w) { return GrB_Col_extract(w, u, plus, a, GrB_ALL, 6, 2, r); });
    tried_by("set an element", [&](GrB_Vector w) { return GrB_Vector_setElement_FP64(w, 5, 1); });
    tried_by("remove an element", [&](GrB_Vector w) {
        GrB_Vector copy = nullptr;
        GrB_Info info = GrB_Vector_dup(&copy, w);
        if (info == GrB_SUCCESS) info = GrB_Vector_removeElement(copy, 2);
        GrB_Vector_free(&copy);
        return info;
    });
}

/// Objects that calls make: nothing is left of one that failed.
void new_objects(GrB_Vector u) {
    GrB_Index const rows[4] = {0, 5, 2, 5}, columns[4] = {1, 1, 4, 1}, offsets[3] = {0, 1, 2}, indices[2] = {1, 0};
    double const x[4] = {1, 2, 3, 4};
    auto const made = []<class Make>(char const* name, Make const& make_matrix) {
        every_allocation(name, [&](GrB_Matrix c) {
            GrB_Matrix m = nullptr;
            GrB_Info const info = make_matrix(m, c);
            GrB_Matrix_free(&m);
            return info;
        });
    };
    made("build", [&](GrB_Matrix& m, GrB_Matrix) {
        GrB_Info const info = GrB_Matrix_new(&m, GrB_FP64, 6, 6);
        return info != GrB_SUCCESS ? info : GrB_Matrix_build_FP64(m, rows, columns, x, 4, GrB_PLUS_FP64);
    });
    made("dup", [&](GrB_Matrix& m, GrB_Matrix c) { return GrB_Matrix_dup(&m, c); });
    made("diag", [&](GrB_Matrix& m, GrB_Matrix) { return GrB_Matrix_diag(&m, u, 1); });
    made("import", [&](GrB_Matrix& m, GrB_Matrix) {
        return GrB_Matrix_import_FP64(&m, GrB_FP64, 2, 2, offsets, indices, x, 3, 2, 2, GrB_CSR_FORMAT);
    });
    made("kronecker", [&](GrB_Matrix& m, GrB_Matrix c) {
        GrB_Info const info = GrB_Matrix_new(&m, GrB_FP64, 36, 36);
        return info != GrB_SUCCESS ? info
                                   : GrB_Matrix_kronecker_BinaryOp(m, nullptr, nullptr, GrB_TIMES_FP64, c, c, nullptr);
    });
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
    every_allocation("eWiseMult",
                     [&](GrB_Matrix c) { return GrB_Matrix_eWiseMult_BinaryOp(c, mask, plus, plus, a, c, r); });
    every_allocation("subassign",
                     [&](GrB_Matrix c) { return GxB_Matrix_subassign_FP64(c, nullptr, plus, 2, list, 3, list, 3, r); });
    every_allocation("apply 2nd", [&](GrB_Matrix c) {
        return GrB_Matrix_apply_BinaryOp2nd_FP64(c, mask, plus, GrB_MINUS_FP32, a, 3, r);
    });
    every_allocation("apply an index operator", [&](GrB_Matrix c) {
        return GrB_Matrix_apply_IndexOp_INT64(c, mask, plus, GrB_COLINDEX_INT64, a, 3, r);
    });
    every_allocation("reduce", [&](GrB_Matrix c) {
        double sum = 0;
        return GrB_Matrix_reduce_FP64(&sum, nullptr, GrB_PLUS_MONOID_FP32, c, nullptr);
    });
    every_allocation("remove and set elements", [&](GrB_Matrix c) {
        GrB_Matrix copy = nullptr;
        GrB_Info info = GrB_Matrix_dup(&copy, c);
        if (info == GrB_SUCCESS) info = GrB_Matrix_removeElement(copy, 0, 1);
        if (info == GrB_SUCCESS) info = GrB_Matrix_setElement_FP64(copy, 5, 3, 3);
        if (info == GrB_SUCCESS) info = GrB_Matrix_wait(copy, GrB_MATERIALIZE);
        GrB_Matrix_free(&copy);
        return info;
    });
    GrB_Vector full = nullptr;
    GrB_Vector_new(&full, GrB_FP64, 6);
    GrB_Vector_assign_FP64(full, nullptr, nullptr, 2, GrB_ALL, 6, nullptr);
    vector_operations(a, u, full);
    new_objects(u);
    GrB_Vector_free(&full);
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
    return failures != 0 || tried < 300;
}
