/* SPDX-License-Identifier: BSD-3-Clause */
/* From C: three arrays of compressed rows, a solve that chooses its method, a preconditioner that is kept for new values.
 * Links coppice::c. */
#include <coppice/coppice.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 100, N = SIDE * SIDE };

static int32_t offsets[N + 1], columns[5 * N];
static double values[5 * N], b[N], x[N];

/* -div grad u + shift u on a grid of SIDE x SIDE points; b = A (1, ..., 1). Returns the number of nonzeros. */
static int32_t assemble(double shift) {
    int32_t k = 0;
    for (int32_t i = 0; i < N; ++i) {
        int const px = i % SIDE, py = i / SIDE;
        int32_t const neighbors[] = {py > 0 ? i - SIDE : -1, px > 0 ? i - 1 : -1, i, px + 1 < SIDE ? i + 1 : -1,
                                     py + 1 < SIDE ? i + SIDE : -1};
        b[i] = x[i] = 0;
        for (int j = 0; j < 5; ++j)
            if (neighbors[j] >= 0) {
                columns[k] = neighbors[j];
                values[k] = neighbors[j] == i ? 4 + shift : -1;
                b[i] += values[k++];
            }
        offsets[i + 1] = k;
    }
    return k;
}

static void stop_on(coppice_status_t status) {
    if (status == COPPICE_STATUS_SUCCESS) return;
    fprintf(stderr, "%s\n", coppice_last_error());
    exit(EXIT_FAILURE);
}

static double largest_error(void) {
    double error = 0;
    for (int i = 0; i < N; ++i) error = fmax(error, fabs(x[i] - 1));
    return error;
}

/* Prints what a solve did and returns whether it converged. */
static int report(coppice_result_t result) {
    double converged, iterations, residual;
    char const *method, *preconditioner;
    stop_on(coppice_number(result, "converged", &converged));
    stop_on(coppice_number(result, "iterations", &iterations));
    stop_on(coppice_number(result, "relative_residual", &residual));
    stop_on(coppice_text(result, "method", &method));
    stop_on(coppice_text(result, "preconditioner", &preconditioner));
    printf("%s with %s: %.0f iterations, residual %.1e, largest error %.1e\n", method, preconditioner, iterations,
           residual, largest_error());
    return converged == 1;
}

int main(void) {
    int32_t const nonzeros = assemble(0.1);
// [begin]
    coppice_executor_t cores;
    coppice_matrix_t a;
    coppice_result_t result;
    stop_on(coppice_executor_create("host", NULL, &cores));
    stop_on(coppice_matrix_create(cores, N, N, nonzeros, COPPICE_INT32, offsets, columns, COPPICE_DOUBLE, values, NULL,
                                  &a));
    stop_on(coppice_solve(a, NULL, "auto,tolerance=1e-10", b, x, N, 1, &result));
// [end]
    int right = report(result) && largest_error() < 1e-6;
    stop_on(coppice_destroy(result));

// [begin]
    coppice_preconditioner_t multilevel;
    stop_on(coppice_preconditioner_create(a, "multilevel", NULL, 0, &multilevel));
    for (int step = 1; step <= 3; ++step) {
        assemble(0.1 * step); /* new values and b, the same pattern */
        stop_on(coppice_matrix_set_values(a, values, nonzeros));
        stop_on(coppice_preconditioner_refresh(multilevel, a));
        stop_on(coppice_solve(a, multilevel, "cg,tolerance=1e-10", b, x, N, 1, &result));
        right = report(result) && right;
        stop_on(coppice_destroy(result));
    }
// [end]
    right = right && largest_error() < 1e-6;

    /* A call that cannot be right says why. */
    if (coppice_solve(a, multilevel, "cg,omega=1", b, x, N, 1, &result) != COPPICE_STATUS_SUCCESS)
        printf("refused: %s\n", coppice_last_error());
    stop_on(coppice_destroy(multilevel));
    stop_on(coppice_destroy(a));
    stop_on(coppice_destroy(cores));
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
