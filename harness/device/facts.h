// SPDX-License-Identifier: Apache-2.0
// Facts of a device: plain data, known to every layer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Facts of a device, plain data that travels between processes and into reports. Strings come from
// the driver and are sanitised.
struct dev_facts {
    char name[256];
    char driver_name[256], driver_info[256];
    char problem[160];       // what in these facts makes no sense, so that no test can run; or ""
    char driver_version[64]; // as the vendor writes it, from driverInfo or decoded
    uint8_t device_uuid[16], driver_uuid[16];
    uint32_t driver_id; // VkDriverId
    uint32_t vendor, product;
    uint32_t api;        // VkPhysicalDeviceProperties.apiVersion
    uint32_t driver_raw; // VkPhysicalDeviceProperties.driverVersion
    char loader[32];     // instance version of the Vulkan loader, "1.3.239"; "" if not known
    bool cpu;            // VK_PHYSICAL_DEVICE_TYPE_CPU
    char type[32];       // "discrete", "integrated", "virtual", "cpu", "other"
    uint32_t subgroup, subgroup_min, subgroup_max; // invocations
    bool subgroup_control;                         // compute pipelines can ask for a size
    uint32_t max_workgroup;                        // invocations, the least of size x and total
    uint32_t max_workgroups;                       // workgroups in x
    uint32_t max_subgroups; // in a workgroup whose subgroup size is asked for; 0: no such limit
    uint32_t max_shared;    // bytes
    uint64_t max_storage_buffer; // bytes
    uint64_t features;           // 1 << enum cat_feature
};

// A stable identity over drivers and boots, 16 hexadecimal digits: a hash of device UUID, driver
// UUID, driver id, name, driver info and driver version.
void dev_facts_id(const struct dev_facts *facts, char id[17]);
