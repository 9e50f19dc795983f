// SPDX-License-Identifier: BSD-3-Clause
// Expressions that must not compile. Each is compiled with its macro defined and must fail with the message that
// CMakeLists.txt names; with no macro defined the file must compile.
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/pattern.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/multilevel.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/semiring/spmv/arg_max.hpp>
#include <coppice/semiring/spmv/mxv.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solve.hpp>
#include <coppice/solvers/iterative/operators/csr_operator.hpp>
#include <coppice/sparse.hpp>

using namespace coppice;

void owners(host_executor const& exec, csr<double>& a) {
    buffer<int> b(exec, 3);
    buffer<int> source = std::move(b);
    csr<double> taken = std::move(a);
#if defined(COPY_BUFFER)
    buffer<int> copy = source;
#elif defined(ASSIGN_BUFFER)
    b = source;
#elif defined(COPY_CSR)
    csr<double> copy = taken;
#elif defined(BUFFER_OF_STRINGS)
    buffer<std::string> names(exec, 3);
#elif defined(WRITE_THROUGH_CONST_BUFFER)
    buffer<int> const& fixed = source;
    fixed[0] = 1;
#endif
}

void views(array_view<double const> x, array_view<double> y) {
    array_view<double const> read_only = y;
#if defined(VIEW_DROPS_CONST)
    array_view<double> writable = x;
#elif defined(WRITE_THROUGH_CONST_VIEW)
    x[0] = 1;
#elif defined(WRITE_VALUES_OF_CSR_VIEW)
    csr_view<double>{}.values()[0] = 1;
#elif defined(VIEW_OF_TEMPORARY)
    array_view<double> gone = std::vector<double>(3);
#elif defined(VIEW_OF_OTHER_ELEMENTS)
    std::vector<float> narrow(3);
    array_view<double const> wide = narrow;
#elif defined(VIEW_OF_CONST_VECTOR)
    std::vector<double> const fixed(3);
    array_view<double> writable = fixed;
#endif
    static_cast<void>(x), static_cast<void>(read_only);
}

void executors(array_view<int> out) {
    fill(host_executor{1}, out, 1);
#if defined(EXECUTOR_FROM_NUMBER)
    host_executor exec = 2;
#elif defined(NUMBER_AS_EXECUTOR)
    fill(2, out, 1);
#elif defined(DEVICE_FROM_NUMBER)
    cuda_executor exec = 0;
#endif
}

struct sum_without_identity {
    double operator()(double a, double b) const { return a + b; }
};
struct sum_of_numbers : sum_without_identity {
    double identity() const { return 0; }
};
struct sum_without_operator {
    double identity() const { return 0; }
};
struct value_at {
    array_view<double const> values;
    double operator()(std::int64_t k) const { return values[k]; }
};
struct name_at {
    std::string operator()(std::int64_t) const { return {}; }
};
struct keep_row {
    void operator()(std::int64_t) const {}
};
struct keep_text {
    void operator()(std::int64_t, std::string const&) const {}
};
struct keep_sum {
    array_view<double> out;
    void operator()(std::int64_t row, double sum) const { out[row] = sum; }
};

struct value_of_pair {
    double operator()(double value, double x) const { return value * x; }
};
struct value_of_one {
    double operator()(float value) const { return value; }
};
struct keep_at_number {
    void operator()(double, double) const {}
};
struct value_at_number {
    double operator()(double value, double row) const { return value + row; }
};

struct keep_fetched : keep_sum {
    double fetch(std::int64_t row) const { return out[row]; }
};

