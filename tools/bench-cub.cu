// SPDX-License-Identifier: Apache-2.0
// How long cub::DeviceScan::InclusiveSum takes for 32-bit words, and a copy by vectors of four, at
// the sizes of `litmus bench lookback`. Built and run by tools/bench-cub.
//
// As there: an output is filled with poison before each timed call, what is timed is verified on the
// device afterwards, rows are timed in rounds, each in an order of its own, 2 rounds to warm up and 31
// that count. A time is that between two events of the stream around one call. A kernel that keeps
// the device busy stands before the first event, so that all that a call launches is queued when it
// begins: what the host takes to launch is not counted.
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        const cudaError_t result = (call);                                                         \
        if (result != cudaSuccess) {                                                               \
            std::fprintf(stderr, "bench-cub: %s: %s\n", #call, cudaGetErrorString(result));        \
            std::exit(3);                                                                          \
        }                                                                                          \
    } while (0)

static const int warm = 2, repeats = 31;
static const uint32_t seed = 0x5eed;

__host__ __device__ inline uint32_t word_at(uint32_t index)
{
    uint32_t word = (index * 0x9E3779B9u) ^ seed;
    word = (word ^ (word >> 16)) * 0x85EBCA6Bu;
    return word ^ (word >> 13);
}

__global__ void fill(uint32_t *input, uint32_t count)
{
    const uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        input[i] = word_at(i);
}

// An inclusive scan is right if and only if each word, less the one before it, is that word of the
// input; a copy (segments of one word), if each is that word.
__global__ void verify(const uint32_t *output, uint32_t count, bool is_copy,
                       unsigned long long *looked, unsigned long long *wrong)
{
    const uint32_t stride = gridDim.x * blockDim.x;
    unsigned long long own_looked = 0, own_wrong = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const uint32_t before = is_copy || i == 0 ? 0 : output[i - 1];
        own_wrong += output[i] - before != word_at(i);
        own_looked++;
    }
    atomicAdd(looked, own_looked);
    if (own_wrong)
        atomicAdd(wrong, own_wrong);
}

template <int vectors> __global__ void copy(const uint4 *from, uint4 *to)
{
    const uint32_t first = blockIdx.x * blockDim.x * vectors + threadIdx.x;
    uint4 held[vectors];
#pragma unroll
    for (int i = 0; i < vectors; i++)
        held[i] = from[first + i * blockDim.x];
#pragma unroll
    for (int i = 0; i < vectors; i++)
        to[first + i * blockDim.x] = held[i];
}

__global__ void keep_busy(long long cycles)
{
    const long long began = clock64();
    while (clock64() - began < cycles) {
    }
}

struct Row {
    int vectors, width; // of a copy; 0: CUB's scan
    std::vector<double> ns;
    unsigned long long wrong = 0;
};

struct Bench {
    uint32_t *input = nullptr, *output = nullptr;
    void *temporary = nullptr;
    size_t temporary_bytes = 0;
    unsigned long long *told = nullptr;
    cudaEvent_t begin{}, end{};
};

static void launch(Bench &bench, const Row &row, uint32_t count)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(bench.input);
    uint4 *to = reinterpret_cast<uint4 *>(bench.output);
    const uint32_t blocks = row.vectors ? count / (4u * row.vectors * row.width) : 0;
    switch (row.vectors) {
    case 0:
        CUDA(cub::DeviceScan::InclusiveSum(bench.temporary, bench.temporary_bytes, bench.input,
                                           bench.output, static_cast<int>(count)));
        break;
    case 1:
        copy<1><<<blocks, row.width>>>(from, to);
        break;
    case 2:
        copy<2><<<blocks, row.width>>>(from, to);
        break;
    case 4:
        copy<4><<<blocks, row.width>>>(from, to);
        break;
    default:
        copy<8><<<blocks, row.width>>>(from, to);
        break;
    }
    CUDA(cudaGetLastError());
}

static double time_row(Bench &bench, Row &row, uint32_t count)
{
    float ms = 0;
    unsigned long long told[2] = {0, 0};
    CUDA(cudaMemsetAsync(bench.output, 0xa5, size_t{count} * 4));
    CUDA(cudaMemsetAsync(bench.told, 0, sizeof told));
    keep_busy<<<1, 1>>>(200000);
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(bench.begin));
    launch(bench, row, count);
    CUDA(cudaEventRecord(bench.end));
    verify<<<4096, 256>>>(bench.output, count, row.vectors != 0, bench.told, bench.told + 1);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(told, bench.told, sizeof told, cudaMemcpyDeviceToHost));
    CUDA(cudaEventElapsedTime(&ms, bench.begin, bench.end));
    row.wrong += told[1];
    if (told[0] != count) {
        std::fprintf(stderr, "bench-cub: the verification looked at %llu of %u words\n", told[0],
                     count);
        std::exit(3);
    }
    return double{ms} * 1e6;
}

// Type 7 of Hyndman and Fan, as litmus has it.
static double quantile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const size_t below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

