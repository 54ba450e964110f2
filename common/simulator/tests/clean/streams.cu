// The correct counterparts of ../bugs/streams.cu: work in several streams is ordered, or accesses
// different memory.
#include "../streams.h"

__global__ void fill(int* data, int value) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void twice(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}
static void run_twice(cudaStream_t stream, int* out, const int* in) {
    twice<<<kCount / 256, 256, 0, stream>>>(out, in);
}
static void run_fill(cudaStream_t stream, int* data) {
    fill<<<kCount / 256, 256, 0, stream>>>(data, 1);
}

// clean event_between
static void event_between() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t filled = new_event();
    run_fill(first, in);
    need(cudaEventRecord(filled, first));
    need(cudaStreamWaitEvent(second, filled, 0));
    run_twice(second, out, in);
    need(cudaStreamSynchronize(second));
    expect(to_host(out, kCount)[7] == 2, "value");
}

// Orders two streams through a third stream, with one event that is recorded twice.
// clean chain_of_events
static void chain_of_events() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t streams[] = {new_stream(), new_stream(), new_stream()};
    const cudaEvent_t passed = new_event();
    run_fill(streams[0], in);
    for (int k = 0; k < 2; ++k) {
        need(cudaEventRecord(passed, streams[k]));
        need(cudaStreamWaitEvent(streams[k + 1], passed, 0));
    }
    run_twice(streams[2], out, in);
}

// clean synchronized_by_the_host
static void synchronized_by_the_host() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t filled = new_event();
    run_fill(first, in);
    need(cudaStreamSynchronize(first));
    run_twice(second, out, in);
    need(cudaEventRecord(filled, second));
    while (cudaEventQuery(filled) != cudaSuccess) {
    }
    run_fill(first, in);
    need(cudaDeviceSynchronize());
    run_fill(second, in);
}

// Each stream uses its own part of the same arrays.
// clean parts_of_one_array
static void parts_of_one_array() {
    constexpr int kStreams = 4;
    int *in = device_zeros<int>(kStreams * kCount), *out = device_zeros<int>(kStreams * kCount);
    int* host = pinned_zeros();
    for (int k = 0; k < kStreams; ++k) {
        const cudaStream_t stream = new_stream();
        need(cudaMemcpyAsync(in + k * kCount, host, kCount * sizeof(int), cudaMemcpyHostToDevice,
                             stream));
        run_twice(stream, out + k * kCount, in + k * kCount);
    }
}

// The streams read the same input, and each writes every other row of the output.
__global__ void fill_rows(int* out, const int* in, int first) {
    for (int row = first; row < 16; row += 2) out[row * 64 + threadIdx.x] = in[threadIdx.x];
}
// clean rows_of_one_array
static void rows_of_one_array() {
    int *in = device_zeros<int>(64), *out = device_zeros<int>(16 * 64);
    for (int first = 0; first < 2; ++first) fill_rows<<<1, 64, 0, new_stream()>>>(out, in, first);
}

__global__ void count(int* counter) {
    atomicAdd(counter, 1);
}
// clean one_counter
static void one_counter() {
    int* counter = device_zeros<int>(1);
    count<<<4, 64, 0, new_stream()>>>(counter);
    count<<<4, 64, 0, new_stream()>>>(counter);
    need(cudaDeviceSynchronize());
    expect(to_host(counter, 1)[0] == 512, "count");
}

// Blocking streams wait for the default stream, and the default stream waits for them.
// clean default_stream_between
static void default_stream_between() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    cudaStream_t first, second;
    need(cudaStreamCreate(&first));
    need(cudaStreamCreate(&second));
    run_fill(first, in);
    run_twice(nullptr, out, in);
    run_twice(second, in, out);
    run_fill(nullptr, in);
}

// clean double_buffering
static void double_buffering() {
    int *out = device_zeros<int>(kCount), *host = pinned_zeros();
    int* in[] = {device_zeros<int>(kCount), device_zeros<int>(kCount)};
    const cudaStream_t copying = new_stream(), computing = new_stream();
    cudaEvent_t copied[] = {new_event(), new_event()}, used[] = {new_event(), new_event()};
    for (int round = 0; round < 6; ++round) {
        const int k = round % 2;
        if (round >= 2) need(cudaStreamWaitEvent(copying, used[k], 0));
        need(cudaMemcpyAsync(in[k], host, kCount * sizeof(int), cudaMemcpyHostToDevice, copying));
        need(cudaEventRecord(copied[k], copying));
        need(cudaStreamWaitEvent(computing, copied[k], 0));
        run_twice(computing, out, in[k]);
        need(cudaEventRecord(used[k], computing));
    }
}

// clean freed_after_the_event
static void freed_after_the_event() {
    int *in, *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t filled = new_event(), used = new_event();
    need(cudaMallocAsync(&in, kCount * sizeof(int), first));
    run_fill(first, in);
    need(cudaEventRecord(filled, first));
    need(cudaStreamWaitEvent(second, filled, 0));
    run_twice(second, out, in);
    need(cudaEventRecord(used, second));
    need(cudaStreamWaitEvent(first, used, 0));
    need(cudaFreeAsync(in, first));
}

// A host function in the first stream tells the host that the data is ready.
static void set_flag(void* flag) {
    *static_cast<volatile int*>(flag) = 1;
}
// clean told_by_a_host_function
static void told_by_a_host_function() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount), flag = 0;
    const cudaStream_t first = new_stream(), second = new_stream();
    run_fill(first, in);
    need(cudaLaunchHostFunc(first, set_flag, &flag));
    while (*static_cast<volatile int*>(&flag) == 0) {
    }
    run_twice(second, out, in);
}

// In any stream, a copy to pageable memory is complete when its call returns.
// clean copied_to_pageable_memory
static void copied_to_pageable_memory() {
    int* in = device_zeros<int>(kCount);
    std::vector<int> host(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    run_fill(first, in);
    need(cudaMemcpyAsync(host.data(), in, kCount * sizeof(int), cudaMemcpyDeviceToHost, first));
    run_fill(second, in);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"event_between", event_between},
                        {"chain_of_events", chain_of_events},
                        {"synchronized_by_the_host", synchronized_by_the_host},
                        {"parts_of_one_array", parts_of_one_array},
                        {"rows_of_one_array", rows_of_one_array},
                        {"one_counter", one_counter},
                        {"default_stream_between", default_stream_between},
                        {"double_buffering", double_buffering},
                        {"freed_after_the_event", freed_after_the_event},
                        {"told_by_a_host_function", told_by_a_host_function},
                        {"copied_to_pageable_memory", copied_to_pageable_memory},
                    });
}
