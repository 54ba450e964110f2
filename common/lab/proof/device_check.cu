#include <bit>
#include <cstring>

#include "lab/proof/device_check.h"
#include "lab/proof/device_count.h"

namespace coalesce::proof {
namespace {

using Count = unsigned long long;

constexpr int kBlocks = 1056, kThreads = 256;

/// Elements are compared bit for bit: 1, 2, 4 or 8 bytes as one integer, 16 bytes as two.
struct Pair {
    Count low, high;
    __device__ bool operator==(const Pair& other) const {
        return low == other.low && high == other.high;
    }
};

template <class Element>
__device__ bool is_nan_of_float(Element) {
    return false;
}
__device__ bool is_nan_of_float(unsigned bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/// The parts of a Problem that the kernel needs.
struct Task {
    Produces::Kind kind;
    long long tile, rows, cols, out_cols;
    bool keeps_nan_payloads;
    int rank = 0;               ///< of an array to permute
    long long extents[8] = {};  ///< extents of `out`
    long long strides[8] = {};  ///< stride in `in` for each axis of `out`

    void add_axis(long long extent, long long stride) {
        extents[rank] = extent;
        strides[rank++] = stride;
    }
};

Task task_of(const Problem& problem) {
    Task task{problem.produces.kind, problem.produces.tile, problem.rows,
              problem.cols,          problem.out_cols(),    problem.keeps_nan_payloads};
    if (!problem.is_permuted()) return task;
    const Permutation axes = problem.axes();
    for (int k = 0; k < axes.rank; ++k) {
        long long stride = 1;
        for (int inner = axes.order[k] + 1; inner < axes.rank; ++inner) {
            stride *= axes.extents[inner];
        }
        task.add_axis(axes.extents[axes.order[k]], stride);
    }
    return task;
}

__device__ long long permuted_source(const Task& task, long long place) {
    long long source = 0;
    for (int k = task.rank - 1; k >= 0; --k) {
        source += place % task.extents[k] * task.strides[k];
        place /= task.extents[k];
    }
    return source;
}

/// Returns the index in `in` of the element that belongs at index `place` in `out`, or -1 if there
/// is none. See Problem::source_of.
__device__ long long source_of(const Task& task, long long place) {
    const long long tile = task.tile, row = place / task.out_cols, col = place % task.out_cols;
    long long from_row = row, from_col = col;
    switch (task.kind) {
        case Produces::copy: break;
        case Produces::computed: return -1;  // not supported
        case Produces::permuted: return permuted_source(task, place);
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
    if (from_row >= task.rows || from_col >= task.cols) return -1;
    return from_row * task.cols + from_col;
}

template <class Element>
__global__ void count_wrong(Count* wrong, const Element* out, const Element* in, Task task,
                            Element poison) {
    const long long count = task.rows * task.cols;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    Count mine = 0;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        const long long source = source_of(task, i);
        const Element expected = source < 0 ? poison : in[source];
        const bool any_nan =
            !task.keeps_nan_payloads && is_nan_of_float(expected) && is_nan_of_float(out[i]);
        mine += !(out[i] == expected) && !any_nan;
    }
    if (mine) atomicAdd(wrong, mine);
}

/// Adds up the bytes of a buffer. Combines each byte with its position before the addition, so that
/// swapping two bytes changes the sum.
__global__ void sum_up(Count* sum, const unsigned char* buffer, Count count) {
    const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
    Count mine = 0;
    for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        Count value = (i << 8 | buffer[i]) * 0x9e3779b97f4a7c15ull;
        value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ull;
        mine += value ^ value >> 32;
    }
    atomicAdd(sum, mine);
}

template <class Element>
std::uint64_t wrong_of(const Task& task, const void* out, const void* in) {
    Element poison;
    std::memset(&poison, kPoisonByte, sizeof poison);
    const DeviceCount wrong;
    count_wrong<<<kBlocks, kThreads>>>(wrong.data(), static_cast<const Element*>(out),
                                       static_cast<const Element*>(in), task, poison);
    return wrong.value();
}

std::uint64_t wrong_of(const Task& task, std::size_t element_size, const void* out,
                       const void* in) {
    switch (element_size) {
        case 1: return wrong_of<unsigned char>(task, out, in);
        case 2: return wrong_of<unsigned short>(task, out, in);
        case 8: return wrong_of<Count>(task, out, in);
        case 16: return wrong_of<Pair>(task, out, in);
        default: return wrong_of<unsigned>(task, out, in);
    }
}

}  // namespace

std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in) {
    return wrong_of(task_of(problem), problem.element_size, out, in);
}

std::uint64_t count_wrong_elements(std::size_t element_size, const std::vector<ArrayAxis>& axes,
                                   const void* out, const void* in) {
    const std::size_t unit = std::size_t{1} << std::countr_zero(element_size);
    const auto units = static_cast<long long>(element_size / unit);
    Task task{.kind = Produces::permuted,
              .tile = 0,
              .rows = 1,
              .cols = units,
              .out_cols = units,
              .keeps_nan_payloads = true};
    for (const ArrayAxis& axis : axes) {
        task.rows *= axis.size;
        task.add_axis(axis.size, axis.step * units);
    }
    task.add_axis(units, 1);
    return wrong_of(task, unit, out, in);
}

std::uint64_t checksum(const void* buffer, std::size_t bytes) {
    const DeviceCount sum;
    sum_up<<<kBlocks, kThreads>>>(sum.data(), static_cast<const unsigned char*>(buffer), bytes);
    return sum.value();
}

}  // namespace coalesce::proof
