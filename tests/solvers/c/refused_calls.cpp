// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: refused calls and their messages, destroyed handles, descriptions.
#include <thread>

#include "solvers/c/handle_calls.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE_TEMPLATE("c handles: invalid matrices are refused", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec(); // the handle uses its stream
    auto const e = handle_of(exec);
    std::int32_t const offsets[] = {0, 1, 3}, indices[] = {0, 1, 1};
    std::int64_t const wide[] = {0, 1, 3}, far[] = {0, std::int64_t(1) << 40, 1};
    double const values[] = {1, 2, 3};
    matrix_handle none;
    auto const make = [&](std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, coppice_type_t index,
                          void const* o, void const* i, coppice_type_t value, void const* v, char const* options) {
        return coppice_matrix_create(e, rows, columns, nonzeros, index, o, i, value, v, options, &none);
    };
    auto const i32 = COPPICE_INT32, i64 = COPPICE_INT64, f64 = COPPICE_DOUBLE;
    refused(make(-1, 2, 3, i32, offsets, indices, f64, values, nullptr), "rows is -1");
    refused(make(2, std::int64_t(1) << 31, 3, i32, offsets, indices, f64, values, nullptr), "columns is 2147483648");
    refused(make(2, 2, -3, i32, offsets, indices, f64, values, nullptr), "nonzeros is -3");
    refused(make(2, 2, 3, f64, offsets, indices, f64, values, nullptr), "index_type is 3");
    refused(make(2, 2, 3, i32, offsets, indices, i64, values, nullptr), "value_type is 1");
    refused(make(2, 2, 3, i32, offsets, indices, coppice_type_t(9), values, nullptr), "value_type is 9");
    refused(make(2, 2, 3, i32, nullptr, indices, f64, values, nullptr), "offsets is NULL");
    refused(make(2, 2, 3, i32, offsets, nullptr, f64, values, nullptr), "indices is NULL");
    refused(make(2, 2, 3, i32, offsets, indices, f64, nullptr, nullptr), "values is NULL");
    refused(make(2, 2, 3, i32, reinterpret_cast<char const*>(offsets) + 1, indices, f64, values, nullptr),
            "offsets is not aligned to 4 bytes");
    refused(make(2, 1, 3, i32, offsets, indices, f64, values, nullptr), "row 1: column 1 is outside [0, 1)");
    refused(make(2, 2, 2, i32, offsets, indices, f64, values, nullptr), "row 1");
    refused(make(1, 2, 3, i32, offsets, indices, f64, values, nullptr), "row offsets end with 1");
    refused(make(2, 2, 3, i64, wide, far, f64, values, nullptr), "indices[1] is 1099511627776");
    refused(make(2, 2, 3, i32, offsets, indices, f64, values, "base=1"), "offsets[0] is 0, expected 1 to");
    refused(make(2, 2, 3, i32, offsets, indices, f64, values, "base=2"), "base");
    refused(make(2, 2, 3, i32, offsets, indices, f64, values, "format=rows"), "storage");
    refused(make(2, 2, 3, i32, offsets, indices, f64, values, "borrow"), "\"borrow\" in \"borrow\" is not");
    refused(make(2, 2, 3, i64, wide, wide, f64, values, "storage=borrow"), "storage=borrow");
    refused(coppice_matrix_create(e, 2, 2, 3, i32, offsets, indices, f64, values, nullptr, nullptr), "matrix is NULL");
    CHECK(none.handle == nullptr);

    std::int32_t const nothing[] = {0};
    matrix_handle empty;
    succeed(coppice_matrix_create(e, 0, 0, 0, i32, nothing, nullptr, f64, nullptr, nullptr, &empty));
    result_handle r;
    succeed(coppice_solve(empty, nullptr, "auto", nullptr, nullptr, 0, 1, &r));
    CHECK(number(r, "converged") == 1);
    succeed(coppice_spmv(empty, "min-plus", nullptr, 0, nullptr, 0, nullptr, nullptr));
}

