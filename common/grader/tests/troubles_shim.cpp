// A library that tests preload to simulate problems with a computer. Each of these environment
// variables causes one problem:
//
// - COALESCE_TEST_HIDE=nvrtc hides files whose paths contain "nvrtc".
// - COALESCE_TEST_CLOCK=jumps makes the wall clock jump by years, forwards and backwards, whenever
// it is read.
//
// The library replaces only the functions that the tested code calls.
#include <dlfcn.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_hidden(const char* path) {
    const char* hidden = std::getenv("COALESCE_TEST_HIDE");
    if (hidden == nullptr || std::strstr(path, hidden) == nullptr) return false;
    errno = ENOENT;
    return true;
}

time_t jump() {
    if (std::getenv("COALESCE_TEST_CLOCK") == nullptr) return 0;
    // The first jump depends on the process ID. Each further call jumps again.
    static unsigned count = static_cast<unsigned>(getpid());
    return static_cast<time_t>(count++ % 41) * 31'622'400 - 20 * 31'622'400;
}

}  // namespace

extern "C" int stat(const char* path, struct stat* status) noexcept {
    return is_hidden(path) ? -1 : real<int(const char*, struct stat*)>("stat")(path, status);
}

extern "C" int access(const char* path, int mode) noexcept {
    return is_hidden(path) ? -1 : real<int(const char*, int)>("access")(path, mode);
}

extern "C" void* dlopen(const char* path, int mode) noexcept {
    if (path != nullptr && is_hidden(path)) return nullptr;
    return real<void*(const char*, int)>("dlopen")(path, mode);
}

extern "C" time_t time(time_t* to) noexcept {
    time_t now = real<time_t(time_t*)>("time")(nullptr) + jump();
    if (to != nullptr) *to = now;
    return now;
}

extern "C" int clock_gettime(clockid_t clock, struct timespec* to) noexcept {
    int answer = real<int(clockid_t, struct timespec*)>("clock_gettime")(clock, to);
    if (clock == CLOCK_REALTIME) to->tv_sec += jump();
    return answer;
}
