// not built by clang: mma.h is part of NVIDIA's toolkit
// Tests nvcuda::wmma: matrix products in every shape, type and layout, in global and shared memory.
// expect: half, summed in float: ok
// expect: half, summed in half: ok
// expect: bfloat16: ok
// expect: signed bytes: ok
// expect: unsigned bytes: ok
// expect: tf32: ok
// expect: double: ok
// expect: four bits: ok
// expect: single bits: ok
// expect: from shared memory: ok
// expect: elements one by one: ok
// expect: half to float: ok
// expect: a tiled product: ok
#include <mma.h>

#include <cuda_bf16.h>

#include "check.h"

namespace wmma = nvcuda::wmma;

template <class T>
struct Stored {
    using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
    using type = float;
};

/// Additional elements per row. wmma requires a pitch that is a multiple of 16 bytes.
constexpr int kGap = 16;

template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB, bool Shared>
__global__ void multiply(Sum* d, const typename Stored<T>::type* a, const typename Stored<T>::type* b, const Sum* c,
                         int stride_a, int stride_b, int stride_c, wmma::layout_t layout) {
    using Element = typename Stored<T>::type;
    __shared__ __align__(128) Element shared_a[Shared ? 32 * 48 : 1], shared_b[Shared ? 32 * 48 : 1];
    __shared__ __align__(128) Sum shared_c[Shared ? 32 * 48 : 1];
    if constexpr (Shared) {
        for (int k = threadIdx.x; k < 32 * 48; k += 32) shared_a[k] = a[k], shared_b[k] = b[k], shared_c[k] = c[k];
        __syncwarp();
        a = shared_a, b = shared_b, c = shared_c;
    }
    wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(left, a, stride_a);
    wmma::load_matrix_sync(right, b, stride_b);
    wmma::load_matrix_sync(sum, c, stride_c, layout);
    wmma::mma_sync(sum, left, right, sum);
    if constexpr (Shared) {
        wmma::store_matrix_sync(shared_c, sum, stride_c, layout);
        __syncwarp();
        for (int k = threadIdx.x; k < 32 * 48; k += 32) d[k] = shared_c[k];
    } else {
        wmma::store_matrix_sync(d, sum, stride_c, layout);
    }
}

template <class T>
static T number(int k) {
    const int small = k * 37 % 11 - (std::is_unsigned_v<T> ? 0 : 5);
    return static_cast<T>(static_cast<float>(small));
}

/// A matrix of `rows` x `cols` numbers, in its memory layout and as a table.
template <class T>
struct Matrix {
    int rows, cols, stride;
    bool by_rows;
    std::vector<T> memory;

    Matrix(int rows, int cols, bool by_rows, int seed)
        : rows(rows), cols(cols), stride(((by_rows ? cols : rows) + 15) / 16 * 16 + kGap), by_rows(by_rows), memory(32 * 48) {
        for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = number<T>(static_cast<int>(k) + seed);
    }
    T& at(int row, int col) { return memory[by_rows ? row * stride + col : col * stride + row]; }
};

static bool all_right = true;

template <int M, int N, int K, class T, class Sum, bool Shared, class LayoutA, class LayoutB>
static void check(bool sums_by_rows) {
    using Element = typename Stored<T>::type;
    constexpr bool kByRowsA = std::is_same_v<LayoutA, wmma::row_major>,
                   kByRowsB = std::is_same_v<LayoutB, wmma::row_major>;
    Matrix<Element> a(M, K, kByRowsA, 0), b(K, N, kByRowsB, 3);
    Matrix<Sum> c(M, N, sums_by_rows, 1);
    const DeviceArray<Element> x(a.memory), y(b.memory);
    const DeviceArray<Sum> z(c.memory), out(c.memory);
    multiply<M, N, K, T, Sum, LayoutA, LayoutB, Shared><<<1, 32>>>(
        out, x, y, z, a.stride, b.stride, c.stride, sums_by_rows ? wmma::mem_row_major : wmma::mem_col_major);
    for (int row = 0; row < M; ++row)
        for (int col = 0; col < N; ++col) {
            float sum = static_cast<float>(c.at(row, col));
            for (int k = 0; k < K; ++k)
                sum += static_cast<float>(a.at(row, k)) * static_cast<float>(b.at(k, col));
            c.at(row, col) = static_cast<Sum>(sum);
        }
    const std::vector<Sum> got = out.read();
    bool right = true;
    for (std::size_t k = 0; k < got.size(); ++k) right &= static_cast<float>(got[k]) == static_cast<float>(c.memory[k]);
    if (right) return;
    all_right = false;
    std::printf("m%dn%dk%d, a %s, b %s, c %s: wrong\n", M, N, K, kByRowsA ? "row" : "col", kByRowsB ? "row" : "col",
                sums_by_rows ? "row" : "col");
}

