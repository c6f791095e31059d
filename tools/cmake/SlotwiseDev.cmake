# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# slotwise_dev: slotwise::slotwise as its developers compile it, every useful warning on and each of them an error where that helps.
# Users never link it.

# Not -Wnull-dereference: g++ 12 reports lookups that an invariant keeps from being null. config/abi.hpp switches it off in the headers;
# in our programs it would be on for what they look up and assert themselves.
set(slotwise_common_warnings
  -Wall -Wextra -Wpedantic
  -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align)
set(slotwise_warnings ${slotwise_common_warnings})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Not -Wuseless-cast: it refuses casts from std::uint64_t to std::size_t, which 32-bit targets need (-Wconversion), and, before
  # g++ 13, the temporary of move-and-swap.
  list(APPEND slotwise_warnings -Wduplicated-cond -Wlogical-op)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND slotwise_warnings -Wno-restrict) # "text" + std::string at -O2, https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651
  endif()
elseif(MSVC)
  # cl and clang-cl. Test programs have more sections than a plain object can; __cplusplus is 199711 without its flag.
  set(slotwise_warnings /W4 /permissive- /Zc:__cplusplus /utf-8 /bigobj)
endif()

# A warning is an error with the compilers CI runs. Later ones know warnings that nobody here has seen: they are shown, and keep
# nobody from running the tests on a new system.
set(slotwise_werror_default OFF)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.") OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^16\\."))
  set(slotwise_werror_default ON)
endif()
option(SLOTWISE_WERROR "Treat warnings of slotwise's own programs as errors" ${slotwise_werror_default})
set(slotwise_werror)
if(SLOTWISE_WERROR)
  if(MSVC)
    set(slotwise_werror /WX)
  else()
    set(slotwise_werror -Werror)
  endif()
endif()

set(CMAKE_CXX_EXTENSIONS OFF) # for our own programs: -std=c++20, not gnu++20; a parent project's folders are not touched

add_library(slotwise_dev INTERFACE)
# The property SLOTWISE_HEADER_ONLY is for programs that need another library than the others: without exceptions, or with a failure handler.
option(SLOTWISE_TEST_COMPILED "Link slotwise's own programs with slotwise::compiled" OFF)
if(SLOTWISE_TEST_COMPILED)
  target_link_libraries(slotwise_dev INTERFACE "$<IF:$<BOOL:$<TARGET_PROPERTY:SLOTWISE_HEADER_ONLY>>,slotwise::slotwise,slotwise::compiled>")
  target_compile_definitions(slotwise_compiled PRIVATE $<$<CONFIG:Debug>:SLOTWISE_CHECK_LEVEL=2>) # as below
else()
  target_link_libraries(slotwise_dev INTERFACE slotwise::slotwise)
endif()
target_compile_options(slotwise_dev INTERFACE ${slotwise_warnings} ${slotwise_werror})
# A Debug build checks whatever can be checked; a Release build is what users get.
target_compile_definitions(slotwise_dev INTERFACE $<$<CONFIG:Debug>:SLOTWISE_CHECK_LEVEL=2>)
