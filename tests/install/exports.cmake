# SPDX-License-Identifier: BSD-3-Clause
# cmake -DNM=... -DPLUGIN=... -P exports.cmake: the plug-in exports its function and no function of the library.
execute_process(COMMAND ${NM} -D -C --defined-only ${PLUGIN} OUTPUT_VARIABLE shown RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT shown MATCHES " plugin_solve")
  message(FATAL_ERROR "${NM} does not show the function of the plug-in:\n${shown}")
endif()
string(REGEX MATCHALL "[^\n]*coppice::[^\n]*" of_the_library "${shown}")
list(LENGTH of_the_library count)
if(count GREATER 0)
  list(GET of_the_library 0 first)
  message(FATAL_ERROR "the plug-in shows ${count} symbols of Coppice, the first one is: ${first}")
endif()
