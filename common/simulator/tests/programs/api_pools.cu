// Tests stream-ordered allocation and memory pools.
// expect: allocated, used, freed in a stream: 5
// expect: freeing twice: cudaErrorInvalidValue
// expect: freeing nothing: cudaSuccess
// expect: cudaFree takes it as well: cudaSuccess
// expect: the threshold is remembered: 1048576
// expect: bytes in use are counted: yes
// expect: ... and no longer after freeing: yes
// expect: a pool of the program's own: 6
// expect: making it the device's: yes
// expect: destroying it: cudaSuccess
// expect: trimming: cudaSuccess
// expect: an unknown attribute: cudaErrorInvalidValue
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaFreeAsync
#include "api_check.h"

__global__ void write(int* out, int value) {
    *out = value;
}

static int written(int* out, int value, cudaStream_t stream) {
    int host = -1;
    write<<<1, 1, 0, stream>>>(out, value);
    need(cudaMemcpyAsync(&host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    need(cudaStreamSynchronize(stream));
    return host;
}

int main() {
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    int* out;
    need(cudaMallocAsync(&out, sizeof(int), stream));
    std::printf("allocated, used, freed in a stream: %d\n", written(out, 5, stream));
    need(cudaFreeAsync(out, stream));
    result("freeing twice", cudaFreeAsync(out, stream));
    result("freeing nothing", cudaFreeAsync(nullptr, stream));
    need(cudaMallocAsync(&out, sizeof(int), stream));
    need(cudaStreamSynchronize(stream));
    result("cudaFree takes it as well", cudaFree(out));

    cudaMemPool_t pool, own, current;
    unsigned long long value = 1 << 20;
    need(cudaDeviceGetDefaultMemPool(&pool, 0));
    need(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    value = 0;
    need(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    std::printf("the threshold is remembered: %llu\n", value);
    unsigned long long before = 0;
    need(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before));
    need(cudaMallocAsync(&out, 1000, stream));
    need(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    fact("bytes in use are counted", value >= before + 1000);
    need(cudaFreeAsync(out, stream));
    need(cudaStreamSynchronize(stream));
    need(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    fact("... and no longer after freeing", value == before);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    need(cudaMemPoolCreate(&own, &properties));
    need(cudaMallocFromPoolAsync(&out, sizeof(int), own, stream));
    std::printf("a pool of the program's own: %d\n", written(out, 6, stream));
    need(cudaFreeAsync(out, stream));
    need(cudaStreamSynchronize(stream));
    need(cudaDeviceSetMemPool(0, own));
    need(cudaDeviceGetMemPool(&current, 0));
    fact("making it the device's", current == own);
    need(cudaDeviceSetMemPool(0, pool));
    result("destroying it", cudaMemPoolDestroy(own));
    result("trimming", cudaMemPoolTrimTo(pool, 0));
    result("an unknown attribute",
           cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(77), &value));
    need(cudaStreamDestroy(stream));
}
