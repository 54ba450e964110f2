// Tests counters like texture_counters.cu, but for shapes other than 2D, for gathers, and for warps
// in which only some lanes fetch. Nsight Compute measured the same counts on an H100.
// simulator only
// expect: 1D step 1: 8 requests, 8 sectors
// expect: 1D step 2: 8 requests, 16 sectors
// expect: 1D step 4: 8 requests, 32 sectors
// expect: 1D step 8: 8 requests, 32 sectors
// expect: 1D linear filter: 8 requests, 8 sectors
// expect: 1D layered row: 8 requests, 8 sectors
// expect: 1D layered, lanes' layers: 8 requests, 32 sectors
// expect: 2D layered row: 8 requests, 8 sectors
// expect: 2D layered column: 8 requests, 16 sectors
// expect: 2D layered, lanes' layers: 8 requests, 32 sectors
// expect: 3D 32x1x1: 8 requests, 8 sectors
// expect: 3D 1x32x1: 8 requests, 16 sectors
// expect: 3D 1x1x32: 8 requests, 32 sectors
// expect: 3D 4x4x2: 8 requests, 8 sectors
// expect: 3D 2x2x8: 8 requests, 8 sectors
// expect: 3D 1x2x16: 8 requests, 16 sectors
// expect: 3D 2x1x16: 8 requests, 16 sectors
// expect: 3D 1x4x8: 8 requests, 16 sectors
// expect: 2D mask 1: 1 requests, 1 sectors
// expect: 2D mask f: 1 requests, 1 sectors
// expect: 2D mask 11111111: 8 requests, 8 sectors
// expect: 2D mask ffff: 4 requests, 4 sectors
// expect: 2D mask 80000001: 2 requests, 2 sectors
// expect: 2D mask 11: 2 requests, 2 sectors
// expect: 2D all the same: 8 requests, 8 sectors
// expect: linear mask 1: 1 requests, 1 sectors
// expect: linear mask f: 1 requests, 1 sectors
// expect: linear mask ff: 1 requests, 1 sectors
// expect: linear mask 11111111: 4 requests, 4 sectors
// expect: linear mask 80000001: 2 requests, 2 sectors
// expect: gather 32x1: 8 requests, 16 sectors
// expect: gather 8x4: 8 requests, 24 sectors
// expect: gather 1x32: 8 requests, 24 sectors
// expect: cube 8x4: 8 requests, 32 sectors
// expect: 2DLod row: 4 requests, 8 sectors
// expect: surface 1D row: 4 requests, 8 sectors
// expect: surface 3D 32x1x1: 8 requests, 8 sectors
// expect: surface 3D 1x32x1: 8 requests, 16 sectors
// expect: surface 3D 1x1x32: 8 requests, 32 sectors
// expect: surface 3D 4x4x2: 8 requests, 8 sectors
// expect: surface 3D 2x2x8: 8 requests, 8 sectors
// expect: surface 3D 1x2x16: 8 requests, 16 sectors
// expect: surface 3D 2x1x16: 8 requests, 16 sectors
// expect: surface 3D 1x4x8: 8 requests, 16 sectors
// expect: surface 2D mask 1: 1 requests, 1 sectors
// expect: surface 2D mask f: 1 requests, 1 sectors
// expect: surface 2D mask ff: 1 requests, 2 sectors
// expect: surface 2D mask 11111111: 4 requests, 8 sectors
#include "texture_counters.h"

