# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What FindCUDNN and FindNCCL have in common: a library of NVIDIA beside the toolkit, looked for in
# <package>_ROOT, the environment's <package>_PATH, the CUDA toolkit and the folders of Python wheels.
#
# dlbench_find_nvidia_library(package library soname header patch): sets <package>_FOUND and
# <package>_VERSION and makes the target <package>::<library>. The header that defines
# <package>_MAJOR, _MINOR and _<patch> lies in <package>_INCLUDE_DIR. A macro, since what it finds
# belongs to its caller.
include(FindPackageHandleStandardArgs)
macro(dlbench_find_nvidia_library package library soname header patch)
  find_path(${package}_INCLUDE_DIR ${header}
            HINTS ENV ${package}_PATH ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  find_library(${package}_LIBRARY NAMES ${library} ${soname}
               HINTS ENV ${package}_PATH ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  if(${package}_INCLUDE_DIR)
    file(STRINGS ${${package}_INCLUDE_DIR}/${header} version_lines
         REGEX "#define ${package}_(MAJOR|MINOR|${patch}) [0-9]+")
    string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*${patch} ([0-9]+).*" "\\1.\\2.\\3"
                         ${package}_VERSION "${version_lines}")
  endif()
  find_package_handle_standard_args(
    ${package} REQUIRED_VARS ${package}_LIBRARY ${package}_INCLUDE_DIR VERSION_VAR ${package}_VERSION)
  if(${package}_FOUND AND NOT TARGET ${package}::${library})
    add_library(${package}::${library} UNKNOWN IMPORTED)
    set_target_properties(
      ${package}::${library} PROPERTIES IMPORTED_LOCATION ${${package}_LIBRARY}
                                        INTERFACE_INCLUDE_DIRECTORIES ${${package}_INCLUDE_DIR})
  endif()
  mark_as_advanced(${package}_INCLUDE_DIR ${package}_LIBRARY)
endmacro()
