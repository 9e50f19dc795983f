# SPDX-License-Identifier: BSD-3-Clause
# Settings of all targets, and three functions that add sources to the library.

set(COPPICE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of GCC 12: bug 105651 in std::string operator+, and std::vector next to an asm that hides a number.
  list(APPEND COPPICE_WARNINGS -Wno-restrict -Wno-free-nonheap-object)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
  # std::stable_sort of GCC 12's standard library uses a deprecated function, which these versions report.
  list(APPEND COPPICE_WARNINGS -Wno-deprecated-declarations)
endif()
if(COPPICE_WARNINGS_AS_ERRORS)
  list(APPEND COPPICE_WARNINGS -Werror)
endif()

# The modules, one folder of sources each. All headers are included as <coppice/...>: entry headers are in
# include/coppice; symbolic links in the build folder replace the module folders of an installation. No other folder of
# this project is on the include path of a project that uses the library, so its headers cannot hide others.
set(COPPICE_MODULES core algebra semiring graph solvers)
set(COPPICE_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/coppice)
foreach(module ${COPPICE_MODULES})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${module} ${PROJECT_BINARY_DIR}/include/coppice/${module} SYMBOLIC)
endforeach()

# Sets warnings, sanitizers and the CUDA dialect of a target of this project (never exported to users), and adds the
# root to its include path for headers that are not installed (apps/, bench/).
function(coppice_configure_target target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${COPPICE_WARNINGS}>)
  if(COPPICE_HAS_CUDA)
    target_compile_options(${target} PRIVATE
      # CMake 3.25 does not know C++20 for nvcc 13 and would silently compile C++17.
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --extended-lambda --expt-relaxed-constexpr -Xcompiler=-Wall,-Wno-unknown-pragmas>)
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  endif()
  if(COPPICE_SANITIZE)
    # Line tables suffice for stack traces; -g would add a third to the compile time. The checks (.ci/run) have function
    # names only, which saves a twelfth.
    set(flags -fsanitize=${COPPICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all $<$<NOT:$<CONFIG:Checks>>:-g1>)
    if(COPPICE_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # Checks as calls instead of inline code, without those that the address sanitizer repeats: half the compile time.
      list(APPEND flags "SHELL:--param asan-instrumentation-with-call-threshold=0"
        -fno-sanitize=null,object-size,pointer-overflow,vptr
        $<$<CONFIG:Checks>:-fno-sanitize=alignment>) # a fifth of the rest
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
    target_link_options(${target} PRIVATE -fsanitize=${COPPICE_SANITIZE})
  endif()
endfunction()

# Symbols of a static library are hidden in the program or shared object that links it, so a plug-in exports only its
# functions. A shared library exports all symbols, because none is marked for export.
function(coppice_hide_if_static target)
  get_target_property(type coppice TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()

function(coppice_configure_library target)
  coppice_configure_target(${target})
  coppice_hide_if_static(${target})
  foreach(level v3 v4)
    if(NOT level IN_LIST COPPICE_ISA_LEVELS)
      string(TOUPPER ${level} name)
      target_compile_definitions(${target} PUBLIC $<BUILD_INTERFACE:COPPICE_ISA_WITHOUT_${name}>)
    endif()
  endforeach()
  if(COPPICE_ISA_NATIVE)
    string(REGEX REPLACE "base|v" "" number "${COPPICE_ISA_NATIVE}")
    target_compile_definitions(${target} PRIVATE COPPICE_ISA_NATIVE=0${number})
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION})
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${COPPICE_INCLUDE_DIRS}>" $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC TBB::tbb Threads::Threads PRIVATE ZLIB::ZLIB ${CMAKE_DL_LIBS}
    $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  if(COPPICE_HAS_CUDA)
    target_compile_definitions(${target} PUBLIC COPPICE_HAS_CUDA=1)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
endfunction()

# Most of the 200,000 lines of a source are headers of the standard library and of oneTBB, which includes all intrinsics
# of the processor. The compiler reads them in about four seconds per source, or once per target if they are precompiled.
# Every header and source still includes what it uses; the stage "headers" of .ci/run compiles without this.
function(coppice_precompile target)
  if(COPPICE_PRECOMPILE)
    list(TRANSFORM ARGN REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # False alarms in std::string, which GCC 12 reports only in precompiled headers.
      target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow>)
    endif()
  endif()
endfunction()
set(COPPICE_STANDARD_HEADERS algorithm array atomic bit chrono cmath complex concepts cstdint cstring filesystem
  functional iostream limits map memory numeric optional random sstream string string_view tuple type_traits utility
  vector)

# coppice_join(TARGET source...) compiles these sources as one: shared headers are read once, templates instantiated
# once. Names in their unnamed namespaces must differ.
function(coppice_join target)
  list(GET ARGN 0 first)
  get_filename_component(first ${first} ABSOLUTE)
  file(RELATIVE_PATH group ${PROJECT_SOURCE_DIR} ${first})
  string(MAKE_C_IDENTIFIER ${group} group)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# coppice_join_cuda(NAME WRAPPER source...) writes a source for nvcc that includes these sources, and sets NAME to its path.
function(coppice_join_cuda name wrapper)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN ARGN "" content)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "${content}")
  set(${name} ${wrapper} PARENT_SCOPE)
