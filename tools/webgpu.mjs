// SPDX-License-Identifier: Apache-2.0
// Collects the compute shaders that onnxruntime's WebGPU gives a device, as SPIR-V assembly.
//
//     node tools/webgpu.mjs OUT [FOLDER...]
//
// Runs the operators of webgpu.table, of floats and of 16-bit floats, and the models of the FOLDERs
// (model.onnx and test_data_set_0/, as ONNX ships its tests), with onnxruntime-web on Dawn. Writes
// each distinct shader to OUT: NAME.HASH.wgsl as onnxruntime puts it together, NAME.HASH.spvasm as
// Dawn translates it for Vulkan, NAME.HASH.spv.options with the workgroups, uniforms and sizes
// of buffers of its last dispatch, for `litmus kernel`. Prints a line for each model. Dispatches
// are not executed. Needs node 20, the packages onnxruntime-web and webgpu in ./node_modules, and a
// Vulkan driver.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const TYPES = [, 'float32', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool',
    'float16', 'float64', 'uint32', 'uint64'];
const ARRAYS = { float32: Float32Array, uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array,
    int16: Int16Array, int32: Int32Array, int64: BigInt64Array, bool: Uint8Array,
    float16: Uint16Array, float64: Float64Array, uint32: Uint32Array, uint64: BigUint64Array };

// Protocol buffers, as much as ONNX's models need: fields of integers, floats, and bytes.
function varint(value) {
    const bytes = [];
    for (value = BigInt.asUintN(64, BigInt(value)); value > 127n; value >>= 7n)
        bytes.push(Number(value & 127n) | 128);
    return [...bytes, Number(value)];
}
const integer = (field, value) => [...varint(field << 3), ...varint(value)];
const bytes = (field, ...parts) => {
    const all = parts.flatMap(each => [...(typeof each === 'string' ? Buffer.from(each) : each)]);
    return [...varint(field << 3 | 2), ...varint(all.length), ...all];
};
const float = (field, value) =>
    [...varint(field << 3 | 5), ...new Uint8Array(Float32Array.of(value).buffer)];

function tensorOf(file) {
    const data = fs.readFileSync(file), dims = [];
    let at = 0, type, raw = new Uint8Array();
    const number = () => {
        let value = 0, scale = 1;
        for (;; scale *= 128) {
            value += (data[at] & 127) * scale;
            if (data[at++] < 128) return value;
        }
    };
    while (at < data.length) {
        const tag = number(), value = number(), end = at + value;
        if (tag === 8) dims.push(value);
        else if (tag === 16) type = TYPES[value];
        else if (tag === 10) while (at < end) dims.push(number());
        else if (tag === 74) raw = new Uint8Array(data.subarray(at, end));
        else if (tag !== 66) throw Error(`field ${tag >> 3} of ${file}`);
        if (tag & 2) at = end;
    }
    return { type, dims, raw };
}

function inputOf(text, wide) {
    let [, constant, type, sizes, , values] = /^(!?)(\w+):([\d,]*)(=(.*))?$/.exec(text);
    type = type === 'T' ? (wide ? 'float32' : 'float16') : type;
    const dims = sizes ? sizes.split(',').map(Number) : [];
    const given = values?.split(',');
    const array = ARRAYS[type].from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) =>
        type === 'int64' ? BigInt(given?.[i] ?? i % 2)
            : type === 'float16' ? 0x3000 + i * 37 % 0xc00
            : type === 'float32' ? Number(given?.[i] ?? i * 37 % 100 / 100 + .01)
            : Number(given?.[i] ?? i % 2));
    return { constant, type, dims, raw: new Uint8Array(array.buffer) };
}

