// Calls that are not simulated say so, by name, and the program goes on. On hardware they succeed.
// simulator only
// expect: a graph: cudaErrorNotSupported
// expect: a capture: cudaErrorNotSupported
// expect: an array: cudaErrorNotSupported
// expect: the last error: cudaErrorNotSupported
// expect: the device still works: cudaSuccess
// expect-stderr: coalesce: cudaGraphCreate is not simulated; launch the work in a
// expect-stderr: coalesce: cudaStreamBeginCapture is not simulated
// expect-stderr: coalesce: cudaMallocArray is not simulated
#include "api_check.h"

int main() {
    cudaGraph_t graph;
    cudaStream_t stream;
    cudaArray_t array;
    need(cudaStreamCreate(&stream));
    result("a graph", cudaGraphCreate(&graph, 0));
    result("a capture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaError_t error = cudaMallocArray(&array, &format, 16, 16);
    std::printf("an array: %s\n", cudaGetErrorName(error));
    std::printf("the last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    result("the device still works", cudaDeviceSynchronize());
    need(cudaStreamDestroy(stream));
}
