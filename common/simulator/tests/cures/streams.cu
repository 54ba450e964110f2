// Missing order between streams and with the host, and calls that fail, each with the advice that
// its report gives, and a twin that follows the advice.
// by clang block_too_large: clang launches from a function that has the line of the kernel
// by clang other_devices_stream: clang launches from a function that has the line of the kernel
// nvcc: -g
// simulate peer_access: --devices 2
// simulate peer_access-fixed: --devices 2
// simulate other_devices_stream: --devices 2
// simulate other_devices_stream-fixed: --devices 2
#include "twins.h"
#include "../streams.h"

__global__ void fill(int* data, int value) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;  // other no_event // other early_event // other default_stream // other freed_too_early // other managed_too_early
}
__global__ void twice(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];  // bug no_event: streamcheck: no order between streams // bug early_event: streamcheck: no order between streams // bug default_stream: streamcheck: no order between streams
}

static void run_twice(cudaStream_t stream, int* out, const int* in) {
    twice<<<kCount / 256, 256, 0, stream>>>(out, in);
}
static void run_fill(cudaStream_t stream, int* data) {
    fill<<<kCount / 256, 256, 0, stream>>>(data, 1);  // bug other_devices_stream: apicheck: cudaErrorInvalidResourceHandle from a launch
}
static void wait_for(cudaStream_t second, cudaStream_t first) {
    const cudaEvent_t done = new_event();
    need(cudaEventRecord(done, first));
    need(cudaStreamWaitEvent(second, done, 0));
}
static void expect_twos(const int* out) {
    need(cudaDeviceSynchronize());
    expect(to_host(out, kCount)[kCount - 1] == 2, "twice the value");
}

// ---- streams ----

// cure no_event: Record an event after the first operation (cudaEventRecord)
template <bool fixed>
void no_event() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    run_fill(first, in);
    if (fixed) wait_for(second, first);
    run_twice(second, out, in);
    if (fixed) expect_twos(out);
}

// The wait is queued before the event is recorded, so it does not wait.
// cure early_event: make the second stream wait for this event (cudaStreamWaitEvent)
template <bool fixed>
void early_event() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t done = new_event();
    run_fill(first, in);
    if (!fixed) need(cudaStreamWaitEvent(second, done, 0));
    need(cudaEventRecord(done, first));
    if (fixed) need(cudaStreamWaitEvent(second, done, 0));
    run_twice(second, out, in);
    if (fixed) expect_twos(out);
}

// cure default_stream: synchronize the first stream before the second operation
template <bool fixed>
void default_stream() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t second = new_stream();
    run_fill(nullptr, in);
    if (fixed) need(cudaStreamSynchronize(nullptr));
    run_twice(second, out, in);
    if (fixed) expect_twos(out);
}

// cure freed_too_early: Record an event after the first operation (cudaEventRecord)
template <bool fixed>
void freed_too_early() {
    int* data;
    const cudaStream_t first = new_stream(), second = new_stream();
    need(cudaMallocAsync(&data, kCount * sizeof(int), first));
    wait_for(second, first);
    run_fill(second, data);
    if (fixed) wait_for(first, second);
    need(cudaFreeAsync(data, first));  // bug freed_too_early: streamcheck: freed while in use
}

// ---- the host ----

// The host fills two buffers in turn, but waits for the copies of only one of them.
// cure refilled_too_early: Call cudaStreamSynchronize, cudaEventSynchronize
template <bool fixed>
void refilled_too_early() {
    int* device[2] = {device_zeros<int>(kCount), device_zeros<int>(kCount)};
    int* host[2] = {pinned_zeros(), pinned_zeros()};
    const cudaEvent_t copied[2] = {new_event(), new_event()};
    const cudaStream_t stream = new_stream();
    for (int k = 0; k < 4; ++k) {
        if (fixed || k % 2 == 0) need(cudaEventSynchronize(copied[k % 2]));
        host[k % 2][0] = k;  // bug refilled_too_early: streamcheck: host does not wait
        need(cudaMemcpyAsync(device[k % 2], host[k % 2], kCount * sizeof(int),
                             cudaMemcpyHostToDevice, stream));
        need(cudaEventRecord(copied[k % 2], stream));
    }
    need(cudaDeviceSynchronize());
    if (fixed) expect(to_host(device[1], 1)[0] == 3, "the last copy");
}

