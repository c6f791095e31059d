# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The recipe of slotwise for Conan 2: `conan create . -s compiler.cppstd=20` builds, tests and keeps the package."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Slotwise(ConanFile):
    name = "slotwise"
    description = "Header-only C++20 generational containers: slot maps, ECS, keyed maps, time series and graphs"
    license = "MIT"
    topics = ("containers", "data-structures", "slot-map", "generational-arena", "sparse-set", "ecs", "entity-component-system", "handles", "time-series",
              "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"  # without the option only to be asked for C++20: the package is the same for all
    options = {"compiled": [True, False]}  # slotwise::compiled beside the headers
    default_options = {"compiled": False}
    exports_sources = ("include/*.hpp", "include/*.cppm", "include/slotwise/debug/*.py", "include/slotwise/debug/*.natvis", "LICENSE",
                       "src/*.cpp", "CMakeLists.txt", "tools/cmake/*")
    no_copy_source = True
    test_package_folder = "tests/package/conan"

    def configure(self):
        if self.options.compiled:
            self.package_type = "static-library"

    def layout(self):
        cmake_layout(self)

    def generate(self):
        if self.options.compiled:
            toolchain = CMakeToolchain(self)
            toolchain.cache_variables |= {"SLOTWISE_COMPILED": True, **{f"SLOTWISE_BUILD_{part}": False for part in ("TESTS", "BENCH", "EXAMPLES")}}
            toolchain.generate()

    def build(self):
        if self.options.compiled:
            cmake = CMake(self)
            cmake.configure()
            cmake.build()

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include/slotwise/config/version.hpp"))
        self.version = ".".join(re.findall(r"#define SLOTWISE_VERSION_\w+ (\d+)", header))

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        if not self.info.options.compiled:
            self.info.clear()

    def package(self):
        for pattern in "*.hpp", "*.cppm", "*.py", "*.natvis":
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        for pattern in "*.a", "*.lib":
            copy(self, pattern, self.build_folder, os.path.join(self.package_folder, "lib"), keep_path=False)
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "slotwise")
        for name in ("slotwise", "compiled")[:2 if self.options.compiled else 1]:
            part = self.cpp_info.components[name]
            part.bindirs, part.libdirs = [], []
            part.set_property("cmake_target_name", f"slotwise::{name}")
            part.set_property("pkg_config_name", "slotwise" if name == "slotwise" else "slotwise-compiled")
        if self.options.compiled:
            part.requires, part.libdirs, part.libs, part.defines = ["slotwise"], ["lib"], ["slotwise"], ["SLOTWISE_COMPILED"]
