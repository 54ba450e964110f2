// simulator only
// Tests a kernel that waits for another host thread, which must run while the kernel runs.
// varies-with-threads: the loop turns as long as the other thread sleeps
// expect: seen by the kernel: ok
#include <chrono>
#include <thread>

#include "check.h"

__global__ void wait(volatile int* flag, int* out) {
    while (*flag == 0) {
    }
    *out = *flag;
}

int main() {
    int* flag = nullptr;
    MUST(cudaMallocHost(&flag, sizeof *flag));
    volatile int* word = flag;
    *word = 0;
    DeviceArray<int> out(1);
    std::thread writer([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        *word = 7;
    });
    wait<<<1, 1>>>(flag, out);
    expect_equal<int>("seen by the kernel", out.read(), {7});
    writer.join();
}
