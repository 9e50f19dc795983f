# SPDX-License-Identifier: BSD-3-Clause
# The installed package: find_package(coppice) defines the target coppice::coppice.
#
#   include/coppice/*.hpp, *.h   entry headers
#   include/coppice/coppice.f90  the Fortran module, to be compiled with the program
#   include/coppice/<module>/    the headers that they include
#
# Components: "command" (program, man pages, completions), "libraries" (shared libraries), "development" (the rest), each a
# Debian package. A plain `cmake --install` installs all three; "mpi", "petsc" and "python" are installed by name only.
if(NOT COPPICE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

install(DIRECTORY include/coppice/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coppice
  FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.inc PATTERN *.cuh PATTERN *.f90)
# Headers of the modules that no entry header includes are not installed. scripts/installed-headers.py writes the list.
set(header_list ${PROJECT_SOURCE_DIR}/cmake/installed_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header_list})
file(STRINGS ${header_list} installed_headers)
foreach(header ${installed_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coppice/${folder})
endforeach()

set_target_properties(coppice PROPERTIES
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  DEFINE_SYMBOL "") # nothing is marked for export, so static and shared builds compile alike
set(COPPICE_HAS_C_LIBRARY OFF)
if(TARGET coppice_c) # coppiceConfig.cmake imports it explicitly, so that C projects need not find the libraries that it links
  set(COPPICE_HAS_C_LIBRARY ON)
  set_target_properties(coppice_c PROPERTIES INSTALL_RPATH $ORIGIN
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(c_library libcoppice_c.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # its soname
  install(TARGETS coppice_c
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT libraries)
endif()
set(graphblas_library libcoppice_graphblas.so.${PROJECT_VERSION_MAJOR}) # its soname
install(TARGETS coppice EXPORT coppice_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT libraries)
if(TARGET coppice_command)
  # The installed command finds the shared library relative to its own folder, so the prefix can be moved.
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(coppice_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Pretty-printers; gdb loads those of a shared library automatically.
install(FILES scripts/gdb/coppice_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/coppice/gdb)
get_target_property(library_type coppice TYPE)
if(library_type STREQUAL SHARED_LIBRARY)
  install(FILES scripts/gdb/coppice_gdb.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load/${CMAKE_INSTALL_FULL_LIBDIR}
    RENAME libcoppice.so.${PROJECT_VERSION}-gdb.py)
endif()

install(EXPORT coppice_targets FILE coppiceTargets.cmake NAMESPACE coppice:: DESTINATION ${config_dir})
configure_package_config_file(cmake/coppiceConfig.cmake.in ${PROJECT_BINARY_DIR}/coppiceConfig.cmake
  INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/coppiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/coppiceConfig.cmake ${PROJECT_BINARY_DIR}/coppiceConfigVersion.cmake
  DESTINATION ${config_dir})

# For builds without CMake: coppice.pc for the C interface, coppice++.pc for the C++ library. Both derive the prefix from
# their location.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_files coppice++.pc)
set(pc_cuda "")
# A program that links the static library must also link the libraries that it uses.
set(pc_requires "")
set(pc_libs "")
if(library_type STREQUAL STATIC_LIBRARY)
  set(pc_requires " zlib")
  if(COPPICE_HAS_CUDA)
    set(pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt")
  endif()
  foreach(library ${CMAKE_DL_LIBS})
    string(APPEND pc_libs " -l${library}")
  endforeach()
endif()
if(COPPICE_HAS_CUDA)
  set(pc_cuda " -DCOPPICE_HAS_CUDA=1 -I${CUDAToolkit_INCLUDE_DIRS}")
endif()
if(TARGET coppice_c)
  list(APPEND pc_files coppice.pc)
endif()
foreach(pc ${pc_files})
  configure_file(cmake/${pc}.in ${PROJECT_BINARY_DIR}/${pc} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  include(CoppicePackages)
endif()
