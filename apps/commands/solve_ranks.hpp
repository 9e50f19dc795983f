// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One rank of a distributed solve: ranks of this process (--parts) or processes of MPI.
#pragma once

#include <algorithm>
#include <charconv>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/solve.hpp"
#include <coppice/core/rank_communicator.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

namespace coppice::app {

template <class T>
struct rank_answer {
    automatic_result attempts{}; ///< at least one
    preconditioner_report setup{};
    double setup_seconds = 0, solve_seconds = 0;
    std::vector<T> x{}; ///< of the rows of the rank
};

/// Near-null-space vectors of the rows of a rank.
template <class T>
struct near_vectors_of_rank {
    int block = 0, count = 0;
    std::vector<T> elements{}; ///< one vector after the other
};

/// The first row of each rank is a multiple of the common divisor of this number and of the rows of the matrix, so that
/// no rank has a part of a point: for multilevel the unknowns per point of the near-null-space vectors or of the option
/// `block`, without them 12, a multiple of all sizes that multilevel detects; 1 for other preconditioners.
inline std::int64_t unknowns_of_points(solve_options const& o, std::string const& preconditioner) {
    constexpr std::int64_t of_all_sizes = 12;
    if (preconditioner != "multilevel") return 1;
    option_values const options = o.options_of(preconditioner);
    option_value const* const given = options.find("block");
    std::int64_t block = 0;
    if (given) std::from_chars(given->text.data(), given->text.data() + given->text.size(), block);
    block = std::max<std::int64_t>(block, o.near_vectors.empty() ? 0 : o.unknowns_per_point);
    return block > 0 ? block : of_all_sizes;
}

/// The near-null-space vectors of rows [first, last) of a matrix of `n` rows.
template <class T>
near_vectors_of_rank<T> near_vectors_of(solve_options const& o, std::int64_t n, std::int64_t first, std::int64_t last) {
    near_vectors_of_rank<T> near;
    if (o.near_vectors.empty()) return near;
    near.block = o.unknowns_per_point;
    near.count = int(std::int64_t(o.near_vectors.size()) / n);
    for (std::int64_t c = 0; c < near.count; ++c)
        for (std::int64_t i = first; i < last; ++i) {
            auto const k = std::size_t(c * n + i);
            if constexpr (is_complex_number<T>)
                near.elements.push_back(
                    T(std::complex<double>(o.near_vectors[k], o.near_imaginary.empty() ? 0 : o.near_imaginary[k])));
            else
                near.elements.push_back(T(o.near_vectors[k]));
        }
    return near;
}

/// The preconditioner over ranks: the chosen one, multilevel for near-null-space vectors, or "forest", which complex
/// matrices do not have: "jacobi".
template <class T>
std::string preconditioner_over_ranks(solve_options const& o) {
    if (o.preconditioner != automatic_name) return o.preconditioner;
    if (!o.near_vectors.empty()) return "multilevel";
    return is_complex_number<T> ? "jacobi" : "forest";
}

/// Solves with the preconditioner of make_distributed_preconditioner() of this name, by the methods that one process
/// tries with it for a matrix with these `traits`; only symmetric and positive_diagonal are read. An empty `start`
/// means x = 0. Collective.
template <class Executor, class T>
rank_answer<T> solve_on_rank(solve_options const& o, std::string const& preconditioner, matrix_traits const& traits,
                             Executor const& exec, rank_communicator const& comm, row_block<T> const& rows,
                             std::vector<T> const& b, std::vector<T> const& start, progress& status,
                             near_vectors_of_rank<T> const& near = {}) {
    distributed_csr<Executor, T> const a(exec, comm, rows.offsets, rows.columns, rows.values);
    auto const rhs = exec.copy(b);
    auto const vectors = exec.copy(near.elements);
    auto x = exec.copy(start.empty() ? std::vector<T>(b.size(), T(0)) : start);
    exec.synchronize();
    comm.barrier();
    stopwatch clock;
    auto const m = make_distributed_preconditioner(exec, comm, preconditioner, a, o.options_of(preconditioner),
                                                   near_null_space<T>{near.block, near.count, vectors.view()});
    exec.synchronize();
    comm.barrier();
    rank_answer<T> answer;
    answer.setup_seconds = clock.lap();
    answer.setup = m.report();
    auto const attempt = [&](solver_choice const& choice, std::int64_t limit) {
        krylov_options options{
            .tolerance = o.tolerance, .max_iterations = limit, .restart = std::max(o.restart, choice.restart)};
        options.progress = [&](std::int64_t iteration, double residual) {
            if (comm.rank() == 0 && status.enabled())
                status.show(choice.solver + " on ranks: iteration " + std::to_string(iteration) +
                            ", relative residual " + show_scientific(residual));
            for (int const stops : comm.gather(int(is_interrupted()))) // all ranks end at the same iteration
                if (stops) return false;
            return true;
        };
        solver_attempt one{.choice = choice, .setup = answer.setup};
        stopwatch each;
        one.result = solve_distributed(exec, comm, choice.solver, a, m, rhs.view(), x.view(), options);
        exec.synchronize();
        one.solve_seconds = each.lap();
        return one;
    };
    auto choices =
        solver_choices(traits, rows.all_rows, std::is_same_v<Executor, host_executor>, o.solver, preconditioner);
    answer.attempts = detail::try_choices(std::move(choices), rows.all_rows, o.max_iterations, attempt);
    answer.attempts.attempts.front().setup_seconds = answer.setup_seconds; // for all of them
    comm.barrier();
    answer.solve_seconds = clock.lap();
    answer.x = to_vector(exec, x);
    return answer;
}

/// Moves what rank 0 reports to `run`.
template <class T>
void take_answer(solve_run<T>& run, rank_answer<T>& answer) {
    run.solver = answer.attempts.last().choice.solver;
    run.result = std::move(answer.attempts.result);
    run.attempts = std::move(answer.attempts.attempts);
    run.setup = std::move(answer.setup);
    run.setup_seconds = answer.setup_seconds;
    run.solve_seconds = answer.solve_seconds;
}

/// The matrix of a solve over processes: a file that all of them read, or a matrix that rank 0 reads or generates.
class input_of_processes {
public:
    /// Collective. `rhs`: file of the right-hand side, which only rank 0 reads; may be empty. Throws as matrix_input.
    input_of_processes(rank_communicator const& comm, std::string const& matrix, std::string const& rhs,
                       progress& status);

    /// Whether the system is complex; the same on all ranks.
    bool is_complex() const { return is_complex_; }
    /// The rows of this rank, with finite values; `unknowns`: see read_rows(). Collective.
    template <class T>
    row_block<T> load(host_executor const& host, rank_communicator const& comm, std::int64_t unknowns,
                      progress& status);

private:
    std::string matrix_;
    bool read_by_all_ = false;
    std::optional<matrix_input> on_first_{}; ///< on rank 0, if not read_by_all_
    bool is_complex_ = false;
};

/// Solves on the processes of `ranks`, each of which has its rows of the matrix.
template <class Executor, class T>
outcome solve_over_processes(solve_options o, any_executor const& chosen, Executor const& exec, process_ranks& ranks,
                             input_of_processes& input, output_files& files, progress& status);

} // namespace coppice::app
