// Calls the runtime as a CUDA 12 program does, with a shared or a static runtime. The program
// passes CUDA 12's structures and arguments. The tests run without CUDA 12, so this file itself
// declares what differs between CUDA 12's and CUDA 13's headers.
// expect: runtime version is one of CUDA 12: 1
// expect: properties: Coalesce, 9.0, 132 multiprocessors, 1980000 kHz, clusters 1, bytes after them: untouched
// expect: properties of CUDA 11: 9.0, 132 multiprocessors, bytes after them: untouched
// expect: kernel: 0 1 2 3
// expect: pointer: device memory of device 0, bytes after it: untouched
// expect: advise and prefetch: cudaSuccess cudaSuccess cudaSuccess
// expect: device that is not there: cudaErrorInvalidDevice
// expect: texture: 40, of 64 bytes, bytes after it: untouched
// expect: graph: 2 nodes, 1 edge, 1 dependency, 1 dependent, removed: 0 edges
// expect: capture: active, 1 dependency
// expect: cudaThreadSynchronize: cudaSuccess
// expect: cudaLaunchCooperativeKernelMultiDevice: cudaErrorNotSupported
// expect-stderr: cudaLaunchCooperativeKernelMultiDevice is not simulated
// expect-exit: 2
#include <cstring>

#include "../programs/api_check.h"

// ---- declarations as in the headers of CUDA 12 ----

#define OLDER(name, function, ...) extern "C" cudaError_t name(__VA_ARGS__) __asm__(#function)
OLDER(older_properties, cudaGetDeviceProperties_v2, void*, int);
OLDER(oldest_properties, cudaGetDeviceProperties, void*, int);
OLDER(older_attributes, cudaPointerGetAttributes, void*, const void*);
OLDER(older_advise, cudaMemAdvise, const void*, size_t, int advice, int device);
OLDER(older_prefetch, cudaMemPrefetchAsync, const void*, size_t, int device, cudaStream_t);
OLDER(newer_prefetch, cudaMemPrefetchAsync_v2, const void*, size_t, cudaMemLocation, unsigned,
      cudaStream_t);
OLDER(older_texture, cudaCreateTextureObject, cudaTextureObject_t*, const void*,
      const cudaTextureDesc*, const void*);
OLDER(older_resource, cudaGetTextureObjectResourceDesc, void*, cudaTextureObject_t);
OLDER(older_add_edge, cudaGraphAddDependencies, cudaGraph_t, const cudaGraphNode_t*,
      const cudaGraphNode_t*, size_t);
OLDER(older_remove_edge, cudaGraphRemoveDependencies_v2, cudaGraph_t, const cudaGraphNode_t*,
      const cudaGraphNode_t*, const cudaGraphEdgeData*, size_t);
OLDER(older_edges, cudaGraphGetEdges, cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, size_t*);
OLDER(older_dependencies, cudaGraphNodeGetDependencies, cudaGraphNode_t, cudaGraphNode_t*, size_t*);
OLDER(older_dependents, cudaGraphNodeGetDependentNodes, cudaGraphNode_t, cudaGraphNode_t*, size_t*);
OLDER(older_capture, cudaStreamGetCaptureInfo_v2, cudaStream_t, cudaStreamCaptureStatus*,
      unsigned long long*, cudaGraph_t*, const cudaGraphNode_t**, size_t*);
OLDER(older_synchronize, cudaThreadSynchronize, void);
OLDER(older_launch, cudaLaunchCooperativeKernelMultiDevice, void*, unsigned, unsigned);

/// The bytes of a structure, followed by guard bytes that must not change.
struct Bytes {
    unsigned char data[2048];
    Bytes() { std::memset(data, 0x5a, sizeof data); }

    template <class T>
    T at(size_t offset) const {
        T value;
        std::memcpy(&value, data + offset, sizeof value);
        return value;
    }
    const char* behind(size_t size) const {
        for (size_t k = size; k < sizeof data; ++k)
            if (data[k] != 0x5a) return "overwritten";
        return "untouched";
    }
};

// The size of CUDA 12's cudaDeviceProp, and the offsets of its members. CUDA 11's is shorter.
constexpr size_t kClockRate = 348, kMajor = 360, kMinor = 364, kMultiprocessors = 388,
                 kClusterLaunch = 772, kPropertiesBytes = 1032, kOldestBytes = 728;

void show_properties() {
    Bytes p, oldest;
    need(older_properties(&p, 0));
    const bool is_ours = std::strncmp(reinterpret_cast<const char*>(p.data), "Coalesce", 8) == 0;
    std::printf(
        "properties: %s, %d.%d, %d multiprocessors, %d kHz, clusters %d, bytes after them: %s\n",
        is_ours ? "Coalesce" : "another", p.at<int>(kMajor), p.at<int>(kMinor),
        p.at<int>(kMultiprocessors), p.at<int>(kClockRate), p.at<int>(kClusterLaunch),
        p.behind(kPropertiesBytes));
    need(oldest_properties(&oldest, 0));
    std::printf("properties of CUDA 11: %d.%d, %d multiprocessors, bytes after them: %s\n",
                oldest.at<int>(kMajor), oldest.at<int>(kMinor), oldest.at<int>(kMultiprocessors),
                oldest.behind(kOldestBytes));
}

