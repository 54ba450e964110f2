#include "grader/class/own_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace coalesce::grader {
namespace {

// Of the processor; judging takes far less than a second of it in this process.
constexpr rlim_t kProcessorSeconds = 20;
// Of addresses, beside what was in use before the first submission.
constexpr rlim_t kMostMemory = rlim_t{1} << 30;

// Only what can be taken back: a jail raises its own again, before it is one.
void limit_softly(__rlimit_resource what, rlim_t most) {
    rlimit limit{};
    if (getrlimit(what, &limit) != 0) return;
    limit.rlim_cur = std::min(limit.rlim_max, most);
    setrlimit(what, &limit);
}

rlim_t addresses_in_use() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void limit_to_one_submission() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    limit_softly(RLIMIT_CPU, seconds + 1 + kProcessorSeconds);
    static const rlim_t before = addresses_in_use();
    if (before > 0) limit_softly(RLIMIT_AS, before + kMostMemory);
}

}  // namespace coalesce::grader
