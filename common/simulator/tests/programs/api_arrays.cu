// Tests the runtime's CUDA arrays, texture objects and surface objects.
// expect: an array: cudaSuccess
// expect: its format, extent and flags: yes
// expect: a format of 3 channels: cudaErrorInvalidChannelDescriptor
// expect: no width: cudaErrorInvalidValue
// expect: a cubemap that is none: cudaErrorInvalidValue
// expect: there and back: yes
// expect: a part, asynchronously: yes
// expect: from array to array: yes
// expect: a row too many: cudaErrorInvalidValue
// expect: a 3D box into a 3D array: yes
// expect: a captured copy: yes
// expect: a texture: cudaSuccess
// expect: its descriptions: yes
// expect: numbers of 32 bits, normalised: cudaErrorInvalidNormSetting
// expect: integers, filtered: cudaErrorInvalidFilterSetting
// expect: a surface: cudaSuccess
// expect: a surface destroyed: cudaSuccess
// expect: a texture destroyed: cudaSuccess
// expect: levels: yes
// expect: a level that there is not: cudaErrorInvalidValue
// expect: memory is taken and given back: yes
// expect-stderr: texels from (0, 1, 0) do not fit into an
#include <vector>

#include "api_check.h"

constexpr int kWidth = 16, kHeight = 12;

static std::vector<int> iota(int count) {
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) values[i] = i + 1;
    return values;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void allocations(cudaArray_t& array) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    result("an array", cudaMallocArray(&array, &format, kWidth, kHeight));
    cudaChannelFormatDesc told;
    cudaExtent extent;
    unsigned flags = 7;
    need(cudaArrayGetInfo(&told, &extent, &flags, array));
    fact("its format, extent and flags", told.x == 32 && told.y == 0 && told.f == cudaChannelFormatKindSigned &&
                                             extent.width == kWidth && extent.height == kHeight && extent.depth == 0 &&
                                             flags == 0);
    cudaArray_t none;
    const cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    result("a format of 3 channels", cudaMallocArray(&none, &three, kWidth, kHeight));
    result("no width", cudaMallocArray(&none, &format, 0, kHeight));
    result("a cubemap that is none", cudaMalloc3DArray(&none, &format, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
}

static void copies(cudaArray_t array) {
    const std::vector<int> texels = iota(kWidth * kHeight);
    std::vector<int> back(texels.size());
    const size_t row = kWidth * sizeof(int);
    need(cudaMemcpy2DToArray(array, 0, 0, texels.data(), row, row, kHeight, cudaMemcpyHostToDevice));
    need(cudaMemcpy2DFromArray(back.data(), row, array, 0, 0, row, kHeight, cudaMemcpyDeviceToHost));
    fact("there and back", back == texels);

    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    std::vector<int> part(4);
    need(cudaMemcpy2DFromArrayAsync(part.data(), 8, array, 3 * sizeof(int), 5, 8, 2, cudaMemcpyDeviceToHost, stream));
    need(cudaStreamSynchronize(stream));
    const int corner = 5 * kWidth + 3 + 1;
    fact("a part, asynchronously", part == std::vector<int>{corner, corner + 1, corner + kWidth, corner + kWidth + 1});

    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t other;
    need(cudaMallocArray(&other, &format, 2, 2));
    need(cudaMemcpy2DArrayToArray(other, 0, 0, array, 3 * sizeof(int), 5, 8, 2));
    std::vector<int> again(4);
    need(cudaMemcpy2DFromArray(again.data(), 8, other, 0, 0, 8, 2, cudaMemcpyDeviceToHost));
    fact("from array to array", again == part);
    need(cudaFreeArray(other));
    result("a row too many", cudaMemcpy2DToArray(array, 0, 1, texels.data(), row, row, kHeight, cudaMemcpyHostToDevice));
    need(cudaStreamDestroy(stream));
}

static void boxes() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    need(cudaMalloc3DArray(&array, &format, make_cudaExtent(5, 4, 3)));
    std::vector<int> texels = iota(60), back(8);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), 20, 5, 4);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(5, 4, 3);
    copy.kind = cudaMemcpyHostToDevice;
    need(cudaMemcpy3D(&copy));
    copy = {};
    copy.srcArray = array;
    copy.srcPos = make_cudaPos(2, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(back.data(), 8, 2, 2);
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    need(cudaMemcpy3D(&copy));
    fact("a 3D box into a 3D array", back == std::vector<int>{28, 29, 33, 34, 48, 49, 53, 54});

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    std::vector<int> later(8);
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    copy.dstPtr.ptr = later.data();
    need(cudaMemcpy3DAsync(&copy, stream));
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphInstantiate(&executable, graph, 0));
    const bool not_yet = later[0] == 0;
    need(cudaGraphLaunch(executable, stream));
    need(cudaStreamSynchronize(stream));
    fact("a captured copy", not_yet && later == back);
    need(cudaFreeArray(array));
}

static void objects(cudaArray_t array) {
    cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc how = {};
    how.addressMode[0] = cudaAddressModeClamp;
    how.normalizedCoords = 1;
    cudaTextureObject_t texture;
    result("a texture", cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    cudaResourceDesc told_resource;
    cudaTextureDesc told;
    need(cudaGetTextureObjectResourceDesc(&told_resource, texture));
    need(cudaGetTextureObjectTextureDesc(&told, texture));
    fact("its descriptions", told_resource.res.array.array == array && told.normalizedCoords == 1 &&
                                 told.addressMode[0] == cudaAddressModeClamp);
    cudaTextureObject_t none;
    how.readMode = cudaReadModeNormalizedFloat;
    result("numbers of 32 bits, normalised", cudaCreateTextureObject(&none, &resource, &how, nullptr));
    how.readMode = cudaReadModeElementType;
    how.filterMode = cudaFilterModeLinear;
    result("integers, filtered", cudaCreateTextureObject(&none, &resource, &how, nullptr));

    cudaSurfaceObject_t surface;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t target;
    need(cudaMallocArray(&target, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    resource = resource_of(target);
    result("a surface", cudaCreateSurfaceObject(&surface, &resource));
    result("a surface destroyed", cudaDestroySurfaceObject(surface));
    result("a texture destroyed", cudaDestroyTextureObject(texture));
    need(cudaFreeArray(target));
}

static void levels() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t pyramid;
    need(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(16, 4, 0), 3));
    cudaArray_t level;
    cudaExtent extent;
    need(cudaGetMipmappedArrayLevel(&level, pyramid, 2));
    need(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    fact("levels", extent.width == 4 && extent.height == 1);
    result("a level that there is not", cudaGetMipmappedArrayLevel(&level, pyramid, 3));
    need(cudaFreeMipmappedArray(pyramid));
}

int main() {
    cudaArray_t array;
    allocations(array);
    copies(array);
    boxes();
    objects(array);
    levels();

    size_t before, during, after, total;
    need(cudaMemGetInfo(&before, &total));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    cudaArray_t large;
    need(cudaMallocArray(&large, &format, 1024, 1024));
    need(cudaMemGetInfo(&during, &total));
    need(cudaFreeArray(large));
    need(cudaMemGetInfo(&after, &total));
    fact("memory is taken and given back", during + (16 << 20) <= before && after == before);
    need(cudaFreeArray(array));
}
