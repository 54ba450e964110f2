// What workers do, by the role of their jail.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "grader/sandbox/filters.h"
#include "grader/sandbox/jail.h"

namespace coalesce::grader {

/// Before any worker is made: loads what all of them need. What the jail says of itself then.
/// `is_restricted`: programs that are started are, like workers.
std::string make_ready(Role role, bool is_restricted);
/// The restriction that the jail serves under, and a worker of that role works under.
Duty serving_duty_of(Role role);
Duty duty_of(Role role);
/// In the worker, before it is restricted: starts what it could not start afterwards.
void start_helpers(Role role, bool is_restricted);
/// The request's text.
inline std::string_view text_of(const Mapping& request) {
    return {reinterpret_cast<const char*>(request.data()), request.size()};
}
/// In the worker: does the job, writes the answer. The exit status.
int do_job(Role role, std::string_view request, std::span<std::byte> answer, int notes);

// The roles, one file each.
/// Whether clang compiles here, and not NVRTC.
bool is_compiled_by_clang();
void start_clang(bool is_restricted);
std::string make_compiler_ready(bool is_restricted);
int compile_worker(std::string_view request, std::span<std::byte> answer);
std::string make_simulator_ready();
int launch_worker(std::string_view request, std::span<std::byte> answer, int notes);
int probe_worker(std::string_view request, std::span<std::byte> answer);

}  // namespace coalesce::grader
