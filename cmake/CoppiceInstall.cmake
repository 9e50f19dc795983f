# SPDX-License-Identifier: BSD-3-Clause
# The installed package: find_package(coppice) gives the target coppice::coppice.
#
#   include/coppice/*.hpp, *.h   entry headers
#   include/coppice/coppice.f90  the Fortran module, to be compiled with the program
#   include/coppice/<module>/    the headers that they include
if(NOT COPPICE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)

install(DIRECTORY include/coppice/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coppice
  FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.inc PATTERN *.cuh PATTERN *.f90)
# Headers of the modules that no entry header needs stay out. scripts/installed-headers.py writes the list.
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
if(TARGET coppice_c) # coppiceConfig.cmake imports it by hand: what it links is nothing that a C project should find
  set(COPPICE_HAS_C_LIBRARY ON)
  set_target_properties(coppice_c PROPERTIES INSTALL_RPATH $ORIGIN
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(c_library libcoppice_c.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # its soname
  install(TARGETS coppice_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS coppice EXPORT coppice_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET coppice_command)
  # The installed command finds a shared library beside it, wherever the prefix is moved to.
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(coppice_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT coppice_targets FILE coppiceTargets.cmake NAMESPACE coppice:: DESTINATION ${config_dir})
get_target_property(library_type coppice TYPE)
configure_package_config_file(cmake/coppiceConfig.cmake.in ${PROJECT_BINARY_DIR}/coppiceConfig.cmake
  INSTALL_DESTINATION ${config_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/coppiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/coppiceConfig.cmake ${PROJECT_BINARY_DIR}/coppiceConfigVersion.cmake
  DESTINATION ${config_dir})

# For builds without CMake: coppice.pc is the C interface, coppice++.pc the C++ library. Both find their prefix from
# where they stand.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_files coppice++.pc)
set(pc_cuda "")
# A static library leaves what it uses to the program that links it.
set(pc_requires "")
set(pc_libs "")
if(library_type STREQUAL STATIC_LIBRARY)
  set(pc_requires " zlib")
  if(COPPICE_HAS_CUDA)
    set(pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
  endif()
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

# Packages: cpack -G DEB, or cpack --preset package.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_PACKAGE_CONTACT "Coppice maintainers <maintainers@coppice.example>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libtbb-dev, zlib1g-dev") # what the headers and a static library need
  include(CPack)
endif()
