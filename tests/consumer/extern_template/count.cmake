# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# Compares the weak symbols of slotwise in two object files: cmake -Dnm=NM -Dwith=OBJECT -Dwithout=OBJECT -P count.cmake
foreach(kind with without)
  execute_process(COMMAND "${nm}" -C --defined-only "${${kind}}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [WV] [^\n]*slotwise::v[^\n]*" weak "${symbols}")
  list(LENGTH weak ${kind}_count)
endforeach()
message(STATUS "weak symbols of slotwise: ${without_count} without extern template, ${with_count} with it")
if(without_count LESS 100 OR with_count GREATER 20)
  message(FATAL_ERROR "extern template saves too little, or there was nothing to save")
endif()
