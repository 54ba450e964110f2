// Memory that host and device share: managed, pinned and mapped, with prefetches and advice.
#include "../cases.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>

// clean one_list_for_host_and_device
struct Node {
    int value;
    Node* next;
};
__global__ void double_list(Node* head) {
    for (Node* n = head; n != nullptr; n = n->next) n->value *= 2;
}
static void one_list_for_host_and_device() {
    Node* head = nullptr;
    for (int i = 0; i < 20; ++i) {
        Node* n;
        need(cudaMallocManaged(&n, sizeof(Node)));
        *n = {i, head};
        head = n;
    }
    double_list<<<1, 1>>>(head);
    need(cudaDeviceSynchronize());
    int sum = 0;
    while (head != nullptr) {
        sum += head->value;
        Node* next = head->next;
        need(cudaFree(head));
        head = next;
    }
    expect(sum == 380, "sum");
}

// clean classes_with_managed_new
// Objects derived from a base class are allocated in managed memory, as in a post on NVIDIA's blog.
class Managed {
public:
    void* operator new(size_t bytes) {
        void* p;
        need(cudaMallocManaged(&p, bytes));
        need(cudaDeviceSynchronize());
        return p;
    }
    void operator delete(void* p) {
        need(cudaDeviceSynchronize());
        need(cudaFree(p));
    }
};
class Text : public Managed {
public:
    explicit Text(const char* s) : length_(int(strlen(s))) {
        need(cudaMallocManaged(&data_, length_ + 1));
        std::memcpy(data_, s, length_ + 1);
    }
    ~Text() { need(cudaFree(data_)); }
    __host__ __device__ char& operator[](int i) { return data_[i]; }
    __host__ __device__ int length() const { return length_; }

private:
    int length_;
    char* data_;
};
__global__ void to_upper(Text* text) {
    for (int i = threadIdx.x; i < text->length(); i += blockDim.x) {
        char& c = (*text)[i];
        if (c >= 'a' && c <= 'z') c -= 32;
    }
}
static void classes_with_managed_new() {
    Text* text = new Text("hello, unified memory");
    to_upper<<<1, 32>>>(text);
    need(cudaDeviceSynchronize());
    expect(std::string(&(*text)[0]) == "HELLO, UNIFIED MEMORY", "text");
    delete text;
}

// clean prefetched_and_advised
__global__ void stencil(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = .5f * (in[i - 1] + in[i + 1]);
}
static void prefetched_and_advised() {
    const int n = 2000;
    float *a, *b;
    need(cudaMallocManaged(&a, n * sizeof(float)));
    need(cudaMallocManaged(&b, n * sizeof(float)));
    for (int i = 0; i < n; ++i) a[i] = b[i] = float(i * i);
    cudaMemLocation device{}, host{};
    device.type = cudaMemLocationTypeDevice;
    host.type = cudaMemLocationTypeHost;
    need(cudaMemAdvise(a, n * sizeof(float), cudaMemAdviseSetReadMostly, device));
    need(cudaMemPrefetchAsync(a, n * sizeof(float), device, 0, nullptr));
    need(cudaMemPrefetchAsync(b, n * sizeof(float), device, 0, nullptr));
    stencil<<<16, 128>>>(b, a, n);
    need(cudaMemPrefetchAsync(b, n * sizeof(float), host, 0, nullptr));
    need(cudaDeviceSynchronize());
    for (int i = 1; i < n - 1; ++i) expect(b[i] == float(i * i + 1), "mean of the neighbours");
    need(cudaFree(a));
    need(cudaFree(b));
}

// clean grid_swapped_by_the_host
static void grid_swapped_by_the_host() {
    const int n = 64;
    float *front, *back;
    need(cudaMallocManaged(&front, n * sizeof(float)));
    need(cudaMallocManaged(&back, n * sizeof(float)));
    std::fill(front, front + n, 0.f);
    std::fill(back, back + n, 0.f);
    for (int step = 0; step < 10; ++step) {
        front[0] = back[0] = 64.f;  // the host keeps the edge at this value
        stencil<<<1, 64>>>(back, front, n);
        need(cudaDeviceSynchronize());
        std::swap(front, back);
    }
    expect(front[0] == 64.f && front[10] == 64.f / 1024 && front[11] == 0.f, "front of the heat");
    cudaFree(front);
    cudaFree(back);
}

