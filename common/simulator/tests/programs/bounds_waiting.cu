// An endless wait must be reported as a deadlock, with the line on which the threads wait.
// simulator only
// expect: a barrier that one warp skips: 702
// expect: a lock that is never released: 702
// expect-stderr: synccheck: deadlock in waits_at_barrier
// expect-stderr: bounds_waiting.cu:17
// expect-stderr: synccheck: deadlock in waits_for_lock
// expect-stderr: bounds_waiting.cu:23
#include <sys/wait.h>
#include <unistd.h>

#include "api_check.h"

__global__ void waits_at_barrier() {
    // The barrier expects 64 threads, but only the first warp arrives.
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}

__global__ void waits_for_lock(int* lock) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
    }
}

template <class Launch>
static void in_child(const char* what, Launch launch) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
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
    in_child("a barrier that one warp skips", [] { waits_at_barrier<<<1, 64>>>(); });
    in_child("a lock that is never released", [] {
        int* lock;
        need(cudaMalloc(&lock, sizeof(int)));
        need(cudaMemset(lock, 0, sizeof(int)));
        waits_for_lock<<<2, 32>>>(lock);
    });
}