// cure read_too_early: before the host accesses this memory
template <bool fixed>
void read_too_early() {
    int *data = device_zeros<int>(kCount), *host = pinned_zeros();
    const cudaStream_t stream = new_stream();
    need(cudaMemcpyAsync(host, data, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
    if (fixed) need(cudaStreamSynchronize(stream));
    expect(host[5] == 0, "copied");  // bug read_too_early: streamcheck: host does not wait
}

// cure managed_too_early: cudaDeviceSynchronize before the host accesses this memory
template <bool fixed>
void managed_too_early() {
    int* data;
    need(cudaMallocManaged(&data, kCount * sizeof(int)));
    run_fill(nullptr, data);
    if (fixed) need(cudaDeviceSynchronize());
    data[0] += 5;  // bug managed_too_early: streamcheck: host does not wait
    if (fixed) expect(data[0] == 6, "sum");
}

// ---- calls that fail ----

__global__ void marks(int* data) {
    data[threadIdx.x] = threadIdx.x;  // bug peer_access: memcheck: no peer access
}
// cure peer_access: call cudaDeviceEnablePeerAccess(1, 0) on the kernel's device
template <bool fixed>
void peer_access() {
    int* data;
    need(cudaSetDevice(1));
    need(cudaMalloc(&data, 1024));
    need(cudaSetDevice(0));
    if (fixed) need(cudaDeviceEnablePeerAccess(1, 0));
    marks<<<1, 32>>>(data);
}

// cure other_devices_stream: call cudaSetDevice(1) before the launch
template <bool fixed>
void other_devices_stream() {
    need(cudaSetDevice(1));
    const cudaStream_t stream = new_stream();
    int* data = device_zeros<int>(kCount);
    if (!fixed) need(cudaSetDevice(0));
    run_fill(stream, data);
    need(cudaSetDevice(1));
    need(cudaStreamSynchronize(stream));
    if (fixed) expect(to_host(data, 1)[0] == 1, "filled");
}

template <bool fixed>
__global__ void __launch_bounds__(128) bounded(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
// cure block_too_large: __launch_bounds__ allow at most 128 threads per block, not 256
template <bool fixed>
void block_too_large() {
    int* out = device_zeros<int>(256);
    if (fixed)
        bounded<fixed><<<2, 128>>>(out);
    else
        bounded<fixed><<<1, 256>>>(out);  // bug block_too_large: apicheck: cudaErrorInvalidValue from a launch
    if (fixed) expect(to_host(out, 256)[255] == 1, "last element");
}

__constant__ int table[16];
// cure symbol_too_small: do not fit into a symbol of 64 bytes
template <bool fixed>
void symbol_too_small() {
    const int values[32] = {1};
    const size_t bytes = fixed ? sizeof table : sizeof values;
    (void)cudaMemcpyToSymbol(table, values, bytes);  // bug symbol_too_small: apicheck: cudaErrorInvalidValue from cudaMemcpyToSymbol
}

__global__ void allocates(int** where) {
    *where = static_cast<int*>(malloc(64));
    if (*where) **where = 3;
}
__global__ void copies(int* out, int* const* where) {
    *out = **where;
}
// cure memory_of_a_kernel: in a kernel, copy the data to memory from cudaMalloc
template <bool fixed>
void memory_of_a_kernel() {
    int **where = device_zeros<int*>(1), *out = device_zeros<int>(1), value = 0;
    allocates<<<1, 1>>>(where);
    if (fixed) copies<<<1, 1>>>(out, where);
    int* from = fixed ? out : to_host(where, 1)[0];
    (void)cudaMemcpy(&value, from, sizeof value, cudaMemcpyDefault);  // bug memory_of_a_kernel: apicheck: cudaErrorInvalidValue from cudaMemcpy
    if (fixed) expect(value == 3, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {TWINS(no_event), TWINS(early_event), TWINS(default_stream),
                     TWINS(freed_too_early), TWINS(refilled_too_early), TWINS(read_too_early),
                     TWINS(managed_too_early), TWINS(peer_access), TWINS(other_devices_stream),
                     TWINS(block_too_large), TWINS(symbol_too_small), TWINS(memory_of_a_kernel)});
}
