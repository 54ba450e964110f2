// One kernel for each way to transpose in this course. Their counters were measured on an H200 with
// 1024 x 1024 floats, and run/counter_table.cpp compares the simulated counters with these.
// The program prints a hash of each output, which must be the same in every run.
//
// Watch   The vector kernels access global memory with 8 or 16 bytes per lane, but shared memory
//         one float at a time, because the tile is transposed.
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kRows = 1024, kCols = 1024;

__global__ void naive(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
// These kernels differ only in block shape. Each has its own name, and so its own row in the table.
__global__ void naive_16x16(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
__global__ void naive_8x32(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

__global__ void tiled(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
}

/// Runs with 32 x 8 threads, each of which copies four elements.
__global__ void padded_coarsened(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (row + j < rows && col < cols) {
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * cols + col];
        }
    }
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (row + j < cols && col < rows) {
            out[(row + j) * rows + col] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}

/// Copies each row of a tile with Tile / width threads, where `width` is the number of elements in
/// a Vector. The numbers of rows and columns of the matrix must be multiples of Tile.
template <class Vector, int Tile>
__device__ void transpose_vectors(float* out, const float* in, int rows, int cols) {
    constexpr int kWidth = sizeof(Vector) / sizeof(float);
    __shared__ float tile[Tile][Tile + 1];
    const int x = threadIdx.x * kWidth;
    for (int y = threadIdx.y; y < Tile; y += blockDim.y) {
        const int row = blockIdx.y * Tile + y, col = blockIdx.x * Tile + x;
        const Vector v = *reinterpret_cast<const Vector*>(&in[row * cols + col]);
        for (int k = 0; k < kWidth; ++k) tile[y][x + k] = reinterpret_cast<const float*>(&v)[k];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < Tile; y += blockDim.y) {
        const int row = blockIdx.x * Tile + y, col = blockIdx.y * Tile + x;
        Vector v;
        for (int k = 0; k < kWidth; ++k) reinterpret_cast<float*>(&v)[k] = tile[x + k][y];
        *reinterpret_cast<Vector*>(&out[row * rows + col]) = v;
    }
}
__global__ void vec2_tile32(float* out, const float* in, int rows, int cols) {
    transpose_vectors<float2, 32>(out, in, rows, cols);
}
__global__ void vec4_tile32(float* out, const float* in, int rows, int cols) {
    transpose_vectors<float4, 32>(out, in, rows, cols);
}
__global__ void vec2_tile64(float* out, const float* in, int rows, int cols) {
    transpose_vectors<float2, 64>(out, in, rows, cols);
}
__global__ void vec4_tile64(float* out, const float* in, int rows, int cols) {
    transpose_vectors<float4, 64>(out, in, rows, cols);
}

using Kernel = void (*)(float*, const float*, int, int);

static uint64_t hash_of(const std::vector<uint32_t>& words) {
    uint64_t hash = 14695981039346656037ull;
    for (const uint32_t word : words) hash = (hash ^ word) * 1099511628211ull;
    return hash;
}

static void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    const size_t count = size_t(kRows) * kCols, bytes = count * sizeof(float);
    std::vector<uint32_t> input(count), output(count), expected(count);
    for (size_t i = 0; i < count; ++i) input[i] = uint32_t(i) * 2654435761u;
    for (size_t i = 0; i < count; ++i) expected[i % kCols * kRows + i / kCols] = input[i];
    float *in, *out;
    check(cudaMalloc(&in, bytes), "cudaMalloc");
    check(cudaMalloc(&out, bytes), "cudaMalloc");
    check(cudaMemcpy(in, input.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");

    struct {
        const char* name;
        Kernel kernel;
        int tile_x, tile_y;
        dim3 block;
    } const runs[] = {
        {"naive", naive, 32, 32, dim3(32, 32)},
        {"naive_16x16", naive_16x16, 16, 16, dim3(16, 16)},
        {"naive_8x32", naive_8x32, 8, 32, dim3(8, 32)},
        {"tiled", tiled, 32, 32, dim3(32, 32)},
        {"padded_coarsened", padded_coarsened, 32, 32, dim3(32, 8)},
        {"vec2_tile32", vec2_tile32, 32, 32, dim3(16, 16)},
        {"vec4_tile32", vec4_tile32, 32, 32, dim3(8, 16)},
        {"vec2_tile64", vec2_tile64, 64, 64, dim3(32, 8)},
        {"vec4_tile64", vec4_tile64, 64, 64, dim3(16, 16)},
    };
    for (const auto& run : runs) {
        check(cudaMemset(out, 0xff, bytes), "cudaMemset");
        const dim3 grid(kCols / run.tile_x, kRows / run.tile_y);
        run.kernel<<<grid, run.block>>>(out, in, kRows, kCols);
        check(cudaGetLastError(), run.name);
        check(cudaMemcpy(output.data(), out, bytes, cudaMemcpyDeviceToHost), run.name);
        std::printf("%s %016llx %s\n", run.name, (unsigned long long)hash_of(output),
                    output == expected ? "right" : "WRONG");
    }
    check(cudaFree(in), "cudaFree");
    check(cudaFree(out), "cudaFree");
    return 0;
}
