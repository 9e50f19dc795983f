# SPDX-License-Identifier: BSD-3-Clause
# Options of the build. CUDA is detected automatically; with -DCOPPICE_CUDA=ON a missing CUDA is an error.
set(COPPICE_CUDA AUTO CACHE STRING "CUDA backend: AUTO (if nvcc is found), ON, OFF")
set_property(CACHE COPPICE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(COPPICE_PETSC AUTO CACHE STRING "Plug-in for PETSc: AUTO (if PETSc is found), ON, OFF")
set_property(CACHE COPPICE_PETSC PROPERTY STRINGS AUTO ON OFF)
set(COPPICE_MPI AUTO CACHE STRING "Ranks in processes of MPI, libcoppice_mpi: AUTO (if MPI is found), ON, OFF")
set_property(CACHE COPPICE_MPI PROPERTY STRINGS AUTO ON OFF)
option(COPPICE_BUILD_APPS "Build the coppice command" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_BUILD_C_LIBRARY "Build the C interface as a shared library, coppice::c" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_GRAPHBLAS "Build the GraphBLAS C API as a shared library, coppice::graphblas" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_BUILD_PYTHON "Build the Python package, as pip install . does" OFF)
option(COPPICE_INSTALL "Create the install target" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(COPPICE_PRECOMPILE "Precompile the headers of other libraries, once per target" ${PROJECT_IS_TOP_LEVEL})
set(COPPICE_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")
option(COPPICE_JOIN_SOURCES "Compile groups of test sources as one source" ${PROJECT_IS_TOP_LEVEL})
option(COPPICE_JOIN_MORE "Compile groups of sources of the library and benchmarks, and of CUDA sources of tests, as one source: a full build is faster, an incremental one slower" OFF)
set(isa_levels base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  if(COPPICE_SANITIZE STREQUAL "thread") # the pack length does not affect threads
  elseif(COPPICE_SANITIZE) # checks the shortest and the longest packs
    list(APPEND isa_levels v4)
  else()
    list(APPEND isa_levels v3 v4)
  endif()
endif()
set(COPPICE_ISA_LEVELS ${isa_levels} CACHE STRING
  "Instruction sets of the hot loops, selected at run time: base, v3 (AVX2, FMA), v4 (AVX-512); or native: this machine's alone; or only-base, only-v3, only-v4")
set(COPPICE_ISA_NATIVE "") # the level of all hot loops, if there is only one
if(COPPICE_ISA_LEVELS STREQUAL "native")
  include(CoppiceNativeLevel)
  coppice_native_level(COPPICE_ISA_NATIVE)
  set(COPPICE_ISA_LEVELS base)
elseif(COPPICE_ISA_LEVELS MATCHES "^only-(base|v3|v4)$")
  set(COPPICE_ISA_NATIVE ${CMAKE_MATCH_1})
  set(COPPICE_ISA_LEVELS base)
endif()
list(APPEND COPPICE_ISA_LEVELS base)
list(REMOVE_DUPLICATES COPPICE_ISA_LEVELS)

set(COPPICE_HAS_CUDA OFF)
if(NOT COPPICE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(COPPICE_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(COPPICE_NVCC)
      set(CMAKE_CUDA_COMPILER ${COPPICE_NVCC})
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "CUDA architectures to compile for")
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit 12.4 REQUIRED)
    set(COPPICE_HAS_CUDA ON)
  elseif(COPPICE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "COPPICE_CUDA=ON but no CUDA compiler was found: set CMAKE_CUDA_COMPILER or put nvcc on PATH")
  endif()
endif()

# The first configuration decides: a launcher that appears later would change all commands and recompile everything.
if(NOT DEFINED COPPICE_CCACHE)
  find_program(COPPICE_CCACHE ccache)
  if(NOT COPPICE_CCACHE)
    set(COPPICE_CCACHE OFF CACHE FILEPATH "ccache; OFF: compile without it" FORCE)
  endif()
endif()
if(COPPICE_CCACHE)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      # ccache needs these options for sources with precompiled headers; CCACHE_BASEDIR lets checkouts share results.
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_ABSSTDERR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${COPPICE_CCACHE})
    endif()
  endforeach()
endif()

# coppice_find_required(PACKAGE DEBIAN CONDA): as find_package, but all that is missing is reported together, by the names
# under which it can be installed.
set(coppice_missing "")
set(coppice_missing_debian "")
set(coppice_missing_conda "")
macro(coppice_find_required package debian conda)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND coppice_missing ${package})
    list(APPEND coppice_missing_debian ${debian})
    list(APPEND coppice_missing_conda ${conda})
  endif()
endmacro()
coppice_find_required(TBB libtbb-dev tbb-devel)
coppice_find_required(ZLIB zlib1g-dev zlib)
coppice_find_required(nlohmann_json nlohmann-json3-dev nlohmann_json)
if(COPPICE_BUILD_APPS)
  coppice_find_required(CLI11 libcli11-dev cli11)
  coppice_find_required(fmt libfmt-dev fmt)
endif()
if(coppice_missing)
  list(JOIN coppice_missing ", " missing)
  list(JOIN coppice_missing_debian " " debian)
  list(JOIN coppice_missing_conda " " conda)
  message(FATAL_ERROR "Coppice needs packages that CMake did not find: ${missing}\n"
    "Debian, Ubuntu:  apt-get install ${debian}\n"
    "conda-forge:     conda install -c conda-forge ${conda}\n"
    "If they are installed in another folder, add it to CMAKE_PREFIX_PATH. Only the command needs CLI11 and fmt: "
    "COPPICE_BUILD_APPS=OFF leaves it out.")
endif()
find_package(Threads REQUIRED)
find_package(Eigen3 3.3 QUIET NO_MODULE) # optional: the sparse direct solver
# KLU is LGPL, UMFPACK and the supernodal CHOLMOD are GPL: a program that links them follows these licences.
option(COPPICE_SUITESPARSE "KLU, UMFPACK and CHOLMOD (SuiteSparse: LGPL and GPL) as methods of the preconditioner direct" OFF)
if(COPPICE_SUITESPARSE)
  find_path(COPPICE_SUITESPARSE_FOLDER klu.h PATH_SUFFIXES suitesparse)
  find_library(COPPICE_KLU klu)
  find_library(COPPICE_UMFPACK umfpack)
  find_library(COPPICE_CHOLMOD cholmod)
  if(NOT COPPICE_SUITESPARSE_FOLDER OR NOT COPPICE_KLU OR NOT COPPICE_UMFPACK OR NOT COPPICE_CHOLMOD OR NOT Eigen3_FOUND)
    message(FATAL_ERROR "COPPICE_SUITESPARSE=ON needs klu, umfpack and cholmod with their headers, and Eigen 3.4 "
      "(Debian: libsuitesparse-dev, libeigen3-dev)")
  endif()
endif()

# A project that contains this one may use an older standard for other targets. The next test takes the standard of the
# variable, and that of the compiler's default if it is not set and CMAKE_CXX_EXTENSIONS is OFF.
if(NOT CMAKE_CXX_STANDARD OR CMAKE_CXX_STANDARD MATCHES "^(98|11|14|17)$")
  set(CMAKE_CXX_STANDARD 20)
endif()
# The standard library decides, too: a new clang with that of an old GCC lacks the same headers.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS ${CMAKE_CXX20_STANDARD_COMPILE_OPTION})
check_cxx_source_compiles("#include <bit>\n#include <charconv>\n#include <concepts>\n#include <ranges>
int main(int, char** text) { double x = 0; std::from_chars(text[0], text[0], x); return std::popcount(1u) - 1; }" COPPICE_COMPILER_WORKS)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT COPPICE_COMPILER_WORKS)
  message(FATAL_ERROR "Coppice needs a C++20 compiler with its standard library: g++ 12 or newer, or clang++ 14 or newer with "
    "the library of g++ 12; found ${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}).\n"
    "Debian, Ubuntu:  apt-get install g++, and choose it by -DCMAKE_CXX_COMPILER or the environment variable CXX")
endif()
