// Tests surface loads, stores and reductions: geometries, widths, formats, out-of-range accesses.
// expect: 1D, each width: ok
// expect: 2D there and back: ok
// expect: 3D: ok
// expect: layers of 1D: ok
// expect: layers of 2D: ok
// expect: cubemap: ok
// expect: layers of cubemaps: ok
// expect: out of range, zero: ok
// expect: out of range, clamp: ok
// expect: formatted stores: ok
// expect: reductions: ok
// expect: a texture of what a surface wrote: ok
// expect: questions: ok
#include "check.h"

template <class T>
cudaArray_t array_for(size_t width, size_t height, size_t depth, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    MUST(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags | cudaArraySurfaceLoadStore));
    return array;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

/// Returns all texels of an array, in order.
template <class T>
std::vector<T> read(cudaArray_t array, size_t width, size_t height, size_t depth) {
    std::vector<T> texels(width * height * depth);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(texels.data(), width * sizeof(T), width, height);
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&copy));
    return texels;
}

constexpr int kSide = 8;

template <class T>
__global__ void copy_row(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
    const int x = threadIdx.x * static_cast<int>(sizeof(T));
    surf1Dwrite(surf1Dread<T>(from, x), to, x);
}

template <class T>
bool row_comes_back() {
    std::vector<T> texels(32);
    for (size_t k = 0; k < texels.size() * sizeof(T); ++k)
        reinterpret_cast<unsigned char*>(texels.data())[k] = static_cast<unsigned char>(k * 37 + 11);
    const cudaArray_t from = array_for<T>(32, 0, 0), to = array_for<T>(32, 0, 0);
    MUST(cudaMemcpy2DToArray(from, 0, 0, texels.data(), 32 * sizeof(T), 32 * sizeof(T), 1, cudaMemcpyHostToDevice));
    copy_row<T><<<1, 32>>>(surface_of(to), surface_of(from));
    const auto got = read<T>(to, 32, 1, 1);
    MUST(cudaFreeArray(from));
    MUST(cudaFreeArray(to));
    return std::equal(reinterpret_cast<const char*>(got.data()), reinterpret_cast<const char*>(got.data() + 32),
                      reinterpret_cast<const char*>(texels.data()));
}

__global__ void turn(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
    const int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(surf2Dread<float>(from, 4 * x, y), to, 4 * y, x);
}

__global__ void number_3d(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite(100 * z + 10 * y + x, s, 4 * x, y, z);
    const int back = surf3Dread<int>(s, 4 * x, y, z);
    surf3Dwrite(back + 1, s, 4 * x, y, z);
}

__global__ void number_layers_1d(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, layer = threadIdx.z;
    surf1DLayeredwrite(100 * layer + x, s, 4 * x, layer);
    surf1DLayeredwrite(surf1DLayeredread<int>(s, 4 * x, layer) + 1, s, 4 * x, layer);
}

__global__ void number_layers_2d(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y, layer = threadIdx.z;
    surf2DLayeredwrite(100 * layer + 10 * y + x, s, 4 * x, y, layer);
    surf2DLayeredwrite(surf2DLayeredread<int>(s, 4 * x, y, layer) + 1, s, 4 * x, y, layer);
}

__global__ void number_cube(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y, face = threadIdx.z;
    surfCubemapwrite(100 * face + 10 * y + x, s, 4 * x, y, face);
    surfCubemapwrite(surfCubemapread<int>(s, 4 * x, y, face) + 1, s, 4 * x, y, face);
}

__global__ void number_cubes(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y, face = threadIdx.z;
    surfCubemapLayeredwrite(100 * face + 10 * y + x, s, 4 * x, y, face);
    surfCubemapLayeredwrite(surfCubemapLayeredread<int>(s, 4 * x, y, face) + 1, s, 4 * x, y, face);
}

