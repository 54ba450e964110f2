// Tests memory that host and device share (pinned, registered, managed), and pointer attributes.
// expect: a kernel writes pinned memory: yes
// expect: pinned memory has the same address on the device: yes
// expect: freeing pinned memory with cudaFree: cudaErrorInvalidValue
// expect: unknown flags: cudaErrorInvalidValue
// expect: registering twice: cudaErrorHostMemoryAlreadyRegistered
// expect: a kernel writes registered memory: yes
// expect: unregistering: cudaSuccess
// expect: unregistering twice: cudaErrorHostMemoryNotRegistered
// expect: host and kernel take turns on managed memory: yes
// expect: prefetch: cudaSuccess
// expect: advice: cudaSuccess
// expect: prefetch of ordinary memory: cudaErrorInvalidValue
// expect: wrong attachment of managed memory: cudaErrorInvalidValue
// expect: device pointer: 2 yes no
// expect: pinned pointer: 1 yes yes
// expect: managed pointer: 3 yes yes
// expect: ordinary pointer: 0 no yes
// expect: flags of pinned memory say mapped: yes
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaFree
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaHostAlloc
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemPrefetchAsync
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMallocManaged
#include <vector>

#include "api_check.h"

__global__ void add_index(int* data, int count) {
    const int i = threadIdx.x;
    if (i < count) data[i] += i;
}

static bool are_indices(const int* data, int count, int offset) {
    for (int i = 0; i < count; ++i) {
        if (data[i] != offset + i) return false;
    }
    return true;
}

static void describe(const char* what, const void* pointer) {
    cudaPointerAttributes a;
    need(cudaPointerGetAttributes(&a, pointer));
    std::printf("%s: %d %s %s\n", what, a.type, a.devicePointer == pointer ? "yes" : "no",
                a.hostPointer == pointer ? "yes" : "no");
}

int main() {
    constexpr int kCount = 100;
    constexpr size_t kBytes = kCount * sizeof(int);

    int* pinned;
    need(cudaMallocHost(&pinned, kBytes));
    for (int i = 0; i < kCount; ++i) pinned[i] = 10;
    add_index<<<1, 128>>>(pinned, kCount);
    need(cudaDeviceSynchronize());
    fact("a kernel writes pinned memory", are_indices(pinned, kCount, 10));
    void* seen;
    need(cudaHostGetDevicePointer(&seen, pinned, 0));
    fact("pinned memory has the same address on the device", seen == pinned);
    result("freeing pinned memory with cudaFree", cudaFree(pinned));
    void* other;
    result("unknown flags", cudaHostAlloc(&other, 16, 64));

    std::vector<int> ordinary(kCount, 20);
    need(cudaHostRegister(ordinary.data(), kBytes, cudaHostRegisterDefault));
    result("registering twice", cudaHostRegister(ordinary.data(), kBytes, cudaHostRegisterDefault));
    int* mapped;
    need(cudaHostGetDevicePointer(&mapped, ordinary.data(), 0));
    add_index<<<1, 128>>>(mapped, kCount);
    need(cudaDeviceSynchronize());
    fact("a kernel writes registered memory", are_indices(ordinary.data(), kCount, 20));
    result("unregistering", cudaHostUnregister(ordinary.data()));
    result("unregistering twice", cudaHostUnregister(ordinary.data()));

    int* managed;
    need(cudaMallocManaged(&managed, kBytes));
    for (int i = 0; i < kCount; ++i) managed[i] = 30;
    add_index<<<1, 128>>>(managed, kCount);
    need(cudaDeviceSynchronize());
    bool turns = are_indices(managed, kCount, 30);
    for (int i = 0; i < kCount; ++i) managed[i] = 40;
    add_index<<<1, 128>>>(managed, kCount);
    need(cudaDeviceSynchronize());
    turns = turns && are_indices(managed, kCount, 40);
    fact("host and kernel take turns on managed memory", turns);
    cudaMemLocation here = {};
    here.type = cudaMemLocationTypeDevice;
    result("prefetch", cudaMemPrefetchAsync(managed, kBytes, here, 0));
    result("advice", cudaMemAdvise(managed, kBytes, cudaMemAdviseSetPreferredLocation, here));
    result("prefetch of ordinary memory", cudaMemPrefetchAsync(ordinary.data(), kBytes, here, 0));
    result("wrong attachment of managed memory", cudaMallocManaged(&other, 16, 7));

    int* device;
    need(cudaMalloc(&device, kBytes));
    describe("device pointer", device + 3);
    describe("pinned pointer", pinned);
    describe("managed pointer", managed + 1);
    describe("ordinary pointer", ordinary.data());
    unsigned flags = 0;
    need(cudaHostGetFlags(&flags, pinned));
    fact("flags of pinned memory say mapped", flags & cudaHostAllocMapped);
    need(cudaFree(device));
    need(cudaFree(managed));
    need(cudaFreeHost(pinned));
}
