// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SuiteSparse:GraphBLAS as an oracle: one session for the whole program, and its calls by C++ type.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include <coppice/algebra/csr.hpp>
#include <coppice/semiring/graphblas/graphblas_header.hpp>
#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::test {

/// Starts GraphBLAS at the first call; it ends with the program, since it cannot be started twice.
inline void start_graphblas() {
    struct session {
        session() {
            GrB_init(GrB_NONBLOCKING);
            // One thread: a thread sanitizer cannot see what orders those of its OpenMP.
            GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, 1);
        }
        ~session() { GrB_finalize(); }
    };
    static session const only;
    static_cast<void>(only);
}

inline void grb(GrB_Info info) { REQUIRE(info == GrB_SUCCESS); }

/// What the C interface tells apart by name.
template <class T>
struct grb_type;
#define COPPICE_TEST_GRB_TYPE(T, NAME)                                                                                 \
    template <>                                                                                                        \
    struct grb_type<T> {                                                                                               \
        static GrB_Type type() { return GrB_##NAME; }                                                                  \
        static GrB_BinaryOp plus() { return GrB_PLUS_##NAME; }                                                         \
        static GrB_BinaryOp min() { return GrB_MIN_##NAME; }                                                           \
        static GrB_BinaryOp second() { return GrB_SECOND_##NAME; }                                                     \
        static GrB_Info set(GrB_Vector v, T x, GrB_Index i) { return GrB_Vector_setElement_##NAME(v, x, i); }          \
        static GrB_Info get(T* x, GrB_Vector v, GrB_Index i) { return GrB_Vector_extractElement_##NAME(x, v, i); }     \
        static GrB_Info set(GrB_Matrix a, T x, GrB_Index i, GrB_Index j) {                                             \
            return GrB_Matrix_setElement_##NAME(a, x, i, j);                                                           \
        }                                                                                                              \
        static GrB_Info get(T* x, GrB_Matrix a, GrB_Index i, GrB_Index j) {                                            \
            return GrB_Matrix_extractElement_##NAME(x, a, i, j);                                                       \
        }                                                                                                              \
        static GrB_Info reduce(T* x, GrB_Monoid m, GrB_Vector v) {                                                     \
            return GrB_Vector_reduce_##NAME(x, nullptr, m, v, nullptr);                                                \
        }                                                                                                              \
    }
COPPICE_TEST_GRB_TYPE(bool, BOOL);
COPPICE_TEST_GRB_TYPE(std::int8_t, INT8);
COPPICE_TEST_GRB_TYPE(std::int32_t, INT32);
COPPICE_TEST_GRB_TYPE(std::int64_t, INT64);
COPPICE_TEST_GRB_TYPE(std::uint32_t, UINT32);
COPPICE_TEST_GRB_TYPE(float, FP32);
COPPICE_TEST_GRB_TYPE(double, FP64);
#undef COPPICE_TEST_GRB_TYPE

/// A handle that frees its object.
template <class Handle, GrB_Info (*Free)(Handle*)>
class grb_object {
public:
    grb_object() = default;
    explicit grb_object(Handle h) : handle_(h) {}
    grb_object(grb_object&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    grb_object& operator=(grb_object&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~grb_object() { Free(&handle_); }
    operator Handle() const { return handle_; }
    Handle* address() { return &handle_; }

private:
    Handle handle_ = nullptr;
};
using grb_matrix = grb_object<GrB_Matrix, GrB_Matrix_free>;
using grb_vector = grb_object<GrB_Vector, GrB_Vector_free>;

/// The descriptor of GraphBLAS with the same fields.
class grb_desc {
public:
    explicit grb_desc(descriptor const& d) {
        grb(GrB_Descriptor_new(&handle_));
        set(d.replace, GrB_OUTP, GrB_REPLACE);
        set(d.structure, GrB_MASK, GrB_STRUCTURE);
        set(d.complement, GrB_MASK, GrB_COMP);
        set(d.transpose0, GrB_INP0, GrB_TRAN);
        set(d.transpose1, GrB_INP1, GrB_TRAN);
    }
    grb_desc(grb_desc const&) = delete;
    grb_desc& operator=(grb_desc const&) = delete;
    ~grb_desc() { GrB_Descriptor_free(&handle_); }
    operator GrB_Descriptor() const { return handle_; }

private:
    void set(bool asked, GrB_Desc_Field field, GrB_Desc_Value value) {
        if (asked) grb(GrB_Descriptor_set(handle_, field, value));
    }
    GrB_Descriptor handle_ = nullptr;
};

/// Entry by entry, so that nothing is shared with the exchange that is under test elsewhere.
template <class T>
grb_matrix to_grb(csr_view<T> a) {
    grb_matrix m;
    grb(GrB_Matrix_new(m.address(), grb_type<T>::type(), GrB_Index(a.rows()), GrB_Index(a.columns())));
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k)
            grb(grb_type<T>::set(m, a.coefficients[k], GrB_Index(i), GrB_Index(a.indices[k])));
    grb(GrB_Matrix_wait(m, GrB_MATERIALIZE));
    return m;
}
template <class T>
grb_vector to_grb(dense_vector_view<T const> v) {
    grb_vector g;
    grb(GrB_Vector_new(g.address(), grb_type<T>::type(), GrB_Index(v.size())));
    for (std::int64_t i = 0; i < v.size(); ++i)
        if (v.has(i)) grb(grb_type<T>::set(g, v.values[i], GrB_Index(i)));
    grb(GrB_Vector_wait(g, GrB_MATERIALIZE));
    return g;
}
template <class T>
dense_vector<T> from_grb(GrB_Vector g) {
    GrB_Index n = 0;
    grb(GrB_Vector_size(&n, g));
    dense_vector<T> v(host_executor(1), std::int64_t(n));
    for (GrB_Index i = 0; i < n; ++i)
        v.present()[std::int64_t(i)] = grb_type<T>::get(&v.values()[std::int64_t(i)], g, i) == GrB_SUCCESS;
    return v;
}

} // namespace coppice::test
