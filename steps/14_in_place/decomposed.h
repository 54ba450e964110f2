// Transposes a matrix of any shape in place, in three passes.
//
// The first pass moves each element within its column, the second within its row, and the third
// within its column again. A row or column is in shared memory while it is permuted, so no other
// memory is needed. The method is from B. Catanzaro, A. Keller, M. Garland, A Decomposition for
// In-place Matrix Transposition (PPoPP 2014). The comments below use their letters: c is the
// greatest common divisor of rows and cols, a = rows / c, and b = cols / c.
#pragma once

#include <algorithm>
#include <numeric>

#include "harness/harness.h"

// Returns the sum of two numbers below `size`, modulo `size`.
__device__ inline unsigned around(unsigned one, unsigned other, unsigned size) {
    unsigned sum = one + other;
    return sum < size ? sum : sum - size;
}

//! [rows]
// Each block handles whole rows. After the first pass, position (row, col) holds the element from
// (row + col / b, col). This element belongs in position col * rows + row + col / b, and so in
// column `to`. BACK undoes the pass.
template <bool BACK>
__global__ void shuffle_rows(float* data, unsigned rows, unsigned cols, unsigned b) {
    extern __shared__ float line[];
    unsigned first = size_t(threadIdx.x) * rows % cols;
    unsigned step = size_t(blockDim.x) * rows % cols;

    for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
        float* here = data + size_t(row) * cols;
        unsigned product = first;  // col * rows, modulo cols
        for (unsigned col = threadIdx.x; col < cols; col += blockDim.x) {
            unsigned to = around(product, around(row, col / b, rows) % cols, cols);
            line[BACK ? col : to] = here[col];
            product = around(product, step, cols);
        }
        __syncthreads();
        product = first;
        for (unsigned col = threadIdx.x; col < cols; col += blockDim.x) {
            unsigned to = around(product, around(row, col / b, rows) % cols, cols);
            here[col] = line[BACK ? to : col];
            product = around(product, step, cols);
        }
        __syncthreads();
    }
}
//! [rows]

//! [columns]
// Each block handles WIDTH neighbouring columns; 8 columns use whole sectors. With ROTATE, this is
// the first pass: row `row` gets the element of row `from` = row + col / b. Otherwise it is the
// last pass: row `row` gets the element that belongs in position row * cols + col, which is now in
// row `from`. BACK undoes either pass.
template <int WIDTH, bool ROTATE, bool BACK>
__global__ void shuffle_columns(float* data, unsigned rows, unsigned cols, unsigned a, unsigned b) {
    extern __shared__ float strip[];  // rows x WIDTH
    unsigned col = blockIdx.x * WIDTH + threadIdx.x;
    bool is_inside = col < cols;
    for (unsigned row = threadIdx.y; row < rows && is_inside; row += blockDim.y) {
        strip[row * WIDTH + threadIdx.x] = data[size_t(row) * cols + col];
    }
    __syncthreads();
    unsigned product = size_t(threadIdx.y) * cols % rows;  // row * cols, modulo rows
    unsigned step = size_t(blockDim.y) * cols % rows;
    unsigned shift = ROTATE ? col / b : col % rows;
    for (unsigned row = threadIdx.y; row < rows && is_inside; row += blockDim.y) {
        unsigned from = around(row, shift, rows);
        if (!ROTATE) from = around(around(product, shift, rows), rows - row / a, rows);
        unsigned to = BACK ? from : row;
        data[size_t(to) * cols + col] = strip[(BACK ? row : from) * WIDTH + threadIdx.x];
        product = around(product, step, rows);
    }
}
//! [columns]

// The most shared memory, in bytes, that a block of an H100 or H200 can have.
constexpr int MOST_SHARED = 227 * 1024;

template <int WIDTH, bool ROTATE, bool BACK>
static void launch_columns(float* data, unsigned rows, unsigned cols, unsigned a, unsigned b) {
    auto kernel = shuffle_columns<WIDTH, ROTATE, BACK>;
    int bytes = rows * WIDTH * sizeof(float);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<ceil_div(cols, WIDTH), dim3(WIDTH, 1024 / WIDTH), bytes>>>(data, rows, cols, a, b);
}

template <bool BACK>
static void launch_rows(float* data, unsigned rows, unsigned cols, unsigned b) {
    int bytes = cols * sizeof(float);
    cudaFuncSetAttribute(shuffle_rows<BACK>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    shuffle_rows<BACK><<<std::min(rows, 8192u), 512, bytes>>>(data, rows, cols, b);
}

// WIDTH columns at a time are in shared memory, so columns must not be longer than rows. A tall
// matrix is the transpose of a wide matrix, so the passes of the wide matrix are undone in reverse
// order.
template <int WIDTH>
static void launch_decomposed(float* data, const float*, int rows, int cols) {
    bool back = rows > cols;
    unsigned tall = std::min(rows, cols), wide = std::max(rows, cols);
    if constexpr (WIDTH > 1) {
        if (tall * WIDTH * sizeof(float) > MOST_SHARED) {
            return launch_decomposed<WIDTH / 2>(data, data, rows, cols);
        }
    }
    unsigned c = std::gcd(tall, wide), a = tall / c, b = wide / c;
    if (back) {
        launch_columns<WIDTH, false, true>(data, tall, wide, a, b);
        launch_rows<true>(data, tall, wide, b);
        if (c > 1) launch_columns<WIDTH, true, true>(data, tall, wide, a, b);
    } else {
        if (c > 1) launch_columns<WIDTH, true, false>(data, tall, wide, a, b);
        launch_rows<false>(data, tall, wide, b);
        launch_columns<WIDTH, false, false>(data, tall, wide, a, b);
    }
}