void numbers(const char* name, void (*kernel)(cudaSurfaceObject_t), cudaArray_t array, int height, int depth) {
    kernel<<<1, dim3(kSide, height, depth)>>>(surface_of(array));
    MUST(cudaGetLastError());
    expect_equal(name, read<int>(array, kSide, height, depth), for_threads<int>(kSide * height * depth, [&](int i) {
                     return 100 * (i / kSide / height) + 10 * (i / kSide % height) + i % kSide + 1;
                 }));
    MUST(cudaFreeArray(array));
}

// ---- out of range ----

__global__ void beyond(cudaSurfaceObject_t s, int* out, bool zero) {
    const int x = static_cast<int>(threadIdx.x) - 4, y = static_cast<int>(threadIdx.y) - 4;
    int& mine = out[threadIdx.y * blockDim.x + threadIdx.x];
    mine = zero ? surf2Dread<int>(s, 4 * x, y, cudaBoundaryModeZero) : surf2Dread<int>(s, 4 * x, y, cudaBoundaryModeClamp);
    // With cudaBoundaryModeZero, an out-of-range store must have no effect.
    if (zero && (x < 0 || y < 0 || x >= kSide || y >= kSide)) surf2Dwrite(-1, s, 4 * x, y, cudaBoundaryModeZero);
}

void out_of_range() {
    const cudaArray_t array = array_for<int>(kSide, kSide, 0);
    const std::vector<int> texels = for_threads<int>(kSide * kSide, [](int i) { return i + 1; });
    MUST(cudaMemcpy2DToArray(array, 0, 0, texels.data(), kSide * 4, kSide * 4, kSide, cudaMemcpyHostToDevice));
    const auto s = surface_of(array);
    for (const bool zero : {true, false}) {
        const DeviceArray<int> out(256);
        beyond<<<1, dim3(16, 16)>>>(s, out, zero);
        expect_equal(zero ? "out of range, zero" : "out of range, clamp", out.read(), for_threads<int>(256, [&](int i) {
                         const int x = i % 16 - 4, y = i / 16 - 4;
                         const auto nearest = [](int at) { return at < 0 ? 0 : at >= kSide ? kSide - 1 : at; };
                         if (zero && (x != nearest(x) || y != nearest(y))) return 0;
                         return texels[nearest(y) * kSide + nearest(x)];
                     }));
    }
    if (read<int>(array, kSide, kSide, 1) != texels) std::printf("something was stored out of range\n");
    MUST(cudaFreeArray(array));
}

// ---- formatted stores, reductions ----

__global__ void store_formatted(cudaSurfaceObject_t halves, cudaSurfaceObject_t bytes) {
    const int x = threadIdx.x;
    asm volatile("sust.p.1d.b32.trap [%0, {%1}], {%2};" ::"l"(halves), "r"(x), "f"(0.5f * x));
    asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%1, %2, %2, %1};" ::"l"(bytes), "r"(x), "r"(x + 1));
}

void formatted() {
    const cudaChannelFormatDesc half = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t halves;
    MUST(cudaMallocArray(&halves, &half, 4, 0, cudaArraySurfaceLoadStore));
    const cudaArray_t bytes = array_for<uchar4>(4, 0, 0);
    store_formatted<<<1, 4>>>(surface_of(halves), surface_of(bytes));
    const auto first = read<unsigned short>(halves, 4, 1, 1);
    const auto second = read<uchar4>(bytes, 4, 1, 1);
    const bool good = first == std::vector<unsigned short>{0, 0x3800, 0x3c00, 0x3e00} && second[3].x == 3 &&
                      second[3].y == 4 && second[3].z == 4 && second[3].w == 3;
    std::printf("formatted stores: %s\n", good ? "ok" : "wrong");
}

