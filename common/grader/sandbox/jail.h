/// \file
/// A jail: a process that forks a worker for each job, and cannot get at anything else. This is the
/// grader's side; program/ has the jail's.
///
/// Theory of operation. The program `jail` is started once, in bubblewrap (tier A) or under Landlock
/// (tier B), as the grader's direct child. It makes itself ready (a warm compiler, a loaded simulator),
/// gives up what it does not need, and waits at a socket. A job is a sealed memory with what is to be
/// done and a blank one for the answer; the jail forks a worker for it, which restricts itself further
/// and ends with the job. The worker can ask for more by a note on a socket of its own, once: that is
/// how inputs come after the kernel is loaded. The jail tells when the worker is dead; the grader copies
/// the answer and reads the copy.
///
/// Time is kept here, by the monotonic clock: when it is over the whole jail is killed, and the next
/// job starts a new one. With the jail's first process die all others, for it is their namespace's
/// init, as bubblewrap's own is (own_namespace.h); under Landlock none of them can fork. Where clang
/// compiles, the compiler's worker starts it before it restricts itself, and waits for it
/// (program/clang_beside.h): clang dies with its worker.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/enum_names.h"
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/memory_file.h"
#include "grader/sandbox/packet.h"
#include "grader/sandbox/protocol.h"
#include "grader/sandbox/tier.h"

namespace coalesce::grader {

/// What a jail is for; program/ has a part for each.
enum class Role { compile, launch, probe };
constexpr Role last_of(Role) {
    return Role::probe;
}

/// What a worker may use.
struct JobLimits {
    int processor_seconds = 5;  ///< of the processor
    double wall_seconds = 20;   ///< of the clock, the grader's own
    std::size_t memory_mb = 1024;
};

/// How a worker ended.
struct JobEnd {
    /// The kinds of ends.
    enum class How {
        exited,            ///< with `code`
        signalled,         ///< by the signal `code`
        out_of_processor,  ///< it computed for longer than it may
        out_of_time,       ///< the clock's limit: perhaps this computer is busy
        out_of_memory,     ///< the kernel killed it, or all of the jail, for its memory
        jail_failed,       ///< the jail could not be started, or broke: `problem` says more
    };
    How how = How::jail_failed;
    int code = 0;
    std::string problem = "";
    double processor_milliseconds = 0;  ///< that it used, as far as that is known
};

/// One thing to do.
struct Job {
    std::string_view request;            ///< what the worker reads
    std::size_t answer_bytes = 1 << 20;  ///< room for what it answers
    JobLimits limits = {};
    /// Called when the worker sends a note; gives what it asks for, a descriptor to send.
    std::function<Descriptor(std::string_view note)> on_note = {};
};

/// What came of it. The answer is there however the worker ended.
struct JobResult {
    JobEnd end;
    Answer answer;
};

/// A jail of one role. Starts with its first job. To be used and destroyed by one thread: when that
/// ends, the kernel ends the jail.
class Jail {
public:
    Jail(Role role, Tier tier);
    ~Jail();
    Jail(const Jail&) = delete;
    Jail& operator=(const Jail&) = delete;

    /// Starts it if it is not running. Empty when it is ready, else why not.
    std::string start();
    /// Does a job. Never throws for what a worker does; throws std::runtime_error when the grader
    /// itself lacks memory or descriptors.
    JobResult run(const Job& job);
    /// Whether somebody killed it before it was ready: `start` says so, and no more.
    bool was_killed() const { return was_killed_; }
    /// What the jail said when it was ready: the compiler's name, for instance.
    const std::string& about() const { return about_; }
    /// Its process, for tests; 0 when there is none.
    pid_t process() const { return process_; }
    /// Kills it, with all that is in it.
    void stop();

private:
    void spawn();
    JobEnd wait_for_end(int worker, const Job& job);
    bool ran_out_of_memory() const;
    JobEnd end_of(const EndMessage& told, const JobLimits& limits) const;
    JobEnd end_of_dead_jail();

    Role role_;
    Tier tier_;
    std::unique_ptr<Cgroup> cgroup_;
    Descriptor control_;
    std::string about_;
    pid_t process_ = 0;
    long kills_before_ = 0;
    int jobs_done_ = 0;
    bool was_killed_ = false;
};

/// The program `jail`: in the folder that COALESCE_GRADER_PROGRAMS names, or near this program.
/// Throws std::runtime_error when it is nowhere.
std::filesystem::path jail_program();
/// The folder of the simulator's libcudart. Throws std::runtime_error.
std::filesystem::path simulator_folder();

}  // namespace coalesce::grader
