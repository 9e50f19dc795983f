// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Which system a matrix stands for.
#pragma once

namespace coppice {

/// op(A): A, its transpose, or its conjugate transpose.
enum class matrix_operation : int { none, transposed, conjugate_transposed };

} // namespace coppice
