/* SPDX-License-Identifier: BSD-3-Clause */
/* From C: shortest paths in a graph, and the same by matrix-vector products over (min, +). Links coppice::c. */
#include <coppice/coppice.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_on(coppice_status_t status) {
    if (status == COPPICE_STATUS_SUCCESS) return;
    fprintf(stderr, "%s\n", coppice_last_error());
    exit(EXIT_FAILURE);
}

int main(void) {
    /* Edges i -> j with lengths: 0 -> 1: 7, 0 -> 2: 2, 1 -> 3: 1, 2 -> 1: 3, 2 -> 3: 8, 3 -> 4: 2; vertex 5 is alone. */
    int64_t const offsets[] = {0, 2, 3, 5, 6, 6, 6}, to[] = {1, 2, 3, 1, 3, 4};
    float const lengths[] = {7, 2, 1, 3, 8, 2};
    double const expected[] = {0, 5, 2, 6, 8, INFINITY};
    coppice_executor_t cores;
    stop_on(coppice_executor_create("host,threads=2", NULL, &cores));

// [begin]
    coppice_matrix_t graph;
    coppice_result_t paths;
    void const* found;
    int64_t vertices;
    stop_on(coppice_matrix_create(cores, 6, 6, 6, COPPICE_INT64, offsets, to, COPPICE_FLOAT, lengths, NULL, &graph));
    stop_on(coppice_graph(graph, "sssp,source=0", &paths));
    stop_on(coppice_array(paths, "values", COPPICE_DOUBLE, &found, &vertices));
    double const* distances = found;
    for (int64_t v = 0; v < vertices; ++v) printf("%g ", distances[v]);
// [end]
    int right = vertices == 6;
    for (int v = 0; v < 6; ++v) right = right && distances[v] == expected[v];

    /* One more edge at each step: y_j = min over i of a_ij + x_i needs the incoming edges, the compressed columns. */
// [begin]
    coppice_matrix_t incoming;
    float x[6] = {0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, y[6];
    stop_on(coppice_matrix_create(cores, 6, 6, 6, COPPICE_INT64, offsets, to, COPPICE_FLOAT, lengths, "order=columns",
                                  &incoming));
    for (int step = 0; step < 5; ++step) {
        stop_on(coppice_spmv(incoming, "min-plus", x, 6, y, 6, NULL, NULL));
        for (int v = 0; v < 6; ++v) x[v] = fminf(x[v], y[v]);
    }
// [end]
    for (int v = 0; v < 6; ++v) right = right && (double)x[v] == expected[v];
    printf("%s\n", right ? "right" : "wrong");

    stop_on(coppice_destroy(incoming));
    stop_on(coppice_destroy(paths));
    stop_on(coppice_destroy(graph));
    stop_on(coppice_destroy(cores));
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
