// Tests device selection, properties and attributes, flags and limits.
// expect: there is a device: yes
// expect: choosing device 0: cudaSuccess
// expect: choosing device 1000: cudaErrorInvalidDevice
// expect: properties of device 1000: cudaErrorInvalidDevice
// expect: attribute 0: cudaErrorInvalidValue
// expect: attribute 500: cudaErrorInvalidValue
// expect: properties and attributes agree: yes
// expect: it has a name: yes
// expect: warps have 32 lanes: yes
// expect: the bus id leads back to it: yes
// expect: no bus id: cudaErrorInvalidValue
// expect: the stack limit can be set: 4096
// expect: an absurd stack: cudaErrorInvalidValue
// expect: a device reaches itself as a peer: 0
// expect: one way of waiting: cudaSuccess
// expect: two ways of waiting: cudaErrorInvalidValue
// expect: the runtime is at least 13.0: yes
// expect: the driver knows no such function: yes
// expect: after a reset, all works again: 9
#include "api_check.h"

__global__ void write(int* out, int value) {
    *out = value;
}

static int of(cudaDeviceAttr attribute) {
    int value = -1;
    need(cudaDeviceGetAttribute(&value, attribute, 0));
    return value;
}

static bool agree(const cudaDeviceProp& p) {
    return p.warpSize == of(cudaDevAttrWarpSize) &&
           p.maxThreadsPerBlock == of(cudaDevAttrMaxThreadsPerBlock) &&
           p.maxThreadsDim[2] == of(cudaDevAttrMaxBlockDimZ) &&
           p.maxGridSize[1] == of(cudaDevAttrMaxGridDimY) &&
           p.multiProcessorCount == of(cudaDevAttrMultiProcessorCount) &&
           p.major == of(cudaDevAttrComputeCapabilityMajor) &&
           p.minor == of(cudaDevAttrComputeCapabilityMinor) &&
           p.l2CacheSize == of(cudaDevAttrL2CacheSize) &&
           p.memoryBusWidth == of(cudaDevAttrGlobalMemoryBusWidth) &&
           p.regsPerBlock == of(cudaDevAttrMaxRegistersPerBlock) &&
           p.sharedMemPerBlock == size_t(of(cudaDevAttrMaxSharedMemoryPerBlock)) &&
           p.sharedMemPerBlockOptin == size_t(of(cudaDevAttrMaxSharedMemoryPerBlockOptin)) &&
           p.sharedMemPerMultiprocessor ==
               size_t(of(cudaDevAttrMaxSharedMemoryPerMultiprocessor)) &&
           p.maxTexture2D[0] == of(cudaDevAttrMaxTexture2DWidth) &&
           p.cooperativeLaunch == of(cudaDevAttrCooperativeLaunch) &&
           p.managedMemory == of(cudaDevAttrManagedMemory) &&
           p.unifiedAddressing == of(cudaDevAttrUnifiedAddressing) &&
           p.asyncEngineCount == of(cudaDevAttrAsyncEngineCount) &&
           p.pciBusID == of(cudaDevAttrPciBusId);
}

int main() {
    int count = 0, device = -1, value = 0;
    need(cudaGetDeviceCount(&count));
    fact("there is a device", count >= 1);
    result("choosing device 0", cudaSetDevice(0));
    result("choosing device 1000", cudaSetDevice(1000));
    cudaDeviceProp properties;
    result("properties of device 1000", cudaGetDeviceProperties(&properties, 1000));
    result("attribute 0", cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(0), 0));
    result("attribute 500", cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(500), 0));
    need(cudaGetDeviceProperties(&properties, 0));
    fact("properties and attributes agree", agree(properties));
    fact("it has a name", properties.name[0] != '\0');
    fact("warps have 32 lanes", properties.warpSize == 32);

    char bus[32] = "";
    need(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    need(cudaDeviceGetByPCIBusId(&device, bus));
    fact("the bus id leads back to it", device == 0);
    result("no bus id", cudaDeviceGetByPCIBusId(&device, "foo"));

    size_t limit = 0;
    need(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    need(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    std::printf("the stack limit can be set: %zu\n", limit);
    result("an absurd stack", cudaDeviceSetLimit(cudaLimitStackSize, size_t{1} << 40));
    need(cudaDeviceCanAccessPeer(&value, 0, 0));
    std::printf("a device reaches itself as a peer: %d\n", value);
    result("one way of waiting", cudaSetDeviceFlags(cudaDeviceScheduleYield));
    result("two ways of waiting",
           cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceScheduleSpin));
    need(cudaRuntimeGetVersion(&value));
    fact("the runtime is at least 13.0", value >= 13000);
    void* function = &value;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    need(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 13000, cudaEnableDefault,
                                          &found));
    fact("the driver knows no such function",
         function == nullptr && found == cudaDriverEntryPointSymbolNotFound);

    int *out, host = 0;
    need(cudaMalloc(&out, sizeof(int)));
    write<<<1, 1>>>(out, 8);
    need(cudaDeviceReset());
    need(cudaMalloc(&out, sizeof(int)));
    write<<<1, 1>>>(out, 9);
    need(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("after a reset, all works again: %d\n", host);
    need(cudaFree(out));
}
