// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Generators of test matrices, by name or by function. Matrices are built in parallel directly in CSR with sorted
/// columns, in host memory; the bits are the same for any number of threads.
///
/// Grid points are numbered with x fastest: point (x, y, z) is row (z ny + y) nx + x. Neighbours outside the grid are
/// dropped (homogeneous Dirichlet boundary), so every row keeps the diagonal entry of the interior. Instantiated for
/// float and double. All functions throw argument_error for sizes or coefficients out of range and overflow_error if
/// rows or nonzeros do not fit 32-bit indices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>

namespace coppice::inline v0_1 {

/// Parameters of all generators. Each kind uses those that generator_kinds() lists for it.
struct generator_options {
    std::int64_t nx = 100;  ///< grid points in x, >= 1
    std::int64_t ny = 0;    ///< grid points in y; 0: as nx
    std::int64_t nz = 0;    ///< grid points in z; 0: as nx, for convection 1
    std::int64_t n = 512;   ///< rows of a tridiagonal or pentadiagonal matrix, >= 0
    int case_id = 1;        ///< matrix of the tridiagonal (1..20) or pentadiagonal gallery (1..23), or cloud (1..10)
    std::uint64_t seed = 1; ///< seed of all random numbers
    double wx = 1, wy = 1, wz = 1;   ///< diffusion along the axes, >= 0
    double vx = 1, vy = 0.5, vz = 0; ///< velocity along the axes in units of diffusion / mesh width
    double angle = 45;               ///< direction of the strong diffusion, degrees from the x axis towards y
    double ratio = 0.001;            ///< weak over strong diffusion, in [0, 1]
    int points = 9;                  ///< stencil of rotated: 9 (bilinear finite elements) or 7 (finite differences)
    int scale = 10;                  ///< log2 of the number of vertices, 0..30
    double edge_factor = 16;         ///< edges drawn per vertex, >= 0
    double a = 0.57, b = 0.19, c = 0.19, d = 0.05; ///< probabilities of the quadrants, >= 0, sum 1
    bool undirected = true;                        ///< store both directions of every edge
    queue_options queue{};                         ///< parameters of the kind `queue`
    int regions = 4;                               ///< number of squares of the chessboard in each direction
    double poisson = 0.3;                          ///< Poisson's ratio of elasticity, in [0, 0.499]
    bool plate = false;                            ///< elasticity: the bottom and top faces are free
    double decades = 2;                            ///< circuit: conductances are between 10^-decades and 1; 0..30
    double grounded = 0.01; ///< circuit: fraction of nodes with a conductance to ground, in [0, 1]
    double ground = 200;    ///< that conductance, >= 0
};

/// Kind of matrix, as listed by the help of the command.
struct generator_kind {
    std::string name;
    std::string description;
    std::vector<std::string> keys; ///< options of this kind
};
std::vector<generator_kind> const& generator_kinds();

/// Option of one or several kinds, as listed by the help of the command: its name with hyphens, and its meaning with
/// the default.
struct generator_option {
    std::string_view name;
    std::string_view meaning;
};
/// A row for each option that a kind has.
std::vector<generator_option> const& generator_option_rows();

/// Generates the matrix `kind` with its options. Throws argument_error for an unknown kind.
template <class T = double>
csr<T> generate(host_executor const& exec, std::string_view kind, generator_options const& options = {});

/// Kind and options of a generator, parsed from a text such as "generate:aniso2,nx=100,ny=50".
struct generator_request {
    std::string kind;
    generator_options options{};
};
/// Whether `text` begins with "generate:", which selects a generator instead of a file.
bool names_generator(std::string_view text);
/// Parses "generate:KIND,key=value,..." (the prefix is optional). Throws argument_error with the unknown kind, the key
/// that the kind does not have or that is given twice, or the value that is not a number or out of range.
generator_request parse_generator(std::string_view text);
/// Sets one option of `kind` by its name ("nx", "edge-factor" or "edge_factor", ...). Throws argument_error.
void set_generator_option(generator_options& options, std::string_view kind, std::string_view name,
                          std::string_view value);

/// 9-point stencil [-.2 -.1 -.2; -1 3 -1; -.2 -.1 -.2]: strong couplings along x (thesis, section 4.5).
template <class T = double>
csr<T> aniso1(host_executor const& exec, std::int64_t nx, std::int64_t ny);
/// 9-point stencil [-.1 -.2 -1; -.2 3 -.2; -1 -.2 -.1], first row at y - 1: strong couplings along (1, -1) (section
/// 4.5).
template <class T = double>
csr<T> aniso2(host_executor const& exec, std::int64_t nx, std::int64_t ny);
/// aniso2 renumbered by antidiagonal_order, so that all coefficients -1 are on the sub- and superdiagonal: aniso3 = P
/// aniso2 P^T. To compare with aniso2, vectors that are defined by index, such as x_i = sin(16 pi i / N), must be
/// permuted too.
template <class T = double>
csr<T> aniso3(host_executor const& exec, std::int64_t nx, std::int64_t ny);
/// Permutation (position -> grid point y nx + x) along the antidiagonals x + y = 0, 1, ..., each in the order of y.
buffer<std::int32_t> antidiagonal_order(host_executor const& exec, std::int64_t nx, std::int64_t ny);

/// 5-point Laplacian: 4 and -1.
template <class T = double>
csr<T> laplace2d(host_executor const& exec, std::int64_t nx, std::int64_t ny);
/// 7-point stencil of -(wx u_xx + wy u_yy + wz u_zz): diagonal 2 (wx + wy + wz), off-diagonals minus the weight of
/// their axis.
template <class T = double>
csr<T> laplace3d(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz, double wx = 1,
                 double wy = 1, double wz = 1);
/// 27-point Laplacian: 26 and -1.
template <class T = double>
csr<T> laplace27(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz);
/// -div(K grad u), K = R(angle) diag(1, ratio) R(angle)^T. points = 9: bilinear finite elements on squares. points = 7:
/// finite differences; the mixed derivative uses the diagonal of the grid that is closer to the strong direction. The
/// pattern always has all 9 or 7 points; vanishing coefficients are stored zeros.
template <class T = double>
csr<T> rotated(host_executor const& exec, std::int64_t nx, std::int64_t ny, double angle, double ratio, int points = 9);
/// -div(K grad u) by bilinear elements on a chessboard of `count` x `count` squares, with K as for rotated(): strong
/// diffusion along the angle in black squares, perpendicular to it in white squares.
template <class T = double>
csr<T> regions(host_executor const& exec, std::int64_t nx, std::int64_t ny, double angle, double ratio, int count = 4);
/// Displacements of an elastic solid on a grid of cubes, trilinear elements, clamped boundary: row 3 p + c is component
/// c at point p. Young's modulus is 1, Poisson's ratio is in [0, 0.499]. Up to 51 entries per row. `plate`: the bottom
/// and top faces are free and nz >= 2, so that thin plates bend and are as difficult to solve as shells; rows on these
/// faces couple more components.
template <class T = double>
csr<T> elasticity(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz, double poisson = 0.3,
                  bool plate = false);
/// Unsymmetric convection and diffusion on the edges of a tetrahedral mesh, six tetrahedra per cube (Kuhn): one unit of
/// diffusion along each edge (1,0,0) (0,1,0) (0,0,1) (1,1,0) (0,1,1) (1,0,1) (1,1,1), and upwind convection velocity .
/// edge. 15 points; an M-matrix.
template <class T = double>
csr<T> transport(host_executor const& exec, std::int64_t nx, std::int64_t ny, std::int64_t nz, double vx, double vy,
                 double vz);
/// Resistors between neighbours of a plane grid, with log-uniform random conductances in [10^-decades, 1]; a random
/// fraction of the nodes is connected to ground. Symmetric; singular if no node is grounded. Uses nx, ny, decades,
/// grounded, ground, seed. With the defaults the diagonal coverage is .76, as of G3_CIRCUIT.
template <class T = double>
csr<T> circuit(host_executor const& exec, generator_options const& options);
/// Unsymmetric: -(wx u_xx + ...) + v . grad u with first-order upwind differences; 5-point if nz = 1, else 7-point. An
/// M-matrix for every velocity. Uses nx, ny, nz, wx, wy, wz, vx, vy, vz.
template <class T = double>
csr<T> convection(host_executor const& exec, generator_options const& options);
/// Recursive-matrix random graph (Chakrabarti, Zhan, Faloutsos 2004) with 2^scale vertices: edge_factor 2^scale edges
/// are drawn, self-loops are dropped, repeated edges are stored once. Weights are uniform in (0, 1), equal for both
/// directions of an edge. Uses scale, edge_factor, a, b, c, d, undirected, seed.
template <class T = double>
csr<T> rmat(host_executor const& exec, generator_options const& options);

} // namespace coppice::inline v0_1
