// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reads and writes Matrix Market files, the exchange format of sparse matrices.
///
///     #include <coppice/matrix_market.hpp>
///
///     coppice::host_executor exec;
///     auto a = coppice::read_matrix_market<double>(exec, "bcsstk16.mtx.gz");   // csr<double, std::int32_t>
///     auto b = coppice::read_vector<double>(exec, "rhs.mtx");
///     coppice::write_matrix_market("copy.mtx.gz", a, {.symmetry = coppice::matrix_market_symmetry::symmetric});
///
/// Input
/// -----
/// Every header of the format (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996):
/// `coordinate` or `array`; `real`, `integer`, `complex` or `pattern`; `general`, `symmetric`, `skew-symmetric` or
/// `hermitian`, in upper or lower case. `unsigned-integer` (SciPy) is read as integer. A banner with a single % and a
/// preceding byte order mark are accepted. Meaningless combinations are errors: a pattern array, a skew-symmetric
/// pattern, a hermitian matrix that is not complex. One entry per line; comment lines (`%`) and blank lines may follow
/// the banner at any position; lines end in LF or CRLF; tokens are separated by blanks and tabs; numbers may have a
/// sign, also `+`; exponents have the letter E or D or, with three digits, no letter as in Fortran (1.5-101); `inf` and
/// `nan` are values.
///
/// Files compressed with gzip are detected by their first bytes, independent of their name, and may have several
/// members (bgzip, pigz, concatenation).
///
/// Result
/// ------
/// Sorted compressed rows of the *full* matrix: for a symmetric file, the lower triangle and its mirror image.
/// Duplicate entries are summed in file order; stored zeros are kept. Values are rounded once, to nearest; values that
/// are too small become zero, values that are too large are an error. Real, integer and pattern files (values 1) can be
/// read into complex types; complex files cannot be read into real types. Parsing is parallel over chunks of lines. The
/// bits of the result are the same for any number of threads.
///
/// Errors
/// ------
/// format_error with file and line of the first error: an invalid banner, sizes or indices that are not integers or out
/// of range, too few or too many entries, text after an entry, entries above the diagonal of a symmetric matrix,
/// nonzero diagonal entries of a skew-symmetric matrix, complex diagonal entries of a hermitian matrix, damaged or
/// truncated gzip data (line 0: the file as a whole). io_error: a path that cannot be opened or read, or a file that is
/// shortened while it is read. Memory is allocated in proportion to the text, not to its size line; see read_limits for
/// rows without entries and for compressed files.
///
/// Output
/// ------
/// `coordinate` matrices and `array` vectors. Values have the fewest digits that convert back to the same bits. The
/// file is written under a temporary name first, so it is complete or does not appear, and it is on the disk when the
/// call returns (see sync_outputs). Files whose name ends in `.gz` are compressed.
#pragma once

#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/core/files/partial_file.hpp>
