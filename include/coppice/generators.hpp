// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Generators of test matrices: stencils on grids, random graphs, galleries of banded matrices.
///
///     coppice::host_executor exec;
///     auto a = coppice::generate(exec, "aniso2", {.nx = 2500});                    // csr<double>, 6.25 M rows
///     auto g = coppice::laplace3d<float>(exec, 110, 110, 110, 1, 40, 1);           // csr<float>, direction weights
///     auto t = coppice::tridiagonal_case(exec, 13, 512);                           // tridiagonal<double>
///     auto p = coppice::pentadiagonal_case(exec, 17, 512);                         // banded<double>
///     auto q = coppice::partition_case(exec, 18, 512);                             // hard for partitioned solvers
///     auto b = coppice::block_transform(exec, t.view(), 1);                        // t with blocks of 2x2
///     auto r = coppice::parse_generator("generate:rotated,nx=1001,angle=30,ratio=0.01");
///     auto c = coppice::generate(exec, r.kind, r.options);
///
/// Kinds: aniso1 aniso2 aniso3 laplace2d laplace3d laplace27 rotated regions elasticity convection transport circuit
/// rmat queue cloud tridiagonal pentadiagonal; generator_kinds() lists them with their options, whose meanings and
/// defaults generator_option_rows() has. All matrices are generated in host memory (`gpu.copy(a)` copies one to a
/// device), have sorted columns without duplicates, and have the same bits for any number of threads. Random matrices
/// depend on their seed only. Options out of range throw argument_error; sizes that do not fit 32-bit indices throw
/// overflow_error.
#pragma once

#include <coppice/algebra/block_transform.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/generate/partition_gallery.hpp>
#include <coppice/algebra/generate/pentadiagonal_gallery.hpp>
#include <coppice/algebra/generate/tridiagonal_gallery.hpp>
