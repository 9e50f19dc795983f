# SPDX-License-Identifier: BSD-3-Clause
# cmake -DTO=FILE -DFROM=FILE;FILE -DNAMES=NAME;NAME -P embed.cmake: writes the texts of files as constants of C++.
set(all "// Written by embed.cmake: do not edit.\nnamespace coppice::graphblas::device {\n")
foreach(name file IN ZIP_LISTS NAMES FROM)
  file(READ ${file} text)
  string(APPEND all "inline constexpr char embedded_${name}[] = R\"~~(${text})~~\";\n")
endforeach()
file(WRITE ${TO} "${all}} // namespace coppice::graphblas::device\n")
