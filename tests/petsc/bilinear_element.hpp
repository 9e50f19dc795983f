// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Linear elasticity of square bilinear elements of side 1, for tests of PETSc's preconditioners.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <petscsys.h>

/// The stiffness of a square of side 1 with Poisson's ratio 0.3, two unknowns per corner: 2 x 2 Gauss points of B^T D
/// B.
inline std::array<std::array<PetscReal, 8>, 8> stiffness_of_square() {
    PetscReal const d[3][3] = {{1, 0.3, 0}, {0.3, 1, 0}, {0, 0, 0.35}}, at = 0.5 / std::sqrt(3.0);
    std::array<std::array<PetscReal, 8>, 8> k{};
    for (PetscReal const u : {0.5 - at, 0.5 + at})
        for (PetscReal const v : {0.5 - at, 0.5 + at}) {
            PetscReal const dx[4] = {v - 1, 1 - v, v, -v}, dy[4] = {u - 1, -u, u, 1 - u};
            PetscReal b[3][8] = {};
            for (int q = 0; q < 4; ++q) {
                b[0][2 * q] = b[2][2 * q + 1] = dx[q];
                b[1][2 * q + 1] = b[2][2 * q] = dy[q];
            }
            for (std::size_t i = 0; i < 8; ++i)
                for (std::size_t j = 0; j < 8; ++j)
                    for (int r = 0; r < 3; ++r)
                        for (int c = 0; c < 3; ++c) k[i][j] += b[r][i] * d[r][c] * b[c][j] / 4;
        }
    return k;
}

/// The unknown of row i of the stiffness of element (x, y) among m x m elements; -1 if its corner is clamped, which
/// those with x = 0 are.
inline PetscInt unknown_of_corner(PetscInt m, PetscInt x, PetscInt y, int i) {
    PetscInt const corner[4][2] = {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
    return corner[i / 2][0] == 0 ? -1 : 2 * (corner[i / 2][1] * m + corner[i / 2][0] - 1) + i % 2;
}
