# SPDX-License-Identifier: BSD-3-Clause
# The C interface as a separate shared library, coppice::c: a project with LANGUAGES C links it without a C++ compiler
# and without the headers of oneTBB and zlib, no matter whether coppice itself is static or shared. It exports only the
# functions of coppice.h and tridigpu.h.
if(NOT COPPICE_BUILD_C_LIBRARY)
  return()
endif()
add_library(coppice_c SHARED $<TARGET_OBJECTS:coppice_c_objects>)
add_library(coppice::c ALIAS coppice_c)
set_target_properties(coppice_c PROPERTIES LINKER_LANGUAGE CXX)
coppice_configure_target(coppice_c)
set_target_properties(coppice_c PROPERTIES VERSION ${PROJECT_VERSION})
target_include_directories(coppice_c PUBLIC "$<BUILD_INTERFACE:${COPPICE_INCLUDE_DIRS}>"
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(coppice_c PRIVATE coppice::coppice)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(shown ${PROJECT_BINARY_DIR}/coppice_c.map)
  file(CONFIGURE OUTPUT ${shown} CONTENT "{ global: coppice*; tridigpu*; local: *; };\n")
  target_link_options(coppice_c PRIVATE -Wl,--version-script=${shown})
  set_target_properties(coppice_c PROPERTIES LINK_DEPENDS ${shown})
endif()
