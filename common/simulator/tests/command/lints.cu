// Kernels for lints_test.cpp. The program launches the kernels named by its arguments.
#include <cstdio>
#include <cstring>

constexpr int kSide = 2048;

/// Each thread copies four vectors, so enough loads are in flight.
__global__ void copy(float4* out, const float4* in) {
    const int i = blockIdx.x * (4 * blockDim.x) + threadIdx.x, step = blockDim.x;
    const float4 a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
    out[i] = a;
    out[i + step] = b;
    out[i + 2 * step] = c;
    out[i + 3 * step] = d;
}

__global__ void transposed_store(float* out, const float* in) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    out[col * kSide + row] = in[row * kSide + col];  // lint uncoalesced-store
}

__global__ void allowed_store(float* out, const float* in) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    // The next kernel reads a column at a time. coalesce: allow uncoalesced-store
    out[col * kSide + row] = in[row * kSide + col];
}

__global__ void transposed_load(float* out, const float* in) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const float value = in[col * kSide + row];  // lint uncoalesced-load
    out[row * kSide + col] = value;
}

__global__ void unpadded_tile(float* out, const float* in) {
    __shared__ float tile[32][32];
    const int col = blockIdx.x * 32, row = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][threadIdx.x] = in[(row + k) * kSide + col + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        const float value = tile[threadIdx.x][k];  // lint bank-conflict
        out[(col + k) * kSide + row + threadIdx.x] = value;
    }
}

__global__ void uneven_turns(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i] + i;
    const int turns = i % 32 * 16;
#pragma unroll 1
    for (int k = 0; k < turns; ++k) {  // lint divergent-loop
        value = value * 1.5f + 2;
    }
    out[i] = value;
}

__global__ void indexed_array(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int counts[16] = {};
#pragma unroll 1
    for (int k = 0; k < 64; ++k) {
        counts[(i * 7 + k * k + (i >> 3)) % 16] += k;  // lint spill
    }
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum = 3 * sum + counts[k];
    out[i] = in[i] + sum;
}

__global__ void __launch_bounds__(256, 8) few_registers(  // lint spill
    float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sums[64];
#pragma unroll
    for (int j = 0; j < 64; ++j) sums[j] = j;
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        const float value = in[(i + k * 1024) % (kSide * kSide)];
#pragma unroll
        for (int j = 0; j < 64; ++j) sums[j] = (sums[j] + value) * (j + 2);
    }
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 64; ++j) sum += sums[j];
    out[i] = sum;
}

__global__ void oversized_tile(float* out, const float* in) {
    __shared__ float tile[12 * 1024];  // lint unused-shared
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void few_blocks(float* out, const float* in) {  // lint low-occupancy
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kSide * kSide;
         i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i];
}

// This grid is small on purpose. coalesce: allow low-occupancy
__global__ void allowed_few_blocks(float* out, const float* in) {
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kSide * kSide;
         i += gridDim.x * blockDim.x)
        // coalesce: allow one-load-in-flight
        out[i] = 2 * in[i];
}

int main(int argc, char** argv) {
    float *in, *out;
    cudaMalloc(&in, kSide * kSide * sizeof(float));
    cudaMalloc(&out, kSide * kSide * sizeof(float));
    cudaMemset(in, 0, kSide * kSide * sizeof(float));
    const dim3 rows(kSide / 32, kSide / 8), tiles(kSide / 32, kSide / 32), block(32, 8);
    for (int k = 1; k < argc; ++k) {
        const auto is = [&](const char* name) { return std::strcmp(argv[k], name) == 0; };
        if (is("copy"))
            copy<<<kSide * kSide / 4096, 256>>>(reinterpret_cast<float4*>(out),
                                                reinterpret_cast<const float4*>(in));
        if (is("transposed_store")) transposed_store<<<rows, block>>>(out, in);
        if (is("allowed_store")) allowed_store<<<rows, block>>>(out, in);
        if (is("transposed_load")) transposed_load<<<rows, block>>>(out, in);
        if (is("unpadded_tile")) unpadded_tile<<<tiles, block>>>(out, in);
        if (is("uneven_turns")) uneven_turns<<<kSide * kSide / 256, 256>>>(out, in);
        if (is("indexed_array")) indexed_array<<<kSide * kSide / 256, 256>>>(out, in);
        if (is("few_registers")) few_registers<<<kSide * kSide / 1024, 256>>>(out, in);
        if (is("oversized_tile")) oversized_tile<<<kSide * kSide / 128, 128>>>(out, in);
        if (is("few_blocks")) few_blocks<<<66, 256>>>(out, in);
        if (is("allowed_few_blocks")) allowed_few_blocks<<<66, 256>>>(out, in);
    }
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
