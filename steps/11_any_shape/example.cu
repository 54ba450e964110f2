// A copy to a place that begins 3 floats behind a sector: begun there, and begun at the sector.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

//! [example]
constexpr int SECTOR = 8;  // floats

// With AT_SECTORS each warp's 32 stores begin at a sector of `out`: thread 0 of the grid belongs to
// the first element of the sector in which `out` begins, which may lie before `out`.
template <bool AT_SECTORS>
__global__ void copy(float* out, const float* in, int n) {
    int behind = reinterpret_cast<std::uintptr_t>(out) / sizeof(float) % SECTOR;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (AT_SECTORS) i -= behind;
    if (i >= 0 && i < n) {
        out[i] = in[i];
    }
}
//! [example]

static bool is_right(const float* out, const float* in, int n) {
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    for (int i = 0; i < n; ++i) {
        if (out[i] != in[i]) return false;
    }
    return out[-1] == -1 && out[n] == -1;  // and nothing beside it was written
}

int main() {
    constexpr int N = 1000003, LEAD = 3, ROOM = N + 2 * SECTOR;
    float *in, *memory;
    if (cudaMallocManaged(&in, N * sizeof(float)) ||
        cudaMallocManaged(&memory, ROOM * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < N; ++i) in[i] = float(i);
    for (int i = 0; i < ROOM; ++i) memory[i] = -1;
    float* out = memory + LEAD;
    int blocks = (N + SECTOR - 1 + 255) / 256;  // the last elements may need one more
    copy<false><<<blocks, 256>>>(out, in, N);
    bool right = is_right(out, in, N);
    for (int i = 0; i < N; ++i) out[i] = -1;
    copy<true><<<blocks, 256>>>(out, in, N);
    right = right && is_right(out, in, N);
    std::puts(right ? "copied, from where it begins and from its sector" : "WRONG");
    cudaFree(in);
    cudaFree(memory);
    return right ? 0 : 1;
}
