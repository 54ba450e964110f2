#include "grader/sandbox/jail.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/child.h"
#include "grader/sandbox/own_namespace.h"
#include "grader/sandbox/places.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The time limit for starting a jail on a busy computer. Starting includes warming up the compiler
/// or loading the simulator.
constexpr auto kStartTimeout = 60s;
/// The memory limit of a jail in bytes, in addition to the limit of its worker. It covers shared
/// memory and the server process.
constexpr std::size_t kJailMemoryBytes = std::size_t{512} << 20;
constexpr std::size_t kMaxProcesses = 96;
/// The number of jobs after which a jail is replaced, so that leftovers of jobs do not accumulate.
constexpr int kMaxJobsPerJail = 2000;

/// Reports whether the status means that the process was killed. Bubblewrap exits with 128 plus the
/// signal if its child was killed.
bool was_killed_by_signal(int status) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
    return signal == SIGKILL || signal == SIGTERM;
}

std::vector<std::string> jail_environment(Tier tier, const std::string& simulator) {
    std::vector<std::string> variables = compiler_environment(simulator);
    variables.insert(
        variables.end(),
        {"COALESCE_SIM_THREADS=1",  // a worker has one thread, so that it can fork
         // COALESCE_SIM_MEMORY limits the address space, not the memory in use. A time prediction
         // needs two matrices of 256 MB, which are never accessed.
         "COALESCE_SIM_MEMORY=576M", "COALESCE_SIM_QUIET=1", "COALESCE_SIM_REPORT=0", "LC_ALL=C",
         "TZ=UTC0", "TMPDIR=/nonexistent", std::string("COALESCE_JAIL_TIER=") + name_of(tier)});
    return variables;
}

constexpr const char* kBubblewrapOptions =
    "--unshare-all --unshare-user --uid 65534 --gid 65534 --die-with-parent --new-session "
    "--as-pid-1 --cap-drop ALL --proc /proc";

std::vector<std::string> bubblewrap_command(Role role, const fs::path& program,
                                            const std::string& simulator) {
    std::istringstream options(kBubblewrapOptions);
    std::vector<std::string> command = {bubblewrap_program()};
    for (std::string word; options >> word;) command.push_back(word);
    for (const std::string& path : readable_paths()) {
        const bool is_link = fs::is_symlink(path);
        command.insert(command.end(), {is_link ? "--symlink" : "--ro-bind",
                                       is_link ? fs::read_symlink(path).string() : path, path});
    }
    command.insert(command.end(),
                   {"--ro-bind", simulator, "/sim", "--ro-bind", program.string(), "/jail",
                    "--remount-ro", "/", "--chdir", "/", "/jail", dashed_name(role)});
    return command;
}

/// Runs in the new process between fork and exec. The parent has several threads, so only
/// async-signal-safe calls are allowed.
[[noreturn]] void execute_jail(char* const* command, char* const* environment, int grader_socket,
                               int control_socket, int null_descriptor,
                               const std::vector<int>& cgroup_descriptors) {
    end_with_parent();
    // If the grader ended before end_with_parent() was called, its end of the socket is closed.
    close(grader_socket);
    char byte = 0;
    if (recv(control_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) _exit(126);
    for (const int cgroup_descriptor : cgroup_descriptors) {
        if (write(cgroup_descriptor, "0", 1) != 1) _exit(125);
    }
    for (int standard_descriptor = 0; standard_descriptor < 3; ++standard_descriptor)
        dup2(null_descriptor, standard_descriptor);
    if (control_socket == kControlDescriptor) {
        fcntl(control_socket, F_SETFD, 0);
    } else {
        dup2(control_socket, kControlDescriptor);
    }
    if (syscall(SYS_close_range, kControlDescriptor + 1, ~0U, 0) != 0) {
        for (int descriptor = kControlDescriptor + 1; descriptor < 4096; ++descriptor)
            close(descriptor);
    }
    // Remove the soft limits that the judge set for a single submission, because a jail serves many
    // submissions.
    for (const auto resource : {RLIMIT_CPU, RLIMIT_AS}) {
        rlimit limit{};
        if (getrlimit(resource, &limit) != 0) continue;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(resource, &limit);
    }
    sigset_t empty_signals;
    sigemptyset(&empty_signals);
    sigprocmask(SIG_SETMASK, &empty_signals, nullptr);
    execve(command[0], command, environment);
    _exit(127);
}

}  // namespace