template <int M, int N, int K, class T, class Sum, bool Shared = false>
static void check_layouts() {
    for (const bool sums_by_rows : {true, false}) {
        check<M, N, K, T, Sum, Shared, wmma::row_major, wmma::col_major>(sums_by_rows);
        check<M, N, K, T, Sum, Shared, wmma::row_major, wmma::row_major>(sums_by_rows);
        check<M, N, K, T, Sum, Shared, wmma::col_major, wmma::col_major>(sums_by_rows);
        check<M, N, K, T, Sum, Shared, wmma::col_major, wmma::row_major>(sums_by_rows);
    }
}
template <class T, class Sum, bool Shared = false>
static void check_shapes() {
    check_layouts<16, 16, 16, T, Sum, Shared>();
    check_layouts<32, 8, 16, T, Sum, Shared>();
    check_layouts<8, 32, 16, T, Sum, Shared>();
}
static void group(const char* name) {
    std::printf("%s: %s\n", name, all_right ? "ok" : "wrong");
    all_right = true;
}

// ---- elements smaller than a byte ----

__global__ void multiply_four_bits(int* d, const unsigned* a, const unsigned* b) {
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::load_matrix_sync(left, a, 64);
    wmma::load_matrix_sync(right, b, 32);
    wmma::fill_fragment(sum, 7);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}
__global__ void multiply_bits(int* d, const unsigned* a, const unsigned* b) {
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
    wmma::load_matrix_sync(left, a, 256);
    wmma::load_matrix_sync(right, b, 128);
    wmma::fill_fragment(sum, 0);
    wmma::bmma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

/// Returns element `k` of a line, which has `words` words. An element has `bits` bits.
static int piece(const std::vector<unsigned>& from, int line, int words, int k, int bits) {
    return static_cast<int>(from[line * words + k * bits / 32] >> k * bits % 32 & ((1u << bits) - 1));
}

static void check_short() {
    std::vector<unsigned> a(64), b(64);
    for (unsigned k = 0; k < 64; ++k) a[k] = k * 2654435761u, b[k] = ~k * 2246822519u;
    const DeviceArray<unsigned> x(a), y(b);
    const DeviceArray<int> out(64);
    const auto signed_four = [](int value) { return value < 8 ? value : value - 16; };
    multiply_four_bits<<<1, 32>>>(out, x, y);
    expect_equal("four bits", out.read(), for_threads<int>(64, [&](int i) {
                     int sum = 7;
                     for (int k = 0; k < 32; ++k)
                         sum += signed_four(piece(a, i / 8, 8, k, 4)) * signed_four(piece(b, i % 8, 4, k, 4));
                     return sum;
                 }));
    multiply_bits<<<1, 32>>>(out, x, y);
    expect_equal("single bits", out.read(), for_threads<int>(64, [&](int i) {
                     int sum = 0;
                     for (int k = 0; k < 128; ++k) sum += piece(a, i / 8, 8, k, 1) ^ piece(b, i % 8, 4, k, 1);
                     return sum;
                 }));
}

// ---- programs ----

/// Applies an operation to each fragment element. Each matrix element must change exactly once.
__global__ void scale(float* d, const half* a, const half* b) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::fill_fragment(sum, 1.0f);
    static_assert(left.num_elements == 16 && sum.num_elements == 8);
    for (int k = 0; k < left.num_elements; ++k) left.x[k] = left.x[k] * __float2half(2.0f);
    wmma::mma_sync(sum, left, right, sum);
    for (int k = 0; k < sum.num_elements; ++k) sum.x[k] = sum.x[k] * 3.0f;
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

/// Converts sums from half to float. Here, both fragment types have the same element layout.
__global__ void widen(float* d, const half* c) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> halves;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> floats;
    wmma::load_matrix_sync(halves, c, 16, wmma::mem_row_major);
    for (int k = 0; k < floats.num_elements; ++k) floats.x[k] = __half2float(halves.x[k]);
    wmma::store_matrix_sync(d, floats, 16, wmma::mem_row_major);
}

