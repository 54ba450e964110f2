// Host programs with several streams: events, callbacks, priorities, stream-ordered allocation.
#include "../cases.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

__global__ void saxpy(int n, float a, const float* x, float* y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}
__global__ void set_to(int n, float value, float* y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = value;
}
__global__ void sum_of(int n, const float* x, float* result) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) *result = sum;
}

/// Owners of the runtime's handles.
class Stream {
public:
    explicit Stream(unsigned flags = cudaStreamNonBlocking) {
        need(cudaStreamCreateWithFlags(&stream_, flags));
    }
    Stream(const Stream&) = delete;
    ~Stream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }
    void sync() const { need(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_;
};
class Event {
public:
    Event() { need(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    Event(const Event&) = delete;
    ~Event() { cudaEventDestroy(event_); }
    void record(cudaStream_t s) { need(cudaEventRecord(event_, s)); }
    void make_wait(cudaStream_t s) { need(cudaStreamWaitEvent(s, event_, 0)); }
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_;
};
template <class T>
struct PinnedArray {
    explicit PinnedArray(size_t n) : size(n) { need(cudaMallocHost(&data, n * sizeof(T))); }
    PinnedArray(const PinnedArray&) = delete;
    ~PinnedArray() { cudaFreeHost(data); }
    T& operator[](size_t i) { return data[i]; }
    T* data = nullptr;
    size_t size;
};

// clean chunks_over_streams
// Overlaps copies with kernels: three streams upload, process and download chunks.
static void chunks_over_streams() {
    const int chunk = 256, chunks = 8, n = chunk * chunks;
    PinnedArray<float> in(n), out(n);
    std::iota(in.data, in.data + n, 0.f);
    float *x, *y;
    need(cudaMalloc(&x, n * sizeof(float)));
    need(cudaMalloc(&y, n * sizeof(float)));
    Stream streams[3];
    for (int c = 0; c < chunks; ++c) {
        cudaStream_t s = streams[c % 3];
        const int at = c * chunk;
        need(cudaMemcpyAsync(x + at, &in[at], chunk * sizeof(float), cudaMemcpyHostToDevice, s));
        need(cudaMemsetAsync(y + at, 0, chunk * sizeof(float), s));
        saxpy<<<2, 128, 0, s>>>(chunk, 3.f, x + at, y + at);
        need(cudaMemcpyAsync(&out[at], y + at, chunk * sizeof(float), cudaMemcpyDeviceToHost, s));
    }
    for (Stream& s : streams) s.sync();
    for (int i = 0; i < n; ++i) expect(out[i] == 3.f * i, "value");
    cudaFree(x);
    cudaFree(y);
}

// clean fork_and_join
static void fork_and_join() {
    const int n = 512, branches = 4;
    Stream main;
    Event begin;
    float *x = device_zeros<float>(n), *parts = device_zeros<float>(n * branches);
    float* sums = device_zeros<float>(branches);
    set_to<<<2, 128, 0, main>>>(n, 2.f, x);
    begin.record(main);
    std::vector<std::unique_ptr<Stream>> side;
    std::vector<std::unique_ptr<Event>> done;
    for (int b = 0; b < branches; ++b) {
        side.push_back(std::make_unique<Stream>());
        done.push_back(std::make_unique<Event>());
        begin.make_wait(*side[b]);
        saxpy<<<2, 64, 0, *side[b]>>>(n, b + 1.f, x, parts + b * n);
        sum_of<<<1, 32, 0, *side[b]>>>(n, parts + b * n, sums + b);
        done[b]->record(*side[b]);
    }
    for (auto& d : done) d->make_wait(main);
    float* total = device_zeros<float>(1);
    sum_of<<<1, 32, 0, main>>>(branches, sums, total);
    float host = 0;
    need(cudaMemcpyAsync(&host, total, sizeof host, cudaMemcpyDeviceToHost, main));
    main.sync();
    expect(host == 2.f * n * 10, "total");
}

// clean ring_of_pinned_buffers
// The host refills a staging buffer as soon as the event that follows its copy is complete.
static void ring_of_pinned_buffers() {
    const int slots = 3, batch = 128, batches = 10;
    Stream stream;
    std::vector<std::unique_ptr<PinnedArray<float>>> staging;
    std::vector<std::unique_ptr<Event>> free_again;
    for (int s = 0; s < slots; ++s) {
        staging.push_back(std::make_unique<PinnedArray<float>>(batch));
        free_again.push_back(std::make_unique<Event>());
    }
    float *x = device_zeros<float>(batch), *acc = device_zeros<float>(batch);
    for (int b = 0; b < batches; ++b) {
        const int s = b % slots;
        if (b >= slots) need(cudaEventSynchronize(*free_again[s]));
        for (int i = 0; i < batch; ++i) (*staging[s])[i] = static_cast<float>(b * i);
        need(cudaMemcpyAsync(x, staging[s]->data, batch * sizeof(float), cudaMemcpyHostToDevice,
                             stream));
        free_again[s]->record(stream);
        saxpy<<<1, batch, 0, stream>>>(batch, 1.f, x, acc);
    }
    stream.sync();
    const auto got = to_host(acc, batch);
    for (int i = 0; i < batch; ++i) expect(got[i] == 45.f * i, "accumulated");
}

// clean callbacks_run_in_order
struct Journal {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> lines;
};
struct Entry {
    Journal* journal;
    int line;
};
static void write_line(void* data) {
    std::unique_ptr<Entry> entry(static_cast<Entry*>(data));
    std::lock_guard<std::mutex> lock(entry->journal->mutex);
    entry->journal->lines.push_back(entry->line);
    entry->journal->changed.notify_all();
}
static void callbacks_run_in_order() {
    Journal journal;
    Stream stream;
    float* x = device_zeros<float>(64);
    for (int i = 0; i < 5; ++i) {
        set_to<<<1, 64, 0, stream>>>(64, static_cast<float>(i), x);
        need(cudaLaunchHostFunc(stream, write_line, new Entry{&journal, i}));
    }
    std::unique_lock<std::mutex> lock(journal.mutex);
    journal.changed.wait(lock, [&] { return journal.lines.size() == 5; });
    for (int i = 0; i < 5; ++i) expect(journal.lines[i] == i, "order");
}

// clean callback_with_status
static void CUDART_CB add_result(cudaStream_t, cudaError_t status, void* user) {
    auto* sum = static_cast<std::pair<float*, float>*>(user);
    if (status == cudaSuccess) sum->second += *sum->first;
}
static void callback_with_status() {
    Stream stream;
    PinnedArray<float> result(1);
    std::pair<float*, float> sum(result.data, 0.f);
    float *x = device_zeros<float>(100), *r = device_zeros<float>(1);
    for (int i = 1; i <= 3; ++i) {
        set_to<<<1, 128, 0, stream>>>(100, static_cast<float>(i), x);
        sum_of<<<1, 32, 0, stream>>>(100, x, r);
        need(cudaMemcpyAsync(result.data, r, sizeof(float), cudaMemcpyDeviceToHost, stream));
        need(cudaStreamAddCallback(stream, add_result, &sum, 0));
    }
    stream.sync();
    expect(sum.second == 600.f, "sum of all results");
}

// clean scratch_memory_in_stream_order
static void scratch_memory_in_stream_order() {
    Stream stream;
    const int n = 300;
    float* result = device_zeros<float>(1);
    for (int round = 1; round <= 4; ++round) {
        float *a, *b;
        need(cudaMallocAsync(&a, n * sizeof(float), stream));
        need(cudaMallocAsync(&b, n * sizeof(float), stream));
        set_to<<<2, 64, 0, stream>>>(n, static_cast<float>(round), a);
        set_to<<<2, 64, 0, stream>>>(n, 1.f, b);
        saxpy<<<2, 64, 0, stream>>>(n, 2.f, a, b);
        need(cudaFreeAsync(a, stream));
        sum_of<<<1, 32, 0, stream>>>(n, b, result);
        need(cudaFreeAsync(b, stream));
    }
    stream.sync();
    expect(to_host(result, 1)[0] == 9.f * n, "sum");
}

// clean pool_that_keeps_memory
static void pool_that_keeps_memory() {
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool;
    need(cudaMemPoolCreate(&pool, &props));
    unsigned long long keep = ~0ull;
    need(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    Stream first, second;
    Event released;
    float sum = 0;
    float* result = device_zeros<float>(1);
    for (int round = 0; round < 3; ++round) {
        float* x;
        need(cudaMallocFromPoolAsync(&x, 200 * sizeof(float), pool, first));
        set_to<<<1, 64, 0, first>>>(200, 5.f, x);
        released.record(first);
        released.make_wait(second);
        sum_of<<<1, 32, 0, second>>>(200, x, result);
        need(cudaFreeAsync(x, second));
        released.record(second);
        released.make_wait(first);
        float host;
        need(cudaMemcpyAsync(&host, result, sizeof host, cudaMemcpyDeviceToHost, second));
        second.sync();
        sum += host;
    }
    expect(sum == 3000.f, "sum");
    first.sync();
    need(cudaMemPoolTrimTo(pool, 0));
    need(cudaMemPoolDestroy(pool));
}

// clean streams_of_both_priorities
static void streams_of_both_priorities() {
    int least, greatest;
    need(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t urgent, background;
    need(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    need(cudaStreamCreateWithPriority(&background, cudaStreamNonBlocking, least));
    float *x = device_zeros<float>(1000), *y = device_zeros<float>(1000);
    for (int i = 0; i < 3; ++i) {
        saxpy<<<4, 64, 0, background>>>(1000, 1.f, x, x);
        set_to<<<1, 64, 0, urgent>>>(1000, 7.f + i, y);
    }
    need(cudaStreamSynchronize(urgent));
    expect(to_host(y, 1000)[999] == 9.f, "urgent");
    need(cudaDeviceSynchronize());
    need(cudaStreamDestroy(urgent));
    need(cudaStreamDestroy(background));
}

// clean time_between_events
static void time_between_events() {
    cudaEvent_t start, stop;
    need(cudaEventCreate(&start));
    need(cudaEventCreate(&stop));
    float *x = device_zeros<float>(4096), *y = device_zeros<float>(4096);
    need(cudaEventRecord(start));
    for (int i = 0; i < 10; ++i) saxpy<<<16, 256>>>(4096, 1.f, x, y);
    need(cudaEventRecord(stop));
    need(cudaEventSynchronize(stop));
    float ms = -1;
    need(cudaEventElapsedTime(&ms, start, stop));
    expect(ms >= 0, "time");
    need(cudaEventDestroy(start));
    need(cudaEventDestroy(stop));
    cudaFree(x);
    cudaFree(y);
}

// clean one_stream_per_host_thread
static void one_stream_per_host_thread() {
    const int workers = 3, n = 200;
    std::vector<float> results(workers);
    std::vector<std::thread> threads;
    for (int w = 0; w < workers; ++w) {
        threads.emplace_back([w, &results] {
            Stream stream;
            float *x, *r;
            need(cudaMallocAsync(&x, n * sizeof(float), stream));
            need(cudaMallocAsync(&r, sizeof(float), stream));
            set_to<<<1, 64, 0, stream>>>(n, w + 1.f, x);
            sum_of<<<1, 32, 0, stream>>>(n, x, r);
            need(cudaMemcpyAsync(&results[w], r, sizeof(float), cudaMemcpyDeviceToHost, stream));
            need(cudaFreeAsync(x, stream));
            need(cudaFreeAsync(r, stream));
            stream.sync();
        });
    }
    for (std::thread& t : threads) t.join();
    for (int w = 0; w < workers; ++w) expect(results[w] == n * (w + 1.f), "sum of a thread");
}

// clean tasks_with_futures
// Each task runs in a stream from a pool, and records an event for which dependent tasks wait.
class TaskSystem {
public:
    struct Task {
        Event done;
    };
    using Handle = std::shared_ptr<Task>;
    Handle run(const std::vector<Handle>& after, const std::function<void(cudaStream_t)>& body) {
        cudaStream_t s = streams_[next_++ % 4];
        for (const Handle& h : after) h->done.make_wait(s);
        body(s);
        auto task = std::make_shared<Task>();
        task->done.record(s);
        return task;
    }

private:
    Stream streams_[4];
    int next_ = 0;
};
static void tasks_with_futures() {
    const int n = 128;
    TaskSystem tasks;
    float *a = device_zeros<float>(n), *b = device_zeros<float>(n), *c = device_zeros<float>(n);
    float* r = device_zeros<float>(2);
    auto fill = [&](float* p, float v) {
        return tasks.run({}, [=](cudaStream_t s) { set_to<<<1, n, 0, s>>>(n, v, p); });
    };
    auto fa = fill(a, 1.f), fb = fill(b, 2.f), fc = fill(c, 3.f);
    auto ab = tasks.run({fa, fb}, [=](cudaStream_t s) { saxpy<<<1, n, 0, s>>>(n, 10.f, a, b); });
    auto ac = tasks.run({fa, fc}, [=](cudaStream_t s) { saxpy<<<1, n, 0, s>>>(n, 20.f, a, c); });
    auto sb = tasks.run({ab}, [=](cudaStream_t s) { sum_of<<<1, 32, 0, s>>>(n, b, r); });
    auto sc = tasks.run({ac}, [=](cudaStream_t s) { sum_of<<<1, 32, 0, s>>>(n, c, r + 1); });
    need(cudaEventSynchronize(sb->done));
    need(cudaEventSynchronize(sc->done));
    const auto got = to_host(r, 2);
    expect(got[0] == 12.f * n && got[1] == 23.f * n, "sums");
}

// clean polling_instead_of_waiting
static void polling_instead_of_waiting() {
    const int jobs = 4, n = 100;
    PinnedArray<float> results(jobs);
    Stream streams[jobs];
    float *x = device_zeros<float>(jobs * n), *r = device_zeros<float>(jobs);
    for (int j = 0; j < jobs; ++j) {
        set_to<<<1, 64, 0, streams[j]>>>(n, j + 1.f, x + j * n);
        sum_of<<<1, 32, 0, streams[j]>>>(n, x + j * n, r + j);
        need(cudaMemcpyAsync(&results[j], r + j, sizeof(float), cudaMemcpyDeviceToHost,
                             streams[j]));
    }
    bool taken[jobs] = {};
    float total = 0;
    for (int left = jobs; left > 0;) {
        for (int j = 0; j < jobs; ++j) {
            if (taken[j] || cudaStreamQuery(streams[j]) != cudaSuccess) continue;
            taken[j] = true;
            total += results[j];
            --left;
        }
    }
    expect(total == 1000.f, "total");
}

// clean legacy_stream_between_blocking_streams
static void legacy_stream_between_blocking_streams() {
    Stream a(cudaStreamDefault), b(cudaStreamDefault);
    float* x = device_zeros<float>(256);
    set_to<<<1, 128, 0, a>>>(256, 4.f, x);
    saxpy<<<1, 128>>>(256, 1.f, x, x);  // waits for a, and b waits for it
    saxpy<<<1, 128, 0, b>>>(256, 1.f, x, x);
    std::vector<float> host(256);
    need(cudaMemcpy(host.data(), x, 256 * sizeof(float), cudaMemcpyDeviceToHost));
    expect(host[255] == 16.f, "value");
}

// clean two_dimensional_copies_in_turn
static void two_dimensional_copies_in_turn() {
    const int width = 40, height = 12;
    float* image;
    size_t pitch;
    need(cudaMallocPitch(&image, &pitch, width * sizeof(float), height));
    Stream up, down;
    Event uploaded;
    PinnedArray<float> in(width * height), out(width * height / 2);
    std::iota(in.data, in.data + width * height, 0.f);
    need(cudaMemcpy2DAsync(image, pitch, in.data, width * sizeof(float), width * sizeof(float),
                           height, cudaMemcpyHostToDevice, up));
    uploaded.record(up);
    uploaded.make_wait(down);
    // Copy the left half back while the right half is overwritten.
    need(cudaMemcpy2DAsync(out.data, width / 2 * sizeof(float), image, pitch,
                           width / 2 * sizeof(float), height, cudaMemcpyDeviceToHost, down));
    need(cudaMemset2DAsync(image + width / 2, pitch, 0, width / 2 * sizeof(float), height, up));
    down.sync();
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width / 2; ++x)
            expect(out[y * width / 2 + x] == y * width + x, "left half");
    }
    up.sync();
    need(cudaFree(image));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"chunks_over_streams", chunks_over_streams},
                        {"fork_and_join", fork_and_join},
                        {"ring_of_pinned_buffers", ring_of_pinned_buffers},
                        {"callbacks_run_in_order", callbacks_run_in_order},
                        {"callback_with_status", callback_with_status},
                        {"scratch_memory_in_stream_order", scratch_memory_in_stream_order},
                        {"pool_that_keeps_memory", pool_that_keeps_memory},
                        {"streams_of_both_priorities", streams_of_both_priorities},
                        {"time_between_events", time_between_events},
                        {"one_stream_per_host_thread", one_stream_per_host_thread},
                        {"tasks_with_futures", tasks_with_futures},
                        {"polling_instead_of_waiting", polling_instead_of_waiting},
                        {"legacy_stream_between_blocking_streams",
                         legacy_stream_between_blocking_streams},
                        {"two_dimensional_copies_in_turn", two_dimensional_copies_in_turn},
                    });
}