TEST_CASE_TEMPLATE("c handles: wrong calls say what was wrong", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const e = handle_of(exec), second = handle_of(exec);
    auto const a = laplacian<double>(4);
    auto const m = a.handle(e);
    auto const elsewhere = a.handle(second);
    auto const v = exec.copy(std::vector<double>(32));
    auto w = exec.copy(std::vector<double>(32));
    preconditioner_handle p, none;
    result_handle r;
    succeed(coppice_preconditioner_create(m, "jacobi", nullptr, 0, &p));
    auto const solve = [&](coppice_matrix_t matrix, coppice_preconditioner_t q, char const* method, void const* b,
                           void* x, std::int64_t n,
                           std::int64_t columns) { return coppice_solve(matrix, q, method, b, x, n, columns, &r); };
    refused(solve(m, p, "sor", v.data(), w.data(), 16, 1), "bicgstab");
    refused(solve(m, p, "bicg", v.data(), w.data(), 16, 1), "takes a preconditioner by name");
    refused(solve(m, p, "cg,tolerance=-1", v.data(), w.data(), 16, 1), "tolerance");
    refused(solve(m, p, "cg,omega=1", v.data(), w.data(), 16, 1), "omega");
    refused(solve(m, p, "cg,preconditioner=jacobi", v.data(), w.data(), 16, 1),
            "preconditioner is not NULL, expected NULL with the option \"preconditioner\"");
    refused(solve(m, p, "auto", v.data(), w.data(), 16, 1), "\"auto\"");
    refused(solve(m, nullptr, "auto,preconditioner=sor", v.data(), w.data(), 16, 1), "ilu0");
    refused(solve(m, p, "cg", v.data(), w.data(), 15, 1), "length: got 15, expected 16");
    refused(solve(m, p, "cg", v.data(), w.data(), 16, -1), "columns is -1");
    refused(solve(m, p, "cg", nullptr, w.data(), 16, 1), "b is NULL");
    refused(solve(m, p, "cg", v.data(), nullptr, 16, 1), "x is NULL");
    refused(solve(m, p, "cg", w.data(), w.data() + 8, 16, 1), "b overlaps x");
    refused(solve(m, p, nullptr, v.data(), w.data(), 16, 1), "method is NULL");
    refused(solve(elsewhere, p, "cg", v.data(), w.data(), 16, 1), "executors");
    refused(solve(laplacian<float>(4).handle(e), p, "cg", v.data(), w.data(), 16, 1), "value type");
    refused(coppice_solve(m, p, "cg", v.data(), w.data(), 16, 1, nullptr), "result is NULL");
    refused(coppice_preconditioner_create(sample<double>(3, 4).handle(e), "jacobi", nullptr, 0, &none), "square");
    refused(coppice_preconditioner_create(m, "jacoby", nullptr, 0, &none), "forest");
    refused(coppice_preconditioner_create(m, "forest,rounds=x", nullptr, 0, &none), "rounds");
    refused(coppice_preconditioner_create(m, nullptr, nullptr, 0, &none), "choice is NULL");
    refused(coppice_preconditioner_apply(p, v.data(), w.data(), 17), "length: got 17, expected 16");
    refused(coppice_preconditioner_apply(p, w.data(), w.data(), 16), "r overlaps z");
    refused(coppice_spmv(m, "plus-times", v.data(), 15, w.data(), 16, nullptr, nullptr),
            "x_length: got 15, expected 16");
    refused(coppice_spmv(m, "plus-times", w.data(), 16, w.data(), 16, nullptr, nullptr), "overlaps");
    refused(coppice_spmv(m, nullptr, v.data(), 16, w.data(), 16, nullptr, nullptr), "semiring is NULL");
    refused(coppice_matrix_set_values(m, v.data(), 3), "count: got 3");
    refused(coppice_matrix_set_values(m, nullptr, std::int64_t(a.values.size())), "values is NULL");
    auto const complex_one = sample<std::complex<double>>(4, 4).handle(e);
    refused(coppice_spmv(complex_one, "min-plus", v.data(), 4, w.data(), 4, nullptr, nullptr),
            "semiring is \"min-plus\", expected \"plus-times\" for a complex matrix");
    refused(coppice_preconditioner_create(complex_one, "multilevel", v.data(), 17, &none), "vector_count is 17");
    refused(coppice_preconditioner_create(complex_one, "jacobi", v.data(), 1, &none), "expected NULL");
    refused(coppice_matrix_set_values(reinterpret_cast<coppice_matrix_t>(p.handle), v.data(), 1),
            "matrix is the handle of a preconditioner");
    double value = 0;
    void const* data = nullptr;
    std::int64_t length = 0;
    refused(coppice_number(m, "height", &value), "rows, columns, nonzeros");
    refused(coppice_number(m, nullptr, &value), "name is NULL");
    refused(coppice_number(m, "rows", nullptr), "value is NULL");
    refused(coppice_array(m, "values", COPPICE_FLOAT, &data, &length), "type is 2, expected 3");
    char const* words = nullptr;
    refused(coppice_text(e, "colour", &words), "has no text \"colour\", expected one of: name");
    refused(coppice_array(e, "values", COPPICE_DOUBLE, &data, &length), "has no array \"values\", expected none");
    CHECK(r.handle == nullptr);
    CHECK(none.handle == nullptr);
}

