// Tests counters of textures and surfaces for a warp of W x H texels. Nsight Compute measured on an
// H100: l1tex__t_requests_pipe_tex_mem_texture.sum, ..._surface_op_ld, ..._surface_op_st, sectors.
// texture_counters_shapes.cu has other shapes, and warps in which only some lanes fetch.
// simulator only
// expect: float array 32x1: 8 requests, 8 sectors
// expect: float array 16x2: 8 requests, 8 sectors
// expect: float array 8x4: 8 requests, 8 sectors
// expect: float array 4x8: 8 requests, 8 sectors
// expect: float array 2x16: 8 requests, 8 sectors
// expect: float array 1x32: 8 requests, 16 sectors
// expect: float pitch 32x1: 8 requests, 8 sectors
// expect: float pitch 8x4: 8 requests, 8 sectors
// expect: float pitch 1x32: 8 requests, 32 sectors
// expect: float linear step 1: 4 requests, 4 sectors
// expect: float linear step 2: 4 requests, 8 sectors
// expect: float linear step 8: 4 requests, 32 sectors
// expect: float surface read 32x1: 4 requests, 8 sectors
// expect: float surface read 8x4: 4 requests, 8 sectors
// expect: float surface read 1x32: 4 requests, 16 sectors
// expect: float surface write 32x1: 4 requests, 8 sectors
// expect: float surface write 8x4: 4 requests, 8 sectors
// expect: float surface write 1x32: 4 requests, 16 sectors
// expect: byte array 32x1: 8 requests, 8 sectors
// expect: byte array 16x2: 8 requests, 8 sectors
// expect: byte array 8x4: 8 requests, 8 sectors
// expect: byte array 4x8: 8 requests, 8 sectors
// expect: byte array 2x16: 8 requests, 8 sectors
// expect: byte array 1x32: 8 requests, 16 sectors
// expect: byte pitch 32x1: 8 requests, 8 sectors
// expect: byte pitch 8x4: 8 requests, 8 sectors
// expect: byte pitch 1x32: 8 requests, 32 sectors
// expect: byte linear step 1: 4 requests, 4 sectors
// expect: byte linear step 2: 4 requests, 4 sectors
// expect: byte linear step 8: 4 requests, 8 sectors
// expect: byte surface read 32x1: 4 requests, 4 sectors
// expect: byte surface read 8x4: 4 requests, 4 sectors
// expect: byte surface read 1x32: 4 requests, 16 sectors
// expect: byte surface write 32x1: 4 requests, 4 sectors
// expect: byte surface write 8x4: 4 requests, 4 sectors
// expect: byte surface write 1x32: 4 requests, 16 sectors
// expect: float4 array 32x1: 8 requests, 32 sectors
// expect: float4 array 16x2: 8 requests, 32 sectors
// expect: float4 array 8x4: 8 requests, 32 sectors
// expect: float4 array 4x8: 8 requests, 32 sectors
// expect: float4 array 2x16: 8 requests, 16 sectors
// expect: float4 array 1x32: 8 requests, 16 sectors
// expect: float4 pitch 32x1: 8 requests, 16 sectors
// expect: float4 pitch 8x4: 8 requests, 16 sectors
// expect: float4 pitch 1x32: 8 requests, 32 sectors
// expect: float4 linear step 1: 8 requests, 16 sectors
// expect: float4 linear step 2: 8 requests, 32 sectors
// expect: float4 linear step 8: 8 requests, 32 sectors
// expect: float4 surface read 32x1: 4 requests, 32 sectors
// expect: float4 surface read 8x4: 4 requests, 32 sectors
// expect: float4 surface read 1x32: 4 requests, 16 sectors
// expect: float4 surface write 32x1: 4 requests, 32 sectors
// expect: float4 surface write 8x4: 4 requests, 32 sectors
// expect: float4 surface write 1x32: 4 requests, 16 sectors
// expect: float2 array 32x1: 8 requests, 16 sectors
// expect: float2 array 16x2: 8 requests, 16 sectors
// expect: float2 array 8x4: 8 requests, 16 sectors
// expect: float2 array 4x8: 8 requests, 16 sectors
// expect: float2 array 2x16: 8 requests, 8 sectors
// expect: float2 array 1x32: 8 requests, 16 sectors
// expect: float2 pitch 32x1: 8 requests, 8 sectors
// expect: float2 pitch 8x4: 8 requests, 8 sectors
// expect: float2 pitch 1x32: 8 requests, 32 sectors
// expect: float2 linear step 1: 4 requests, 8 sectors
// expect: float2 linear step 2: 4 requests, 16 sectors
// expect: float2 linear step 8: 4 requests, 32 sectors
// expect: float2 surface read 32x1: 4 requests, 16 sectors
// expect: float2 surface read 8x4: 4 requests, 16 sectors
// expect: float2 surface read 1x32: 4 requests, 16 sectors
// expect: float2 surface write 32x1: 4 requests, 16 sectors
// expect: float2 surface write 8x4: 4 requests, 16 sectors
// expect: float2 surface write 1x32: 4 requests, 16 sectors
// expect: float linear filter 32x1: 8 requests, 16 sectors
// expect: float linear filter 8x4: 8 requests, 24 sectors
// expect: float linear filter 1x32: 8 requests, 24 sectors
#include "texture_counters.h"

