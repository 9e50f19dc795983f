/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the test programs in C. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

static int failures;
static void check(bool passed, char const* what, int line) {
    if (passed) return;
    printf("line %d: %s\n", line, what);
    ++failures;
}
#define CHECK(EXPRESSION) check(EXPRESSION, #EXPRESSION, __LINE__)
#define OK(CALL) check((CALL) == GrB_SUCCESS, #CALL, __LINE__)
#define CODE(EXPECTED, CALL) check((CALL) == (EXPECTED), #CALL " is " #EXPECTED, __LINE__)
