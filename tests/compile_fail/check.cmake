# SPDX-License-Identifier: BSD-3-Clause
# cmake -DCOMPILER=... -DFLAGS=... -DSOURCE=... [-DCASE=MACRO -DEXPECT=regex] -P check.cmake
# Without CASE the source must compile. With it the compiler must fail with a message that matches EXPECT.
if(CASE)
  set(define -D${CASE})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} ${FLAGS} ${define} ${SOURCE}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT CASE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the source does not compile without any of its cases:\n${output}")
  endif()
elseif(result EQUAL 0)
  message(FATAL_ERROR "${CASE} compiles")
elseif(NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "${CASE} does not compile, but the message has no \"${EXPECT}\":\n${output}")
endif()
