/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix [. 1 2; . . .; 3 . 4] as arrays, and what tests read of matrices. */
#pragma once

#include <GraphBLAS.h>
#include <stdlib.h>
#include <string.h>

static GrB_Index const offsets[4] = {0, 2, 2, 4}, columns[4] = {1, 2, 0, 2};
static double const numbers[4] = {1, 2, 3, 4};

/* A copy that the caller, or the object it is given to, frees. */
static void* copied(void const* from, size_t bytes) {
    void* to = malloc(bytes);
    if (!to) exit(2);
    memcpy(to, from, bytes);
    return to;
}
/* The element, or -1 if there is none. */
static double element(GrB_Matrix a, GrB_Index i, GrB_Index j) {
    double x = -1;
    return GrB_Matrix_extractElement_FP64(&x, a, i, j) == GrB_SUCCESS ? x : -1;
}
static GrB_Index entries(GrB_Matrix a) {
    GrB_Index n = 0;
    GrB_Matrix_nvals(&n, a);
    return n;
}