function attributeOf(name, text) {
    const is = number => integer(20, number);
    if (/^\[/.test(text))
        return [...bytes(1, name), ...JSON.parse(text).flatMap(each => integer(8, each)), ...is(7)];
    if (/^-?\d+$/.test(text)) return [...bytes(1, name), ...integer(3, text), ...is(2)];
    if (/^-?[\d.]+$/.test(text)) return [...bytes(1, name), ...float(2, Number(text)), ...is(1)];
    return [...bytes(1, name), ...bytes(4, text), ...is(3)];
}

function modelOf(line, wide) {
    const [operator, ...words] = line.split(/\s+/);
    const [, microsoft, name, , opset] = /^(ms\.)?(\w+)(@(\d+))?$/.exec(operator);
    const node = [], graph = [], feeds = [];
    let outputs = 'o';
    for (const word of words) {
        const attribute = /^(\w+)=(.*)$/.exec(word);
        if (attribute) node.push(...bytes(5, attributeOf(attribute[1], attribute[2])));
        else if (word[0] === '>') outputs = word.slice(1);
        else if (word === '-') node.push(...bytes(1, ''));
        else {
            const input = inputOf(word, wide), label = `i${graph.length}`;
            const type = TYPES.indexOf(input.type);
            node.push(...bytes(1, label));
            if (input.constant)
                graph.push(...bytes(5, input.dims.flatMap(each => integer(1, each)),
                    integer(2, type), bytes(8, label), bytes(9, input.raw)));
            else {
                feeds.push(input);
                graph.push(...bytes(11, bytes(1, label), bytes(2, bytes(1, integer(1, type),
                    bytes(2, ...input.dims.map(each => bytes(1, integer(1, each))))))));
            }
        }
    }
    [...outputs].forEach((each, i) => {
        const label = each === '-' ? '' : `o${i}`;
        node.push(...bytes(2, label));
        if (label) graph.push(...bytes(12, bytes(1, label)));
    });
    node.push(...bytes(4, name), ...bytes(7, microsoft ? 'com.microsoft' : ''));
    return { feeds, model: Uint8Array.from([...integer(1, 10),
        ...bytes(7, bytes(1, node), bytes(2, 'g'), graph),
        ...bytes(8, bytes(1, ''), integer(2, opset ?? 21)),
        ...bytes(8, bytes(1, 'com.microsoft'), integer(2, 1))]) };
}

// Has `what` see each call of a method, and answer in its place.
function hook(type, name, what) {
    const real = type.prototype[name];
    type.prototype[name] = function (...words) { return what(real.bind(this), ...words); };
}

// A child: runs models, and says on stdout which pipeline Dawn prints the SPIR-V of.
async function child(out, models) {
    const say = text => fs.writeSync(1, `\n@@@ ${text}\n`);
    const packages = pathToFileURL('node_modules').href;
    const { create, globals } = await import(`${packages}/webgpu/index.js`);
    Object.assign(globalThis, globals);
    const known = new WeakMap(); // of modules, pipelines, bind groups and buffers
    let shader, bound;
    const remember = (real, what) => {
        const made = real(what);
        known.set(made, what);
        return made;
    };
    const pipeline = (real, what) => {
        const { label, code } = known.get(what.compute.module);
        const constants = JSON.stringify(what.compute.constants ?? {});
        const wgsl = code + (constants === '{}' ? '' : `\n// ${constants}\n`);
        const hash = createHash('sha256').update(wgsl).digest('hex').slice(0, 12);
        const name = `${out}/${(what.label || label || 'shader').replace(/\W+/g, '-')}.${hash}`;
        fs.writeFileSync(`${name}.wgsl`, wgsl);
        say(`shader ${name}`);
        const made = real(what);
        known.set(made, name);
        return made;
    };
    const dispatched = (real, x, y = 1, z = 1) => { // not run: that would compile for a CPU
        const buffers = bound.map(({ binding, resource: { buffer, size = buffer.size } }) => {
            const uniform = buffer.usage & GPUBufferUsage.UNIFORM;
            const what = uniform && Buffer.concat([known.get(buffer)], size).toString('hex');
            return `--buffer=0.${binding}=${uniform ? `hex:${what}` : `zero:${size}`}\n`;
        });
        fs.writeFileSync(`${shader}.spv.options`, `--groups=${x},${y},${z}\n${buffers.join('')}`);
    };
    const { createComputePipeline } = GPUDevice.prototype;
    hook(GPUDevice, 'createShaderModule', remember);
    hook(GPUDevice, 'createBindGroup', remember);
    hook(GPUDevice, 'createComputePipeline', pipeline);
    GPUDevice.prototype.createComputePipelineAsync = async function (what) {
        return pipeline(createComputePipeline.bind(this), what);
    };
    hook(GPUComputePassEncoder, 'setPipeline', (real, what) => {
        shader = known.get(what);
        real(what);
    });
    hook(GPUComputePassEncoder, 'setBindGroup', (real, index, group, ...more) => {
        bound = known.get(group).entries;
        real(index, group, ...more);
    });
    hook(GPUComputePassEncoder, 'dispatchWorkgroups', dispatched);
    hook(GPUComputePassEncoder, 'dispatchWorkgroupsIndirect', real => dispatched(real, 1));
    hook(GPUQueue, 'writeBuffer', (real, buffer, at, data, ...more) => {
        const copy = new Uint8Array(data); // Dawn takes no shared memory
        known.set(buffer, copy);
        real(buffer, at, copy, ...more);
    });
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {
        gpu: create(['backend=vulkan', 'enable-dawn-features=dump_shaders,allow_unsafe_apis']) } });
    setInterval(() => 0, 5); // without it nothing wakes node for Dawn's promises
    const ort = await import(`${packages}/onnxruntime-web/dist/ort.webgpu.mjs`);
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = `${packages}/onnxruntime-web/dist/`;
    for (const each of models) {
        say(`begin ${each}`);
        try {
            const [, width, line] = /^(f32|f16) (.*)/.exec(each) ?? [];
            const own = line && modelOf(line, width === 'f32');
            const session = await ort.InferenceSession.create(
                own ? own.model : fs.readFileSync(`${each}/model.onnx`),
                { executionProviders: ['webgpu'] });
            const feeds = session.inputNames.map((name, i) => {
                const { type, dims, raw } = own ? own.feeds[i]
                    : tensorOf(`${each}/test_data_set_0/input_${i}.pb`);
                return [name, new ort.Tensor(type, new ARRAYS[type](raw.buffer), dims)];
            });
            await session.run(Object.fromEntries(feeds));
            await session.release();
            say('end done');
        } catch (error) {
            say(`end ${String(error.message ?? error).replace(/\s+/g, ' ')}`);
        }
    }
    process.kill(process.pid, 'SIGKILL'); // Dawn does not always end by itself
}

