# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# The port builds the sources it lies in: vcpkg install slotwise --overlay-ports=<slotwise>/tests/package/vcpkg --no-binarycaching
# (vcpkg tells two builds apart by the files of the port, so a cached one may be older than the sources). A registry's copy of it
# takes them from a tag instead, by vcpkg_from_git or vcpkg_from_github into SOURCE_PATH.
if("compiled" IN_LIST FEATURES)
  set(compiled ON)
else()
  set(compiled OFF)
  set(VCPKG_BUILD_TYPE release) # header-only
endif()
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DSLOTWISE_BUILD_TESTS=OFF -DSLOTWISE_BUILD_BENCH=OFF -DSLOTWISE_BUILD_EXAMPLES=OFF -DSLOTWISE_INSTALL=ON -DSLOTWISE_COMPILED=${compiled})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/slotwise)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses") # the same text is in share/slotwise/copyright
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
