#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the reproducer and runs it: sh run [OPTION]... Its last line says its exit code, for `git
# bisect run`: 0: no run failed; 1: one did, or the driver crashed; 125: nothing could be judged.
end() {
    echo "exit code $1: $2"
    exit "$1"
}
cd "$(dirname "$0")" || end 125 unknown
make -s repro || end 125 unknown

# What drivers cached is not what they compile today.
export MESA_SHADER_CACHE_DISABLE=true MESA_GLSL_CACHE_DISABLE=true
export ANV_ENABLE_PIPELINE_CACHE=false __GL_SHADER_DISK_CACHE=0 AMDVLK_ENABLE_PIPELINE_CACHE=0

./repro "$@"
code=$?
case $code in
0) end 0 right ;;
1) end 1 wrong ;;
# SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
132 | 133 | 134 | 135 | 136 | 139)
    echo "the driver crashed: signal $((code - 128))"
    end 1 wrong
    ;;
# The others end whatever called this, too.
129 | 13? | 14? | 15?) exit "$code" ;;
*) end 125 unknown ;;
esac
