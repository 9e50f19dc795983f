// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The n largest coefficients of every row and their columns.
///
///     coppice::buffer<coppice::value_and_column<float>> best(exec, a.rows() * 2);
///     coppice::arg_max_n<2>(exec, plan, a.view(), best.view());   // best[2 i], best[2 i + 1]
///
/// Equal values come in the order of the row; NaN is no candidate; places without one have column -1. add_arg_max_n is
/// the adder behind it, for products of the user's own (section 3.6.2 of the source thesis).
#pragma once

#include <coppice/semiring/spmv/arg_max.hpp>
