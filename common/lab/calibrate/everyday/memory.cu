// Everyday kernels that memory decides about: strides, gathers, structs, stencils, look-ups, sparse rows.
#include "bench.h"

namespace everyday {
namespace {

constexpr unsigned kThreads = 256;
unsigned blocks_for(std::size_t count) {
    return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

__global__ void add_vectors(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void saxpy_grid_stride(const float* x, float* y, float k, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = k * x[i] + y[i];
}
__global__ void scale_four(const float4* x, float4* y, float k, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = x[i];
    v.x *= k;
    v.y *= k;
    v.z *= k;
    v.w *= k;
    y[i] = v;
}
__global__ void read_strided(const float* in, float* out, int stride, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[static_cast<size_t>(i) * stride];
}
__global__ void write_strided(const float* in, float* out, int stride, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[static_cast<size_t>(i) * stride] = in[i];
}
__global__ void gather(const float* in, const int* index, float* out, int mask, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i] & mask];
}
__global__ void scatter(const float* in, const int* index, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}
__global__ void add_pairs(const float2* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].x + in[i].y;
}
__global__ void first_of_pairs(const float2* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].x;
}
struct Body {
    float x, y, z, vx, vy, vz, mass;
};
__global__ void move_bodies(Body* bodies, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = bodies[i];
    b.x += b.vx * dt;
    b.y += b.vy * dt;
    b.z += b.vz * dt;
    bodies[i] = b;
}
__global__ void grey(const uchar3* in, unsigned char* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar3 p = in[i];
    out[i] = static_cast<unsigned char>(.299f * p.x + .587f * p.y + .114f * p.z);
}
__global__ void bytes_to_floats(const unsigned char* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] / 255.f;
}
__global__ void look_up_bytes(const unsigned char* in, const unsigned char* table,
                              unsigned char* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[in[i]];
}
__global__ void smooth(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 && i < n - 3) {
        float sum = 0;
        for (int k = -3; k <= 3; ++k) sum += in[i + k];
        out[i] = sum / 7;
    }
}
__global__ void heat(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float here = in[y * width + x];
    out[y * width + x] =
        here + .2f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] +
                      in[(y + 1) * width + x] - 4 * here);
}
__global__ void box_filter(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
    float sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) sum += in[(y + dy) * width + x + dx];
    out[y * width + x] = sum / 25;
}
__global__ void row_sums_by_thread(const float* in, float* out, int width, int height) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += in[y * width + x];
    out[y] = sum;
}
__global__ void column_sums(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float sum = 0;
    for (int y = 0; y < height; ++y) sum += in[y * width + x];
    out[x] = sum;
}
__global__ void matrix_vector_by_warp(const float* m, const float* v, float* out, int width,
                                      int height) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= height) return;
    float sum = 0;
    for (int x = lane; x < width; x += 32) sum += m[row * width + x] * v[x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) out[row] = sum;
}
__global__ void sparse_rows(const int* starts, const int* columns, const float* values,
                            const float* v, float* out, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * v[columns[k] & 0xfffff];
    out[row] = sum;
}
__global__ void binary_search(const int* sorted, const int* wanted, int* out, int size, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int key = wanted[i];
    int low = 0, high = size;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}
__global__ void reverse_in_place(float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    const float t = a[i];
    a[i] = a[n - 1 - i];
    a[n - 1 - i] = t;
}

}  // namespace

