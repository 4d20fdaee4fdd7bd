// SPDX-License-Identifier: Apache-2.0
// ---- The test

static struct buffer input, output, state, slots;
static struct buffer fresh; // what output and state hold before a run, one behind the other
static VkDescriptorSetLayout set_layouts[PARTS][SETS];
static VkPipelineLayout layouts[PARTS];
static VkDescriptorSet sets[PARTS][SETS];
static VkPipeline pipelines[PARTS];

static VkDescriptorType type_of(size_t i)
{
    return bindings[i].uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                               : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static void make_sets(void)
{
    VkDescriptorPool pool;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, COUNT(bindings)},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, COUNT(bindings)}};
    const VkDescriptorPoolCreateInfo pool_info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = PARTS * SETS,
                                                  .poolSizeCount = COUNT(sizes),
                                                  .pPoolSizes = sizes};
    VK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = PARTS * SETS,
        .pSetLayouts = set_layouts[0]};
    VK(vkAllocateDescriptorSets(device, &allocation, sets[0]));
    for (size_t i = 0; i < COUNT(bindings); i++) {
        const struct buffer *buffer = bindings[i].region == 'i'   ? &input
                                      : bindings[i].region == 'o' ? &output
                                                                  : &state;
        const VkDescriptorBufferInfo info = {buffer->handle, bindings[i].first * 4,
                                             bindings[i].words ? bindings[i].words * 4
                                                               : VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = sets[bindings[i].part][bindings[i].set],
                                            .dstBinding = bindings[i].binding,
                                            .dstArrayElement = bindings[i].element,
                                            .descriptorCount = 1,
                                            .descriptorType = type_of(i),
                                            .pBufferInfo = &info};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
}

static void make_layout(uint32_t part)
{
    for (uint32_t s = 0; s < SETS; s++) {
        VkDescriptorSetLayoutBinding of_set[COUNT(bindings)];
        uint32_t count = 0;
        for (size_t i = 0; i < COUNT(bindings); i++) {
            if (bindings[i].part != part || bindings[i].set != s)
                continue;
            if (bindings[i].element) // one behind the other
                of_set[count - 1].descriptorCount++;
            else
                of_set[count++] =
                    (VkDescriptorSetLayoutBinding){.binding = bindings[i].binding,
                                                   .descriptorType = type_of(i),
                                                   .descriptorCount = 1,
                                                   .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
        }
        const VkDescriptorSetLayoutCreateInfo set_info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = count,
            .pBindings = of_set};
        VK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layouts[part][s]));
    }
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                       .size = parts[part].push_bytes};
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = SETS,
        .pSetLayouts = set_layouts[part],
        .pushConstantRangeCount = range.size ? 1 : 0,
        .pPushConstantRanges = &range};
    VK(vkCreatePipelineLayout(device, &layout_info, NULL, &layouts[part]));
}

// The kernels' own sets, bindings and push constants.
static void make_interface(void)
{
    for (uint32_t part = 0; part < PARTS; part++)
        make_layout(part);
    make_sets();
}

// Subgroups as they were asked for, and no pipeline cache.
static void make_part(uint32_t part, const uint32_t *words, uint64_t count)
{
    VkShaderModule module;
    const VkShaderModuleCreateInfo module_info = {.sType =
                                                      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = (size_t)count * 4,
                                                  .pCode = words};
    VkSpecializationMapEntry entries[COUNT(spec_ids)];
    const uint32_t first = parts[part].first_spec, specs = parts[part].specs;
    uint32_t used = 0;
    for (uint32_t i = 0; i < specs; i++)
        if (i && spec_ids[first + i] == spec_ids[first + i - 1]) // of 64 bits, the low word first
            entries[used - 1].size = 8;
        else
            entries[used++] = (VkSpecializationMapEntry){spec_ids[first + i], i * 4, 4};
    const VkSpecializationInfo specialization = {used, entries, specs * 4, spec_values + first};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = parts[part].subgroup};
    vkDestroyPipeline(device, pipelines[part], NULL);
    VK(vkCreateShaderModule(device, &module_info, NULL, &module));
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = size.requiredSubgroupSize && can_choose_size() ? &size : NULL,
                  .flags = parts[part].full && has.size_control.computeFullSubgroups
                               ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                               : 0u,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = parts[part].entry,
                  .pSpecializationInfo = &specialization},
        .layout = layouts[part]};
    VK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipelines[part]));
    vkDestroyShaderModule(device, module, NULL);
}

