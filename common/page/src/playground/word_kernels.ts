// Small kernels for words of the glossary. Each shows one word within a few steps of a single block, so that its run
// also fits on a phone.

import type { ChangedFields } from "../any_kernel/arguments_form";

export interface WordKernel {
    name: string;
    text: string;
    fields: ChangedFields;
}

const oneBlock = (threads: number, fields: ChangedFields): ChangedFields => ({ grid: "1", block: String(threads), ...fields });

export const wordKernels: WordKernel[] = [
    {
        name: "warp",
        text: `// A warp: 32 threads, its lanes, execute each line together. This block has two warps.
__global__ void number(int* out) {
    const int lane_number = threadIdx.x % 32;
    const int warp_number = threadIdx.x / 32;
    out[threadIdx.x] = 100 * warp_number + lane_number;
}
`,
        fields: oneBlock(64, { "extents out": "[64]" }),
    },
    {
        name: "divergence",
        text: `// Divergence: the lanes of a warp take different branches, one branch after the other.
__global__ void diverge(int* out) {
    int value = threadIdx.x;
    if (value % 2 == 0) {
        value = value / 2;
    } else {
        value = 3 * value + 1;
    }
    out[threadIdx.x] = value;
}
`,
        fields: oneBlock(32, { "extents out": "[32]" }),
    },
    {
        name: "barrier",
        text: `// A barrier: no thread continues before all threads of the block have arrived.
__global__ void reverse(int* out, const int* in) {
    __shared__ int part[64];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x];
}
`,
        fields: oneBlock(64, { "extents out": "[64]", "extents in": "[64]", "value in": "iota" }),
    },
    {
        name: "bank",
        text: `// Banks: word i of shared memory is in bank i % 32. A row has all banks, a column only one.
__global__ void column(int* out) {
    __shared__ int tile[32][32];
    for (int row = 0; row < 32; row++) tile[row][threadIdx.x] = row;
    __syncwarp();
    int of_row = tile[3][threadIdx.x];
    int of_column = tile[threadIdx.x][3];
    out[threadIdx.x] = of_row + of_column;
}
`,
        fields: oneBlock(32, { "extents out": "[32]" }),
    },
    {
        name: "wavefront",
        text: `// Wavefronts: in each pass, every bank delivers one word. A stride of 4 uses 8 banks, so it takes 4 passes.
__global__ void strides(int* out) {
    __shared__ int words[128];
    for (int i = threadIdx.x; i < 128; i += 32) words[i] = i;
    __syncwarp();
    int one = words[threadIdx.x];
    int two = words[2 * threadIdx.x];
    int four = words[4 * threadIdx.x];
    out[threadIdx.x] = one + two + four;
}
`,
        fields: oneBlock(32, { "extents out": "[32]" }),
    },
    {
        name: "sector",
        text: `// Sectors: global memory moves in pieces of 32 bytes. Neighbours share a sector, distant lanes do not.
__global__ void distances(float* out, const float* in) {
    float near = in[threadIdx.x];
    float far = in[8 * threadIdx.x];
    out[threadIdx.x] = near + far;
}
`,
        fields: oneBlock(32, { "extents out": "[32]", "extents in": "[256]", "value in": "iota" }),
    },
];
