#include "examiner/changes/processes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <new>
#include <stdexcept>
#include <thread>

namespace coalesce::changes {
namespace {

/// The most processes that may crash before the search gives up.
constexpr int kMaxCrashes = 20;

/// The memory that the processes share: the next attempt to make, and the results.
class SharedResults {
public:
    explicit SharedResults(std::size_t count) : bytes_(sizeof(Head) + count * sizeof(Slot)) {
        void* memory =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("not enough memory");
        head_ = new (memory) Head{{0}, {count}};
        slots_ = new (static_cast<char*>(memory) + sizeof(Head)) Slot[count];
    }
    ~SharedResults() { munmap(head_, bytes_); }
    SharedResults(const SharedResults&) = delete;
    SharedResults& operator=(const SharedResults&) = delete;

    /// Takes the next attempts and returns the number of the first. The number is `limit` or more
    /// if no attempts are left.
    std::size_t take(std::size_t count) { return head_->next.fetch_add(count); }
    bool has_next() const { return head_->next < head_->limit; }
    std::size_t limit() const { return head_->limit; }
    void lower_limit(std::size_t limit) {
        std::size_t known = head_->limit;
        while (limit < known && !head_->limit.compare_exchange_weak(known, limit)) {
        }
    }
    void store(std::size_t number, const Attempt& attempt) {
        slots_[number].hash = attempt.hash;
        slots_[number].outcome = attempt.outcome;
    }
    bool has(Outcome outcome, std::size_t count) const {
        return std::any_of(slots_, slots_ + count,
                           [&](const Slot& slot) { return slot.outcome == outcome; });
    }
    Attempt result(std::size_t number) const {
        return {slots_[number].outcome, slots_[number].hash};
    }

private:
    struct Head {
        std::atomic<std::size_t> next, limit;
    };
    struct Slot {
        std::atomic<Outcome> outcome{Outcome::untried};
        std::atomic<std::uint64_t> hash{0};
    };
    std::size_t bytes_;
    Head* head_;
    Slot* slots_;
};

/// Prepares a child process: it ends with its parent, prints nothing, and crashes silently.
void isolate_child(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT}) {
        std::signal(signal, SIG_DFL);
    }
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

void make_attempts_in_child(const AttemptOptions& options, SharedResults& results,
                            const std::function<std::unique_ptr<Attempter>()>& prepare) {
    const std::unique_ptr<Attempter> attempter = prepare();
    const auto report = [&](std::size_t number, Attempt attempt) {
        results.store(number, attempt);
        if (attempt.outcome == Outcome::passed) {
            results.lower_limit(options.count_after_pass(number));
        }
        return number + 1 < results.limit();
    };
    for (;;) {
        const std::size_t first = results.take(options.batch);
        const std::size_t end = std::min(first + options.batch, results.limit());
        if (first >= end) return;
        attempter->attempt(first, end, report);
    }
}

pid_t start_child(const AttemptOptions& options, SharedResults& results,
                  const std::function<std::unique_ptr<Attempter>()>& prepare) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    int code = 0;
    try {
        isolate_child(parent);
        make_attempts_in_child(options, results, prepare);
    } catch (...) {
        code = 1;
    }
    _exit(code);
}

/// Returns the CPU time that these processes have used together.
std::chrono::nanoseconds cpu_time_of(const std::vector<pid_t>& processes) {
    std::chrono::nanoseconds sum{0};
    for (const pid_t process : processes) {
        clockid_t clock = 0;
        timespec time{};
        if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) continue;
        sum += std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    return sum;
}

/// Reports whether no more time is left for these processes. While an attempt is promising, lets its
/// process go on, but the others start no further attempts.
bool is_over(const AttemptOptions& options, SharedResults& results,
             const std::vector<pid_t>& children) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_late = now >= options.deadline && (now >= options.last_deadline ||
                                                     cpu_time_of(children) >= options.cpu_time);
    if (!is_late && results.limit() > 0) return false;
    results.lower_limit(0);
    return now >= options.promising_deadline || !results.has(Outcome::promising, options.count);
}

/// Waits for the children until the deadline. Starts another child for each one that crashes.
void wait_for_children(std::vector<pid_t> children, const AttemptOptions& options,
                       SharedResults& results,
                       const std::function<std::unique_ptr<Attempter>()>& prepare) {
    int crashes = 0;
    while (!children.empty() && !is_over(options, results, children)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        for (std::size_t i = children.size(); i-- > 0;) {
            int status = 0;
            if (waitpid(children[i], &status, WNOHANG) != children[i]) continue;
            const bool has_crashed = status != 0 && results.has_next() && ++crashes < kMaxCrashes;
            children[i] = has_crashed ? start_child(options, results, prepare) : -1;
            if (children[i] < 0) children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    for (const pid_t child : children) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
}

}  // namespace

std::vector<Attempt> make_attempts(const AttemptOptions& options,
                                   const std::function<std::unique_ptr<Attempter>()>& prepare) {
    SharedResults results(options.count);
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < options.processes; ++i) {
        const pid_t child = start_child(options, results, prepare);
        if (child > 0) children.push_back(child);
    }
    wait_for_children(std::move(children), options, results, prepare);
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < options.count; ++i) attempts.push_back(results.result(i));
    return attempts;
}

}  // namespace coalesce::changes
