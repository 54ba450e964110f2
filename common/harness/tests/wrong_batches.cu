// Kernels that transpose a batch of matrices, or one matrix in place, with deliberate mistakes.
#include "wrong_kernel_launches.cuh"

namespace coalesce::tests {
namespace {

// ---- batches of 3 matrices ----

constexpr int MATRICES = 3;

__global__ void same_matrix(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[(blockIdx.z * cols + col) * rows + row] = in[row * cols + col];
    }
}

__global__ void batch_transposed(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[(blockIdx.z * cols + col) * rows + row] = in[(blockIdx.z * rows + row) * cols + col];
    }
}

__global__ void batch_copied(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[(blockIdx.z * rows + row) * cols + col] = in[(blockIdx.z * rows + row) * cols + col];
    }
}

__global__ void batch_load_pitch(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[(blockIdx.z * cols + col) * rows + row] =
            in[blockIdx.z * rows * cols + row * rows + col];
    }
}

__global__ void batch_reversed(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        int last = MATRICES - 1 - blockIdx.z;
        out[(last * cols + col) * rows + row] = in[(blockIdx.z * rows + row) * cols + col];
    }
}

/// Computes the start of each matrix in the batch as if a matrix had only `rows` elements.
__global__ void batch_origin(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        out[(blockIdx.z * cols + col) * rows + row] = in[blockIdx.z * rows + row * cols + col];
    }
}

/// Transposes the batch as a single matrix of 3 * rows x cols, so the axis order is 2 0 1.
__global__ void batch_as_one(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) {
        int of_all = blockIdx.z * rows + row;
        out[col * (rows * MATRICES) + of_all] = in[of_all * cols + col];
    }
}

template <void (*kernel)(float*, const float*, int, int), int matrices>
void batch(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid = grid_of(rows, cols, block);
    grid.z = matrices;
    kernel<<<grid, block>>>(out, in, rows, cols);
}

void batch_of_halves(float* out, const float* in, int rows, int cols) {
    batch<batch_transposed, 2 * MATRICES>(out, in, rows / 2, cols);
}

void batch_rounded_down(float* out, const float* in, int rows, int cols) {
    batch_transposed<<<dim3(cols / 32, rows / 32, MATRICES), dim3(32, 32)>>>(out, in, rows, cols);
}

// ---- in place ----

/// Stores the elements above the diagonal at their mirrored positions, but not vice versa.
__global__ void one_way(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols && row < col) out[col * cols + row] = in[row * cols + col];
}

/// Swaps each pair of elements twice, so that nothing changes.
__global__ void twice(float* data, const float*, int rows, int) {
    for (int again = 0; again < 2; ++again) {
        for (int row = 0; row < rows; ++row) {
            for (int col = threadIdx.x; col < row; col += blockDim.x) {
                float kept = data[row * rows + col];
                data[row * rows + col] = data[col * rows + row];
                data[col * rows + row] = kept;
            }
        }
    }
}

/// Splits the matrix into 2 x 2 tiles. Both off-diagonal tiles get the lower left tile.
__global__ void lower_tile_twice(float* data, const float*, int side, int) {
    int x = threadIdx.x, y = threadIdx.y;
    float first = data[x * side + y], lower = data[(32 + x) * side + y],
          last = data[(32 + x) * side + 32 + y];
    __syncthreads();
    data[y * side + x] = first;
    data[y * side + 32 + x] = lower;
    data[(32 + y) * side + x] = lower;
    data[(32 + y) * side + 32 + x] = last;
}

void one_block_of_tiles(float* data, const float* in, int rows, int cols) {
    lower_tile_twice<<<1, dim3(32, 32)>>>(data, in, rows, cols);
}

void in_place_twice(float* data, const float* in, int rows, int cols) {
    twice<<<1, 32>>>(data, in, rows, cols);
}

void not_launched(float*, const float*, int, int) {}

WrongKernel in_batch(const char* name, LaunchFunction launch, int rows, int cols, Fault fault) {
    WrongKernel kernel{name, launch, rows, cols, fault};
    kernel.batches = MATRICES;
    return kernel;
}

WrongKernel in_place(const char* name, LaunchFunction launch, int side, Fault fault) {
    WrongKernel kernel{name, launch, side, side, fault};
    kernel.in_place = true;
    return kernel;
}

}  // namespace

std::vector<WrongKernel> wrong_batches() {
    return {
        in_batch("the same matrix", batch<same_matrix, MATRICES>, 64, 96, Fault::batch_repeated),
        in_batch("two of three", batch<batch_transposed, 2>, 37, 53, Fault::batches_missed),
        in_batch("a batch as one matrix", batch<batch_as_one, MATRICES>, 64, 96,
                 Fault::axes_in_other_order),
        in_batch("a batch copied", batch<batch_copied, MATRICES>, 64, 96,
                 Fault::indices_not_swapped),
        in_batch("a batch in reverse", batch<batch_reversed, MATRICES>, 64, 96,
                 Fault::batches_exchanged),
        in_batch("a batch of halves", batch_of_halves, 64, 96, Fault::matrix_size_wrong),
        in_batch("a batch, origin of loads", batch<batch_origin, MATRICES>, 64, 96,
                 Fault::wrong_origin),
        in_batch("a batch, pitch of loads", batch<batch_load_pitch, MATRICES>, 64, 96,
                 Fault::wrong_pitch),
        in_batch("a batch, grid rounded down", batch_rounded_down, 100, 70,
                 Fault::ragged_edge_missed),
        in_place("one way", plain<one_way>, 70, Fault::half_exchanged),
        in_place("lower tile twice", one_block_of_tiles, 64, Fault::half_exchanged),
        in_place("exchanged twice", in_place_twice, 70, Fault::nothing_written),
        in_place("in place, not launched", not_launched, 64, Fault::nothing_written),
    };
}

}  // namespace coalesce::tests
