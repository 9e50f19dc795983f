/* SPDX-License-Identifier: BSD-3-Clause */
/* A user-defined type whose definition the library knows, and the operator for the smallest range that contains both.
 */
#pragma once

#include <GraphBLAS.h>

#include "checks.h"

typedef struct {
    double low, high;
} range;

static void make_range_type(GrB_Type* type, GrB_BinaryOp* hull) {
    OK(GxB_Type_new(type, sizeof(range), "range", "typedef struct { double low, high; } range;"));
    OK(GxB_BinaryOp_new(hull, NULL, *type, *type, *type, "hull",
                        "void hull(range *z, const range *x, const range *y)"
                        "{ z->low = x->low < y->low ? x->low : y->low;"
                        "  z->high = x->high > y->high ? x->high : y->high; }"));
}