void row_sums(host_executor const& exec, srcsr_plan<int> const& plan, array_view<double const> v,
              array_view<double> y) {
#if defined(ADDER_WITHOUT_IDENTITY)
    reduce_rows(exec, plan, value_at{v}, sum_without_identity{}, keep_sum{y});
#elif defined(ADDER_WITHOUT_OPERATOR)
    reduce_rows(exec, plan, value_at{v}, sum_without_operator{}, keep_sum{y});
#elif defined(MULTIPLY_OF_NOTHING)
    reduce_rows(exec, plan, v, sum_of_numbers{}, keep_sum{y});
#elif defined(MULTIPLY_OF_STRINGS)
    reduce_rows(exec, plan, name_at{}, sum_of_numbers{}, keep_sum{y});
#elif defined(MULTIPLY_OF_RANGE)
    reduce_rows(exec, plan, row_range{0, 1}, v, sum_of_numbers{}, keep_sum{y});
#elif defined(STORE_WITHOUT_SUM)
    reduce_rows(exec, plan, value_at{v}, sum_of_numbers{}, keep_row{});
#elif defined(STORE_OF_ANOTHER_TYPE)
    reduce_rows(exec, plan, value_at{v}, sum_of_numbers{}, keep_text{});
#elif defined(STORE_WITHOUT_FETCHED)
    reduce_rows(exec, plan, value_at{v}, sum_of_numbers{}, keep_fetched{{y}});
#elif defined(MULTIPLY_OF_VALUES)
    reduce_rows(exec, plan, value_of_pair{}, sum_of_numbers{}, keep_sum{y});
#elif defined(MULTIPLY_OF_VALUES_IN_A_LAMBDA)
    reduce_rows(
        exec, plan, [](double value, double x) { return value * x; }, sum_of_numbers{}, keep_sum{y});
#elif defined(MULTIPLY_OF_VALUES_IN_A_RANGE)
    reduce_rows(exec, plan, row_range{0, 1}, value_of_pair{}, sum_of_numbers{}, keep_sum{y});
#elif defined(MULTIPLY_OF_ONE_VALUE)
    reduce_rows(exec, plan, value_of_one{}, sum_of_numbers{}, keep_sum{y});
#elif defined(STORE_AT_A_NUMBER)
    reduce_rows(exec, plan, value_at{v}, sum_of_numbers{}, keep_at_number{});
#elif defined(ROW_AS_A_NUMBER)
    reduce_rows(exec, plan, along_nonzeros{value_at_number{}, v.data()}, sum_of_numbers{}, keep_sum{y});
#elif defined(MULTIPLY_THAT_MOVES_ONLY)
    reduce_rows(
        exec, plan, [b = buffer<double>(exec, 3)](std::int64_t k) { return b[k]; }, sum_of_numbers{}, keep_sum{y});
#elif defined(NARROW_SUM_OF_ROWS)
    reduce_rows(exec, plan, value_at{v}, add_plus<float>{}, keep_sum{y});
#else
    reduce_rows(exec, plan, value_at{v}, sum_of_numbers{}, keep_sum{y});
#endif
}

struct semiring_without_result {
    add_plus<double> add;
    double multiply(double a, double x, std::int64_t) const { return a * x; }
};

void products(host_executor const& exec, srcsr_plan<int> const& plan, csr_view<double> a, array_view<double const> x,
              array_view<double> y) {
    semiring_spmv(exec, plan, plus_times<double>{}, a, x, y);
#if defined(NUMBER_AS_SEMIRING)
    semiring_spmv(exec, plan, 1.0, a, x, y);
#elif defined(SEMIRING_WITHOUT_RESULT)
    semiring_spmv(exec, plan, semiring_without_result{}, a, x, y);
#elif defined(NARROW_SEMIRING)
    semiring_spmv(exec, plan, min_plus<float>{}, a, x, y);
#elif defined(NARROW_SEMIRING_FOR_X)
    semiring_spmv(exec, plan, min_plus<float>{}, csr_view<float>{}, x, array_view<float>{});
#elif defined(NARROW_SEMIRING_FOR_Y)
    semiring_spmv(exec, plan, min_plus<float>{}, csr_view<float>{}, array_view<float const>{}, y);
#elif defined(INTEGER_SEMIRING)
    semiring_spmv(exec, plan, max_plus<std::int32_t>{}, a, x, y);
#elif defined(NARROW_MONOID)
    semiring_spmv(exec, plan, semiring_of<add_min<float>, op::plus<double>>{}, a, x, y);
#elif defined(SPMV_INTO_CONST)
    spmv(exec, plan, a, x, x);
#elif defined(ARG_MAX_OF_NONE)
    arg_max_n<0>(exec, plan, a, array_view<value_and_column<double>>{});
#elif defined(COMPLEX_SUM_INTO_REAL)
    spmv(exec, plan, csr_view<std::complex<double>>{}, array_view<std::complex<double> const>{}, y);
#elif defined(COPY_PLAN)
    srcsr_plan<int> const copy = plan;
#endif
}

