// SPDX-License-Identifier: BSD-3-Clause
// coppice solve on processes of MPI: no process has the whole matrix.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/commands/solve_ranks.hpp"
#include "apps/ranks.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/distributed/rows/rank_messages.hpp>

namespace coppice::app {
namespace {

using distributed::rank_offsets;

template <class Value, class Combine>
Value over_ranks(rank_communicator const& comm, Value mine, Combine const& combine) {
    auto const of_ranks = comm.gather(mine);
    Value all = of_ranks[0];
    for (std::size_t p = 1; p < of_ranks.size(); ++p) all = combine(all, of_ranks[p]);
    return all;
}
template <class Number>
double sum_of_squares_over_ranks(rank_communicator const& comm, std::vector<Number> const& values) {
    double sum = 0;
    for (Number const v : values) sum += std::norm(v);
    return over_ranks(comm, sum, plus{});
}

/// scale_into_range() for a matrix whose rows are distributed over ranks: multiplies all of them by one power of two.
template <class T>
int scale_rows_into_range(host_executor const& host, rank_communicator const& comm, row_block<T>& rows) {
    magnitude_range<real_of<T>> range;
    for (std::int64_t i = 0; i < rows.rows(); ++i) {
        auto const first = rows.offsets[std::size_t(i)];
        range = range + range_of_row(rows.values.data() + first, rows.offsets[std::size_t(i) + 1] - first);
    }
    int const shift = shift_into_range(over_ranks(comm, range, plus{}));
    if (shift != 0) scale_by_power(host, array_view<T>(rows.values), shift);
    return shift;
}

/// The elements of this rank of a vector that rank 0 reads.
template <class T>
std::vector<T> load_block(host_executor const& host, rank_communicator const& comm, row_block<T> const& rows,
                          std::string const& path, std::string const& option, progress& status) {
    buffer<T> whole;
    rank_offsets const begin = offsets_of_ranks(comm, rows.rows()), nothing(begin.size(), 0);
    if (comm.rank() == 0) whole = load_vector<T>(host, path, rows.all_rows, option, status);
    rank_offsets const sent = comm.rank() == 0 ? begin : nothing,
                       received = distributed::begins_of_received(comm, sent);
    std::vector<T> own(static_cast<std::size_t>(rows.rows()));
    distributed::send_and_receive(comm, sent, static_cast<T const*>(whole.data()), received, own.data())->finish();
    return own;
}
/// The elements of this rank of the known solution.
template <class T>
std::vector<T> solution_block(row_block<T> const& rows, std::string const& name) {
    std::vector<T> x;
    for (std::int64_t i = rows.first; i < rows.first + rows.rows(); ++i)
        x.push_back(solution_element<T>(name, i, rows.all_rows));
    return x;
}
template <class T>
std::vector<T> product_of_rows(host_executor const& host, rank_communicator const& comm, row_block<T> const& rows,
                               std::vector<T> const& x) {
    distributed_csr<host_executor, T> const a(host, comm, rows.offsets, rows.columns, rows.values);
    buffer<T> y(host, rows.rows());
    a.apply(host, array_view<T const>(x.data(), rows.rows()), y.view());
    return to_vector(host, y);
}

/// |x - solution| / |solution| over all ranks.
template <class T>
double forward_error_over_ranks(rank_communicator const& comm, std::vector<T> const& x,
                                std::vector<T> const& solution) {
    using number = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;
    std::vector<number> difference, known(solution.begin(), solution.end());
    for (std::size_t i = 0; i < x.size(); ++i) difference.push_back(number(x[i]) - known[i]);
    double const reference = sum_of_squares_over_ranks(comm, known);
    return std::sqrt(sum_of_squares_over_ranks(comm, difference)) / (reference > 0 ? std::sqrt(reference) : 1);
}

/// Whether every diagonal entry is stored, real and positive.
template <class T>
bool has_positive_diagonal(rank_communicator const& comm, row_block<T> const& rows) {
    std::int64_t positive = 0;
    for (std::int64_t i = 0; i < rows.rows(); ++i)
        for (auto k = std::size_t(rows.offsets[std::size_t(i)]); k < std::size_t(rows.offsets[std::size_t(i) + 1]); ++k)
            positive +=
                rows.columns[k] == rows.first + i && std::real(rows.values[k]) > 0 && std::imag(rows.values[k]) == 0;
    return over_ranks(comm, positive, plus{}) == rows.all_rows;
}

/// Throws for a zero on the diagonal or a matrix that is not symmetric, if the preconditioner cannot have it.
template <class T>
void check_needs(std::string const& matrix, std::string const& preconditioner, row_block<T> const& rows,
                 bool symmetric) {
    matrix_needs const needs = preconditioner_row_of(preconditioner).needs;
    for (std::int64_t i = 0; needs.diagonal && i < rows.rows(); ++i) {
        bool found = false;
        for (auto k = std::size_t(rows.offsets[std::size_t(i)]); k < std::size_t(rows.offsets[std::size_t(i) + 1]); ++k)
            found = found || (rows.columns[k] == rows.first + i && rows.values[k] != T(0));
        if (!found)
            throw input_error(matrix + ": " +
                              in_words(unmet_need{unmet_need::zero_on_diagonal, rows.first + i}, preconditioner));
    }
    if (needs.symmetric && !symmetric)
        throw input_error(matrix + ": " + in_words(unmet_need{unmet_need::unsymmetric}, preconditioner));
}

} // namespace

input_of_processes::input_of_processes(rank_communicator const& comm, std::string const& matrix, std::string const& rhs,
                                       progress& status)
    : matrix_(matrix), read_by_all_(!names_generator(matrix) && reads_in_parallel(comm, matrix)) {
    bool complex = comm.rank() == 0 && is_complex_vector(rhs);
    if (read_by_all_) {
        complex = has_complex_rows(comm, matrix) || complex;
    } else if (comm.rank() == 0) {
        on_first_.emplace(matrix, status);
        complex = on_first_->is_complex() || complex;
    }
    is_complex_ = over_ranks(comm, int(complex), maximum{}) != 0;
}

template <class T>
row_block<T> input_of_processes::load(host_executor const& host, rank_communicator const& comm, std::int64_t unknowns,
                                      progress& status) {
    row_block<T> rows;
    if (read_by_all_) {
        status.show("reading " + matrix_);
        rows = read_rows<T>(host, comm, matrix_, {.limits = status.limits()}, unknowns);
    } else {
        rows = scatter_rows(comm, on_first_ ? std::move(*on_first_).load<T>(host) : csr<T>(), unknowns);
    }
    require_square("solve", matrix_, rows.all_rows, rows.all_columns);
    check_finite_rows(matrix_, rows);
    return rows;
}

template <class Executor, class T>
outcome solve_over_processes(solve_options o, any_executor const& chosen, Executor const& exec, process_ranks& ranks,
                             input_of_processes& input, output_files& files, progress& status) {
    rank_communicator const comm(ranks);
    auto const host = make_host(o.common);
    solve_run<T> run;
    run.preconditioner = preconditioner_over_ranks<T>(o);
    auto rows = input.load<T>(host, comm, unknowns_of_points(o, run.preconditioner), status);
    if constexpr (is_complex_number<T>) check_complex(o);
    int const scale = scale_rows_into_range(host, comm, rows);
    bool const symmetric = is_symmetric(host, comm, rows);
    matrix_traits const traits{.complex = is_complex_number<T>,
                               .symmetric = symmetric,
                               .positive_diagonal = has_positive_diagonal(comm, rows)};
    if constexpr (!is_complex_number<T>) check_needs(o.matrix, run.preconditioner, rows, symmetric);

    bool const from_file = !o.system.rhs.empty();
    std::vector<T> const solution = from_file ? std::vector<T>() : solution_block(rows, o.system.solution);
    std::vector<T> b = from_file ? load_block(host, comm, rows, o.system.rhs, "--rhs", status)
                                 : product_of_rows(host, comm, rows, solution);
    if (from_file && scale != 0) scale_by_power(host, array_view<T>(b), scale);
    auto const start = o.start.empty() ? std::vector<T>() : load_block(host, comm, rows, o.start, "--x0", status);
    if (o.absolute_tolerance > 0) {
        double const norm = norm_of_rhs(
            components(array_view<T const>(b)), scale, [&](double x) { return over_ranks(comm, x, maximum{}); },
            [&](double x) { return over_ranks(comm, x, plus{}); });
        o.tolerance = relative_tolerance(o.tolerance, o.absolute_tolerance, norm);
    }

    interruptible const until_interrupted;
    auto answer = solve_on_rank(o, run.preconditioner, traits, exec, comm, rows, b, start, status);
    take_answer(run, answer);
    run.forward_error =
        from_file ? std::numeric_limits<double>::quiet_NaN() : forward_error_over_ranks(comm, answer.x, solution);
    bool const writes = comm.gather(int(!o.system.output.empty()))[0] != 0;
    if (writes) run.x = host.copy(gather_blocks(comm, answer.x));
    std::int64_t const nonzeros = over_ranks(comm, std::int64_t(rows.values.size()), plus{});
    return finish(o, chosen, host, {rows.all_rows, rows.all_columns, nonzeros, [=] { return symmetric; }}, run, files,
                  status);
}

#define COPPICE_SOLVE_OVER_PROCESSES(EXECUTOR, T)                                                                      \
    template outcome solve_over_processes<EXECUTOR, T>(solve_options, any_executor const&, EXECUTOR const&,            \
                                                       process_ranks&, input_of_processes&, output_files&, progress&);
#define COPPICE_SOLVE_OVER_PROCESSES_ON(EXECUTOR)                                                                      \
    COPPICE_SOLVE_OVER_PROCESSES(EXECUTOR, float)                                                                      \
    COPPICE_SOLVE_OVER_PROCESSES(EXECUTOR, double)                                                                     \
    COPPICE_SOLVE_OVER_PROCESSES(EXECUTOR, std::complex<float>)                                                        \
    COPPICE_SOLVE_OVER_PROCESSES(EXECUTOR, std::complex<double>)
COPPICE_SOLVE_OVER_PROCESSES_ON(host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SOLVE_OVER_PROCESSES_ON(cuda_executor)
#endif

} // namespace coppice::app
