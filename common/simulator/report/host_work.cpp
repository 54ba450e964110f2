// See host_work.h.
#include "simulator/report/host_work.h"

#include <mutex>

#include "simulator/report/text.h"

namespace coalesce::simulator {
namespace {

struct HostWork {
    std::mutex mutex;
    std::map<std::string, u64> calls;
};
HostWork& all_host_work() {
    static HostWork& instance = *new HostWork;
    return instance;
}

}  // namespace

void note_host_work(const std::string& function) {
    std::lock_guard lock(all_host_work().mutex);
    ++all_host_work().calls[function];
}

std::map<std::string, u64> host_work() {
    std::lock_guard lock(all_host_work().mutex);
    return all_host_work().calls;
}

std::string host_work_text() {
    std::string text;
    for (const auto& [function, calls] : host_work())
        text += (text.empty() ? "\n" : "") + function + ": " + format_with_commas(calls) +
                (calls == 1 ? " call" : " calls") + ", on the host, not counted\n";
    return text;
}

}  // namespace coalesce::simulator