// Of the first dispatch from this module; the others from their own files.
static void make_pipeline(const uint32_t *words, uint64_t count)
{
    make_part(0, words, count);
    for (uint32_t part = 1; part < PARTS; part++) {
        uint64_t other = 0;
        uint32_t *own = parts[part].module ? read_words(parts[part].module, &other) : NULL;
        make_part(part, own ? own : words, own ? other : count);
        free(own);
    }
}

// splitmix64, Steele, Lea and Flood 2014.
static uint32_t run_seed(uint64_t run)
{
    uint64_t z = STREAM + run + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(FIXED_SEED ? STREAM : z ^ z >> 31);
}

// What a dispatch finds as push constants. Those of litmus's tests begin with the buffers'
// addresses and end with the run's seed.
static void make_push(size_t step, uint64_t run, uint8_t push[PUSH_BYTES + 1])
{
    const VkDeviceAddress addresses[] = {input.address, output.address, state.address};
    const uint32_t seed = run_seed(run);
    memcpy(push, steps[step].push, PUSH_BYTES);
    if (SEEDED) {
        memcpy(push, addresses, sizeof addresses);
        memcpy(push + PUSH_BYTES - sizeof seed, &seed, sizeof seed);
    }
}

static void record_fresh(void)
{
    const VkBufferCopy outputs = {.size = OUTPUT_WORDS * 4};
    const VkBufferCopy states = {.srcOffset = OUTPUT_WORDS * 4, .size = STATE_WORDS * 4};
    if (FROM_FILE) {
        vkCmdCopyBuffer(commands, fresh.handle, output.handle, 1, &outputs);
        vkCmdCopyBuffer(commands, fresh.handle, state.handle, 1, &states);
    } else {
        vkCmdFillBuffer(commands, output.handle, 0, VK_WHOLE_SIZE, CAT_POISON);
        vkCmdFillBuffer(commands, state.handle, 0, VK_WHOLE_SIZE, 0);
    }
}

// Fresh buffers, the dispatches, and a copy of what they left.
static void record_run(uint64_t run, uint32_t slot)
{
    const uint64_t at = slot * SLOT_WORDS * 4;
    const VkBufferCopy result = {.dstOffset = at, .size = OUTPUT_WORDS * 4};
    const VkBufferCopy expired = {.dstOffset = at + result.size, .size = 4};
    record_fresh();
    for (size_t i = 0; i < COUNT(steps); i++) {
        const uint32_t part = steps[i].part;
        uint8_t push[PUSH_BYTES + 1];
        make_push(i, run, push);
        barrier();
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[part]);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layouts[part], 0, SETS,
                                sets[part], 0, NULL);
        if (parts[part].push_bytes)
            vkCmdPushConstants(commands, layouts[part], VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               parts[part].push_bytes, push);
        if (steps[i].groups[0])
            vkCmdDispatch(commands, steps[i].groups[0], steps[i].groups[1], steps[i].groups[2]);
    }
    barrier();
    vkCmdCopyBuffer(commands, output.handle, slots.handle, 1, &result);
    vkCmdCopyBuffer(commands, state.handle, slots.handle, 1, &expired);
    barrier();
}

static void upload(const struct buffer *buffer, const uint32_t *words, uint64_t count)
{
    const VkBufferCopy copy = {.size = count * 4};
    struct buffer staging = make_buffer(count, true);
    memcpy(staging.mapped, words, (size_t)count * 4);
    begin();
    vkCmdCopyBuffer(commands, staging.handle, buffer->handle, 1, &copy);
    barrier();
    submit();
    vkDestroyBuffer(device, staging.handle, NULL);
    vkFreeMemory(device, staging.memory, NULL);
}

#if MAY_DIFFER
// What is allowed to differ becomes what is expected.
static void allow(uint32_t *output, const uint32_t *expected)
{
    static struct cat_interface bits;
    bits.count_words = OUTPUT_WORDS;
    if (BITS_COUNT && !bits.counts)
        bits.counts = read_words("counts.bin", &bits.count_words);
    for (size_t i = 0; i < COUNT(tolerances); i++)
        take_away(&tolerances[i], output);
    cat_settle(&bits, output, expected);
    for (size_t i = 0; i < COUNT(tolerances); i++)
        settle(&tolerances[i], output + tolerances[i].first, expected + tolerances[i].first);
}

