# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# Runs the port without vcpkg: cmake -Dwork=FOLDER -Dport=FOLDER -Dgenerator=NAME -Dcompiler=CXX [-DFEATURES=compiled] -P vcpkg_stubs.cmake
# What the functions of vcpkg do to a header-only library, as far as a port can notice: the package ends up in FOLDER/package.
cmake_minimum_required(VERSION 3.23)

set(PORT slotwise)
set(CURRENT_PACKAGES_DIR "${work}/package")
set(CURRENT_BUILDTREES_DIR "${work}/buildtrees")

function(require path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "the port speaks of ${path}, which is not there")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  if(arg_UNPARSED_ARGUMENTS OR (NOT VCPKG_BUILD_TYPE STREQUAL "release" AND NOT FEATURES))
    message(FATAL_ERROR "vcpkg_cmake_configure: '${arg_UNPARSED_ARGUMENTS}' is not known here, or two build types for a header-only library")
  endif()
  require("${arg_SOURCE_PATH}/CMakeLists.txt")
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND "${CMAKE_COMMAND}" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    -DCMAKE_BUILD_TYPE=Release -S "${arg_SOURCE_PATH}" -B "${CURRENT_BUILDTREES_DIR}" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${arg_OPTIONS})
  file(STRINGS "${CURRENT_BUILDTREES_DIR}/CMakeCache.txt" unused REGEX "^SLOTWISE_[A-Z_]+:UNINITIALIZED")
  if(unused)
    message(FATAL_ERROR "the port sets options that slotwise does not have: ${unused}")
  endif()
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND "${CMAKE_COMMAND}" --build "${CURRENT_BUILDTREES_DIR}" --target install)
endfunction()

# Two folders below the prefix is where vcpkg has every package file, whatever the project thought.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  require("${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${PORT}")
  cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${parent}")
  set(first "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\n")
  set(next "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
  file(READ "${CURRENT_PACKAGES_DIR}/share/${PORT}/slotwiseConfig.cmake" text)
  string(REPLACE "${first}${next}${next}${next}" "${first}${next}${next}" fixed "${text}")
  if(fixed STREQUAL text)
    message(FATAL_ERROR "slotwiseConfig.cmake does not find its prefix in the way that vcpkg knows how to mend")
  endif()
  file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/slotwiseConfig.cmake" "${fixed}")
endfunction()

function(vcpkg_fixup_pkgconfig)
  require("${CURRENT_PACKAGES_DIR}/share/pkgconfig/slotwise.pc")
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  require("${arg_FILE_LIST}")
  file(INSTALL "${arg_FILE_LIST}" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()

include("${port}/portfile.cmake")
