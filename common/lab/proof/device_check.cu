#include <bit>
#include <cstring>

#include "lab/proof/device_check.h"
#include "lab/proof/device_count.h"

namespace coalesce::proof {
namespace {

using Count = unsigned long long;

constexpr int kBlocks = 1056, kThreads = 256;

/// Elements are compared bit for bit: 1, 2, 4 or 8 bytes as one integer, 16 bytes as two.
struct WordPair {
    Count low, high;
    __device__ bool operator==(const WordPair& other) const {
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
struct CheckTask {
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

CheckTask make_check_task(const Problem& problem) {
    CheckTask task{problem.produces.kind, problem.produces.tile, problem.rows,
                   problem.cols,          problem.out_cols(),    problem.keeps_nan_payloads};
    if (!problem.is_permuted()) return task;
    const Permutation axes = problem.axes();
    for (int k = 0; k < axes.rank; ++k) {
        long long stride = 1;
        for (int inner_axis = axes.order[k] + 1; inner_axis < axes.rank; ++inner_axis) {
            stride *= axes.extents[inner_axis];
        }
        task.add_axis(axes.extents[axes.order[k]], stride);
    }
    return task;
}

__device__ long long source_index_of_permuted(const CheckTask& task, long long index) {
    long long source = 0;
    for (int k = task.rank - 1; k >= 0; --k) {
        source += index % task.extents[k] * task.strides[k];
        index /= task.extents[k];
    }
    return source;
}

/// Returns the index in `in` of the element that belongs at index `index` in `out`, or -1 if there
/// is none. See Problem::source_index_of.
__device__ long long source_index_of(const CheckTask& task, long long index) {
    const long long tile = task.tile, row = index / task.out_cols, col = index % task.out_cols;
    long long from_row = row, from_col = col;
    switch (task.kind) {
        case Produces::copy: break;
        case Produces::computed: return -1;  // not supported
        case Produces::permuted: return source_index_of_permuted(task, index);
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
__global__ void count_wrong_on_device(Count* wrong_cells, const Element* out, const Element* in,
                                      CheckTask task, Element poison) {
    const long long count = task.rows * task.cols;
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    Count own_wrong_count = 0;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        const long long source = source_index_of(task, i);
        const Element wanted = source < 0 ? poison : in[source];
        const bool are_both_nan =
            !task.keeps_nan_payloads && is_nan_of_float(wanted) && is_nan_of_float(out[i]);
        own_wrong_count += !(out[i] == wanted) && !are_both_nan;
    }
    if (own_wrong_count) atomicAdd(wrong_cells, own_wrong_count);
}

/// Adds up the bytes of a buffer. Combines each byte with its position before the addition, so that
/// swapping two bytes changes the sum.
__global__ void sum_words_on_device(Count* sum, const unsigned char* buffer, Count count) {
    const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
    Count thread_sum = 0;
    for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        Count value = (i << 8 | buffer[i]) * 0x9e3779b97f4a7c15ull;
        value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ull;
        thread_sum += value ^ value >> 32;
    }
    atomicAdd(sum, thread_sum);
}

template <class Element>
std::uint64_t run_wrong_count(const CheckTask& task, const void* out, const void* in) {
    Element poison;
    std::memset(&poison, kPoisonByte, sizeof poison);
    const DeviceCounter wrong;
    count_wrong_on_device<<<kBlocks, kThreads>>>(wrong.data(), static_cast<const Element*>(out),
                                                 static_cast<const Element*>(in), task, poison);
    return wrong.value();
}

std::uint64_t run_wrong_count(const CheckTask& task, std::size_t element_size, const void* out,
                              const void* in) {
    switch (element_size) {
        case 1: return run_wrong_count<unsigned char>(task, out, in);
        case 2: return run_wrong_count<unsigned short>(task, out, in);
        case 8: return run_wrong_count<Count>(task, out, in);
        case 16: return run_wrong_count<WordPair>(task, out, in);
        default: return run_wrong_count<unsigned>(task, out, in);
    }
}

}  // namespace

std::uint64_t count_wrong_cells(const Problem& problem, const void* out, const void* in) {
    return run_wrong_count(make_check_task(problem), problem.element_size, out, in);
}

std::uint64_t count_wrong_elements(std::size_t element_size, const std::vector<ArrayAxis>& axes,
                                   const void* out, const void* in) {
    const std::size_t unit = std::size_t{1} << std::countr_zero(element_size);
    const auto units_per_element = static_cast<long long>(element_size / unit);
    CheckTask task{.kind = Produces::permuted,
                   .tile = 0,
                   .rows = 1,
                   .cols = units_per_element,
                   .out_cols = units_per_element,
                   .keeps_nan_payloads = true};
    for (const ArrayAxis& axis : axes) {
        task.rows *= axis.size;
        task.add_axis(axis.size, axis.step * units_per_element);
    }
    task.add_axis(units_per_element, 1);
    return run_wrong_count(task, unit, out, in);
}

std::uint64_t compute_checksum(const void* buffer, std::size_t bytes) {
    const DeviceCounter sum;
    sum_words_on_device<<<kBlocks, kThreads>>>(sum.data(),
                                               static_cast<const unsigned char*>(buffer), bytes);
    return sum.value();
}

}  // namespace coalesce::proof