#endif // MAY_DIFFER
static int run_all(uint64_t runs, const char *module)
{
    uint64_t spv_words = 0, input_words = INPUT_WORDS;
    const uint64_t fit = BATCH_BYTES / (SLOT_WORDS * 4);
    const uint32_t most = fit < 1 ? 1 : fit < MOST_BATCH ? (uint32_t)fit : MOST_BATCH;
    uint32_t *spv = read_words(module, &spv_words);
    uint32_t *expected = read_expected();
    input = make_buffer(INPUT_WORDS, false);
    output = make_buffer(OUTPUT_WORDS, false);
    state = make_buffer(STATE_WORDS, false);
    slots = make_buffer(most * SLOT_WORDS, true);
    if (input_words) {
        uint32_t *words = read_words("input.bin", &input_words);
        upload(&input, words, input_words);
        free(words);
    }
    if (FROM_FILE) {
        uint64_t fresh_words = OUTPUT_WORDS + STATE_WORDS;
        uint32_t *before = read_words("fresh.bin", &fresh_words);
        fresh = make_buffer(fresh_words, false);
        upload(&fresh, before, fresh_words);
        free(before);
    }
    make_interface();
    for (uint64_t done = 0; done < runs;) {
        // The first run of a pipeline goes alone: some drivers compile within it.
        const bool fresh = done % PIPELINE_RUNS == 0;
        uint64_t count = fresh ? 1 : most;
        if (fresh)
            make_pipeline(spv, spv_words);
        tally.has_digest &= !fresh;
        if (count > PIPELINE_RUNS - done % PIPELINE_RUNS)
            count = PIPELINE_RUNS - done % PIPELINE_RUNS;
        if (count > runs - done)
            count = runs - done;
        for (uint64_t i = 0; i < count * SLOT_WORDS; i++)
            slots.mapped[i] = CAT_POISON;
        begin();
        for (uint32_t i = 0; i < count; i++)
            record_run(FIRST_RUN + done + i, i);
        submit();
#if MAY_DIFFER
        for (uint64_t i = 0; i < count; i++)
            allow(slots.mapped + i * SLOT_WORDS, expected);
#endif // MAY_DIFFER
        for (uint64_t i = 0; i < count; i++)
            judge_run(&tally, slots.mapped + i * SLOT_WORDS, expected, FIRST_RUN + done + i);
        done += count;
    }
    free(spv);
    free(expected);
    return print_tally(&tally);
}

static int usage(const char *program)
{
    fprintf(
        stderr,
        "usage: %s [-n RUNS] [-d NUMBER] [-m MODULE] [-l]\n"
        "  -n RUNS    how many runs (default: %" PRIu64 ")\n"
        "  -d NUMBER  of the device, from 1 (default: the measured one)\n"
        "  -m MODULE  a SPIR-V file of the same interface (default: test.spv)\n"
        "  -l         list the devices\n"
        "exit codes: 0 no run failed, 1 at least one did, 2 wrong usage, 125 nothing could be "
        "judged: no\ndevice, several that could be meant, the device lacks something, a file is "
        "missing, a Vulkan call\nfailed, or a bounded wait expired in every run\n",
        program, RUNS);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    uint64_t runs = RUNS, wanted = 0;
    const char *module = "test.spv";
    bool list = false;
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        uint64_t *number = !strcmp(argv[i], "-n") ? &runs : !strcmp(argv[i], "-d") ? &wanted : NULL;
        if (number && i + 1 < argc && argv[i + 1][0] >= '0' && argv[i + 1][0] <= '9')
            *number = strtoull(argv[++i], &end, 10);
        else if (!strcmp(argv[i], "-m") && i + 1 < argc)
            module = argv[++i];
        else if (!strcmp(argv[i], "-l"))
            list = true;
        else
            return usage(argv[0]);
        if (number && (*end || !*number))
            return usage(argv[0]);
    }
    printf("%s\n", NAME);
    make_instance();
    pick_device(wanted, list);
    make_device();
    const int code = run_all(runs, module);
    fflush(stdout);
    // The process ends here, and with it all that it holds.
    return code;
}
