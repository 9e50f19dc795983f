# SPDX-License-Identifier: BSD-3-Clause
# CPack runs this script before it makes packages of the staged folders, one per component. Adds the files that Debian's
# policy requires: copyright, upstream changelog, changelog of the package; compresses man pages.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()

function(write_compressed path content)
  file(WRITE ${path} "${content}")
  execute_process(COMMAND gzip -9nf ${path} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Licences of header-only libraries that are compiled into command and library. That of fmt does not ask for a notice in
# compiled code.
file(READ ${CPACK_COPPICE_SOURCE_DIR}/LICENSE copyright)
foreach(library CLI11 Eigen nlohmann-json)
  file(READ ${CPACK_COPPICE_SOURCE_DIR}/python/licenses/${library}.txt licence)
  string(APPEND copyright "\n\n${licence}")
endforeach()
file(READ ${CPACK_COPPICE_SOURCE_DIR}/CHANGELOG.md changes)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # that of SOURCE_DATE_EPOCH if it is set

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} name)
  set(package ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  set(stage ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  if(NOT EXISTS ${stage})
    message(FATAL_ERROR "the component ${component} has no folder ${stage}: nothing was installed into it")
  endif()
  file(GLOB licences ${stage}/share/doc/*/LICENSE)
  if(licences)
    file(REMOVE ${licences}) # its text is in the file copyright
  endif()
  set(documents ${stage}/share/doc/${package})
  file(WRITE ${documents}/copyright "${copyright}")
  write_compressed(${documents}/changelog "${changes}")
  write_compressed(${documents}/changelog.Debian
    "coppice (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n  * Release ${CPACK_PACKAGE_VERSION}; changes: changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB_RECURSE pages ${stage}/share/man/*.[1-9])
  foreach(page ${pages})
    execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
