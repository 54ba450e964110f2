// Kernels for lints_test.cpp. The program launches the kernels named by its arguments.
#include <cstdio>
#include <cstring>

constexpr int kSide = 2048;

__global__ void copy(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
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

int main(int argc, char** argv) {
    float *in, *out;
    cudaMalloc(&in, kSide * kSide * sizeof(float));
    cudaMalloc(&out, kSide * kSide * sizeof(float));
    cudaMemset(in, 0, kSide * kSide * sizeof(float));
    const dim3 rows(kSide / 32, kSide / 8), tiles(kSide / 32, kSide / 32), block(32, 8);
    for (int k = 1; k < argc; ++k) {
        const auto is = [&](const char* name) { return std::strcmp(argv[k], name) == 0; };
        if (is("copy")) copy<<<kSide * kSide / 256, 256>>>(out, in);
        if (is("transposed_store")) transposed_store<<<rows, block>>>(out, in);
        if (is("allowed_store")) allowed_store<<<rows, block>>>(out, in);
        if (is("transposed_load")) transposed_load<<<rows, block>>>(out, in);
        if (is("unpadded_tile")) unpadded_tile<<<tiles, block>>>(out, in);
    }
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