Jail::Jail(Role role, Tier tier) : role_(role), tier_(tier) {}

Jail::~Jail() {
    stop();
}

void Jail::stop() {
    control_.reset();
    if (process_ > 0) {
        kill(process_, SIGKILL);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
        process_ = 0;
    }
    cgroup_.reset();
}

void Jail::spawn() {
    const fs::path program = jail_program();
    const std::string simulator = simulator_folder().string();
    const bool uses_bubblewrap = tier_ == Tier::namespaces;
    const std::vector<std::string> command =
        uses_bubblewrap ? bubblewrap_command(role_, program, simulator)
                        : std::vector<std::string>{program.string(), dashed_name(role_)};
    const std::vector<std::string> environment =
        jail_environment(tier_, uses_bubblewrap ? "/sim" : simulator);
    const std::vector<char*> argument_pointers = to_c_string_array(command),
                             variable_pointers = to_c_string_array(environment);
    auto [grader_end, jail_end] = socket_pair();
    const Descriptor null_descriptor(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (tier_ != Tier::unsandboxed)
        cgroup_ = Cgroup::make(kJailMemoryBytes + (2048UL << 20), kMaxProcesses);
    std::vector<Descriptor> cgroup_descriptors;
    std::vector<int> descriptor_numbers;
    if (cgroup_) {
        for (const std::string& cgroup_file : cgroup_->entry_files()) {
            cgroup_descriptors.emplace_back(open(cgroup_file.c_str(), O_WRONLY | O_CLOEXEC));
            descriptor_numbers.push_back(cgroup_descriptors.back().get());
        }
    }
    process_ = uses_bubblewrap ? fork_into_namespaces() : fork();
    if (process_ == 0) {
        execute_jail(argument_pointers.data(), variable_pointers.data(), grader_end.get(),
                     jail_end.get(), null_descriptor.get(), descriptor_numbers);
    }
    if (process_ < 0) {
        process_ = 0;
        throw std::runtime_error(std::string("a process cannot be created: ") +
                                 std::strerror(errno));
    }
    control_ = std::move(grader_end);
}

std::string Jail::start() {
    if (process_ > 0 && jobs_done_ < kMaxJobsPerJail) return "";
    stop();
    jobs_done_ = 0;
    was_killed_ = false;
    if (tier_ == Tier::none) return "no sandbox works on this computer";
    try {
        spawn();
    } catch (const std::exception& error) {
        stop();
        return error.what();
    }
    Packet ready;
    const ReceiveStatus received =
        receive_packet(control_.get(), ready, Clock::now() + kStartTimeout);
    if (received == ReceiveStatus::packet && ready.bytes.starts_with("ready ")) {
        ready_message_ = ready.bytes.substr(6);
        earlier_memory_kills_ = cgroup_ ? cgroup_->out_of_memory_kills() : 0;
        return "";
    }
    std::string problem = "the jail for '" + dashed_name(role_) + "' does not start";
    if (received == ReceiveStatus::packet) problem += ": " + ready.bytes;
    if (received == ReceiveStatus::timed_out) problem += " within a minute";
    if (received == ReceiveStatus::closed) {
        int status = 0;
        if (waitpid(process_, &status, 0) == process_) {
            process_ = 0;
            was_killed_ = was_killed_by_signal(status);
            problem += WIFEXITED(status) ? " (status " + std::to_string(WEXITSTATUS(status)) + ")"
                                         : " (signal " + std::to_string(WTERMSIG(status)) + ")";
        }
    }
    stop();
    return problem;
}

bool Jail::ran_out_of_memory() const {
    return cgroup_ && cgroup_->out_of_memory_kills() > earlier_memory_kills_;
}

JobEnd Jail::interpret_end(const EndMessage& message, const JobLimits& limits) const {
    const int code = static_cast<int>(message.code);
    JobEnd end{.processor_milliseconds = static_cast<double>(message.processor_milliseconds)};
    if (message.end_kind == EndMessage::exited && code == kNotRestrictedStatus) {
        end.problem = "a worker could not be restricted: ulimit -aH shows which limit is too low";
    } else if (message.end_kind == EndMessage::exited && code == kOutOfMemoryStatus) {
        end.end_kind = JobEnd::EndKind::out_of_memory;
    } else if (message.end_kind == EndMessage::exited) {
        end.end_kind = JobEnd::EndKind::exited;
        end.code = code;
    } else if (message.end_kind != EndMessage::signalled) {
        end.problem = "the jail cannot create a process";
    } else if (code == SIGXCPU) {
        end.end_kind = JobEnd::EndKind::out_of_processor;
    } else if (code != SIGKILL) {
        end.end_kind = JobEnd::EndKind::signalled;
        end.code = code;
    } else if (ran_out_of_memory()) {
        end.end_kind = JobEnd::EndKind::out_of_memory;
    } else if (message.processor_milliseconds < 900 * limits.processor_seconds) {
        // If a worker ignores SIGXCPU, the kernel sends SIGKILL at the hard limit. A SIGKILL before
        // that comes from another program.
        return {.problem = "a worker was killed by another process"};
    } else {
        end.end_kind = JobEnd::EndKind::out_of_processor;
    }
    return end;
}

/// Returns the reason why the socket is closed: either the jail ran out of memory, or the jail was
/// killed.
JobEnd Jail::interpret_dead_jail() {
    const bool is_out_of_memory = ran_out_of_memory();
    stop();
    if (is_out_of_memory) return {.end_kind = JobEnd::EndKind::out_of_memory};
    return {.problem = "the jail ended during a job"};
}

JobEnd Jail::wait_for_end(int worker, const Job& job) {
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(job.limits.wall_seconds));
    bool has_received_note = !job.on_note;
    for (;;) {
        const int readable = has_received_note
                                 ? wait_for_either(control_.get(), control_.get(), deadline)
                                 : wait_for_either(worker, control_.get(), deadline);
        if (readable < 0) {
            stop();
            return {.end_kind = JobEnd::EndKind::out_of_time};
        }
        Packet packet;
        const ReceiveStatus received = receive_packet(readable, packet, deadline);
        if (readable == worker) {
            // A worker may send only one note. The message that a worker has ended comes from the
            // jail.
            has_received_note = true;
            if (received != ReceiveStatus::packet) continue;
            const Descriptor answer = job.on_note(packet.bytes);
            if (answer) send_packet(worker, "answer", {answer.get()});
            continue;
        }
        if (received == ReceiveStatus::timed_out) continue;
        if (received != ReceiveStatus::packet) return interpret_dead_jail();
        const auto end_message = parse_structure<EndMessage>(packet.bytes);
        if (!end_message)
            return {.problem = "the jail program has a different version: rebuild all programs"};
        return interpret_end(*end_message, job.limits);
    }
}

JobResult Jail::run(const Job& job) {
    JobResult result;
    if (result.end.problem = start(); !result.end.problem.empty()) return result;
    ++jobs_done_;
    const Descriptor request = create_sealed_memfd(job.request);
    Descriptor answer = create_blank_memfd(job.answer_bytes);
    auto [job_socket, worker_socket] = socket_pair();
    const JobMessage message{.processor_seconds = job.limits.processor_seconds,
                             .memory_bytes = static_cast<std::int64_t>(job.limits.memory_mb << 20)};
    if (!send_packet(control_.get(), structure_bytes(message),
                     {request.get(), answer.get(), worker_socket.get()})) {
        result.end = interpret_dead_jail();
        return result;
    }
    worker_socket.reset();
    try {
        result.end = wait_for_end(job_socket.get(), job);
    } catch (...) {
        stop();  // the next job must not receive the message that this worker has ended
        throw;
    }
    if (cgroup_) earlier_memory_kills_ = cgroup_->out_of_memory_kills();
    if (result.end.end_kind == JobEnd::EndKind::jail_failed) stop();
    result.answer = Answer(std::move(answer));
    return result;
}

}  // namespace coalesce::grader
