# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# slotwise_dev: slotwise::slotwise as its developers compile it, every useful warning on and each of them an error.
# Users never link it.

set(slotwise_warnings
  -Wall -Wextra -Wpedantic
  -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align)
# Not -Wnull-dereference: g++ 12 reports lookups that an invariant keeps from being null (the page of a slot that has an entry),
# and std::string moved through them.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Not -Wuseless-cast: it refuses casts from std::uint64_t to std::size_t, which 32-bit targets need (-Wconversion), and, before
  # g++ 13, the temporary of move-and-swap.
  list(APPEND slotwise_warnings -Wduplicated-cond -Wlogical-op)
elseif(MSVC)
  set(slotwise_warnings /W4 /permissive-)
endif()
if(MSVC)
  set(slotwise_werror /WX)
else()
  set(slotwise_werror -Werror)
endif()

set(CMAKE_CXX_EXTENSIONS OFF) # for our own programs: -std=c++20, not gnu++20; a parent project's folders are not touched

add_library(slotwise_dev INTERFACE)
target_link_libraries(slotwise_dev INTERFACE slotwise::slotwise)
target_compile_options(slotwise_dev INTERFACE ${slotwise_warnings} ${slotwise_werror})
# A Debug build checks whatever can be checked; a Release build is what users get.
target_compile_definitions(slotwise_dev INTERFACE $<$<CONFIG:Debug>:SLOTWISE_CHECK_LEVEL=2>)
