# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# dlbench_switch(NAME TEXT): the option DLBENCH_ENABLE_<NAME> for what may be missing. AUTO takes it where it
# is found, ON fails where it is not, OFF does not look. AUTO is neither true nor false to CMake: compare it.
function(dlbench_switch name text)
  set(option DLBENCH_ENABLE_${name})
  set(${option} AUTO CACHE STRING "${text}: AUTO, ON (fail if missing) or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(NOT "${${option}}" MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${option} is ${${option}}; wanted AUTO, ON or OFF")
  endif()
endfunction()