constexpr int kSide = 128;

template <class T>
__device__ float number(T texel) {
    return static_cast<float>(*reinterpret_cast<const char*>(&texel));
}
template <class T>
__global__ void fetch(float* out, cudaTextureObject_t t, int width, float off) {
    const int x = threadIdx.x % width, y = threadIdx.x / width;
    out[threadIdx.x] = number(tex2D<T>(t, x + off, y + off));
}
template <class T>
__global__ void fetch_linear(float* out, cudaTextureObject_t t, int step) {
    out[threadIdx.x] = number(tex1Dfetch<T>(t, threadIdx.x * step));
}
template <class T>
__global__ void read(float* out, cudaSurfaceObject_t s, int width) {
    const int x = threadIdx.x % width, y = threadIdx.x / width;
    out[threadIdx.x] = number(surf2Dread<T>(s, x * static_cast<int>(sizeof(T)), y));
}
template <class T>
__global__ void write(cudaSurfaceObject_t s, int width) {
    const int x = threadIdx.x % width, y = threadIdx.x / width;
    surf2Dwrite<T>(T(), s, x * static_cast<int>(sizeof(T)), y);
}

static float* out;

/// Returns an array of kSide x kSide zero texels.
template <class T>
static cudaResourceDesc new_array() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    MUST(cudaMallocArray(&resource.res.array.array, &format, kSide, kSide,
                         cudaArraySurfaceLoadStore));
    const std::vector<T> texels(kSide * kSide);
    constexpr size_t row = kSide * sizeof(T);
    MUST(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, texels.data(), row, row, kSide,
                             cudaMemcpyHostToDevice));
    return resource;
}

static std::string spread(int width) {
    return std::to_string(width) + "x" + std::to_string(32 / width);
}

template <class T>
static void of_type(const std::string& name) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const cudaResourceDesc array = new_array<T>();
    const cudaTextureObject_t of_array = texture_of(array, cudaFilterModePoint);
    for (const int width : {32, 16, 8, 4, 2, 1})
        show(name + " array " + spread(width), "texture",
             [=] { fetch<T><<<1, 32>>>(out, of_array, width, 0.5f); });

    T* memory;
    size_t pitch;
    MUST(cudaMallocPitch(&memory, &pitch, kSide * sizeof(T), kSide));
    MUST(cudaMemset(memory, 0, pitch * kSide));
    cudaResourceDesc pitched = {};
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D = {memory, format, kSide, kSide, pitch};
    const cudaTextureObject_t of_pitched = texture_of(pitched, cudaFilterModePoint);
    for (const int width : {32, 8, 1})
        show(name + " pitch " + spread(width), "texture",
             [=] { fetch<T><<<1, 32>>>(out, of_pitched, width, 0.5f); });

    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {memory, format, kSide * kSide * sizeof(T)};
    const cudaTextureObject_t of_linear = texture_of(linear, cudaFilterModePoint);
    for (const int step : {1, 2, 8})
        show(name + " linear step " + std::to_string(step), "texture",
             [=] { fetch_linear<T><<<1, 32>>>(out, of_linear, step); });

    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &array));
    for (const int width : {32, 8, 1})
        show(name + " surface read " + spread(width), "surface_load",
             [=] { read<T><<<1, 32>>>(out, surface, width); });
    for (const int width : {32, 8, 1})
        show(name + " surface write " + spread(width), "surface_store",
             [=] { write<T><<<1, 32>>>(surface, width); });
}

int main() {
    MUST(cudaMalloc(&out, 32 * sizeof(float)));
    of_type<float>("float");
    of_type<unsigned char>("byte");
    of_type<float4>("float4");
    of_type<float2>("float2");
    const cudaTextureObject_t filtered = texture_of(new_array<float>(), cudaFilterModeLinear);
    for (const int width : {32, 8, 1})
        show("float linear filter " + spread(width), "texture",
             [=] { fetch<float><<<1, 32>>>(out, filtered, width, 0.75f); });
}
