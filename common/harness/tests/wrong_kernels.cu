// Kernels with deliberate mistakes that a learner might make.
#include <cuda_fp16.h>

#include "wrong_kernel_launches.cuh"

namespace coalesce::tests {
namespace {

// ---- one thread per element ----

__global__ void empty(float*, const float*, int, int) {}

__global__ void exchanged_arguments(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) const_cast<float*>(in)[col * rows + row] = out[row * cols + col];
}

__global__ void plain_copy(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}

__global__ void copy_with_out_pitch(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[row * rows + col] = in[row * cols + col];
}

__global__ void plain_transpose(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

__global__ void store_pitch(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * cols + row] = in[row * cols + col];
}

__global__ void load_pitch(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[row * rows + col];
}

__global__ void next_row(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from = row + 1 < rows ? row + 1 : row;
    if (row < rows && col < cols) out[col * rows + row] = in[from * cols + col];
}

__global__ void next_col(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from = col + 1 < cols ? col + 1 : col;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + from];
}

__global__ void store_one_row_further(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int to = (row + 1) % rows;
    if (row < rows && col < cols) out[col * rows + to] = in[row * cols + col];
}

__global__ void padded_load_pitch(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int pitch = gridDim.x * blockDim.x + 1, from = row * pitch + col;
    if (row < rows && col < cols && from < rows * cols) out[col * rows + row] = in[from];
}

__global__ void both_pitches(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from = row * rows + col, to = col * cols + row;
    if (row < rows && col < cols && from < rows * cols && to < rows * cols) out[to] = in[from];
}

__global__ void four_further(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from = row * cols + col + 4;
    if (row < rows && col < cols && from < rows * cols) out[col * rows + row] = in[from];
}

__global__ void x_and_y_exchanged(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[(row ^ 1) * cols + col];
}

__global__ void cast_to_float2(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[row / 2 * 2 * cols + col];
}

__global__ void without_w(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols && row % 4 < 3) out[col * rows + row] = in[row * cols + col];
}

__global__ void w_is_zero(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    const bool is_w = row % 4 == 3;
    if (row < rows && col < cols) out[col * rows + row] = is_w ? 0.0f : in[row * cols + col];
}

__global__ void stored_over(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row % 32 >= 8 || col >= cols) return;
    for (int k = 0; k < 32 && row + k < rows; k += 8) {
        out[col * rows + row] = in[(row + k) * cols + col];
    }
}

__global__ void one_cell_wrong(float* out, const float* in, int, int) {
    if (threadIdx.x == 0 && blockIdx.x == 0) out[5] = in[5];
}

__global__ void added(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] += in[row * cols + col];
}

__global__ void main_diagonal_of_tiles(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

__global__ void first_tile_only(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row % TILE_DIM * cols + col % TILE_DIM];
    }
}

__global__ void first_row_only(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[col];
}

__global__ void first_col_only(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols];
}

__global__ void stored_by_row(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[row] = in[row * cols + col];
}

__global__ void stored_by_col(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows] = in[row * cols + col];
}

__global__ void edge_not_loaded(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    bool full = row < rows / TILE_DIM * TILE_DIM && col < cols / TILE_DIM * TILE_DIM;
    if (row < rows && col < cols) out[col * rows + row] = full ? in[row * cols + col] : 0.0f;
}

__global__ void exchanged_bounds(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < cols && col < rows && row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

__global__ void strict_bounds(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows - 1 && col < cols - 1) out[col * rows + row] = in[row * cols + col];
}

__global__ void every_second_col(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols && col % 2 == 0) out[col * rows + row] = in[row * cols + col];
}

__global__ void rotated(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + (rows - 1 - row)] = in[row * cols + col];
}

__global__ void other_diagonal(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[(cols - 1 - col) * rows + (rows - 1 - row)] = in[row * cols + col];
    }
}

__global__ void groups_of_four_not_transposed(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from_row = row / 4 * 4 + col % 4, from_col = col / 4 * 4 + row % 4;
    if (row < rows && col < cols) out[col * rows + row] = in[from_row * cols + from_col];
}

__global__ void groups_of_four_rotated(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from_col = col / 4 * 4 + (col + row) % 4;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + from_col];
}

__global__ void holes(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    bool is_hole = (row * 7919 + col * 104729) % 7 == 0;
    if (row < rows && col < cols && !is_hole) out[col * rows + row] = in[row * cols + col];
}