void operators(host_executor const& exec, csr<double> const& matrix) {
    csr_operator const a(exec, matrix);
#if defined(OPERATOR_OF_TEMPORARY)
    csr_operator const dangling(exec, csr<double>{});
#elif defined(OPERATOR_OF_VIEW_OF_TEMPORARY)
    csr_operator const dangling(exec, csr<double>{}.view());
#elif defined(CSR_VIEW_OF_TEMPORARY)
    csr_view<double> const dangling = csr<double>{};
#elif defined(BUFFER_VIEW_OF_TEMPORARY)
    auto const dangling = buffer<double>(exec, 3).view();
#elif defined(VECTOR_VIEW_OF_TEMPORARY)
    auto const dangling = dense_vector<double>(exec, 3).view();
#elif defined(TRIDIAGONAL_VIEW_OF_TEMPORARY)
    auto const dangling = tridiagonal<double>(exec, 3).view();
#elif defined(TRIDIAGONAL_FROM_TEMPORARY)
    tridiagonal_view<double> const dangling = tridiagonal<double>(exec, 3);
#elif defined(BANDED_VIEW_OF_TEMPORARY)
    auto const dangling = banded<double>(exec, 3, 1, 1).view();
#elif defined(BLOCKS_VIEW_OF_TEMPORARY)
    auto const dangling = block_tridiagonal<double>(exec, 3, 2).view();
#elif defined(PATTERN_VIEW_OF_TEMPORARY)
    auto const dangling = sparsity_pattern<std::int32_t>{}.view();
#elif defined(HYBRID_VIEW_OF_TEMPORARY)
    auto const dangling = block_hybrid<double>{}.view();
#elif defined(OPERAND_OF_VIEW_OF_TEMPORARY)
    matrix_operand const dangling(exec, csr<double>{}.view());
#endif
}

struct one_operand {
    double operator()(double a) const { return a; }
};

void masked_products(host_executor const& exec, csr<double> const& matrix, dense_vector_view<double> w,
                     dense_vector_view<double const> u) {
    matrix_operand const a(exec, matrix);
    mxv(exec, w, u, op::plus<double>{}, semiring_of<add_min<double>, op::times<double>>{}, a, u);
#if defined(SEMIRING_WITHOUT_IDENTITY)
    mxv(exec, w, u, op::plus<double>{}, semiring_of<op::min<double>, op::times<double>>{}, a, u);
#elif defined(NUMBER_AS_MASK)
    mxv(exec, w, 1, op::plus<double>{}, plus_times<double>{}, a, u);
#elif defined(ACCUMULATOR_OF_ONE)
    mxv(exec, w, u, one_operand{}, plus_times<double>{}, a, u);
#elif defined(MXV_INTO_CONST)
    mxv(exec, u, u, op::plus<double>{}, plus_times<double>{}, a, u);
#elif defined(OPERAND_OF_TEMPORARY)
    matrix_operand const dangling(exec, csr<double>{});
#elif defined(NARROW_MXV)
    mxv(exec, w, u, no_accumulator{}, min_plus<float>{}, a, u);
#elif defined(NARROW_ACCUMULATOR)
    mxv(exec, w, u, op::plus<float>{}, plus_times<double>{}, a, u);
#elif defined(NARROW_OUTPUT_OF_MXV)
    mxv(exec, w, u, no_accumulator{}, min_plus<float>{}, matrix_operand<float>(exec, csr_view<float>{}),
        dense_vector_view<float const>{});
#elif defined(VXM_WITH_MXV_ORDER)
    vxm(exec, w, u, op::plus<double>{}, plus_times<double>{}, a, u);
#endif
}

