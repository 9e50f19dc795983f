// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Banded systems with known solutions for suite `accuracy`, and their solutions by LAPACK.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::bench {

/// A matrix in the storage of the solver and as bands for LAPACK and for products, and a right-hand side.
template <class T>
struct accuracy_system {
    std::int64_t size = 0;
    int reach = 1;            ///< bands on either side
    int block = 1;            ///< rows of a block; 0 for a banded matrix
    std::vector<T> bands;     ///< A(i, i + k) at [(k + reach) * size + i], zero outside
    std::vector<T> solver[3]; ///< lower, diagonal, upper; for a banded matrix, `diagonal` holds all bands
    std::vector<T> exact, rhs;

    T entry(std::int64_t i, std::int64_t k) const { return bands[std::size_t((k + reach) * size + i)]; }
    /// A view of `solver` copied to an executor.
    band_matrix<T> matrix(T const* lower, T const* diagonal, T const* upper) const;
};

template <class T>
accuracy_system<T> scalar_system(tridiagonal<T> const& a);
accuracy_system<double> block_system(block_tridiagonal<double> const& a);
accuracy_system<double> pentadiagonal_system(banded<double> const& a);
/// Reads a square matrix with at most largest_block bands on each side of the diagonal; returns nothing for other
/// matrices.
std::optional<accuracy_system<double>> file_system(host_executor const& exec, std::filesystem::path const& file);

/// Draws the solution from N(3, 1) (thesis, section 2.7.1) and makes the right-hand side in long double.
template <class T>
void give_solution(accuracy_system<T>& s, std::uint64_t seed);

/// Returns the solution by LAPACK's gtsv (tridiagonal matrices) or gbsv.
template <class T>
std::vector<T> lapack_answer(accuracy_system<T> const& s);

/// Errors of a solution; infinite if it contains NaN.
struct answer_errors {
    double forward;  ///< |x - exact| / |exact|, Euclidean
    double backward; ///< |A x - d| / (|A| |x| + |d|), maximum norms
};
template <class T>
answer_errors errors_of(accuracy_system<T> const& s, std::vector<T> const& x);

} // namespace coppice::bench
