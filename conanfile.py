# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The recipe of slotwise for Conan 2: `conan create . -s compiler.cppstd=20` builds, tests and keeps the package."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Slotwise(ConanFile):
    name = "slotwise"
    description = "Header-only C++20 generational containers: slots, handles and columns"
    license = "MIT"
    topics = ("containers", "slot-map", "handles", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"  # only to be asked for C++20: the package is the same for all
    exports_sources = "include/*.hpp", "include/*.cppm", "include/slotwise/debug/*.py", "include/slotwise/debug/*.natvis", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/package/conan"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include/slotwise/config/version.hpp"))
        self.version = ".".join(re.findall(r"#define SLOTWISE_VERSION_\w+ (\d+)", header))

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        for pattern in "*.hpp", "*.cppm", "*.py", "*.natvis":
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "slotwise")
        self.cpp_info.set_property("cmake_target_name", "slotwise::slotwise")
        self.cpp_info.set_property("pkg_config_name", "slotwise")