__global__ void reduce(cudaSurfaceObject_t s) {
    const int i = threadIdx.x;
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(0), "r"(i));
    asm volatile("sured.b.min.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(i - 40));
    asm volatile("sured.b.max.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(8), "r"(i - 40));
    asm volatile("sured.b.or.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(12), "r"(1 << (i & 31)));
    asm volatile("sured.p.and.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(~(1 << (i & 15))));
}

void reductions() {
    const cudaArray_t array = array_for<int>(5, 0, 0);
    const std::vector<int> start = {1, 100, -100, 0, -1};
    MUST(cudaMemcpy2DToArray(array, 0, 0, start.data(), 20, 20, 1, cudaMemcpyHostToDevice));
    reduce<<<2, 64>>>(surface_of(array));
    expect_equal("reductions", read<int>(array, 5, 1, 1), std::vector<int>{1 + 2 * 63 * 32, -40, 23, -1, ~0xffff});
    MUST(cudaFreeArray(array));
}

// ---- with textures ----

__global__ void fill_it(cudaSurfaceObject_t s) {
    surf2Dwrite(static_cast<float>(10 * threadIdx.y + threadIdx.x), s, 4 * threadIdx.x, threadIdx.y);
}
__global__ void fetch_it(float* out, cudaTextureObject_t t) {
    out[threadIdx.y * kSide + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

void with_texture() {
    const cudaArray_t array = array_for<float>(kSide, kSide, 0);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    fill_it<<<1, dim3(kSide, kSide)>>>(surface_of(array));
    const DeviceArray<float> out(kSide * kSide);
    fetch_it<<<1, dim3(kSide, kSide)>>>(out, t);
    expect_equal("a texture of what a surface wrote", out.read(),
                 for_threads<float>(kSide * kSide, [](int i) { return 10.0f * (i / kSide) + i % kSide; }));
}

__global__ void ask(unsigned* out, cudaTextureObject_t t, cudaSurfaceObject_t s) {
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
    asm("suq.width.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
    asm("suq.height.b32 %0, [%1];" : "=r"(out[4]) : "l"(s));
    asm("suq.depth.b32 %0, [%1];" : "=r"(out[5]) : "l"(s));
}

void questions() {
    const cudaArray_t array = array_for<uchar4>(5, 3, 0);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    const DeviceArray<unsigned> out(6);
    ask<<<1, 1>>>(out, t, surface_of(array));
    expect_equal("questions", out.read(), std::vector<unsigned>{5, 3, 0, 5, 3, 0});
}

int main() {
    const bool all = row_comes_back<unsigned char>() && row_comes_back<short>() && row_comes_back<int>() &&
                     row_comes_back<float2>() && row_comes_back<float4>() && row_comes_back<short4>() &&
                     row_comes_back<uchar2>();
    std::printf("1D, each width: %s\n", all ? "ok" : "some differ");

    const cudaArray_t from = array_for<float>(16, 16, 0), to = array_for<float>(16, 16, 0);
    const auto texels = for_threads<float>(256, [](int i) { return static_cast<float>(i); });
    MUST(cudaMemcpy2DToArray(from, 0, 0, texels.data(), 64, 64, 16, cudaMemcpyHostToDevice));
    turn<<<1, dim3(16, 16)>>>(surface_of(to), surface_of(from));
    expect_equal("2D there and back", read<float>(to, 16, 16, 1),
                 for_threads<float>(256, [](int i) { return static_cast<float>(i % 16 * 16 + i / 16); }));

    numbers("3D", number_3d, array_for<int>(kSide, 4, 3), 4, 3);
    numbers("layers of 1D", number_layers_1d, array_for<int>(kSide, 0, 5, cudaArrayLayered), 1, 5);
    numbers("layers of 2D", number_layers_2d, array_for<int>(kSide, 4, 5, cudaArrayLayered), 4, 5);
    numbers("cubemap", number_cube, array_for<int>(kSide, kSide, 6, cudaArrayCubemap), kSide, 6);
    numbers("layers of cubemaps", number_cubes, array_for<int>(kSide, kSide, 12, cudaArrayCubemap | cudaArrayLayered),
            kSide, 12);
    out_of_range();
    formatted();
    reductions();
    with_texture();
    questions();
}