static void write_row(std::FILE *file, const char *name, const Row &row)
{
    std::fprintf(file,
                 "   \"%s\": {\"vectors\": %d, \"block\": %d, \"median_ns\": %.1f, "
                 "\"low_ns\": %.1f, \"high_ns\": %.1f, \"wrong\": %llu, \"all_ns\": [",
                 name, row.vectors, row.width, quantile(row.ns, 0.5), quantile(row.ns, 0.25),
                 quantile(row.ns, 0.75), row.wrong);
    for (size_t i = 0; i < row.ns.size(); i++)
        std::fprintf(file, "%s%.1f", i ? ", " : "", row.ns[i]);
    std::fprintf(file, "]}");
}

// Times one size. Returns how many words were wrong.
static unsigned long long time_size(Bench &bench, uint32_t count, bool first, std::FILE *file)
{
    std::vector<Row> rows(1);
    rows[0].vectors = rows[0].width = 0;
    for (int vectors : {1, 2, 4, 8})
        for (int width : {128, 256, 512, 1024})
            if (count % (4u * vectors * width) == 0) {
                Row row;
                row.vectors = vectors;
                row.width = width;
                rows.push_back(row);
            }
    fill<<<4096, 256>>>(bench.input, count);
    CUDA(cudaGetLastError());
    std::mt19937 random(count);
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (int round = 0; round < warm + repeats; round++) {
        std::shuffle(order.begin(), order.end(), random);
        for (size_t i : order) {
            const double ns = time_row(bench, rows[i], count);
            if (round >= warm)
                rows[i].ns.push_back(ns);
        }
    }
    size_t best = 1;
    unsigned long long wrong = 0;
    for (size_t i = 0; i < rows.size(); i++) {
        wrong += rows[i].wrong;
        if (i && quantile(rows[i].ns, 0.5) < quantile(rows[best].ns, 0.5))
            best = i;
    }
    const double scan = quantile(rows[0].ns, 0.5), copied = quantile(rows[best].ns, 0.5);
    std::printf("%13u  %9.4f  %7.0f  %9.4f  %7.0f  %7.3f%s\n", count, scan / 1e6, count * 8.0 / scan,
                copied / 1e6, count * 8.0 / copied, copied / scan, wrong ? "  WRONG" : "");
    std::fflush(stdout);
    std::fprintf(file, "%s\n  {\"elements\": %u,\n", first ? "" : ",", count);
    write_row(file, "scan", rows[0]);
    std::fprintf(file, ",\n");
    write_row(file, "copy", rows[best]);
    std::fprintf(file, "}");
    return wrong;
}

// A name without what JSON gives a meaning to.
static void write_text(std::FILE *file, const char *key, const char *value)
{
    std::fprintf(file, " \"%s\": \"", key);
    for (; *value; value++)
        std::fputc(*value < ' ' || *value == '"' || *value == '\\' ? '?' : *value, file);
    std::fprintf(file, "\",\n");
}

static size_t temporary_for(uint32_t count)
{
    size_t bytes = 0;
    uint32_t *none = nullptr;
    CUDA(cub::DeviceScan::InclusiveSum(nullptr, bytes, none, none, static_cast<int>(count)));
    return bytes;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: bench-cub OUT.json DRIVER DATE\n");
        return 2;
    }
    cudaDeviceProp properties{};
    size_t available = 0, total = 0;
    int version = 0;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    CUDA(cudaRuntimeGetVersion(&version));
    CUDA(cudaMemGetInfo(&available, &total));
    std::FILE *file = std::fopen(argv[1], "w");
    if (!file) {
        std::perror(argv[1]);
        return 2;
    }
    int last = 30;
    while (last > 20 && (size_t{1} << last) * 9 > available)
        last--;
    const uint32_t most = 1u << last;
    Bench bench;
    bench.temporary_bytes = temporary_for(most);
    CUDA(cudaMalloc(&bench.input, size_t{most} * 4));
    CUDA(cudaMalloc(&bench.output, size_t{most} * 4));
    CUDA(cudaMalloc(&bench.temporary, bench.temporary_bytes));
    CUDA(cudaMalloc(&bench.told, 2 * sizeof *bench.told));
    CUDA(cudaEventCreate(&bench.begin));
    CUDA(cudaEventCreate(&bench.end));
    std::fprintf(file, "{\n \"schema\": \"litmus-bench-cub/1\",\n");
    write_text(file, "device", properties.name);
    write_text(file, "driver", argv[2]);
    write_text(file, "date", argv[3]);
    std::fprintf(file, " \"cuda\": %d,\n \"cub\": %d,\n \"repeats\": %d,\n \"sizes\": [", version,
                 CUB_VERSION, repeats);
    std::printf("%s, driver %s, CUDA %d, CUB %d: cub::DeviceScan::InclusiveSum of 32-bit words\n\n"
                "        words   scan ms     GB/s    copy ms     GB/s  of copy\n",
                properties.name, argv[2], version, CUB_VERSION);
    unsigned long long wrong = 0;
    for (int log = 20; log <= last; log += 2)
        wrong += time_size(bench, 1u << log, log == 20, file);
    std::fprintf(file, "\n ]\n}\n");
    if (std::fclose(file) != 0) {
        std::perror(argv[1]);
        return 2;
    }
    return wrong ? 1 : 0;
}
