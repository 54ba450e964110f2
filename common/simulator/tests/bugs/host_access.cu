// The host accesses memory that work on the device may still be using.
#include "../streams.h"

__global__ void fill(int* data, int value) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;  // other managed_memory_read_too_early // other other_stream_waited_for // other other_streams_memory_in_a_callback // other event_before_the_launch
}
__global__ void sum(int* out, const int* in) {
    atomicAdd(out, in[threadIdx.x]);  // other managed_memory_written_too_early
}
// These reports name a line of the host only if the program is built with -g.
// bug managed_memory_read_too_early: streamcheck: host does not wait
// bug managed_memory_written_too_early: streamcheck: host does not wait
// bug copy_read_too_early: streamcheck: host does not wait
// bug source_of_a_copy_reused: streamcheck: host does not wait
// bug other_stream_waited_for: streamcheck: host does not wait
// bug event_before_the_launch: streamcheck: host does not wait
// bug other_streams_memory_in_a_callback: streamcheck: host does not wait

static int* managed_zeros() {
    int* data;
    need(cudaMallocManaged(&data, kCount * sizeof(int)));
    std::memset(data, 0, kCount * sizeof(int));
    return data;
}

/// Uses a value, so that the compiler keeps the read.
static void use(int value) {
    volatile int kept = value;
    (void)kept;
}

static void managed_memory_read_too_early() {
    int* data = managed_zeros();
    fill<<<kCount / 256, 256>>>(data, 1);
    use(data[5]);
    need(cudaDeviceSynchronize());
}

static void managed_memory_written_too_early() {
    int* data = managed_zeros();
    sum<<<1, 256, 0, new_stream()>>>(device_zeros<int>(1), data);
    data[5] = 1;
    need(cudaDeviceSynchronize());
}

static void copy_read_too_early() {
    int *host = pinned_zeros(), *data = device_zeros<int>(kCount);
    const cudaStream_t stream = new_stream();
    need(cudaMemcpyAsync(host, data, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
    use(host[kCount - 1]);
    need(cudaStreamSynchronize(stream));
}

// The host writes the next batch to a buffer that is still being copied.
static void source_of_a_copy_reused() {
    int *host = pinned_zeros(), *data = device_zeros<int>(2 * kCount);
    const cudaStream_t stream = new_stream();
    for (int batch = 0; batch < 2; ++batch) {
        for (int i = 0; i < kCount; ++i) host[i] = batch + i;
        need(cudaMemcpyAsync(data + batch * kCount, host, kCount * sizeof(int),
                             cudaMemcpyHostToDevice, stream));
    }
    need(cudaStreamSynchronize(stream));
}

static void other_stream_waited_for() {
    int* data = managed_zeros();
    const cudaStream_t first = new_stream(), second = new_stream();
    fill<<<1, 256, 0, first>>>(data, 1);
    need(cudaStreamSynchronize(second));
    use(data[255]);
    need(cudaStreamSynchronize(first));
}

static void event_before_the_launch() {
    int* data = managed_zeros();
    const cudaStream_t stream = new_stream();
    const cudaEvent_t done = new_event();
    need(cudaEventRecord(done, stream));
    fill<<<1, 256, 0, stream>>>(data, 1);
    need(cudaEventSynchronize(done));
    use(data[255]);
    need(cudaStreamSynchronize(stream));
}

// A callback may read data that its own stream has written, but not data of another stream.
static void CUDART_CB use_both(cudaStream_t, cudaError_t, void* both) {
    use(static_cast<int**>(both)[0][1] + static_cast<int**>(both)[1][1]);
}
static void other_streams_memory_in_a_callback() {
    int* both[] = {managed_zeros(), managed_zeros()};
    const cudaStream_t first = new_stream(), second = new_stream();
    fill<<<1, 256, 0, first>>>(both[0], 1);
    fill<<<1, 256, 0, second>>>(both[1], 2);
    need(cudaStreamAddCallback(first, use_both, both, 0));
    need(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {
            {"managed_memory_read_too_early", managed_memory_read_too_early},
            {"managed_memory_written_too_early", managed_memory_written_too_early},
            {"copy_read_too_early", copy_read_too_early},
            {"source_of_a_copy_reused", source_of_a_copy_reused},
            {"other_stream_waited_for", other_stream_waited_for},
            {"event_before_the_launch", event_before_the_launch},
            {"other_streams_memory_in_a_callback", other_streams_memory_in_a_callback},
        });
}
