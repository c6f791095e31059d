# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# Makes the target slotwise::module: who links to it can `import slotwise;`, or include the headers. To be included where
# slotwise::slotwise is known, by projects with CMake 3.28 and a generator and compiler for which it builds modules.
# It is a library of the project that includes this file and not part of the package, because no compiler reads a module that
# another one has compiled; and CMake gives an interface library no file set of modules. It is compiled for the standard, extensions
# and options of that project, and whoever imports it must be, too. clang++ 16 needs CMAKE_CXX_EXTENSIONS to be OFF: it passes over
# -fmodule-file where the standard is gnu++20.
if(TARGET slotwise::module)
  return()
endif()
if(CMAKE_VERSION VERSION_LESS 3.28)
  message(FATAL_ERROR "slotwise::module needs CMake 3.28 or newer, this is ${CMAKE_VERSION}. Include the headers instead; "
    "clang++ --precompile slotwise/slotwise.cppm builds the module without CMake")
endif()

add_library(slotwise_module STATIC EXCLUDE_FROM_ALL)
add_library(slotwise::module ALIAS slotwise_module)
target_link_libraries(slotwise_module PUBLIC slotwise::slotwise)
get_target_property(slotwise_include slotwise::slotwise HEADER_DIRS)
target_sources(slotwise_module PUBLIC FILE_SET CXX_MODULES BASE_DIRS "${slotwise_include}"
  FILES "${slotwise_include}/slotwise/slotwise.cppm")
unset(slotwise_include)
