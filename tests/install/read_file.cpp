// SPDX-License-Identifier: BSD-3-Clause
// A program that reads a compressed file, linked with the flags of pkg-config. The file contains diag(1, 3).
#include <coppice/matrix_market.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    coppice::host_executor const exec(1);
    auto const a = coppice::read_matrix_market<double>(exec, argv[1]);
    return a.rows() == 2 && a.nonzeros() == 2 && a.values()[1] == 3 ? 0 : 1;
}