static std::vector<half> halves(int count) {
    return for_threads<half>(count, [](int k) { return number<half>(k); });
}

static void check_elements() {
    const std::vector<half> a = halves(256), b = halves(300);
    const std::vector<half> behind(b.begin() + 40, b.begin() + 296);
    const DeviceArray<half> x(a), y(behind);
    const DeviceArray<float> out(256);
    scale<<<1, 32>>>(out, x, y);
    expect_equal("elements one by one", out.read(), for_threads<float>(256, [&](int i) {
                     float sum = 1;
                     for (int k = 0; k < 16; ++k)
                         sum += 2 * __half2float(a[i / 16 * 16 + k]) * __half2float(behind[k * 16 + i % 16]);
                     return 3 * sum;
                 }));
    widen<<<1, 32>>>(out, x);
    expect_equal("half to float", out.read(), for_threads<float>(256, [&](int i) { return __half2float(a[i]); }));
}

/// Multiplies a 64 x 48 by a 48 x 64 matrix. Blocks of four warps compute 32 x 32 tiles.
constexpr int kSide = 64, kDepth = 48;
__global__ void tiled(float* d, const half* a, const half* b) {
    __shared__ __align__(32) half left_tile[32][16 + 8], right_tile[16][32 + 8];
    const int warp = threadIdx.x / 32, row = warp / 2 * 16, col = warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < kDepth; k += 16) {
        for (int i = threadIdx.x; i < 32 * 16; i += 128) {
            left_tile[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * kDepth + k + i % 16];
            right_tile[i / 32][i % 32] = b[(k + i / 32) * kSide + blockIdx.x * 32 + i % 32];
        }
        __syncthreads();
        wmma::load_matrix_sync(left, &left_tile[row][0], 24);
        wmma::load_matrix_sync(right, &right_tile[0][col], 40);
        wmma::mma_sync(sum, left, right, sum);
        __syncthreads();
    }
    float* to = d + (blockIdx.y * 32 + row) * kSide + blockIdx.x * 32 + col;
    wmma::store_matrix_sync(to, sum, kSide, wmma::mem_row_major);
}

static void check_tiled() {
    const std::vector<half> a = halves(kSide * kDepth), b = halves(kDepth * kSide);
    const DeviceArray<half> x(a), y(b);
    const DeviceArray<float> out(kSide * kSide);
    tiled<<<dim3(2, 2), 128>>>(out, x, y);
    expect_equal("a tiled product", out.read(), for_threads<float>(kSide * kSide, [&](int i) {
                     float sum = 0;
                     for (int k = 0; k < kDepth; ++k)
                         sum += __half2float(a[i / kSide * kDepth + k]) * __half2float(b[k * kSide + i % kSide]);
                     return sum;
                 }));
}

int main() {
    check_shapes<half, float>();
    group("half, summed in float");
    check_shapes<half, half>();
    group("half, summed in half");
    check_shapes<__nv_bfloat16, float>();
    group("bfloat16");
    check_shapes<signed char, int>();
    group("signed bytes");
    check_shapes<unsigned char, int>();
    group("unsigned bytes");
    check_layouts<16, 16, 8, wmma::precision::tf32, float>();
    group("tf32");
    check_layouts<8, 8, 4, double, double>();
    group("double");
    check_short();
    check_shapes<half, float, true>();
    check_shapes<half, half, true>();
    check_shapes<signed char, int, true>();
    check_layouts<16, 16, 8, wmma::precision::tf32, float, true>();
    check_layouts<8, 8, 4, double, double, true>();
    group("from shared memory");
    check_elements();
    check_tiled();
}