// clean zero_copy_input
__global__ void checksum(const uint32_t* words, int n, unsigned long long* sum) {
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += words[i] ^ (i * 2654435761u);
    atomicAdd(sum, mine);
}
static void zero_copy_input() {
    const int n = 700;
    uint32_t *host, *seen;
    need(cudaHostAlloc(&host, n * sizeof *host, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    unsigned long long want = 0;
    for (int i = 0; i < n; ++i) {
        const uint32_t word = i * 77u + 5;
        host[i] = word;
        want += word ^ (i * 2654435761u);
    }
    need(cudaHostGetDevicePointer(&seen, host, 0));
    auto* sum = device_zeros<unsigned long long>(1);
    checksum<<<2, 64>>>(seen, n, sum);
    expect(to_host(sum, 1)[0] == want, "checksum");
    need(cudaFreeHost(host));
}

// clean vector_registered_for_the_device
__global__ void negate(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = -data[i];
}
static void vector_registered_for_the_device() {
    std::vector<int> data(1000);
    std::iota(data.begin(), data.end(), 0);
    need(cudaHostRegister(data.data(), data.size() * sizeof(int), cudaHostRegisterMapped));
    int* seen;
    need(cudaHostGetDevicePointer(&seen, data.data(), 0));
    negate<<<8, 128>>>(seen, 1000);
    need(cudaDeviceSynchronize());
    need(cudaHostUnregister(data.data()));
    for (int i = 0; i < 1000; ++i) expect(data[i] == -i, "negated");
}

// clean results_told_by_a_flag_in_pinned_memory
__global__ void publish(volatile int* flag, volatile int* result) {
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += i;
    *result = sum;
    __threadfence_system();
    *flag = 1;
}
static void results_told_by_a_flag_in_pinned_memory() {
    int* page;
    need(cudaHostAlloc(&page, 2 * sizeof(int), cudaHostAllocMapped));
    page[0] = page[1] = 0;
    publish<<<1, 1>>>(page, page + 1);
    need(cudaStreamSynchronize(nullptr));
    expect(page[0] == 1 && page[1] == 4950, "result");
    need(cudaFreeHost(page));
}

// clean counters_updated_by_both_in_turn
__global__ void count_votes(unsigned* counters, const unsigned char* votes, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd_system(&counters[votes[i] % 4], 1u);
}
static void counters_updated_by_both_in_turn() {
    unsigned* counters;
    unsigned char* votes;
    need(cudaMallocManaged(&counters, 4 * sizeof(unsigned)));
    need(cudaMallocManaged(&votes, 256));
    std::memset(counters, 0, 4 * sizeof(unsigned));
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 256; ++i) votes[i] = static_cast<unsigned char>(i / (round + 1));
        count_votes<<<1, 64>>>(counters, votes, 256);
        need(cudaDeviceSynchronize());
        for (int k = 0; k < 4; ++k) counters[k] += 1000;
    }
    unsigned sum = 0;
    for (int k = 0; k < 4; ++k) sum += counters[k];
    expect(sum == 3 * 256 + 12000, "sum");
    expect(counters[0] >= 3000, "counter");
}

// clean matrix_of_row_pointers
__global__ void fill_rows(int** rows, const int* lengths) {
    int* row = rows[blockIdx.x];
    for (int i = threadIdx.x; i < lengths[blockIdx.x]; i += blockDim.x) row[i] = blockIdx.x * 100 + i;
}
static void matrix_of_row_pointers() {
    const int n = 12;
    int **rows, *lengths;
    need(cudaMallocManaged(&rows, n * sizeof(int*)));
    need(cudaMallocManaged(&lengths, n * sizeof(int)));
    for (int r = 0; r < n; ++r) {
        lengths[r] = 5 + 7 * r;
        need(cudaMallocManaged(&rows[r], lengths[r] * sizeof(int)));
    }
    fill_rows<<<n, 32>>>(rows, lengths);
    need(cudaDeviceSynchronize());
    for (int r = 0; r < n; ++r) {
        for (int i = 0; i < lengths[r]; ++i) expect(rows[r][i] == r * 100 + i, "element");
        need(cudaFree(rows[r]));
    }
    need(cudaFree(rows));
    need(cudaFree(lengths));
}

// clean memory_attached_to_a_stream
static void memory_attached_to_a_stream() {
    const int n = 128;
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&right, t] {
            cudaStream_t stream;
            int* data;
            need(cudaStreamCreate(&stream));
            need(cudaMallocManaged(&data, n * sizeof(int), cudaMemAttachHost));
            for (int i = 0; i < n; ++i) data[i] = i + t;
            need(cudaStreamAttachMemAsync(stream, data));
            negate<<<1, n, 0, stream>>>(data, n);
            need(cudaStreamSynchronize(stream));
            bool all = true;
            for (int i = 0; i < n; ++i) all &= data[i] == -(i + t);
            right += all;
            need(cudaFree(data));
            need(cudaStreamDestroy(stream));
        });
    }
    for (auto& t : threads) t.join();
    expect(right == 2, "both threads");
}

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {
            {"one_list_for_host_and_device", one_list_for_host_and_device},
            {"classes_with_managed_new", classes_with_managed_new},
            {"prefetched_and_advised", prefetched_and_advised},
            {"grid_swapped_by_the_host", grid_swapped_by_the_host},
            {"zero_copy_input", zero_copy_input},
            {"vector_registered_for_the_device", vector_registered_for_the_device},
            {"results_told_by_a_flag_in_pinned_memory", results_told_by_a_flag_in_pinned_memory},
            {"counters_updated_by_both_in_turn", counters_updated_by_both_in_turn},
            {"matrix_of_row_pointers", matrix_of_row_pointers},
            {"memory_attached_to_a_stream", memory_attached_to_a_stream},
        });
}