TEST_CASE("c handles: destroyed and foreign handles are refused") {
    executor_handle e;
    succeed(coppice_executor_create("host,threads=1", nullptr, &e));
    CHECK(number(e, "threads") == 1);
    CHECK(text(e, "name") == "host");
    auto const a = laplacian<double>(3);
    auto const m = a.handle(e);
    double rows = 0;
    matrix_handle none;
    auto* const as_matrix = reinterpret_cast<coppice_matrix_t>(e.handle);
    refused(coppice_graph(as_matrix, "bfs", nullptr), "result is NULL");
    refused(coppice_matrix_set_values(as_matrix, &rows, 1), "matrix is the handle of an executor");
    refused(coppice_matrix_set_values(nullptr, &rows, 1), "matrix is NULL");
    refused(coppice_number(&rows, "rows", &rows), "handle is not the handle of an object");
    refused(coppice_destroy(&rows), "handle is not the handle of an object");
    succeed(coppice_destroy(nullptr));

    auto* const gone = a.handle(e).handle; // destroyed immediately
    refused(coppice_number(gone, "rows", &rows), "destroyed");
    refused(coppice_destroy(gone), "destroyed");
    auto const later = a.handle(e);
    CHECK(later.handle != gone);

    // Objects still work after the handle of their executor is destroyed.
    auto* const destroyed = e.handle;
    succeed(coppice_destroy(std::exchange(e.handle, nullptr)));
    refused(coppice_synchronize(destroyed), "destroyed");
    std::vector<double> const x(9, 1.0);
    std::vector<double> y(9);
    succeed(coppice_spmv(m, "plus-times", x.data(), 9, y.data(), 9, nullptr, nullptr));
    CHECK(y == product(a, x, y, 1.0, 0.0));
}

TEST_CASE("c handles: executors by name") {
    executor_handle none;
    refused(coppice_executor_create("gpu", nullptr, &none), "expected host or cuda");
    refused(coppice_executor_create("host,threads=-1", nullptr, &none), "threads");
    refused(coppice_executor_create("host,threads=4097", nullptr, &none), "from 0 to 4096");
    refused(coppice_executor_create("host,cores=2", nullptr, &none), "threads");
    refused(coppice_executor_create("host", &none, &none.handle), "stream");
    refused(coppice_executor_create("cuda,device=x", nullptr, &none), "device");
    refused(coppice_executor_create(nullptr, nullptr, &none), "choice is NULL");
    refused(coppice_executor_create("host", nullptr, nullptr), "executor is NULL");
    if (cuda_device_count() == 0)
        refused(coppice_executor_create("cuda", nullptr, &none), COPPICE_STATUS_NO_DEVICE, "coppice_executor_create: ");
    CHECK(none.handle == nullptr);
}

TEST_CASE("c handles: descriptions list names and options") {
    char const* all = nullptr;
    succeed(coppice_describe("preconditioners", &all));
    std::string const preconditioners = all;
    CHECK(preconditioners.find("multilevel: ") != std::string::npos);
    succeed(coppice_describe("complex preconditioners", &all));
    CHECK(std::string(all).find("forest: ") == std::string::npos);
    CHECK(std::string(all).find("multilevel: ") != std::string::npos);
    CHECK(std::string(all).find("ilu0: ") != std::string::npos);
    succeed(coppice_describe("semirings", &all));
    CHECK(std::string(all).find("min-plus: shortest paths\n") != std::string::npos);
    succeed(coppice_describe("graph algorithms", &all));
    CHECK(std::string(all).find("pagerank: PageRank\n") != std::string::npos);
    succeed(coppice_describe("pagerank", &all));
    CHECK(std::string(all).find("damping=0.85: ") == 0);
    succeed(coppice_describe("gmres", &all));
    CHECK(std::string(all).find("restart=30: ") != std::string::npos);
    succeed(coppice_describe("methods", &all));
    std::string const methods = all;
    for (auto const name : {"cg", "gmres", "tfqmr", "bicg", "qmr", "direct", "auto"})
        CHECK(("\n" + methods).find("\n" + std::string(name) + ": ") != std::string::npos);
    refused(coppice_describe("solvers", &all), "methods");

    // Every algorithm runs with its default options, and every option that its row names is known.
    executor_handle e;
    succeed(coppice_executor_create("host,threads=1", nullptr, &e));
    auto const m = cycle(7).handle(e);
    succeed(coppice_describe("graph algorithms", &all));
    std::string rest = all;
    int count = 0;
    for (; !rest.empty(); ++count) {
        auto const name = rest.substr(0, rest.find(':'));
        rest.erase(0, rest.find('\n') + 1);
        INFO(name);
        result_handle r;
        succeed(coppice_graph(m, name.c_str(), &r));
    }
    CHECK(count >= 20);
}

TEST_CASE("c handles: each thread has its own message") {
    double value = 0;
    refused(coppice_number(nullptr, "rows", &value), "coppice_number: handle is NULL");
    std::string other;
    std::thread([&] {
        coppice_destroy(&value);
        other = coppice_last_error();
    }).join();
    CHECK(other.find("coppice_destroy") == 0);
    CHECK(std::string(coppice_last_error()) == "coppice_number: handle is NULL");
}
