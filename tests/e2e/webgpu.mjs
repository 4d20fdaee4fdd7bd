// SPDX-License-Identifier: Apache-2.0
// A client of WebGPU: node webgpu.mjs FOLDER [faulty], with the package webgpu (Dawn) in the folder.
// Runs two compute shaders on the first Vulkan device, makes a pipeline for graphics, and prints a
// line of JSON: the device's name, what each of 128 invocations stored, and the error of the
// pipeline. With "faulty" it also runs three shaders with a fault each, without Dawn's guards.
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(`${process.argv[2]}/webgpu/index.js`).href);
Object.assign(globalThis, globals);
setInterval(() => 0, 5); // without it nothing wakes node for Dawn's promises
const unguarded = process.argv[3] === 'faulty'
    ? ['enable-dawn-features=disable_robustness,disable_workgroup_init'] : [];
const gpu = create(['backend=vulkan', ...unguarded]); // to be held: Dawn ends with it
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
const faults = [
    'words[i] = i; out[place] = words[63 - i];', // no barrier
    'out[place + 1] = i;', // the last invocation's is behind the end
    'if (i < 32) { words[i] = i; } workgroupBarrier(); out[place] = words[i];', // 32 are unwritten
];
for (const fault of unguarded.length ? faults : [])
    await compute(`
        @group(0) @binding(0) var<storage, read_write> out : array<u32>;
        var<workgroup> words : array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i : u32,
                                             @builtin(workgroup_id) group : vec3u) {
            let place = group.x * 64 + i;
            ${fault}
        }`);
const module = device.createShaderModule({ code: `
    @vertex fn vertex() -> @builtin(position) vec4f { return vec4f(); }
    @fragment fn fragment() -> @location(0) vec4f { return vec4f(); }` });
const graphics = await device.createRenderPipelineAsync({ layout: 'auto', vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] } }).catch(error => error.message);
console.log(JSON.stringify({ name: adapter.info.description, shared, subgroup, graphics }));
process.kill(process.pid, 'SIGKILL'); // Dawn does not always end by itself
