/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * Common parts of the programs that call the C interfaces: a count of failures, and checks of bad arguments. */
#ifndef COPPICE_TESTS_C_EXAMPLES_H
#define COPPICE_TESTS_C_EXAMPLES_H

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static inline void require(int condition, char const* what) {
    if (condition) return;
    printf("failed: %s\n", what);
    ++failures;
}

/*! Checks the code of a call with bad arguments, and that the last error contains `sentence`. */
static inline void refused(int status, char const* (*last_error)(void), char const* sentence) {
    if (status == 1 && strstr(last_error(), sentence) != NULL) return;
    printf("failed: code %d and \"%s\" instead of 1 and \"%s\"\n", status, last_error(), sentence);
    ++failures;
}

#endif
