# SPDX-License-Identifier: BSD-3-Clause
# The installed package: find_package(coppice) gives the target coppice::coppice.
#
#   include/coppice/*.hpp, *.h   entry headers
#   include/coppice/<module>/    what they pull in
if(NOT COPPICE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)

install(DIRECTORY include/coppice/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coppice
  FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.inc PATTERN *.cuh)
foreach(module ${COPPICE_MODULES})
  install(DIRECTORY ${module}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coppice/${module}
    FILES_MATCHING PATTERN *.hpp PATTERN *.cuh)
endforeach()

set_target_properties(coppice PROPERTIES
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  DEFINE_SYMBOL "") # nothing is marked for export, so static and shared builds compile alike
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
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/coppiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/coppiceConfig.cmake ${PROJECT_BINARY_DIR}/coppiceConfigVersion.cmake
  DESTINATION ${config_dir})
