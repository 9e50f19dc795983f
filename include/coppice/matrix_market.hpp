// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrix Market files, the exchange format of sparse matrices, in and out.
///
///     #include <coppice/matrix_market.hpp>
///
///     coppice::host_executor exec;
///     auto a = coppice::read_matrix_market<double>(exec, "bcsstk16.mtx.gz");   // csr<double, std::int32_t>
///     auto b = coppice::read_vector<double>(exec, "rhs.mtx");
///     coppice::write_matrix_market("copy.mtx.gz", a, {.symmetry = coppice::matrix_market_symmetry::symmetric});
///
/// What is read
/// ------------
/// Every header of the format (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996):
/// `coordinate` or `array`; `real`, `integer`, `complex` or `pattern`; `general`, `symmetric`, `skew-symmetric` or
/// `hermitian`, in any case of letters; `unsigned-integer`, as SciPy writes it, is integer; a banner with one %, and a
/// byte order mark before it, are accepted. Combinations that mean nothing are refused: a pattern array, a
/// skew-symmetric pattern, a hermitian matrix that is not complex. One entry a line; `%` comment lines and blank lines
/// anywhere below the banner; lines end in LF or CRLF; blanks and tabs around tokens; signs, also `+`; exponents
/// written E, D or, as Fortran does for three digits, not at all (1.5-101); `inf` and `nan` as they stand.
///
/// Files compressed with gzip are recognised by their first bytes, whatever they are called, and may have several
/// members (bgzip, pigz, concatenation).
///
/// What comes out
/// --------------
/// Sorted compressed rows of the *full* matrix: a symmetric file's lower triangle and its mirror image. Duplicate
/// entries are summed in file order, stored zeros are kept. Values are rounded once, to nearest; what is too small
/// becomes zero, what is too large is an error, never an infinity. Real, integer and pattern files (ones) may be read
/// into complex types; complex files cannot be read into real types. Parsing is parallel over stretches of lines; the
/// result has the same bits for any number of threads.
///
/// What is refused
/// ---------------
/// format_error names file and line of the first fault: a banner that is none, sizes or indices that are no integers
/// or out of range, too few or too many entries, text behind an entry, entries above the diagonal of a symmetric
/// matrix, diagonal entries of a skew-symmetric one other than 0, complex diagonals of a hermitian one, damaged or
/// truncated gzip data (line 0: the file as a whole). io_error: a path that cannot be opened or read. Memory is asked
/// for in proportion to what the text holds, never to what its size line says; see read_limits for rows without entries
/// and for compressed files. A file that is shortened while it is read is an io_error.
///
/// What is written
/// ---------------
/// `coordinate` matrices and `array` vectors, with the fewest digits that read back to the same bits, under a
/// temporary name first: a file is there complete or not at all. `.gz` names are compressed.
#pragma once

#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