__global__ void shuffled(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    int from = (row * cols + col) * 7919 % (rows * cols);
    if (row < rows && col < cols) out[col * rows + row] = in[from];
}

__global__ void behind_the_input(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[rows * cols + row * cols + col];
}

__global__ void one_before(float* out, const float*, int, int) {
    out[-1] = 1.0f;
}

__global__ void some_after(float* out, const float*, int rows, int cols) {
    out[rows * cols + 3] = 1.0f;
    out[rows * cols + 70] = 1.0f;
}

__global__ void writes_input(float*, const float* in, int, int) {
    const_cast<float*>(in)[5] = 0.0f;
}

__global__ void writes_behind_input(float*, const float* in, int rows, int cols) {
    const_cast<float*>(in)[rows * cols] = 0.0f;
}

// ---- values ----

template <class Change>
__global__ void with_change(float* out, const float* in, int rows, int cols, Change change) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = change(in[row * cols + col]);
}

struct AddZero {
    __device__ float operator()(float value) const { return value + 0.0f; }
};
struct FlushSubnormals {
    __device__ float operator()(float value) const {
        float result = value;
        if (value == value) asm("mul.ftz.f32 %0, %1, 0f3f800000;" : "=f"(result) : "f"(value));
        return result;
    }
};
struct LoseTheSignOfZero {
    __device__ float operator()(float value) const { return value == 0.0f ? 0.0f : value; }
};
struct ThroughHalf {
    __device__ float operator()(float value) const { return __half2float(__float2half(value)); }
};
struct ThroughInt {
    __device__ float operator()(float value) const { return static_cast<int>(value); }
};
struct CutOff {
    __device__ float operator()(float value) const {
        return __int_as_float(__float_as_int(value) & 0xffff0000);
    }
};
struct Invert {
    __device__ float operator()(float value) const {
        return __int_as_float(~__float_as_int(value) ^ 0x12345678);
    }
};

// ---- kernels with a shared tile; shapes are multiples of 32, or bounds are checked ----

enum TileMistake {
    not_moved,
    not_transposed,
    barrier_forgotten,
    rotated_in_tile,
    swizzled_once,
    blocks_turned,
};

template <int mistake>
__global__ void tiled(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int block_col = blockIdx.x;
    if (mistake == blocks_turned) block_col = (block_col + blockIdx.y) % gridDim.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y, col = block_col * TILE_DIM + threadIdx.x;
    int tile_col = mistake == swizzled_once ? threadIdx.x ^ threadIdx.y : threadIdx.x;
    tile[threadIdx.y][tile_col] = in[row * cols + col];

    if (mistake != barrier_forgotten) __syncthreads();

    int out_row = blockIdx.x * TILE_DIM + threadIdx.y,
        out_col = blockIdx.y * TILE_DIM + threadIdx.x;
    if (mistake == not_moved) {
        out_row = blockIdx.y * TILE_DIM + threadIdx.y;
        out_col = blockIdx.x * TILE_DIM + threadIdx.x;
    }
    int tile_row = mistake == rotated_in_tile ? TILE_DIM - 1 - threadIdx.x : threadIdx.x;
    out[out_row * rows + out_col] =
        mistake == not_transposed ? tile[threadIdx.y][threadIdx.x] : tile[tile_row][threadIdx.y];
}

enum LoopMistake { loads_once, stores_once, no_barrier };

template <int mistake>
__global__ void coarsened(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int row = blockIdx.y * TILE_DIM + threadIdx.y, col = blockIdx.x * TILE_DIM + threadIdx.x;
    int loads = mistake == loads_once ? BLOCK_ROWS : TILE_DIM;
    for (int k = 0; k < loads; k += BLOCK_ROWS) {
        tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    }

    if (mistake != no_barrier) __syncthreads();

    row = blockIdx.y * TILE_DIM + threadIdx.x;
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    int stores = mistake == stores_once ? BLOCK_ROWS : TILE_DIM;
    for (int k = 0; k < stores; k += BLOCK_ROWS) {
        out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
    }
}

// ---- launches ----

/// Launches a correct transpose, and then a single thread that does something wrong.
template <Kernel kernel>
void after_transpose(float* out, const float* in, int rows, int cols) {
    plain<plain_transpose>(out, in, rows, cols);
    kernel<<<1, 1>>>(out, in, rows, cols);
}

template <class Change>
void changed(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    with_change<<<grid_of(rows, cols, block), block>>>(out, in, rows, cols, Change{});
}

