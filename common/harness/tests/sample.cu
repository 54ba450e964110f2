// A program like that of a lesson. Its variants fail in every way that run_step can report.
#include "harness/harness.h"

#define ROW_AND_COL                                  \
    int col = blockIdx.x * blockDim.x + threadIdx.x; \
    int row = blockIdx.y * blockDim.y + threadIdx.y

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

__global__ void copy(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}

/// Computes a correct result, but also loads elements outside the matrix.
__global__ void reads_outside(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    // Without volatile, the compiler would load the value only if the condition is true.
    float value = static_cast<const volatile float*>(in)[row * cols + col];
    if (row < rows && col < cols) out[col * rows + row] = value;
}

__global__ void writes_outside(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    if (row == 0 && col == 0) out[rows * cols] = 1.0f;
}

__global__ void races(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
}

/// Computes the sum of each row, but omits the last LEFT_OUT elements.
template <int LEFT_OUT>
__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || blockIdx.x > 0 || threadIdx.x > 0) return;
    float sum = 0;
    for (int col = 0; col < cols - LEFT_OUT; ++col) sum += in[row * cols + col];
    out[row] = sum;
}

__global__ void reads(float* out, const float* in, int rows, int cols) {
    ROW_AND_COL;
    if (row < rows && col < cols && in[row * cols + col] < 0) out[row] = 1;
}

__global__ void crashes(float* out, const float*, int, int) {
    *reinterpret_cast<float*>(8) = *out;
}

template <void (*kernel)(float*, const float*, int, int)>
static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    kernel<<<dim3(ceil_div(cols, 32), ceil_div(rows, 32)), block>>>(out, in, rows, cols);
}

static void too_many_threads(float* out, const float* in, int rows, int cols) {
    transpose<<<1, dim3(64, 64)>>>(out, in, rows, cols);
}

static void on_host(float* out, const float* in, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) out[col * rows + row] = in[row * cols + col];
    }
}

static void add_row(const float* in, int, int cols, int row, double* out) {
    *out = 0;
    for (int col = 0; col < cols; ++col) *out += in[row * cols + col];
}

int main(int argc, char** argv) {
    constexpr Produces sums = computed({.row = add_row});
    return run_step(
        argc, argv,
        {
            {.name = "right", .about = "one thread per element", .launch = launch<transpose>},
            {.name = "copy",
             .about = "a copy, as it should be",
             .launch = launch<copy>,
             .produces = {Produces::copy}},
            {.name = "host",
             .about = "on the CPU",
             .launch = on_host,
             .in = Memory::host,
             .out = Memory::host},
            {.name = "multiples",
             .about = "takes multiples",
             .launch = launch<transpose>,
             .rows_multiple = 4,
             .cols_multiple = 8},
            {.name = "on a GPU only",
             .about = "needs a real GPU",
             .launch = launch<transpose>,
             .needs_gpu = true},
            {.name = "not swapped", .about = "wrong", .launch = launch<copy>},
            {.name = "reads outside", .about = "wrong", .launch = launch<reads_outside>},
            {.name = "writes outside", .about = "wrong", .launch = launch<writes_outside>},
            {.name = "races", .about = "wrong", .launch = launch<races>},
            {.name = "crashes", .about = "wrong", .launch = launch<crashes>},
            {.name = "too many threads", .about = "wrong", .launch = too_many_threads},
            {.name = "sums",
             .about = "the sums of rows, as they should be",
             .launch = launch<row_sums<0>>,
             .produces = sums},
            {.name = "reads",
             .about = "reads and writes nothing, as it should be",
             .launch = launch<reads>,
             .produces = computed({})},
            {.name = "too small sums",
             .about = "wrong",
             .launch = launch<row_sums<1>>,
             .produces = sums},
            {.name = "no sums", .about = "wrong", .launch = launch<reads>, .produces = sums},
        });
}
