// SPDX-License-Identifier: Apache-2.0
// The part of the kernel's interface to amdgpu that is interposed: requests of ioctl, and their
// structures as the kernel declares them stable.
#pragma once

#include <stdint.h>
#include <sys/ioctl.h>

struct amdgpu_create { // in
    uint64_t size, alignment, domains, flags;
};
struct amdgpu_handle { // GEM_CREATE out, GEM_MMAP in
    uint32_t handle, pad;
};

enum { AMDGPU_MAP = 1, AMDGPU_UNMAP, AMDGPU_CLEAR, AMDGPU_REPLACE };
enum { AMDGPU_PAGE_PRT = 1 << 4 };
struct amdgpu_va { // newer kernels append members
    uint32_t handle, pad, operation, flags;
    uint64_t address, offset, size;
};

struct amdgpu_userptr {
    uint64_t address, size;
    uint32_t flags, handle;
};

struct amdgpu_cs_in {
    uint32_t context, list, chunk_count, flags;
    uint64_t chunks; // of pointers to chunks
};
enum { AMDGPU_CHUNK_IB = 1 };
struct amdgpu_chunk {
    uint32_t id, dwords;
    uint64_t data;
};
enum { AMDGPU_IP_GFX, AMDGPU_IP_COMPUTE };
enum { AMDGPU_IB_PREAMBLE = 2 };
struct amdgpu_ib {
    uint32_t pad, flags;
    uint64_t address;
    uint32_t bytes, ip, instance, ring;
};

// Numbers of requests of type 'd'.
enum {
    DRM_GEM_CLOSE = 0x09,
    DRM_AMDGPU_GEM_CREATE = 0x40,
    DRM_AMDGPU_GEM_MMAP = 0x41,
    DRM_AMDGPU_CS = 0x44,
    DRM_AMDGPU_GEM_VA = 0x48,
    DRM_AMDGPU_GEM_USERPTR = 0x51,
};
#define AMDGPU_REQUEST_MMAP _IOWR('d', DRM_AMDGPU_GEM_MMAP, struct amdgpu_handle)
