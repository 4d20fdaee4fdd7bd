// SPDX-License-Identifier: Apache-2.0
// A client of WebGPU: node webgpu.mjs FOLDER [racy], with the package webgpu (Dawn) in the folder.
// Runs two compute shaders, and one with a data race if that is asked for, on the first Vulkan
// device, makes a pipeline for graphics, and prints a line of JSON: the device's name, what each of
// 128 invocations stored, and the error of the pipeline.
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(`${process.argv[2]}/webgpu/index.js`).href);
Object.assign(globalThis, globals);
setInterval(() => 0, 5); // without it nothing wakes node for Dawn's promises
const gpu = create(['backend=vulkan']); // to be held: Dawn ends with it
const adapter = await gpu.requestAdapter();
if (!adapter) process.exit(1); // Dawn said why
const device = await adapter.requestDevice({ requiredFeatures: ['subgroups'] });

async function compute(code) {
    const usage = GPUBufferUsage;
    const out = device.createBuffer({ size: 512, usage: usage.STORAGE | usage.COPY_SRC });
    const read = device.createBuffer({ size: 512, usage: usage.COPY_DST | usage.MAP_READ });
    const pipeline = device.createComputePipeline({ layout: 'auto',
        compute: { module: device.createShaderModule({ code }) } });
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: out } }] }));
    pass.dispatchWorkgroups(2);
    pass.end();
    encoder.copyBufferToBuffer(out, 0, read, 0, 512);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return [...new Uint32Array(read.getMappedRange())];
}

const shared = await compute(`
    @group(0) @binding(0) var<storage, read_write> out : array<u32>;
    var<workgroup> sum : atomic<u32>;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i : u32,
                                         @builtin(workgroup_id) group : vec3u) {
        atomicAdd(&sum, i);
        workgroupBarrier();
        out[group.x * 64 + i] = atomicLoad(&sum) + i;
    }`);
const subgroup = await compute(`
    enable subgroups;
    @group(0) @binding(0) var<storage, read_write> out : array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i : u32,
                                         @builtin(workgroup_id) group : vec3u,
                                         @builtin(subgroup_size) size : u32) {
        out[group.x * 64 + i] = subgroupExclusiveAdd(size) + subgroupShuffleXor(i, 1);
    }`);
if (process.argv[3] === 'racy')
    await compute(`
        @group(0) @binding(0) var<storage, read_write> out : array<u32>;
        var<workgroup> words : array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i : u32,
                                             @builtin(workgroup_id) group : vec3u) {
            words[i] = i;
            out[group.x * 64 + i] = words[63 - i];
        }`);
const module = device.createShaderModule({ code: `
    @vertex fn vertex() -> @builtin(position) vec4f { return vec4f(); }
    @fragment fn fragment() -> @location(0) vec4f { return vec4f(); }` });
const graphics = await device.createRenderPipelineAsync({ layout: 'auto', vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] } }).catch(error => error.message);
console.log(JSON.stringify({ name: adapter.info.description, shared, subgroup, graphics }));
process.kill(process.pid, 'SIGKILL'); // Dawn does not always end by itself
