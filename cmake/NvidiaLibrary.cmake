# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What FindCUDNN and FindNCCL have in common: a library of NVIDIA beside the toolkit, looked for in
# <package>_ROOT, the environment's <package>_PATH, the CUDA toolkit and the folders of Python wheels.
# Wheels have libraries with a version in their name only, libcudnn.so.9: the linker takes those by path.
#
# dlbench_wheel_folders(result): nvidia/<wheel> in the packages of $VIRTUAL_ENV, of $CONDA_PREFIX and of
# the first python3 on the PATH, which is asked for its own once per build folder.
#
# dlbench_find_nvidia_library(package library soname header patch): sets <package>_FOUND and
# <package>_VERSION and makes the target <package>::<library>. The header that defines
# <package>_MAJOR, _MINOR and _<patch> lies in <package>_INCLUDE_DIR. A macro, since what it finds
# belongs to its caller.
#
# dlbench_find_toolkit_library(library header): sees to the target CUDA::<library>. FindCUDAToolkit makes
# it from the toolkit's folder, where an installation for running programs has the library with a version
# in its name or not at all; then it may lie beside the wheels of cuDNN. Does nothing where it is nowhere.
include(FindPackageHandleStandardArgs)
function(dlbench_wheel_folders result)
  if(NOT DEFINED CACHE{DLBENCH_WHEEL_PACKAGES})
    find_program(DLBENCH_WHEEL_PYTHON NAMES python3)
    mark_as_advanced(DLBENCH_WHEEL_PYTHON)
    set(packages "")
    if(DLBENCH_WHEEL_PYTHON)
      execute_process(
        COMMAND ${DLBENCH_WHEEL_PYTHON} -c
                "import sysconfig as s; print(s.get_path('purelib'), s.get_path('platlib'), sep=';')"
        OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    set(DLBENCH_WHEEL_PACKAGES "${packages}" CACHE INTERNAL "")
  endif()
  set(places ${DLBENCH_WHEEL_PACKAGES})
  foreach(variable VIRTUAL_ENV CONDA_PREFIX)
    if(NOT "$ENV{${variable}}" STREQUAL "")
      file(GLOB found "$ENV{${variable}}/lib/python3*/site-packages"
                      "$ENV{${variable}}/lib64/python3*/site-packages")
      list(PREPEND places ${found})
    endif()
  endforeach()
  set(folders "")
  foreach(place IN LISTS places)
    file(GLOB found "${place}/nvidia/*")
    list(APPEND folders ${found})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()
macro(dlbench_find_nvidia_library package library soname header patch)
  dlbench_wheel_folders(wheel_folders)
  find_path(${package}_INCLUDE_DIR ${header}
            HINTS ENV ${package}_PATH ${CUDAToolkit_INCLUDE_DIRS} ${wheel_folders}
            PATH_SUFFIXES include)
  # Name by name in each folder: one without a version elsewhere may be of another version.
  find_library(${package}_LIBRARY NAMES ${library} ${soname} NAMES_PER_DIR
               HINTS ENV ${package}_PATH ${CUDAToolkit_LIBRARY_DIR} ${wheel_folders}
               PATH_SUFFIXES lib lib64)
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
function(dlbench_find_toolkit_library library header)
  if(TARGET CUDA::${library})
    return()
  endif()
  dlbench_wheel_folders(wheel_folders)
  find_path(DLBENCH_${library}_INCLUDE_DIR ${header}
            HINTS ${CUDAToolkit_INCLUDE_DIRS} ${wheel_folders} PATH_SUFFIXES include)
  find_library(DLBENCH_${library}_LIBRARY NAMES lib${library}.so.${CUDAToolkit_VERSION_MAJOR}
               HINTS ${CUDAToolkit_LIBRARY_DIR} ${wheel_folders} PATH_SUFFIXES lib lib64)
  mark_as_advanced(DLBENCH_${library}_INCLUDE_DIR DLBENCH_${library}_LIBRARY)
  if(DLBENCH_${library}_LIBRARY AND DLBENCH_${library}_INCLUDE_DIR)
    add_library(CUDA::${library} UNKNOWN IMPORTED)
    set_target_properties(CUDA::${library} PROPERTIES IMPORTED_LOCATION ${DLBENCH_${library}_LIBRARY})
    target_include_directories(CUDA::${library} SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS}
                                                                ${DLBENCH_${library}_INCLUDE_DIR})
  endif()
endfunction()
