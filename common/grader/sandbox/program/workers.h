// The jobs of the workers in a jail. The role of the jail determines which jobs they do.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "grader/sandbox/filters.h"
#include "grader/sandbox/jail.h"

namespace coalesce::grader {

/// Loads the compiler or the simulator, which all workers share. Call it before the first worker is
/// forked. Returns what the jail reports about itself. With `is_restricted`, restricts the programs
/// that it starts in the same way as workers.
std::string prepare_jail(Role role, bool is_restricted);
/// Returns the restriction of the jail's server process. `worker_duty` returns the restriction of a
/// worker.
Duty server_duty(Role role);
Duty worker_duty(Role role);
/// Starts the processes that a worker needs but could not start once it is restricted. Runs in the
/// worker.
void start_helpers(Role role, bool is_restricted);
/// Returns the text of a request.
inline std::string_view text_of(const Mapping& request) {
    return {reinterpret_cast<const char*>(request.data()), request.size()};
}
/// Does a job in the worker, writes the answer, and returns the exit status.
int do_job(Role role, std::string_view request, std::span<std::byte> answer, int notes);

// `is_compiled_by_clang` reports whether clang, not NVRTC, compiles submissions. Each of the other
// functions belongs to one role and is defined in that role's file.
bool is_compiled_by_clang();
void start_clang(bool is_restricted);
std::string make_compiler_ready(bool is_restricted);
int compile_worker(std::string_view request, std::span<std::byte> answer);
std::string make_simulator_ready();
int launch_worker(std::string_view request, std::span<std::byte> answer, int notes);
int probe_worker(std::string_view request, std::span<std::byte> answer);

}  // namespace coalesce::grader
