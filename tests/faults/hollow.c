// SPDX-License-Identifier: Apache-2.0
// A library that is no driver: it exports nothing that the Vulkan loader looks for.
int hollow_library;
