// SPDX-License-Identifier: BSD-3-Clause
// The functions of one type each, from the table that generate.py writes.
#include "shared.hpp"

using namespace coppice::graphblas;

extern "C" {
#include "typed_functions.inc"
}
