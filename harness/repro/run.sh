#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the reproducer and runs it: sh run [OPTION]... Its exit code is what `git bisect run`
# takes: 0 no run failed, 1 at least one did or the driver crashed, 125 nothing could be built or
# judged.
cd "$(dirname "$0")" || exit 125
make -s repro || exit 125

# What drivers cached is not what they compile today.
export MESA_SHADER_CACHE_DISABLE=true MESA_GLSL_CACHE_DISABLE=true
export ANV_ENABLE_PIPELINE_CACHE=false __GL_SHADER_DISK_CACHE=0 AMDVLK_ENABLE_PIPELINE_CACHE=0

./repro "$@"
code=$?
case $code in
# SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
132 | 133 | 134 | 135 | 136 | 139)
    echo "the driver crashed: signal $((code - 128))"
    exit 1
    ;;
# The others end whatever called this, too.
0 | 1 | 129 | 13? | 14? | 15?) exit "$code" ;;
*) exit 125 ;;
esac
