#include "grader/sandbox/program/workers.h"

namespace coalesce::grader {

std::string make_ready(Role role) {
    switch (role) {
        case Role::compile: return make_compiler_ready();
        case Role::launch: return make_simulator_ready();
        case Role::probe: break;
    }
    return "to be tried";
}

Duty duty_of(Role role) {
    // The probe does what a compiler must not be able to do.
    return role == Role::launch ? Duty::launch : Duty::compile;
}

int do_job(Role role, std::string_view request, std::span<std::byte> answer, int notes) {
    switch (role) {
        case Role::compile: return compile_worker(request, answer);
        case Role::launch: return launch_worker(request, answer, notes);
        case Role::probe: return probe_worker(request, answer);
    }
    return 1;
}

}  // namespace coalesce::grader
