// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operation op in op(A) x = d.
#pragma once

namespace coppice::inline v0_1 {

/// op(A): A, its transpose, or its conjugate transpose.
enum class matrix_operation : int { none, transposed, conjugate_transposed };

} // namespace coppice::inline v0_1
