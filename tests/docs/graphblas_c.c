// SPDX-License-Identifier: BSD-3-Clause
// [begin]
#include <GraphBLAS.h>
#include <stdio.h>

// Prints the number of edges from vertex 0 to each vertex that it reaches.
static GrB_Info print_levels(GrB_Matrix graph, GrB_Index n) {
    GrB_Vector level, frontier;
    GrB_Vector_new(&level, GrB_INT32, n);
    GrB_Vector_new(&frontier, GrB_BOOL, n);
    GrB_Vector_setElement(frontier, true, 0);
    GrB_Index reached = 1;
    for (int32_t depth = 0; reached > 0; ++depth) {
        GrB_assign(level, frontier, NULL, depth, GrB_ALL, n, GrB_DESC_S);
        GrB_vxm(frontier, level, NULL, GrB_LOR_LAND_SEMIRING_BOOL, frontier, graph, GrB_DESC_RSC);
        GrB_Vector_nvals(&reached, frontier);
    }
    for (GrB_Index i = 0; i < n; ++i) {
        int32_t depth = 0;
        if (GrB_Vector_extractElement(&depth, level, i) == GrB_SUCCESS) printf("%d: %d\n", (int)i, (int)depth);
    }
    GrB_free(&level);
    return GrB_free(&frontier);
}

int main(void) {
    GrB_Index const from[] = {0, 0, 1, 3}, to[] = {1, 2, 3, 4};
    bool const edge[] = {true, true, true, true};
    GrB_Matrix graph;
    GrB_init(GrB_NONBLOCKING);
    GrB_Matrix_new(&graph, GrB_BOOL, 6, 6);
    GrB_Info info = GrB_Matrix_build(graph, from, to, edge, 4, GrB_LOR);
    if (info == GrB_SUCCESS) info = print_levels(graph, 6); // 0: 0, 1: 1, 2: 1, 3: 2, 4: 3
    GrB_free(&graph);
    GrB_finalize();
    return info != GrB_SUCCESS;
}
// [end]
