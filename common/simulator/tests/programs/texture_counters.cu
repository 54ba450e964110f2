// What is counted of textures and surfaces: a request per warp instruction, and the distinct sectors of 32 bytes of the
// texels that it takes, in rows that begin at multiples of 32 bytes. No GPU has confirmed these counts.
// simulator only
// expect: done
// expect-stderr: fetch_row: 1 launch
// expect-stderr:   textures                      1                4      4.0    4.0         100 %
// expect-stderr: fetch_column: 1 launch
// expect-stderr:   textures                      1               32     32.0    4.0          12 %
// expect-stderr: fetch_between: 1 launch
// expect-stderr:   textures                      1               10     10.0   10.0         100 %
// expect-stderr: turn: 1 launch
// expect-stderr:   surface loads                 1                4      4.0    4.0         100 %
// expect-stderr:   surface stores                1               32     32.0    4.0          12 %
#include "check.h"

constexpr int kSide = 64;

__global__ void fetch_row(float* out, cudaTextureObject_t t) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f); }
__global__ void fetch_column(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2D<float>(t, 0.5f, threadIdx.x + 0.5f);
}
// 33 texels of two rows: 5 sectors each.
__global__ void fetch_between(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.75f, 0.75f);
}
__global__ void turn(cudaSurfaceObject_t s) {
    surf2Dwrite(surf2Dread<float>(s, 4 * threadIdx.x, 0), s, 4, threadIdx.x + 1);
}

int main() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &format, kSide, kSide, cudaArraySurfaceLoadStore));
    const std::vector<float> texels(kSide * kSide, 1.0f);
    MUST(cudaMemcpy2DToArray(array, 0, 0, texels.data(), kSide * 4, kSide * 4, kSide, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t points, linear;
    MUST(cudaCreateTextureObject(&points, &resource, &how, nullptr));
    how.filterMode = cudaFilterModeLinear;
    MUST(cudaCreateTextureObject(&linear, &resource, &how, nullptr));
    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &resource));
    const DeviceArray<float> out(32);
    fetch_row<<<1, 32>>>(out, points);
    fetch_column<<<1, 32>>>(out, points);
    fetch_between<<<1, 32>>>(out, linear);
    turn<<<1, 32>>>(surface);
    MUST(cudaDeviceSynchronize());
    std::printf("done\n");
}