struct third_is_a_number {
    double operator()(double a, double b, double k) const { return a + b + k; }
};
struct position_is_a_number {
    double operator()(double a, double i, double j) const { return a + i + j; }
};

void matrices(host_executor const& exec, csr<double> const& a) {
    ewise_add(exec, op::plus<double>{}, a.view(), a.view());
    mxm(exec, allow_rounding(min_plus<float>{}), a.view(), a.view());
    ewise_add(exec, allow_rounding(op::plus<float>{}), a.view(), a.view());
    mxm(exec, semiring_of<add_min<std::int32_t>, op::oneb<std::int32_t>>{}, a.view(), a.view()); // reads no values
#if defined(NARROW_PRODUCT)
    mxm(exec, min_plus<float>{}, a.view(), a.view());
#elif defined(NARROW_ADDITION)
    ewise_add(exec, op::plus<float>{}, a.view(), a.view());
#elif defined(NARROW_ADDITION_IN_A_LAMBDA)
    ewise_add(
        exec, [](float x, float y) { return x + y; }, a.view(), a.view());
#elif defined(NARROW_MULTIPLICATION)
    ewise_mult(exec, op::times<std::int32_t>{}, a.view(), a.view());
#elif defined(NARROW_APPLY)
    apply(exec, op::abs<float>{}, a.view());
#elif defined(NARROW_REDUCTION)
    reduce_to_scalar(exec, add_plus<float>{}, a.view());
#elif defined(NARROW_KRONECKER)
    kronecker(exec, op::times<float>{}, a.view(), a.view());
#elif defined(NARROW_DUPLICATES)
    build(exec, 3, 3, a.column_indices().view(), a.column_indices().view(), a.values().view(), op::plus<float>{});
#elif defined(COLUMN_AS_A_NUMBER)
    ewise_add(exec, third_is_a_number{}, a.view(), a.view());
#elif defined(POSITION_AS_A_NUMBER)
    apply(exec, position_is_a_number{}, a.view());
#endif
}

void solvers(host_executor const& exec, csr<double> const& a, csr_view<int> counts, csr_view<double, std::int64_t> wide,
             array_view<double> x) {
    csr_operator const op(exec, a);
    auto const m = make_preconditioner(exec, "forest", a, {{"rounds", 7}});
    solve(exec, "cg", op, m, x, x);
    solve(exec, op, x, x);
#if defined(PRECONDITIONER_OF_INTEGERS)
    make_preconditioner(exec, "jacobi", counts);
#elif defined(PRECONDITIONER_OF_WIDE_INDICES)
    make_preconditioner(exec, "jacobi", wide);
#elif defined(SOLVE_INTEGERS)
    csr_operator const of_integers(exec, counts);
    solve(exec, "cg", of_integers, identity_preconditioner{}, array_view<int const>{}, array_view<int>{});
#elif defined(CHOOSE_FOR_INTEGERS)
    csr_operator const of_integers(exec, counts);
    solve(exec, of_integers, array_view<int const>{}, array_view<int>{});
#elif defined(CHOOSE_FOR_WIDE_INDICES)
    csr_operator const of_wide(exec, wide);
    solve(exec, of_wide, x, x);
#elif defined(COLUMNS_OF_WIDE_INDICES)
    csr_operator const of_wide(exec, wide);
    solve_columns(exec, "cg", of_wide,
                  any_preconditioner<host_executor, double, std::int64_t>(identity_preconditioner{}, {}), x, x, 2);
#elif defined(MULTILEVEL_OF_INTEGERS)
    multilevel_preconditioner<host_executor, int> const levels(exec, counts);
#endif
    static_cast<void>(counts), static_cast<void>(wide);
}
