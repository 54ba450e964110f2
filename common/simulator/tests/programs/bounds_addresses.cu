// A launch that accesses an invalid address must fail with a report that names the line, and the
// process must continue. Each case runs in a child process, because it invalidates its context.
// simulator only
// expect: null: 700
// expect: the last byte there is: 700
// expect: a host address: 700
// expect: between allocations: 700
// expect: a negative index: 700
// expect: an index of 2^40: 700
// expect: misaligned: 716
// expect: shared, far out: 700
// expect: shared, below zero: 700
// expect: local, far out: 700
// expect: parameters, far out: 700
// expect: atomic at null: 700
// expect: a vector over the end: 700
// expect: a garbage function pointer: 715
// expect: a null function pointer: 715
// expect-stderr: memcheck: out of bounds
// expect-stderr: memcheck: misaligned
// expect-stderr: execution: bad function pointer
// expect-stderr: bounds_addresses.cu:37
// expect-stderr: bounds_addresses.cu:41
// expect-stderr: bounds_addresses.cu:45
// expect-stderr: bounds_addresses.cu:51
// expect-stderr: bounds_addresses.cu:60
// expect-stderr: bounds_addresses.cu:64
// expect-stderr: bounds_addresses.cu:70
#include <sys/wait.h>
#include <unistd.h>

#include "api_check.h"

using Word = unsigned long long;

__global__ void store_at(Word address) {
    *reinterpret_cast<int*>(address) = 1;
}

__global__ void load_at(int* out, const int* in, long long index) {
    *out = in[index];
}

__global__ void atomic_at(Word address) {
    atomicAdd(reinterpret_cast<int*>(address), 1);
}

__global__ void shared_at(int* out, int index) {
    __shared__ int values[32];
    values[threadIdx.x] = 0;
    values[index] = 1;
    *out = values[threadIdx.x];
}

__global__ void local_at(int* out, int index, int start) {
    int values[32];
    for (int i = 0; i < 32; ++i) {
        values[(i + start) % 32] = i;
    }
    *out = values[index];
}

__global__ void vector_at(float4* out, const float4* in) {
    *out = in[0];
}

using Function = int (*)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__global__ void call_at(int* out, Word address) {
    *out = reinterpret_cast<Function>(address)(7);
}
__global__ void mentions_twice(Function* out) {
    *out = twice;
}

static int* out;

template <class Launch>
static void in_child(const char* what, Launch launch) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        need(cudaMalloc(&out, 64));
        need(cudaMemset(out, 0, 64));
        launch();
        std::printf("%s: %d\n", what, static_cast<int>(cudaDeviceSynchronize()));
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) std::printf("%s: CRASHED with signal %d\n", what, WTERMSIG(status));
}

int main() {
    static int on_the_host;
    constexpr Word kParam = 0x7c00'0000'0000;  // where the generic addresses of parameters begin
    in_child("null", [] { store_at<<<1, 1>>>(0); });
    in_child("the last byte there is", [] { store_at<<<1, 1>>>(~Word{0} - 3); });
    in_child("a host address", [] { store_at<<<1, 1>>>(reinterpret_cast<Word>(&on_the_host)); });
    in_child("between allocations", [] { store_at<<<1, 1>>>(reinterpret_cast<Word>(out) + 4096); });
    in_child("a negative index", [] { load_at<<<1, 1>>>(out, out, -1); });
    in_child("an index of 2^40", [] { load_at<<<1, 1>>>(out, out, 1ll << 40); });
    in_child("misaligned", [] { store_at<<<1, 1>>>(reinterpret_cast<Word>(out) + 2); });
    in_child("shared, far out", [] { shared_at<<<1, 32>>>(out, 1 << 28); });
    in_child("shared, below zero", [] { shared_at<<<1, 32>>>(out, -1); });
    in_child("local, far out", [] { local_at<<<1, 1>>>(out, 1 << 20, 0); });
    in_child("parameters, far out", [] { store_at<<<1, 1>>>(kParam + 0xfffffff0); });
    in_child("atomic at null", [] { atomic_at<<<1, 32>>>(0); });
    in_child("a vector over the end", [] {
        vector_at<<<1, 1>>>(reinterpret_cast<float4*>(out), reinterpret_cast<float4*>(out) + 4);
    });
    in_child("a garbage function pointer", [] { call_at<<<1, 1>>>(out, 0xdeadbeefdeadbeef); });
    in_child("a null function pointer", [] { call_at<<<1, 1>>>(out, 0); });
}
