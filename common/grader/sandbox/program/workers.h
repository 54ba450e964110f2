// The work of a worker, by the role of its jail.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "grader/sandbox/filters.h"
#include "grader/sandbox/jail.h"

namespace coalesce::grader {

/// Loads what all workers need, before the first is created. Returns what the jail reports about itself. With
/// `is_restricted`, programs that are started are restricted like workers.
std::string make_ready(Role role, bool is_restricted);
/// Returns the restriction under which the jail serves and a worker of this role works.
Duty serving_duty_of(Role role);
Duty duty_of(Role role);
/// Runs in the worker before it is restricted: starts what it cannot start later.
void start_helpers(Role role, bool is_restricted);
/// Returns the text of the request.
inline std::string_view text_of(const Mapping& request) {
    return {reinterpret_cast<const char*>(request.data()), request.size()};
}
/// Runs in the worker: does the job, writes the answer, and returns the exit status.
int do_job(Role role, std::string_view request, std::span<std::byte> answer, int notes);

// Each role has a file. Reports whether clang compiles, and not NVRTC.
bool is_compiled_by_clang();
void start_clang(bool is_restricted);
std::string make_compiler_ready(bool is_restricted);
int compile_worker(std::string_view request, std::span<std::byte> answer);
std::string make_simulator_ready();
int launch_worker(std::string_view request, std::span<std::byte> answer, int notes);
int probe_worker(std::string_view request, std::span<std::byte> answer);

}  // namespace coalesce::grader
