#include "grader/sandbox/program/workers.h"

namespace coalesce::grader {

std::string prepare_jail(Role role, bool is_restricted) {
    switch (role) {
        case Role::compile: return make_compiler_ready(is_restricted);
        case Role::launch: return make_simulator_ready();
        case Role::probe: break;
    }
    return "to be tried";
}

Duty server_duty(Role role) {
    const bool is_for_clang = role == Role::compile && is_compiled_by_clang();
    return is_for_clang ? Duty::serve_clang : Duty::serve;
}

void start_helpers(Role role, bool is_restricted) {
    if (role == Role::compile && is_compiled_by_clang()) start_clang(is_restricted);
}

Duty worker_duty(Role role) {
    // A probe is restricted like a compiler, because its attacks test that restriction.
    return role == Role::launch ? Duty::launch : Duty::compile;
}

int do_job(Role role, std::string_view request, std::span<std::byte> answer, int note_socket) {
    switch (role) {
        case Role::compile: return compile_worker(request, answer);
        case Role::launch: return launch_worker(request, answer, note_socket);
        case Role::probe: return probe_worker(request, answer);
    }
    return 1;
}

}  // namespace coalesce::grader
