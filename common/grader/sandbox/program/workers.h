// Declares the jobs that a jail's workers do. The jail's role determines the job.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "grader/sandbox/filters.h"
#include "grader/sandbox/jail.h"

namespace coalesce::grader {

/// Loads the compiler or the simulator, which all workers share. Must be called before the first
/// worker is forked. Returns a description of what was loaded.
std::string prepare_jail(Role role, bool is_restricted);
/// Return the duty of a jail's server process and of its workers. The duty determines which system
/// calls a process may make.
Duty server_duty(Role role);
Duty worker_duty(Role role);
/// Starts the helper processes of a worker. Must be called before the worker is restricted, because
/// a restricted worker cannot start processes.
void start_helpers(Role role, bool is_restricted);
inline std::string_view request_text(const MemoryMapping& request) {
    return {reinterpret_cast<const char*>(request.data()), request.size()};
}
/// Handles `request` in a worker and writes the result to `answer`. Returns the worker's exit
/// status.
int do_job(Role role, std::string_view request, std::span<std::byte> answer, int note_socket);

// Reports whether clang, rather than NVRTC, compiles submissions. The functions that follow
// implement the roles, with one source file per role.
bool is_compiled_by_clang();
void start_clang(bool is_restricted);
std::string make_compiler_ready(bool is_restricted);
int compile_worker(std::string_view request, std::span<std::byte> answer);
std::string make_simulator_ready();
int launch_worker(std::string_view request, std::span<std::byte> answer, int note_socket);
int probe_worker(std::string_view request, std::span<std::byte> answer);

}  // namespace coalesce::grader
