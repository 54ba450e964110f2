#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "proof/device_check.h"

namespace coalesce::proof {
namespace {

using Count = unsigned long long;

constexpr int kBlocks = 1056, kThreads = 256;

__device__ bool is_nan_of_float(unsigned bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/// What of a Problem a kernel needs.
struct Task {
    Produces::Kind kind;
    long long tile, rows, cols, out_cols;
    bool keeps_nan_payloads;
    unsigned poison;
};

/// What belongs into cell (row, col) of the output; see Problem::source_of.
__device__ unsigned expected_at(const Task& task, const unsigned* in, long long row,
                                long long col) {
    const long long tile = task.tile;
    long long from_row = row, from_col = col;
    switch (task.kind) {
        case Produces::copy: break;
        case Produces::permuted: break;  // no task of bench's: see Contest
        case Produces::transpose:
            from_row = col;
            from_col = row;
            break;
        case Produces::transposed_tiles:
            from_row = row / tile * tile + col % tile;
            from_col = col / tile * tile + row % tile;
            break;
        case Produces::moved_tiles:
            from_row = col / tile * tile + row % tile;
            from_col = row / tile * tile + col % tile;
            break;
    }
    if (from_row >= task.rows || from_col >= task.cols) return task.poison;
    return in[from_row * task.cols + from_col];
}

__global__ void count_wrong(Count* wrong, const unsigned* out, const unsigned* in, Task task) {
    const long long count = task.rows * task.cols;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    Count mine = 0;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        const unsigned expected = expected_at(task, in, i / task.out_cols, i % task.out_cols);
        const unsigned held = out[i];
        const bool any_nan =
            !task.keeps_nan_payloads && is_nan_of_float(expected) && is_nan_of_float(held);
        mine += held != expected && !any_nan;
    }
    if (mine) atomicAdd(wrong, mine);
}

/// Elements are mixed with their places before they are added up.
__global__ void sum_up(Count* sum, const unsigned* buffer, long long count) {
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    Count mine = 0;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        Count value = (static_cast<Count>(i) << 32 | buffer[i]) * 0x9e3779b97f4a7c15ull;
        value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ull;
        mine += value ^ value >> 32;
    }
    atomicAdd(sum, mine);
}

/// A number on the device that begins with 0.
class DeviceCount {
public:
    DeviceCount() : buffer_(sizeof(Count)) {
        CUDA_CHECK(cudaMemset(buffer_.data(), 0, sizeof(Count)));
    }
    Count* data() const { return static_cast<Count*>(buffer_.data()); }
    Count value() const {
        CUDA_CHECK(cudaGetLastError());
        Count value = 0;
        CUDA_CHECK(cudaMemcpy(&value, buffer_.data(), sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

private:
    DeviceBuffer buffer_;
};

}  // namespace

std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in) {
    const Task task{problem.produces.kind,
                    problem.produces.tile,
                    problem.rows,
                    problem.cols,
                    problem.out_cols(),
                    problem.keeps_nan_payloads,
                    static_cast<unsigned>(Pattern(sizeof(float)).poison().low)};
    const DeviceCount wrong;
    count_wrong<<<kBlocks, kThreads>>>(wrong.data(), static_cast<const unsigned*>(out),
                                       static_cast<const unsigned*>(in), task);
    return wrong.value();
}

std::uint64_t checksum(const void* buffer, std::int64_t elements) {
    const DeviceCount sum;
    sum_up<<<kBlocks, kThreads>>>(sum.data(), static_cast<const unsigned*>(buffer), elements);
    return sum.value();
}

}  // namespace coalesce::proof
