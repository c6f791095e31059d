# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# Configures, builds and runs one consumer project in a fresh folder, after installing slotwise into a prefix there and moving
# that prefix: a package that remembers where it was installed fails. Run by ctest; see tests/CMakeLists.txt.

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${what}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result})")
  endif()
endfunction()

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
set(common -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}")

step("configure slotwise for installation" "${CMAKE_COMMAND}" ${common} -S "${slotwise_source}" -B "${work}/slotwise"
  -DSLOTWISE_BUILD_TESTS=OFF -DSLOTWISE_BUILD_BENCH=OFF -DSLOTWISE_BUILD_EXAMPLES=OFF)
step("install slotwise" "${CMAKE_COMMAND}" --install "${work}/slotwise" --prefix "${work}/installed")
file(RENAME "${work}/installed" "${work}/moved")
file(REMOVE_RECURSE "${work}/slotwise")

step("configure the consumer" "${CMAKE_COMMAND}" ${common} -S "${project}" -B "${work}/build"
  "-DCMAKE_PREFIX_PATH=${work}/moved" "-DSLOTWISE_SOURCE=${slotwise_source}" "-DSLOTWISE_VERSION=${slotwise_version}")
step("build the consumer" "${CMAKE_COMMAND}" --build "${work}/build")
if(EXISTS "${work}/build/expects_no_program")
  return()
endif()
step("run the consumer" "${work}/build/consumer")