endfunction()

# coppice_grouped_sources(TARGET source...): sources of this folder. Those in one string form a group, which COPPICE_JOIN_MORE
# compiles as one.
function(coppice_grouped_sources target)
  foreach(together ${ARGN})
    separate_arguments(together UNIX_COMMAND "${together}")
    list(TRANSFORM together PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(${target} PRIVATE ${together})
    list(LENGTH together count)
    if(COPPICE_JOIN_MORE AND count GREATER 1)
      coppice_join(${target} ${together})
    endif()
  endforeach()
  if(COPPICE_JOIN_MORE) # GCC treats all joined sources except the first one as headers
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Sources of the library for any C++20 compiler, in groups.
function(coppice_sources)
  coppice_grouped_sources(coppice ${ARGN})
endfunction()

# Sources of the library that need nvcc (or CUDA headers), .cu or .cpp in one string; omitted in a build without CUDA.
function(coppice_cuda_sources)
  if(NOT COPPICE_HAS_CUDA)
    return()
  endif()
  foreach(together ${ARGN})
    separate_arguments(sources UNIX_COMMAND "${together}")
    list(GET sources 0 first)
    if(COPPICE_JOIN_MORE AND first MATCHES "\\.cu$") # CMake can join C++ sources only
      list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
      file(RELATIVE_PATH wrapper ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${first})
      coppice_join_cuda(joined ${PROJECT_BINARY_DIR}/joined/${wrapper} ${sources})
      target_sources(coppice PRIVATE ${joined})
    else()
      coppice_sources(${together})
    endif()
  endforeach()
endfunction()

# Sources outside the library that use it, in groups, as the objects of TARGET.
function(coppice_object_sources target)
  add_library(${target} OBJECT)
  coppice_grouped_sources(${target} ${ARGN})
  coppice_configure_target(${target})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:coppice,INTERFACE_COMPILE_DEFINITIONS>)
  target_include_directories(${target} PRIVATE ${COPPICE_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE TBB::tbb)
  if(COPPICE_HAS_CUDA)
    target_link_libraries(${target} PRIVATE CUDA::toolkit) # its headers
  endif()
endfunction()

# Host sources with hot loops, compiled once per instruction-set level; the level is selected when the program starts.
# COPPICE_ISA is the name of the namespace of their functions: isa_base, isa_v3 (AVX2, FMA), isa_v4 (AVX-512). Callers
# dispatch with core/host/isa.hpp.
function(coppice_isa_sources)
  foreach(source ${ARGN})
    get_filename_component(stem ${source} NAME_WE)
    foreach(level ${COPPICE_ISA_LEVELS})
      set(object coppice_${stem}_${level})
      add_library(${object} OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      coppice_configure_target(${object})
      coppice_hide_if_static(${object})
      target_compile_features(${object} PRIVATE cxx_std_20)
      set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_include_directories(${object} PRIVATE ${COPPICE_INCLUDE_DIRS})
      target_link_libraries(${object} PRIVATE TBB::tbb)
      target_compile_definitions(${object} PRIVATE COPPICE_ISA=isa_${level})
      if(NOT COPPICE_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
        target_compile_options(${object} PRIVATE -O3)
      endif()
      set(instructions ${level})
      if(COPPICE_ISA_NATIVE) # the one copy
        set(instructions ${COPPICE_ISA_NATIVE})
      endif()
      if(instructions STREQUAL v3)
        target_compile_options(${object} PRIVATE -march=x86-64-v3)
      elseif(instructions STREQUAL v4)
        target_compile_options(${object} PRIVATE -march=x86-64-v4 -mprefer-vector-width=512)
      endif()
      target_sources(coppice PRIVATE $<TARGET_OBJECTS:${object}>)
    endforeach()
  endforeach()
endfunction()
