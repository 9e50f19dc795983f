/* SPDX-License-Identifier: BSD-3-Clause */
/* From C: a tridiagonal system, its status, and what a wrong call has to say. Links coppice::c. */
#include <coppice/coppice.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

/* -x'' + x = d on a grid, with a solution that is known. Returns 0 when it was found. */
int main(void) {
    static double a[N], b[N], c[N], d[N], x[N];
    for (int i = 0; i < N; ++i) {
        a[i] = c[i] = -1;
        b[i] = 2.5;
        d[i] = i == 0 || i == N - 1 ? 1.5 : 0.5; /* A (1, ..., 1) */
    }

    size_t bytes = 0;
    coppice_status_t status = coppiceDgtsv_bufferSizeExt(COPPICE_DEFAULT_PIVOTING, N, 1, &bytes);
    void* const buffer = status == COPPICE_STATUS_SUCCESS ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
    if (status == COPPICE_STATUS_SUCCESS) status = coppiceDgtsv(COPPICE_DEFAULT_PIVOTING, N, 1, a, b, c, x, d, buffer);
    if (status != COPPICE_STATUS_SUCCESS) {
        fprintf(stderr, "%s\n", coppice_last_error());
        return EXIT_FAILURE;
    }

    double error = 0;
    for (int i = 0; i < N; ++i) error = fmax(error, fabs(x[i] - 1));
    printf("Coppice %s: largest error %.1e\n", COPPICE_VERSION_STRING, error);

    /* A call that cannot be right is refused before anything is written, and says why. */
    if (coppiceDgtsv(COPPICE_DEFAULT_PIVOTING, N, 1, a, b, c, b, d, buffer) != COPPICE_STATUS_SUCCESS)
        printf("refused: %s\n", coppice_last_error());
    free(buffer);
    return error < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
