/// \file
/// A jail: a process that forks a worker for each job and has no access to anything else. This file is the grader's
/// side; program/ is the jail's.
///
/// Theory of operation. The program `jail` is started once, in bubblewrap (tier A) or under Landlock (tier B), as a
/// direct child of the grader. It makes itself ready (a warm compiler, a loaded simulator), gives up what it does not
/// need, and waits at a socket. A job is a sealed memory with the request and a blank one for the answer. The jail
/// forks a worker for it, which restricts itself further and ends with the job. The worker may ask for more once, by
/// a note on its own socket: in this way the inputs arrive after the kernel is loaded. The jail reports the end of
/// the worker. The grader copies the answer and reads the copy.
///
/// The grader limits the time by the monotonic clock: at the limit it kills the whole jail, and the next job starts a
/// new one. All other processes die with the jail's first process, which is the init of their namespace, as
/// bubblewrap's own is (own_namespace.h); under Landlock none of them can fork. If clang compiles, the compiler's
/// worker starts it before restricting itself, and waits for it (program/clang_beside.h): clang dies with its worker.
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

/// The purpose of a jail. program/ implements each role.
enum class Role { compile, launch, probe };
constexpr Role last_of(Role) {
    return Role::probe;
}

/// The limits of a worker.
struct JobLimits {
    int processor_seconds = 5;  ///< processor time
    double wall_seconds = 20;   ///< elapsed time by the grader's clock
    std::size_t memory_mb = 1024;
};

/// The end of a worker.
struct JobEnd {
    /// The ways in which a worker can end.
    enum class How {
        exited,            ///< with `code`
        signalled,         ///< by the signal `code`
        out_of_processor,  ///< it exceeded its processor time
        out_of_time,       ///< it exceeded the elapsed time, perhaps because the computer is busy
        out_of_memory,     ///< the kernel killed it, or the whole jail, for lack of memory
        jail_failed,       ///< the jail could not be started or failed; `problem` says why
    };
    How how = How::jail_failed;
    int code = 0;
    std::string problem = "";
    double processor_milliseconds = 0;  ///< processor time, if known
};

/// A job for a jail.
struct Job {
    std::string_view request;            ///< the request that the worker reads
    std::size_t answer_bytes = 1 << 20;  ///< room for the answer
    JobLimits limits = {};
    /// Called when the worker sends a note. Returns the descriptor to send in reply.
    std::function<Descriptor(std::string_view note)> on_note = {};
};

/// The result of a job. The answer exists however the worker ended.
struct JobResult {
    JobEnd end;
    Answer answer;
};

/// A jail for one role, which starts with its first job. It must be used and destroyed by the same thread, because
/// the kernel kills the jail when that thread ends.
class Jail {
public:
    Jail(Role role, Tier tier);
    ~Jail();
    Jail(const Jail&) = delete;
    Jail& operator=(const Jail&) = delete;

    /// Starts the jail if it is not running. Returns "" if it is ready, otherwise why not.
    std::string start();
    /// Runs a job. Never throws for what a worker does. Throws std::runtime_error if the grader itself lacks memory
    /// or descriptors.
    JobResult run(const Job& job);
    /// Reports whether the jail was killed before it was ready, which `start` then only reports as a failure.
    bool was_killed() const { return was_killed_; }
    /// Returns what the jail reported when it was ready, such as the compiler's name.
    const std::string& about() const { return about_; }
    /// Returns the process of the jail, or 0; for tests.
    pid_t process() const { return process_; }
    /// Kills the jail and everything in it.
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

/// Returns the program `jail`, in the folder that COALESCE_GRADER_PROGRAMS names or near this program. Throws
/// std::runtime_error if there is none.
std::filesystem::path jail_program();
/// Returns the folder of the simulator's libcudart. Throws std::runtime_error.
std::filesystem::path simulator_folder();

}  // namespace coalesce::grader
