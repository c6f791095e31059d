# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
execute_process(COMMAND "${compiler}" ${mixed} -o mixed RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "count_positions.*_compiled")
  message(FATAL_ERROR "objects of both kinds were linked, or the error does not name the kind (${result}):\n${output}")
endif()
