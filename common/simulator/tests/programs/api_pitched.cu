// Tests rows with gaps between them: cudaMallocPitch, cudaMalloc3D, and copies in two and three
// dimensions.
// expect: a pitch holds a row: yes
// expect: a pitch is a multiple of 32: yes
// expect: a matrix there and back: yes
// expect: a part of a matrix: yes
// expect: a kernel sees the rows: yes
// expect: memset of a part: yes
// expect: a row wider than its pitch: cudaErrorInvalidPitchValue
// expect: no rows: cudaSuccess
// expect: one row too many: cudaErrorInvalidValue
// expect: a block there and back: yes
// expect: memset of a block: yes
// expect: peers, the same device twice: yes
// expect-stderr: apicheck: cudaErrorInvalidPitchValue from cudaMemcpy2D
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemcpy2D
#include <vector>

#include "api_check.h"

constexpr int kRows = 37, kCols = 101;

__global__ void negate(float* data, size_t pitch, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    float* begin = reinterpret_cast<float*>(reinterpret_cast<char*>(data) + row * pitch);
    begin[col] = -begin[col];
}

static std::vector<float> iota(int count) {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i) values[i] = static_cast<float>(i + 1);
    return values;
}

static void two_dimensions() {
    const size_t row_bytes = kCols * sizeof(float);
    std::vector<float> host = iota(kRows * kCols), back(kRows * kCols);
    float* device;
    size_t pitch;
    need(cudaMallocPitch(&device, &pitch, row_bytes, kRows));
    fact("a pitch holds a row", pitch >= row_bytes);
    fact("a pitch is a multiple of 32", pitch % 32 == 0);
    need(cudaMemcpy2D(device, pitch, host.data(), row_bytes, row_bytes, kRows,
                      cudaMemcpyHostToDevice));
    need(cudaMemcpy2D(back.data(), row_bytes, device, pitch, row_bytes, kRows,
                      cudaMemcpyDeviceToHost));
    fact("a matrix there and back", back == host);

    std::vector<float> part(4);
    const char* corner = reinterpret_cast<const char*>(device) + 5 * pitch + 7 * sizeof(float);
    need(cudaMemcpy2DAsync(part.data(), 2 * sizeof(float), corner, pitch, 2 * sizeof(float), 2,
                           cudaMemcpyDefault));
    need(cudaDeviceSynchronize());
    const float first = 5 * kCols + 7 + 1;
    fact("a part of a matrix",
         part == std::vector<float>{first, first + 1, first + kCols, first + kCols + 1});

    negate<<<dim3(4, 5), dim3(32, 8)>>>(device, pitch, kRows, kCols);
    need(cudaMemset2D(device, pitch, 0, 3 * sizeof(float), 2));
    need(cudaMemcpy2D(back.data(), row_bytes, device, pitch, row_bytes, kRows,
                      cudaMemcpyDeviceToHost));
    bool negated = true, cleared = true;
    for (int i = 0; i < kRows * kCols; ++i) {
        const bool in_part = i / kCols < 2 && i % kCols < 3;
        (in_part ? cleared : negated) &= back[i] == (in_part ? 0 : -host[i]);
    }
    fact("a kernel sees the rows", negated);
    fact("memset of a part", cleared);

    result("a row wider than its pitch",
           cudaMemcpy2D(device, 8, host.data(), 8, 9, 2, cudaMemcpyHostToDevice));
    result("no rows", cudaMemcpy2D(device, pitch, host.data(), row_bytes, row_bytes, 0,
                                   cudaMemcpyHostToDevice));
    float* tight;
    need(cudaMalloc(&tight, 4 * row_bytes));
    result("one row too many", cudaMemcpy2D(tight, row_bytes, host.data(), row_bytes, row_bytes, 5,
                                            cudaMemcpyHostToDevice));
    need(cudaFree(tight));
    need(cudaFree(device));
}

static void three_dimensions() {
    constexpr int kDepth = 3, kHeight = 4, kWidth = 5;
    const cudaExtent extent = make_cudaExtent(kWidth * sizeof(int), kHeight, kDepth);
    std::vector<int> host(kDepth * kHeight * kWidth), back(host.size());
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i) + 1;
    cudaPitchedPtr block, second;
    need(cudaMalloc3D(&block, extent));
    need(cudaMalloc3D(&second, extent));
    const auto plain = [](std::vector<int>& v) {
        return make_cudaPitchedPtr(v.data(), kWidth * sizeof(int), kWidth, kHeight);
    };
    const auto copy = [&](cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
        cudaMemcpy3DParms p = {};
        p.dstPtr = to;
        p.srcPtr = from;
        p.extent = extent;
        p.kind = kind;
        need(cudaMemcpy3D(&p));
    };
    copy(block, plain(host), cudaMemcpyHostToDevice);
    copy(second, block, cudaMemcpyDeviceToDevice);
    copy(plain(back), second, cudaMemcpyDeviceToHost);
    fact("a block there and back", back == host);
    need(cudaMemset3D(block, 0x22, extent));
    copy(plain(back), block, cudaMemcpyDeviceToHost);
    fact("memset of a block", back == std::vector<int>(host.size(), 0x22222222));
    need(cudaMemcpyPeer(second.ptr, 0, block.ptr, 0, kWidth * sizeof(int)));
    copy(plain(back), second, cudaMemcpyDeviceToHost);
    fact("peers, the same device twice", back[0] == 0x22222222 && back[kWidth] == host[kWidth]);
    need(cudaFree(block.ptr));
    need(cudaFree(second.ptr));
}

int main() {
    two_dimensions();
    three_dimensions();
}