// Runs a child until it ends, or until a model takes five minutes; what is left after that.
function part(out, models) {
    return new Promise(resolve => {
        const running = spawn(process.execPath,
            ['--liftoff-only', process.argv[1], '--child', out, ...models.slice(0, 60)],
            { env: { ...process.env, MESA_SHADER_CACHE_DISABLE: 'true' } });
        let shader, assembly, model = -1, timer, errors = '';
        running.stderr.on('data', text => { errors = (errors + text).slice(-2000); });
        const result = text => console.log(`${models[model]}: ${text}`);
        readline.createInterface({ input: running.stdout }).on('line', line => {
            const said = /^@@@ (begin|end|shader) (.*)/.exec(line);
            if (said?.[1] === 'begin') {
                model++;
                clearTimeout(timer);
                timer = setTimeout(() => running.kill('SIGKILL'), 300000);
            } else if (said?.[1] === 'end') {
                clearTimeout(timer);
                timer = undefined;
                result(said[2]);
            } else if (said) {
                shader = said[2];
            }
            if (line.startsWith('; SPIR-V')) assembly = [];
            if (said || line === 'info:') assembly = undefined;
            assembly?.push(line);
            if (assembly && shader && /^ +OpFunctionEnd/.test(line))
                fs.writeFileSync(`${shader}.spvasm`, assembly.join('\n') + '\n');
        });
        running.on('close', () => {
            if (model < 0) {
                const why = /^.*Error.*$/m.exec(errors) ?? [errors];
                console.error(`onnxruntime does not begin: ${why[0]}`);
                process.exit(2);
            }
            if (timer) result('it does not end');
            clearTimeout(timer);
            resolve(models.slice(model + 1));
        });
    });
}

const [out, ...folders] = process.argv.slice(2);
if (!out || out === '--help') {
    console.error('usage: node tools/webgpu.mjs OUT [FOLDER...]');
    process.exit(2);
}
if (out === '--child') await child(folders[0], folders.slice(1));
fs.mkdirSync(out, { recursive: true });
const lines = fs.readFileSync(new URL('webgpu.table', import.meta.url), 'utf8').split('\n')
    .filter(line => line && line[0] !== '#');
let models = [...lines.flatMap(line => line.includes('T:') ? [`f32 ${line}`, `f16 ${line}`]
    : [`f32 ${line}`]), ...folders];
while (models.length) models = await part(out, models);
