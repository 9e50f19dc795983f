# SPDX-License-Identifier: BSD-3-Clause
# coppice_native_level(NAME) sets NAME to the level of this machine: base, v3 or v4, by the function that selects the
# level at run time.
function(coppice_native_level name)
  set(level base)
  if(NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/native_level)
    file(WRITE ${folder}/main.cpp "#include \"core/host/isa.cpp\"\nint main() { return coppice::isa_level(); }\n")
    file(MAKE_DIRECTORY ${folder}/coppice)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/core ${folder}/coppice/core SYMBOLIC)
    try_run(COPPICE_NATIVE_LEVEL COPPICE_NATIVE_LEVEL_COMPILED ${folder} SOURCES ${folder}/main.cpp
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR};${folder}"
      CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
    if(COPPICE_NATIVE_LEVEL MATCHES "^[34]$")
      set(level v${COPPICE_NATIVE_LEVEL})
    endif()
  endif()
  message(STATUS "Host kernels: compiled for ${level} alone")
  set(${name} ${level} PARENT_SCOPE)
endfunction()