__global__ void row(float* out, cudaTextureObject_t t, int step) {
    out[threadIdx.x] = tex1D<float>(t, threadIdx.x * step + 0.5f);
}
__global__ void row_of_layers(float* out, cudaTextureObject_t t, int step, int layer_step) {
    out[threadIdx.x] =
        tex1DLayered<float>(t, threadIdx.x * step + 0.5f, threadIdx.x * layer_step % 4);
}
__global__ void layers(float* out, cudaTextureObject_t t, int width, int layer_step) {
    const int x = threadIdx.x % width, y = threadIdx.x / width;
    out[threadIdx.x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, threadIdx.x * layer_step % 4);
}
__global__ void volume(float* out, cudaTextureObject_t t, int width, int height) {
    const int x = threadIdx.x % width, y = threadIdx.x / width % height,
              z = threadIdx.x / (width * height);
    out[threadIdx.x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}
__global__ void some_lanes(float* out, cudaTextureObject_t t, unsigned mask) {
    if (mask >> threadIdx.x & 1) out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void one_texel(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2D<float>(t, 0.5f, 0.5f);
}
__global__ void some_lanes_linear(float* out, cudaTextureObject_t t, unsigned mask) {
    if (mask >> threadIdx.x & 1) out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
__global__ void gather(float* out, cudaTextureObject_t t, int width) {
    const int x = threadIdx.x % width, y = threadIdx.x / width;
    out[threadIdx.x] = tex2Dgather<float4>(t, x + 0.5f, y + 0.5f, 0).x;
}
/// Fetches every other texel of a cube face.
__global__ void cube(float* out, cudaTextureObject_t t) {
    const int y = threadIdx.x % 8, z = threadIdx.x / 8;
    out[threadIdx.x] = texCubemap<float>(t, 1.0f, (y - 3.5f) / 16, (z - 1.5f) / 16);
}
__global__ void level(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2DLod<float>(t, threadIdx.x + 0.5f, 0.5f, 0.0f);
}
__global__ void read_row(float* out, cudaSurfaceObject_t s) {
    out[threadIdx.x] = surf1Dread<float>(s, threadIdx.x * 4);
}
__global__ void read_volume(float* out, cudaSurfaceObject_t s, int width, int height) {
    const int x = threadIdx.x % width, y = threadIdx.x / width % height,
              z = threadIdx.x / (width * height);
    out[threadIdx.x] = surf3Dread<float>(s, x * 4, y, z);
}
__global__ void read_some(float* out, cudaSurfaceObject_t s, unsigned mask) {
    if (mask >> threadIdx.x & 1) out[threadIdx.x] = surf2Dread<float>(s, threadIdx.x * 4, 0);
}

static float* out;

/// Returns an array of zero floats.
static cudaResourceDesc new_array(size_t width, size_t height, size_t depth, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    MUST(cudaMalloc3DArray(&resource.res.array.array, &format,
                           make_cudaExtent(width, height, depth),
                           flags | cudaArraySurfaceLoadStore));
    const size_t rows = height ? height : 1, slices = depth ? depth : 1;
    std::vector<float> texels(width * rows * slices);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), width * sizeof(float), width, rows);
    copy.dstArray = resource.res.array.array;
    copy.extent = make_cudaExtent(width, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    return resource;
}

static cudaSurfaceObject_t surface_of(const cudaResourceDesc& resource) {
    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static std::string hexadecimal(unsigned mask) {
    char text[16];
    std::snprintf(text, sizeof text, "%x", mask);
    return text;
}

constexpr int kSpreads[][2] = {{32, 1}, {1, 32}, {1, 1}, {4, 4}, {2, 2}, {1, 2}, {2, 1}, {1, 4}};

/// Returns the shape of the texels that a warp fetches, such as "3D 4x4x2".
static std::string spread(const int (&size)[2]) {
    return "3D " + std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
           std::to_string(32 / (size[0] * size[1]));
}

static void rows_and_layers(const cudaResourceDesc& row_array) {
    const cudaTextureObject_t t = texture_of(row_array, cudaFilterModePoint);
    for (const int step : {1, 2, 4, 8})
        show("1D step " + std::to_string(step), "texture", [=] { row<<<1, 32>>>(out, t, step); });
    const cudaTextureObject_t filtered = texture_of(row_array, cudaFilterModeLinear);
    show("1D linear filter", "texture", [=] { row<<<1, 32>>>(out, filtered, 1); });
    const cudaTextureObject_t of_rows =
        texture_of(new_array(256, 0, 4, cudaArrayLayered), cudaFilterModePoint);
    show("1D layered row", "texture", [=] { row_of_layers<<<1, 32>>>(out, of_rows, 1, 0); });
    show("1D layered, lanes' layers", "texture",
         [=] { row_of_layers<<<1, 32>>>(out, of_rows, 0, 1); });
    const cudaTextureObject_t of_squares =
        texture_of(new_array(64, 64, 4, cudaArrayLayered), cudaFilterModePoint);
    show("2D layered row", "texture", [=] { layers<<<1, 32>>>(out, of_squares, 32, 0); });
    show("2D layered column", "texture", [=] { layers<<<1, 32>>>(out, of_squares, 1, 0); });
    show("2D layered, lanes' layers", "texture",
         [=] { layers<<<1, 32>>>(out, of_squares, 32, 1); });
}

static void volumes(const cudaResourceDesc& volume_array) {
    const cudaTextureObject_t t = texture_of(volume_array, cudaFilterModePoint);
    for (const auto& size : kSpreads)
        show(spread(size), "texture", [=] { volume<<<1, 32>>>(out, t, size[0], size[1]); });
}

static void lanes(const cudaResourceDesc& square) {
    const cudaTextureObject_t t = texture_of(square, cudaFilterModePoint);
    for (const unsigned mask : {1u, 0xfu, 0x11111111u, 0xffffu, 0x80000001u, 0x11u})
        show("2D mask " + hexadecimal(mask), "texture",
             [=] { some_lanes<<<1, 32>>>(out, t, mask); });
    show("2D all the same", "texture", [=] { one_texel<<<1, 32>>>(out, t); });
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    const size_t bytes = 65536;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = bytes;
    MUST(cudaMalloc(&linear.res.linear.devPtr, bytes));
    MUST(cudaMemset(linear.res.linear.devPtr, 0, bytes));
    const cudaTextureObject_t of_linear = texture_of(linear, cudaFilterModePoint);
    for (const unsigned mask : {1u, 0xfu, 0xffu, 0x11111111u, 0x80000001u})
        show("linear mask " + hexadecimal(mask), "texture",
             [=] { some_lanes_linear<<<1, 32>>>(out, of_linear, mask); });
}

static void other_fetches(const cudaResourceDesc& square) {
    const cudaTextureObject_t t = texture_of(square, cudaFilterModePoint);
    for (const int width : {32, 8, 1})
        show("gather " + std::to_string(width) + "x" + std::to_string(32 / width), "texture",
             [=] { gather<<<1, 32>>>(out, t, width); });
    const cudaTextureObject_t of_cube =
        texture_of(new_array(64, 64, 6, cudaArrayCubemap), cudaFilterModePoint);
    show("cube 8x4", "texture", [=] { cube<<<1, 32>>>(out, of_cube); });
    show("2DLod row", "texture", [=] { level<<<1, 32>>>(out, t); });
}

int main() {
    MUST(cudaMalloc(&out, 32 * sizeof(float)));
    const cudaResourceDesc row_array = new_array(256, 0, 0), volume_array = new_array(64, 64, 64),
                           square = new_array(64, 64, 0, cudaArrayTextureGather);
    rows_and_layers(row_array);
    volumes(volume_array);
    lanes(square);
    other_fetches(square);
    const cudaSurfaceObject_t of_row = surface_of(row_array), of_volume = surface_of(volume_array),
                              of_square = surface_of(square);
    show("surface 1D row", "surface_load", [=] { read_row<<<1, 32>>>(out, of_row); });
    for (const auto& size : kSpreads)
        show("surface " + spread(size), "surface_load",
             [=] { read_volume<<<1, 32>>>(out, of_volume, size[0], size[1]); });
    for (const unsigned mask : {1u, 0xfu, 0xffu, 0x11111111u})
        show("surface 2D mask " + hexadecimal(mask), "surface_load",
             [=] { read_some<<<1, 32>>>(out, of_square, mask); });
}
