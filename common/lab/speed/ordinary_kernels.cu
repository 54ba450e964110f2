// Ordinary programs that speed.cpp (`--programs`) uses to measure the speed of the simulated GPU.
//
//    ordinary_kernels NAME [N]    prints the processor time of its launches in milliseconds, and
//                                 the checksum of its results, which must be the same with every
//                                 library. The program first creates N idle streams, because the
//                                 check of the order between streams has less to do without them
//    ordinary_kernels list        prints the names
//
// Measures processor time, because on a shared machine the elapsed time varies with the load.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

using u32 = unsigned;

__device__ u32 hash(u32 x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void fill(float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = hash(i) * (1.0f / 4294967296.0f);
}

// ---- the programs' kernels ----

__global__ void matrix_product(float* c, const float* a, const float* b, int n) {
    __shared__ float tile_a[32][32], tile_b[32][32];
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int j = 0; j < 32; ++j) sum += tile_a[threadIdx.y][j] * tile_b[j][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void average_neighbours_2d(float* out, const float* in, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    const int i = y * n + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

__global__ void average_neighbours_3d(float* out, const float* in, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    for (int z = 1; z < n - 1; ++z) {
        const int i = (z * n + y) * n + x;
        out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] +
                                        in[i - n * n] + in[i + n * n]);
    }
}

__global__ void sum_blocks(float* out, const float* in, int n) {
    __shared__ float sums[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x >= 32) return;
    sum = sums[threadIdx.x];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void scan_block(float* out, const float* in) {
    __shared__ float values[2][512];
    const int t = threadIdx.x, i = blockIdx.x * 512 + t;
    int from = 0;
    values[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        values[1 - from][t] = values[from][t] + (t >= d ? values[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[i] = values[from][t];
}

__global__ void count_histogram(u32* bins, const float* in, int n) {
    __shared__ u32 counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[static_cast<u32>(in[i] * 256)], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

__global__ void attract_bodies(float4* out, const float4* in, int n) {
    __shared__ float4 other_bodies[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 own_body = in[i];
    float ax = 0, ay = 0, az = 0;
    for (int first_body = 0; first_body < n; first_body += 128) {
        other_bodies[threadIdx.x] = in[first_body + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            const float dx = other_bodies[k].x - own_body.x, dy = other_bodies[k].y - own_body.y,
                        dz = other_bodies[k].z - own_body.z;
            const float inverse_distance = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float acceleration =
                other_bodies[k].w * inverse_distance * inverse_distance * inverse_distance;
            ax += acceleration * dx, ay += acceleration * dy, az += acceleration * dz;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, own_body.w);
}

__global__ void iterate_mandelbrot(float* out, int n, int iterations) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x,
              py = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = -2 + 3.0f * px / n, cy = -1.5f + 3.0f * py / n;
    float x = 0, y = 0;
    int k = 0;
    for (; k < iterations && x * x + y * y < 4; ++k) {
        const float next_x = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next_x;
    }
    out[py * n + px] = k;
}

__global__ void bitonic_sort_step(float* a, int size, int distance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;
    if (partner < i) return;
    const float x = a[i], y = a[partner];
    if ((x > y) == ((i & size) == 0)) a[i] = y, a[partner] = x;
}

__global__ void generate_philox(float* out, int repetitions) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (u32 repetition = 0; repetition < repetitions; ++repetition) {
        u32 c0 = i, c1 = repetition, c2 = 0, c3 = 0, k0 = 1234, k1 = 5678;
#pragma unroll
        for (int round = 0; round < 10; ++round) {
            const u32 h0 = __umulhi(0xd2511f53u, c0), l0 = 0xd2511f53u * c0;
            const u32 h1 = __umulhi(0xcd9e8d57u, c2), l1 = 0xcd9e8d57u * c2;
            c0 = h1 ^ c1 ^ k0, c1 = l1, c2 = h0 ^ c3 ^ k1, c3 = l0;
            k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
        }
        const float x = c0 * (1.0f / 4294967296.0f), y = c1 * (1.0f / 4294967296.0f);
        sum += x * x + y * y < 1 ? 1 : 0;
    }
    out[i] = sum;
}

__global__ void multiply_sparse(float* y, const float* x, const float* values, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    const int count = 8 + hash(row) % 16;
    for (int k = 0; k < count; ++k) {
        const u32 column = hash(row * 24 + k) % rows;
        sum += values[row * 24 + k] * x[column];
    }
    y[row] = sum;
}

__global__ void transpose(float* out, const float* in, int n) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[(row + r) * n + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 8) out[(row + r) * n + col] = tile[threadIdx.x][threadIdx.y + r];
}

__global__ void fourier_transform(float2* out, const float2* in, const float2* roots_of_unity) {
    __shared__ float2 values[2][1024];
    const int t = threadIdx.x, first_element = blockIdx.x * 1024;
    values[0][t] = in[first_element + t], values[0][t + 512] = in[first_element + t + 512];
    __syncthreads();
    int from = 0;
    for (int half = 1; half < 1024; half *= 2) {
        const int k = t & (half - 1);
        const float2 w = roots_of_unity[k * (512 / half)], a = values[from][t],
                     b = values[from][t + 512];
        const float2 rotated = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        const int to = (t << 1) - k;
        values[1 - from][to] = make_float2(a.x + rotated.x, a.y + rotated.y);
        values[1 - from][to + half] = make_float2(a.x - rotated.x, a.y - rotated.y);
        from = 1 - from;
        __syncthreads();
    }
    out[first_element + t] = values[from][t], out[first_element + t + 512] = values[from][t + 512];
}

// ---- the programs' launches ----

constexpr int kFloatsPerArray = 1 << 21;

/// Three arrays of kFloatsPerArray random numbers below 1.
struct DeviceArrays {
    float *a, *b, *c;
};

struct OrdinaryProgram {
    const char* name;
    void (*launch)(const DeviceArrays&);
};

const OrdinaryProgram kPrograms[] = {
    {"matrix_product",
     [](const DeviceArrays& m) {
         matrix_product<<<dim3(12, 12), dim3(32, 32)>>>(m.c, m.a, m.b, 384);
     }},
    {"stencil_2d",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 4; ++k) {
             average_neighbours_2d<<<dim3(32, 128), dim3(32, 8)>>>(m.c, m.a, 1024);
             average_neighbours_2d<<<dim3(32, 128), dim3(32, 8)>>>(m.a, m.c, 1024);
         }
     }},
    {"stencil_3d",
     [](const DeviceArrays& m) {
         average_neighbours_3d<<<dim3(4, 16), dim3(32, 8)>>>(m.c, m.a, 128);
     }},
    {"reduction",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 32; ++k) sum_blocks<<<256, 256>>>(m.c, m.a, kFloatsPerArray);
     }},
    {"scan",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 4; ++k) scan_block<<<2048, 512>>>(m.c, m.a);
     }},
    {"histogram",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 4; ++k)
             count_histogram<<<64, 256>>>(reinterpret_cast<u32*>(m.c), m.a, kFloatsPerArray);
     }},
    {"bodies",
     [](const DeviceArrays& m) {
         attract_bodies<<<32, 128>>>(reinterpret_cast<float4*>(m.c),
                                     reinterpret_cast<const float4*>(m.a), 4096);
     }},
    {"mandelbrot",
     [](const DeviceArrays& m) {
         iterate_mandelbrot<<<dim3(32, 128), dim3(32, 8)>>>(m.c, 1024, 256);
     }},
    {"bitonic_sort",
     [](const DeviceArrays& m) {
         constexpr int kBodyCount = 1 << 16;
         for (int size = 2; size <= kBodyCount; size *= 2)
             for (int distance = size / 2; distance; distance /= 2)
                 bitonic_sort_step<<<kBodyCount / 256, 256>>>(m.a, size, distance);
     }},
    {"random_numbers", [](const DeviceArrays& m) { generate_philox<<<512, 256>>>(m.c, 64); }},
    {"sparse_product",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 2; ++k) multiply_sparse<<<256, 256>>>(m.c, m.a, m.b, 65536);
     }},
    {"transpose",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 16; ++k) transpose<<<dim3(32, 32), dim3(32, 8)>>>(m.c, m.a, 1024);
     }},
    {"fourier",
     [](const DeviceArrays& m) {
         for (int k = 0; k < 2; ++k)
             fourier_transform<<<512, 512>>>(reinterpret_cast<float2*>(m.c),
                                             reinterpret_cast<const float2*>(m.a),
                                             reinterpret_cast<const float2*>(m.b));
     }},
};

