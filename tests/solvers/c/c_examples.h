/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * What the programs that call the C interfaces share: a count of failures, and bad arguments as one table. */
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

/*! A refused call: its code, and a last error that holds `sentence`. */
static inline void refused(int status, char const* (*last_error)(void), char const* sentence) {
    if (status == 1 && strstr(last_error(), sentence) != NULL) return;
    printf("failed: code %d and \"%s\" where 1 and \"%s\" were expected\n", status, last_error(), sentence);
    ++failures;
}

#endif