__global__ void number(int* out) {
    out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

void show_memory(int* memory) {
    int host[4];
    number<<<1, 4>>>(memory);
    need(cudaGetLastError());
    need(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("kernel: %d %d %d %d\n", host[0], host[1], host[2], host[3]);

    Bytes attributes;
    need(older_attributes(&attributes, memory));
    std::printf("pointer: %s of device %d, bytes after it: %s\n",
                attributes.at<int>(0) == 2 && attributes.at<void*>(8) == memory ? "device memory"
                                                                                : "another",
                attributes.at<int>(4), attributes.behind(24));

    int* managed;
    need(cudaMallocManaged(&managed, 4096));
    const cudaError_t advised = older_advise(managed, 4096, 1, cudaCpuDeviceId);
    const cudaError_t fetched = older_prefetch(managed, 4096, 0, nullptr);
    const cudaError_t newer =
        newer_prefetch(managed, 4096, {cudaMemLocationTypeDevice, 0}, 0, nullptr);
    std::printf("advise and prefetch: %s %s %s\n", cudaGetErrorName(advised),
                cudaGetErrorName(fetched), cudaGetErrorName(newer));
    result("device that is not there", older_prefetch(managed, 4096, 77, nullptr));
    need(cudaFree(managed));
}

__global__ void fetch(cudaTextureObject_t texture, int* out) {
    *out = tex1Dfetch<int>(texture, 3);
}

/// CUDA 12's cudaResourceDesc, whose union lacks the reserved words that CUDA 13 added.
struct OlderResource {
    int type = cudaResourceTypeLinear, unused = 0;
    void* pointer;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    size_t bytes, unused2 = 0, unused3 = 0;
};
static_assert(sizeof(OlderResource) == 64, "as in CUDA 12");

void show_texture(int* memory) {
    const int texels[4] = {10, 20, 30, 40};
    int* out;
    need(cudaMalloc(&out, sizeof *out));
    need(cudaMemcpy(memory, texels, sizeof texels, cudaMemcpyHostToDevice));
    OlderResource resource;
    resource.pointer = memory;
    resource.bytes = sizeof texels;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    need(older_texture(&texture, &resource, &how, nullptr));
    fetch<<<1, 1>>>(texture, out);
    int value = 0;
    need(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    Bytes told;
    need(older_resource(&told, texture));
    std::printf("texture: %d, of %zu bytes, bytes after it: %s\n", value,
                told.at<void*>(8) == memory ? sizeof resource : 0, told.behind(sizeof resource));
    need(cudaDestroyTextureObject(texture));
    need(cudaFree(out));
}

void show_graph() {
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    need(cudaGraphCreate(&graph, 0));
    for (cudaGraphNode_t& node : nodes) need(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    need(older_add_edge(graph, &nodes[0], &nodes[1], 1));
    size_t count = 0, edges = 0, before = 0, behind = 0, left = 0;
    need(cudaGraphGetNodes(graph, nullptr, &count));
    need(older_edges(graph, nullptr, nullptr, &edges));
    need(older_dependencies(nodes[1], nullptr, &before));
    need(older_dependents(nodes[0], nullptr, &behind));
    need(older_remove_edge(graph, &nodes[0], &nodes[1], nullptr, 1));
    need(older_edges(graph, nullptr, nullptr, &left));
    std::printf("graph: %zu nodes, %zu edge, %zu dependency, %zu dependent, removed: %zu edges\n",
                count, edges, before, behind, left);
    need(cudaGraphDestroy(graph));
}

void show_capture(int* memory) {
    cudaStream_t stream;
    cudaGraph_t graph;
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    number<<<1, 4, 0, stream>>>(memory);
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t* nodes;
    size_t count = 0;
    need(older_capture(stream, &status, nullptr, nullptr, &nodes, &count));
    std::printf("capture: %s, %zu dependency\n",
                status == cudaStreamCaptureStatusActive ? "active" : "not active", count);
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphDestroy(graph));
    need(cudaStreamDestroy(stream));
}

int main() {
    int version = 0;
    need(cudaRuntimeGetVersion(&version));
    std::printf("runtime version is one of CUDA 12: %d\n",
                version >= 12000 && version < 13000);
    show_properties();
    int* memory;
    need(cudaMalloc(&memory, 4 * sizeof(int)));
    show_memory(memory);
    show_texture(memory);
    show_graph();
    show_capture(memory);
    need(cudaFree(memory));
    result("cudaThreadSynchronize", older_synchronize());
    result("cudaLaunchCooperativeKernelMultiDevice", older_launch(nullptr, 0, 0));
}