// Long: a list, with a line or two for each case.
std::vector<Case> memory_cases(const Buffers& m) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, std::function<void()> launch) {
        cases.push_back({name, std::move(launch)});
    };
    for (const int log : {18, 21, 24, 26}) {
        const int n = 1 << log;
        cases.push_back({"add_vectors_" + std::to_string(log),
                         [=] { add_vectors<<<blocks_for(n), kThreads>>>(m.a, m.b, m.c, n); }});
    }
    const int big = 1 << 24;
    for (const unsigned blocks : {8u, 32u, 132u, 1056u})
        cases.push_back({"saxpy_grid_stride_" + std::to_string(blocks),
                         [=] { saxpy_grid_stride<<<blocks, kThreads>>>(m.a, m.b, 2.f, big); }});
    add("scale_four", [=] {
        scale_four<<<blocks_for(big), kThreads>>>((const float4*)m.a, (float4*)m.b, 2.f, big);
    });
    for (const int stride : {2, 3, 4, 8, 16, 32, 64}) {
        const int n = static_cast<int>(kFloats / static_cast<std::size_t>(stride));
        cases.push_back({"read_strided_" + std::to_string(stride),
                         [=] { read_strided<<<blocks_for(n), kThreads>>>(m.a, m.b, stride, n); }});
        cases.push_back({"write_strided_" + std::to_string(stride),
                         [=] { write_strided<<<blocks_for(n), kThreads>>>(m.a, m.b, stride, n); }});
    }
    for (const int log : {10, 14, 18, 20, 22, 23, 24, 26}) {
        const int mask = (1 << log) - 1;
        cases.push_back({"gather_" + std::to_string(log), [=] {
                             gather<<<blocks_for(kIndices), kThreads>>>(m.a, m.shuffled, m.b, mask,
                                                                        kIndices);
                         }});
    }
    add("scatter",
        [=] { scatter<<<blocks_for(kIndices), kThreads>>>(m.a, m.shuffled, m.b, kIndices); });
    add("add_pairs",
        [=] { add_pairs<<<blocks_for(big), kThreads>>>((const float2*)m.a, m.b, big); });
    add("first_of_pairs",
        [=] { first_of_pairs<<<blocks_for(big), kThreads>>>((const float2*)m.a, m.b, big); });
    add("move_bodies",
        [=] { move_bodies<<<blocks_for(1 << 22), kThreads>>>((Body*)m.a, .1f, 1 << 22); });
    add("grey",
        [=] { grey<<<blocks_for(big), kThreads>>>((const uchar3*)m.a, (unsigned char*)m.b, big); });
    add("bytes_to_floats", [=] {
        bytes_to_floats<<<blocks_for(big), kThreads>>>((const unsigned char*)m.a, m.b, big);
    });
    add("look_up_bytes", [=] {
        look_up_bytes<<<blocks_for(big), kThreads>>>(
            (const unsigned char*)m.a, (const unsigned char*)m.c, (unsigned char*)m.b, big);
    });
    add("smooth", [=] { smooth<<<blocks_for(big), kThreads>>>(m.a, m.b, big); });
    add("heat", [=] { heat<<<dim3(4096 / 32, 4096 / 8), dim3(32, 8)>>>(m.a, m.b, 4096, 4096); });
    add("heat_16",
        [=] { heat<<<dim3(4096 / 16, 4096 / 16), dim3(16, 16)>>>(m.a, m.b, 4096, 4096); });
    add("box_filter",
        [=] { box_filter<<<dim3(4096 / 32, 4096 / 8), dim3(32, 8)>>>(m.a, m.b, 4096, 4096); });
    add("row_sums_by_thread",
        [=] { row_sums_by_thread<<<4096 / 128, 128>>>(m.a, m.b, 4096, 4096); });
    add("column_sums", [=] { column_sums<<<4096 / 128, 128>>>(m.a, m.b, 4096, 4096); });
    add("matrix_vector_by_warp",
        [=] { matrix_vector_by_warp<<<4096 / 8, 256>>>(m.a, m.c, m.b, 4096, 4096); });
    add("sparse_rows",
        [=] { sparse_rows<<<(1 << 20) / 256, 256>>>(m.rows, m.shuffled, m.a, m.c, m.b, 1 << 20); });
    add("binary_search", [=] {
        binary_search<<<(1 << 20) / 256, 256>>>((const int*)m.c, m.shuffled, (int*)m.b, 1 << 20,
                                                1 << 20);
    });
    add("reverse_in_place", [=] { reverse_in_place<<<blocks_for(big / 2), kThreads>>>(m.a, big); });
    return cases;
}

}  // namespace everyday
