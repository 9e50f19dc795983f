# SPDX-License-Identifier: BSD-3-Clause
# Packages by CPack: `cpack --preset package` writes Debian packages and a .tar.gz; scripts/package.sh does all of a release.
#
#   coppice         component command: the program, its man pages and completions
#   libcoppice0.1   component libraries: shared libraries (in a static build libcoppice_c.so alone)
#   libcoppice-dev  component development: headers, static library or link to the shared one, CMake and pkg-config files
#
# The library promises no binary interface between versions, so that packages depend on the same version of each other.
set(CPACK_PACKAGE_CONTACT "Coppice maintainers <maintainers@coppice.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own, the first line of its description
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)

set(CPACK_COMPONENTS_ALL development)
if(TARGET coppice_command)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()
if(TARGET coppice_c OR library_type STREQUAL SHARED_LIBRARY)
  list(APPEND CPACK_COMPONENTS_ALL libraries)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(deb_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(deb_library libcoppice${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME coppice)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION math)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Graphs and sparse algebra over one semiring SpMV: command
The command solves sparse systems, runs graph algorithms and products over
semirings on matrices in files, and writes reports.")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME ${deb_library})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARIES_DESCRIPTION "Graphs and sparse algebra over one semiring SpMV: shared libraries
The C interface (libcoppice_c.so) and, if it was built as a shared library,
the C++ library.")
# Packages of others depend on this one by its version; the linker's cache follows by a trigger.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
set(triggers ${PROJECT_BINARY_DIR}/debian/triggers)
file(WRITE ${triggers} "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${triggers})

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcoppice-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtbb-dev") # the headers of the library include those of oneTBB
if("libraries" IN_LIST CPACK_COMPONENTS_ALL)
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${deb_library} (= ${deb_version}), ")
endif()
if(library_type STREQUAL STATIC_LIBRARY)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", zlib1g-dev")
else()
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${deb_library} (= ${deb_version})")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, pkg-config, gdb")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Graphs and sparse algebra over one semiring SpMV: development files
Headers, CMake and pkg-config files and pretty-printers for gdb. C++ programs
link coppice::coppice, C programs coppice::c.")

# Copyright, changelog, compressed man pages: what Debian's policy requires of a package.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_documents.cmake)
set(CPACK_COPPICE_SOURCE_DIR ${PROJECT_SOURCE_DIR}) # variables that begin with CPACK_ reach the script
include(CPack)
