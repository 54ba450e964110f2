// simulator only: misuses of arrays that an H200 accepts, and uses that are not supported.
// expect: half a texel: cudaErrorNotSupported
// expect: a surface without its flag: cudaErrorInvalidValue
// expect: a surface destroyed as a texture: cudaErrorInvalidValue
// expect: a surface destroyed twice: cudaErrorInvalidValue
// expect: a level freed alone: cudaErrorInvalidValue
// expect: an array freed twice: cudaErrorInvalidValue
// expect-stderr: a copy of part of a texel
// expect-stderr: The array was allocated without cudaArraySurfaceLoadStore
// expect-exit: 2
#include "api_check.h"

int main() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    const int texels[2] = {};
    cudaArray_t array, target;
    need(cudaMallocArray(&array, &format, 16, 12));
    result("half a texel",
           cudaMemcpy2DToArray(array, 2, 0, texels, 8, 4, 1, cudaMemcpyHostToDevice));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    result("a surface without its flag", cudaCreateSurfaceObject(&surface, &resource));
    need(cudaMallocArray(&target, &format, 16, 12, cudaArraySurfaceLoadStore));
    resource.res.array.array = target;
    need(cudaCreateSurfaceObject(&surface, &resource));
    result("a surface destroyed as a texture", cudaDestroyTextureObject(surface));
    need(cudaDestroySurfaceObject(surface));
    result("a surface destroyed twice", cudaDestroySurfaceObject(surface));

    cudaMipmappedArray_t pyramid;
    cudaArray_t level;
    need(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(16, 4, 0), 3));
    need(cudaGetMipmappedArrayLevel(&level, pyramid, 2));
    result("a level freed alone", cudaFreeArray(level));
    need(cudaFreeMipmappedArray(pyramid));

    need(cudaFreeArray(array));
    result("an array freed twice", cudaFreeArray(array));
    need(cudaFreeArray(target));
}
