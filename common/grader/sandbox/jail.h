/// \file
/// A jail is a sandboxed process that forks a worker for each job. This file declares the grader's
/// side. The jail's side is in program/.
///
/// The grader starts the program `jail` in bubblewrap (tier A) or under Landlock (tier B). The jail
/// first warms up its compiler or loads the simulator. Then it gives up all rights that it does not
/// need, and waits for jobs on a socket. A job consists of two memfds: a sealed one with the
/// request, and an empty one for the answer. The jail forks a worker, which restricts itself
/// further and exits after the job. The worker may send one note on its own socket, to which the
/// grader replies with a memfd. The worker of a launch sends its note after it has loaded the
/// kernel, so that the inputs arrive only then. The jail reports when the worker has ended. The
/// grader copies the answer and reads only the copy.
///
/// The grader limits the elapsed time. At the limit it kills the whole jail, and the next job
/// starts a new one. All processes of a jail die with its first process. In tier A, the first
/// process is the init process of a PID namespace (own_namespace.h). Under Landlock, only the first
/// process can fork, except that a worker may start clang (program/clang_beside.h), which dies with
/// the worker.
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

/// The purpose of a jail. `compile` compiles submissions, `launch` launches their kernels, and
/// `probe` tries attacks to test the sandbox. The code in program/ implements each role.
enum class Role { compile, launch, probe };
constexpr Role last_of(Role) {
    return Role::probe;
}

/// The limits of a worker.
struct JobLimits {
    int processor_seconds = 5;  ///< limit on processor time
    double wall_seconds = 20;   ///< limit on elapsed time, measured by the grader
    std::size_t memory_mb = 1024;
};

/// A description of how a worker ended.
struct JobEnd {
    /// The ways in which a worker can end.
    enum class EndKind {
        exited,            ///< the worker exited with status `code`
        signalled,         ///< the worker was killed by the signal `code`
        out_of_processor,  ///< the worker exceeded its limit on processor time
        /// the worker exceeded its limit on elapsed time, perhaps because the computer was busy
        out_of_time,
        out_of_memory,  ///< Linux killed the worker, and perhaps its jail, because memory ran out
        jail_failed,    ///< the worker could not run, because the jail failed; `problem` says why
    };
    EndKind end_kind = EndKind::jail_failed;
    int code = 0;
    std::string problem = "";
    double processor_milliseconds = 0;  ///< processor time, if known
};

/// A job for a jail.
struct Job {
    std::string_view request;            ///< the request that the worker reads
    std::size_t answer_bytes = 1 << 20;  ///< maximum size of the answer in bytes
    JobLimits limits = {};
    /// Called when the worker sends a note. Returns the descriptor to send as the reply.
    std::function<Descriptor(std::string_view note)> on_note = {};
};

/// The result of a job. The answer can be read even if the worker failed.
struct JobResult {
    JobEnd end;
    Answer answer;
};

/// A jail for one role. The first job starts the jail. The same thread must start, use and destroy
/// the jail, because Linux kills the jail when the thread that started it ends.
class Jail {
public:
    Jail(Role role, Tier tier);
    ~Jail();
    Jail(const Jail&) = delete;
    Jail& operator=(const Jail&) = delete;

    /// Starts the jail if it is not running. Returns "" on success, otherwise the reason for the
    /// failure.
    std::string start();
    /// Runs a job. A failing worker never causes an exception. Throws std::runtime_error if the
    /// grader itself has too little memory or too few descriptors.
    JobResult run(const Job& job);
    /// Reports whether the last call of `start` failed because the jail was killed.
    bool was_killed() const { return was_killed_; }
    /// Returns the text that the jail sent when it was ready, such as the compiler's name.
    const std::string& ready_message() const { return ready_message_; }
    /// Returns the process id of the jail, or 0 if it is not running. Used by tests.
    pid_t process() const { return process_; }
    /// Kills the jail and all its processes.
    void stop();

private:
    void spawn();
    JobEnd wait_for_end(int worker, const Job& job);
    bool ran_out_of_memory() const;
    JobEnd interpret_end(const EndMessage& message, const JobLimits& limits) const;
    JobEnd interpret_dead_jail();

    Role role_;
    Tier tier_;
    std::unique_ptr<Cgroup> cgroup_;
    Descriptor control_;
    std::string ready_message_;
    pid_t process_ = 0;
    long earlier_memory_kills_ = 0;
    int jobs_done_ = 0;
    bool was_killed_ = false;
};

/// Returns the path of the program `jail`. It is in the folder that COALESCE_GRADER_PROGRAMS names,
/// or near this program.
std::filesystem::path jail_program();
/// Returns the folder of the simulator's libcudart. Throws std::runtime_error if it cannot be
/// found.
std::filesystem::path simulator_folder();

}  // namespace coalesce::grader