void nothing(float*, const float*, int, int) {}

void grid_rounded_down(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    plain_transpose<<<dim3(cols / 32, rows / 32), block>>>(out, in, rows, cols);
}

void one_block(float* out, const float* in, int rows, int cols) {
    plain_transpose<<<1, dim3(32, 8)>>>(out, in, rows, cols);
}

void exchanged_grid(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    plain_transpose<<<grid_of(cols, rows, block), block>>>(out, in, rows, cols);
}

void too_many_threads(float* out, const float* in, int rows, int cols) {
    plain_transpose<<<1, dim3(64, 64)>>>(out, in, rows, cols);
}

std::vector<WrongKernel> wrong_transposes() {
    constexpr Produces copy = {Produces::copy};
    constexpr Produces fine = {Produces::transposed_tiles}, coarse = {Produces::moved_tiles};
    return {
        {"no launch", nothing, 100, 70, Fault::nothing_written},
        {"empty kernel", plain<empty>, 70, 100, Fault::nothing_written},
        {"a launch that fails", too_many_threads, 100, 70, Fault::nothing_written},
        {"exchanged arguments", plain<exchanged_arguments>, 64, 96, Fault::arguments_exchanged},
        {"copy", plain<plain_copy>, 64, 64, Fault::indices_not_swapped},
        {"copy of a wide one", plain<plain_copy>, 64, 96, Fault::indices_not_swapped},
        {"copy of a tall one", plain<plain_copy>, 101, 37, Fault::indices_not_swapped},
        {"copy, pitch of out",
         plain<copy_with_out_pitch>,
         96,
         64,
         Fault::indices_not_swapped,
         {Produces::transpose},
         Fault::written_after},
        {"pitch of stores, wide",
         plain<store_pitch>,
         64,
         96,
         Fault::wrong_pitch,
         {Produces::transpose},
         Fault::written_after},
        {"pitch of stores, tall", plain<store_pitch>, 96, 64, Fault::wrong_pitch},
        {"pitch of loads, wide", plain<load_pitch>, 64, 96, Fault::wrong_pitch},
        {"pitch of loads, tall", plain<load_pitch>, 96, 64, Fault::wrong_pitch},
        {"next row", plain<next_row>, 100, 70, Fault::off_by_one_row},
        {"next column", plain<next_col>, 70, 100, Fault::off_by_one_col},
        {"stored one further", plain<store_one_row_further>, 64, 64, Fault::off_by_one_row},
        {"padded pitch of loads", plain<padded_load_pitch>, 100, 70, Fault::wrong_pitch},
        {"padded pitch of a square", plain<padded_load_pitch>, 64, 64, Fault::wrong_pitch},
        {"both pitches, wide", plain<both_pitches>, 64, 96, Fault::wrong_pitch},
        {"both pitches, tall", plain<both_pitches>, 100, 70, Fault::wrong_pitch},
        {"four elements further", plain<four_further>, 64, 64, Fault::shifted},
        {"four elements further, ragged", plain<four_further>, 77, 45, Fault::shifted},
        {"x and y exchanged", plain<x_and_y_exchanged>, 64, 96, Fault::neighbours_exchanged},
        {"x and y exchanged, square", plain<x_and_y_exchanged>, 96, 96,
         Fault::neighbours_exchanged},
        {"a cast to float2", plain<cast_to_float2>, 100, 70, Fault::neighbour_repeated},
        {"a component forgotten", plain<without_w>, 64, 96, Fault::part_of_each_tile},
        {"a component is zero", plain<w_is_zero>, 64, 96, Fault::component_lost},
        {"a component is zero, ragged", plain<w_is_zero>, 77, 45, Fault::component_lost},
        {"stored over", plain<stored_over>, 64, 96, Fault::part_of_each_tile},
        {"stored over, ragged", plain<stored_over>, 77, 45, Fault::part_of_each_tile},
        {"one cell wrong", after_transpose<one_cell_wrong>, 64, 96, Fault::scattered},
        {"added", plain<added>, 64, 64, Fault::value_added},
        {"added, ragged", plain<added>, 100, 70, Fault::value_added},
        {"tiles of the diagonal", square<main_diagonal_of_tiles>, 96, 128, Fault::never_written},
        {"tiles of the diagonal, ragged", square<main_diagonal_of_tiles>, 77, 45,
         Fault::never_written},
        {"first tile everywhere", plain<first_tile_only>, 100, 130, Fault::tile_repeated},
        {"first row everywhere", plain<first_row_only>, 64, 96, Fault::line_repeated},
        {"first column everywhere", plain<first_col_only>, 64, 96, Fault::line_repeated},
        {"all to the first row", plain<stored_by_row>, 64, 64, Fault::line_repeated},
        {"all to the first column", plain<stored_by_col>, 64, 96, Fault::line_repeated},
        {"grid rounded down", grid_rounded_down, 100, 70, Fault::ragged_edge_missed},
        {"edge not loaded", plain<edge_not_loaded>, 100, 70, Fault::edge_wrong},
        {"one block", one_block, 128, 96, Fault::grid_too_small},
        {"exchanged grid", exchanged_grid, 128, 320, Fault::bounds_exchanged},
        {"exchanged bounds", plain<exchanged_bounds>, 37, 130, Fault::bounds_exchanged},
        {"bounds too strict", plain<strict_bounds>, 64, 64, Fault::grid_too_small},
        {"every second column", plain<every_second_col>, 64, 96, Fault::part_of_each_tile},
        {"rotated", plain<rotated>, 64, 96, Fault::turned_around},
        {"other diagonal", plain<other_diagonal>, 96, 64, Fault::turned_around},
        {"4 x 4 not transposed", plain<groups_of_four_not_transposed>, 64, 96,
         Fault::tile_not_transposed},
        {"4 x 4 rotated", plain<groups_of_four_rotated>, 64, 96, Fault::scrambled_in_tile},
        {"holes", plain<holes>, 100, 70, Fault::never_written},
        {"shuffled", plain<shuffled>, 100, 70, Fault::scattered},
        {"reads behind the input", plain<behind_the_input>, 64, 64, Fault::read_outside},
        {"writes before out", after_transpose<one_before>, 33, 65, Fault::written_before},
        {"writes after out", after_transpose<some_after>, 33, 65, Fault::written_after},
        {"writes the input", after_transpose<writes_input>, 33, 65, Fault::input_changed},
        {"writes behind the input", after_transpose<writes_behind_input>, 33, 65,
         Fault::written_after},
        {"adds zero", changed<AddZero>, 100, 70, Fault::nan_changed},
        {"flushes subnormals", changed<FlushSubnormals>, 100, 70, Fault::subnormal_flushed},
        {"loses -0.0", changed<LoseTheSignOfZero>, 100, 70, Fault::negative_zero_lost},
        {"through half", changed<ThroughHalf>, 100, 70, Fault::value_rounded},
        {"through int", changed<ThroughInt>, 100, 70, Fault::value_converted},
        {"cuts bits off", changed<CutOff>, 100, 70, Fault::value_rounded},
        {"computes something", changed<Invert>, 100, 70, Fault::value_not_of_input},
        {"tile not moved", square<tiled<not_moved>>, 128, 128, Fault::tile_not_moved},
        {"tile not transposed", square<tiled<not_transposed>>, 64, 96, Fault::tile_not_transposed},
        {"tile rotated", square<tiled<rotated_in_tile>>, 64, 96, Fault::tile_turned_around},
        {"barrier forgotten", square<tiled<barrier_forgotten>>, 128, 96, Fault::mixed_in_tile},
        {"swizzled once", square<tiled<swizzled_once>>, 64, 96, Fault::scrambled_in_tile},
        {"blocks turned", square<tiled<blocks_turned>>, 128, 160, Fault::wrong_tile},
        {"loads once", low<coarsened<loads_once>>, 128, 96, Fault::part_of_each_tile},
        {"stores once", low<coarsened<stores_once>>, 128, 96, Fault::part_of_each_tile},
        {"barrier forgotten, coarsened", low<coarsened<no_barrier>>, 128, 96, Fault::mixed_in_tile},
        {"transpose for a copy", plain<plain_transpose>, 64, 96, Fault::indices_swapped, copy},
        {"copy for transposed tiles", plain<plain_copy>, 64, 96, Fault::tile_not_transposed, fine},
        {"copy for moved tiles", plain<plain_copy>, 96, 96, Fault::tile_not_moved, coarse},
    };
}

}  // namespace

const std::vector<WrongKernel>& wrong_kernels() {
    static const std::vector<WrongKernel> list = [] {
        std::vector<WrongKernel> all = wrong_batches();
        for (const WrongKernel& kernel : wrong_transposes()) all.push_back(kernel);
        return all;
    }();
    return list;
}

}  // namespace coalesce::tests
