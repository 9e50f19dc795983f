// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Computes the n largest coefficients of every row and their columns (arg-max-n).
///
///     coppice::buffer<coppice::value_and_column<float>> best(exec, a.rows() * 2);
///     coppice::arg_max_n<2>(exec, plan, a.view(), best.view());   // best[2 i], best[2 i + 1]
///
/// Equal values keep the order of the row; NaN is ignored; unused positions have column -1. add_arg_max_n is the adder,
/// for user-defined products (section 3.6.2 of the source thesis).
#pragma once

#include <coppice/semiring/spmv/arg_max.hpp>