static double processor_time_ms() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

/// Sums the bits of the floats, so that a difference in a single bit changes the sum.
static u32 checksum_of(const DeviceArrays& arrays) {
    std::vector<u32> host(kFloatsPerArray);
    u32 sum = 0;
    for (const float* array : {arrays.a, arrays.c}) {
        cudaMemcpy(host.data(), array, kFloatsPerArray * sizeof(float), cudaMemcpyDeviceToHost);
        for (u32 bits : host) sum = sum * 31 + bits;
    }
    return sum;
}

int main(int argc, char** argv) {
    const char* chosen = argc > 1 ? argv[1] : "list";
    for (int remaining_streams = argc > 2 ? atoi(argv[2]) : 0; remaining_streams > 0;
         --remaining_streams) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    }
    for (const OrdinaryProgram& program : kPrograms) {
        if (!strcmp(chosen, "list")) puts(program.name);
        if (strcmp(chosen, program.name)) continue;
        DeviceArrays arrays;
        for (float** array : {&arrays.a, &arrays.b, &arrays.c}) {
            cudaMalloc(array, kFloatsPerArray * sizeof(float));
            fill<<<kFloatsPerArray / 256, 256>>>(*array, kFloatsPerArray);
        }
        if (!strcmp(chosen, "histogram")) cudaMemset(arrays.c, 0, kFloatsPerArray * sizeof(float));
        const double start = processor_time_ms();
        program.launch(arrays);
        const double ms = processor_time_ms() - start;
        if (cudaError_t e = cudaDeviceSynchronize()) {
            fprintf(stderr, "ordinary_kernels: %s: %s\n", chosen, cudaGetErrorString(e));
            return 1;
        }
        printf("%.4f %u\n", ms, checksum_of(arrays));
    }
}
