// The kernels that execute all matrix patterns. Their results have no meaning, because only the
// accesses matter. stmatrix needs an H100 and tf32 an A100 or later, and clang has no wmma. If
// an instruction is missing, its kernel moves nothing, and validate reports that the counts differ.
#if __has_include(<mma.h>)
#    include <mma.h>
#    define COALESCE_HAS_WMMA
#endif

#include <type_traits>

#include "harness/errors.h"
#include "lab/proof/validate/access_index.cuh"
#include "lab/proof/validate/matrix_pattern.h"

namespace coalesce::proof {
namespace {

__device__ unsigned* own_output_words(unsigned* out) {
    return out + blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ unsigned row_address(const AccessFormula& rows) {
    extern __shared__ __align__(128) uint4 shared[];
    return static_cast<unsigned>(__cvta_generic_to_shared(shared + element_index_of(rows)));
}

#define LOAD(shape, registers)                                                \
    asm volatile("ldmatrix.sync.aligned.m8n8." shape ".shared.b16 " registers \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])             \
                 : "r"(at))
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#    define STORE(shape, registers)                                                          \
        asm volatile("stmatrix.sync.aligned.m8n8." shape ".shared.b16 " registers ::"r"(at), \
                     "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3])                              \
                     : "memory")
#else
#    define STORE(shape, registers) (void)at, (void)d
#endif

__global__ void load_matrices(unsigned* out, AccessFormula rows, int matrices, bool is_transposed) {
    const unsigned at = row_address(rows);
    unsigned d[4];
    switch (is_transposed ? -matrices : matrices) {
        case 1: LOAD("x1", "{%0}, [%4]; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0;"); break;
        case 2: LOAD("x2", "{%0, %1}, [%4]; mov.b32 %2, 0; mov.b32 %3, 0;"); break;
        case 4: LOAD("x4", "{%0, %1, %2, %3}, [%4];"); break;
        case -1:
            LOAD("x1.trans", "{%0}, [%4]; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0;");
            break;
        case -2: LOAD("x2.trans", "{%0, %1}, [%4]; mov.b32 %2, 0; mov.b32 %3, 0;"); break;
        default: LOAD("x4.trans", "{%0, %1, %2, %3}, [%4];"); break;
    }
    *own_output_words(out) = d[0] + d[1] + d[2] + d[3];
}

__global__ void store_matrices(AccessFormula rows, int matrices, bool is_transposed) {
    const unsigned at = row_address(rows);
    const unsigned d[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
    switch (is_transposed ? -matrices : matrices) {
        case 1: STORE("x1", "[%0], {%1};"); break;
        case 2: STORE("x2", "[%0], {%1, %2};"); break;
        case 4: STORE("x4", "[%0], {%1, %2, %3, %4};"); break;
        case -1: STORE("x1.trans", "[%0], {%1};"); break;
        case -2: STORE("x2.trans", "[%0], {%1, %2};"); break;
        default: STORE("x4.trans", "[%0], {%1, %2, %3, %4};"); break;
    }
}

// ---- fragments of 16 x 16, or 16 x 8 for tf32 ----

#ifdef COALESCE_HAS_WMMA

namespace wmma = nvcuda::wmma;

template <class Use, class Element, class Layout, int K = 16>
using InputFragment = wmma::fragment<Use, 16, 16, K, Element, Layout>;
template <class Element>
using SumFragment = wmma::fragment<wmma::accumulator, 16, 16, 16, Element>;

__device__ float never_written;

/// Uses the loaded values, because otherwise ptxas would remove the loads.
template <class Fragment>
__device__ void keep_result_alive(const Fragment& fragment) {
    float sum = 0;
    for (int k = 0; k < fragment.num_elements; ++k) sum += static_cast<float>(fragment.x[k]);
    if (sum == 12345) never_written = sum;
}

template <class Fragment, class... Layout>
__device__ void load_as(const void* from, unsigned stride, Layout... layout) {
    Fragment fragment;
    using Element = std::remove_reference_t<decltype(fragment.x[0])>;
    wmma::load_matrix_sync(fragment, static_cast<const Element*>(from), stride, layout...);
    keep_result_alive(fragment);
}

template <class Element>
__device__ void store_sums(void* to, unsigned stride, wmma::layout_t layout) {
    SumFragment<Element> fragment;
    wmma::fill_fragment(fragment, static_cast<Element>(1.0f));
    wmma::store_matrix_sync(static_cast<Element*>(to), fragment, stride, layout);
}

__device__ void load_fragment(const void* from, FragmentKind kind, unsigned stride) {
    using A = wmma::matrix_a;
    using B = wmma::matrix_b;
    using RowMajor = wmma::row_major;
    using ColumnMajor = wmma::col_major;
    using enum FragmentKind;
    constexpr auto rows = wmma::mem_row_major, columns = wmma::mem_col_major;
    switch (kind) {
        case a_of_halves_by_rows: return load_as<InputFragment<A, half, RowMajor>>(from, stride);
        case a_of_halves_by_columns:
            return load_as<InputFragment<A, half, ColumnMajor>>(from, stride);
        case b_of_halves_by_rows: return load_as<InputFragment<B, half, RowMajor>>(from, stride);
        case a_of_bytes_by_rows:
            return load_as<InputFragment<A, signed char, RowMajor>>(from, stride);
        case a_of_bytes_by_columns:
            return load_as<InputFragment<A, signed char, ColumnMajor>>(from, stride);
        case sums_of_floats_by_rows: return load_as<SumFragment<float>>(from, stride, rows);
        case sums_of_floats_by_columns: return load_as<SumFragment<float>>(from, stride, columns);
        case sums_of_halves_by_columns: return load_as<SumFragment<half>>(from, stride, columns);
        case a_of_tf32_by_rows:
#    if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
            return load_as<InputFragment<A, wmma::precision::tf32, RowMajor, 8>>(from, stride);
#    else
            return;
#    endif
    }
}

__device__ void store_fragment(void* to, FragmentKind kind, unsigned stride) {
    if (kind == FragmentKind::sums_of_halves_by_columns)
        store_sums<half>(to, stride, wmma::mem_col_major);
    else if (kind == FragmentKind::sums_of_floats_by_rows)
        store_sums<float>(to, stride, wmma::mem_row_major);
    else
        store_sums<float>(to, stride, wmma::mem_col_major);
}

#else

__device__ void load_fragment(const void*, FragmentKind, unsigned) {}
__device__ void store_fragment(void*, FragmentKind, unsigned) {}

#endif

__global__ void load_fragment_shared(FragmentKind kind, unsigned stride) {
    extern __shared__ __align__(128) uint4 shared[];
    load_fragment(shared, kind, stride);
}
__global__ void load_fragment_global(const void* in, FragmentKind kind, unsigned stride) {
    load_fragment(in, kind, stride);
}
__global__ void store_fragment_shared(FragmentKind kind, unsigned stride) {
    extern __shared__ __align__(128) uint4 shared[];
    store_fragment(shared, kind, stride);
}
__global__ void store_fragment_global(void* out, FragmentKind kind, unsigned stride) {
    store_fragment(out, kind, stride);
}

}  // namespace

void launch(const MatrixPattern& p, void* out, const void* in) {
    using Kind = MatrixPattern::Kind;
    constexpr unsigned kBytes = kPatternSharedBytes;
    switch (p.kind) {
        case Kind::load_matrices:
            load_matrices<<<p.blocks, p.block_x, kBytes>>>(static_cast<unsigned*>(out), p.rows,
                                                           p.matrices, p.is_transposed);
            break;
        case Kind::store_matrices:
            store_matrices<<<p.blocks, p.block_x, kBytes>>>(p.rows, p.matrices, p.is_transposed);
            break;
        case Kind::load_shared:
            load_fragment_shared<<<p.blocks, p.block_x, kBytes>>>(p.fragment, p.stride);
            break;
        case Kind::load_global:
            load_fragment_global<<<p.blocks, p.block_x>>>(in, p.fragment, p.stride);
            break;
        case Kind::store_shared:
            store_fragment_shared<<<p.blocks, p.block_x, kBytes>>>(p.fragment, p.stride);
            break;
        case Kind::store_global:
            store_fragment_global<<<p.blocks, p.block_x>>>(out, p.fragment, p.stride);
            break;
    }
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace coalesce::proof
