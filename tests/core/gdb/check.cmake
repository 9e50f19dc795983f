# SPDX-License-Identifier: BSD-3-Clause
# cmake -DGDB=... -DPROGRAM=... -DPRINTERS=... -P check.cmake: gdb shows the values of values.cpp as expected.
set(expected
  "numbers = buffer<double> of 3 elements = {1.5, -2, 3}"
  "nothing = buffer<float> of 0 elements"
  "last_two = array_view<const double> of 2 elements = {-2, 3}"
  "a = csr<double>: 3 x 4, 4 nonzeros = {[0] = (0: 1) (2: 0.5), [1] = empty, [2] = (1: 2) (3: 4)}"
  "wide = csr<float, long, long>: 1 x 5000000000, 1 nonzeros = {[0] = (4999999999: 7)}"
  "view = csr_view<double>: 3 x 4, 4 nonzeros = {[0] = (0: 1) (2: 0.5), [1] = empty, [2] = (1: 2) (3: 4)}"
  "broken = csr_view<double>: 3 x 4, 4 nonzeros = {[0] = (0: 1) (2: 0.5) (1: 2), [1] = offsets 3 to 2 are not within 0 to 4, [2] = (1: 2) (3: 4)}"
  "unreadable = csr_view<double>: 2 x 2, 2 nonzeros = {[0] = not readable here: memory of a device, or freed}")
set(commands "")
foreach(line ${expected})
  string(REGEX REPLACE " = .*" "" name "${line}")
  list(APPEND commands -ex "printf \"${name} = \"" -ex "output ${name}" -ex "printf \"\\n\"")
endforeach()
execute_process(COMMAND ${GDB} --batch --nx -ex "set width 0" -ex "set debuginfod enabled off" -ex "source ${PRINTERS}"
  -ex "break stop_here" -ex run -ex up ${commands} ${PROGRAM}
  OUTPUT_VARIABLE shown ERROR_VARIABLE errors)
if("${shown}${errors}" MATCHES "ptrace: |Could not trace|Python scripting is not supported")
  message("skipped: gdb cannot start programs here, or has no Python:\n${errors}")
  return()
endif()
foreach(line ${expected})
  string(FIND "${shown}" "${line}\n" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "gdb does not show\n  ${line}\nbut\n${shown}\n${errors}")
  endif()
endforeach()
