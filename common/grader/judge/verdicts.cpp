#include "grader/judge/verdicts.h"

#include <utility>

namespace coalesce::grader {
namespace {

constexpr std::pair<VerdictKind, const char*> codes[] = {
    {VerdictKind::ok, "OK"},
    {VerdictKind::compile_error, "CE"},
    {VerdictKind::compile_limit, "CL"},
    {VerdictKind::rejected, "REJ"},
    {VerdictKind::wrong_answer, "WA"},
    {VerdictKind::memory, "MEM"},
    {VerdictKind::race, "RACE"},
    {VerdictKind::uninitialised, "INIT"},
    {VerdictKind::synchronisation, "SYNC"},
    {VerdictKind::time_limit, "TLE"},
    {VerdictKind::cheat, "CHEAT"},
    {VerdictKind::system, "SYS"},
};

}  // namespace

const char* code_of(VerdictKind kind) {
    for (const auto& [one, code] : codes) {
        if (one == kind) return code;
    }
    return "SYS";
}

std::optional<VerdictKind> verdict_of(const std::string& code) {
    for (const auto& [kind, text] : codes) {
        if (code == text) return kind;
    }
    return std::nullopt;
}

VerdictKind verdict_for(FailureKind kind) {
    switch (kind) {
        case FailureKind::none:
        case FailureKind::uncoalesced_loads:
        case FailureKind::uncoalesced_stores:
        case FailureKind::bank_conflicts:
        case FailureKind::too_many_requests:
        case FailureKind::too_many_threads:
        case FailureKind::tile_too_small:
        case FailureKind::wrong_block_order: return VerdictKind::ok;

        case FailureKind::file_missing:
        case FailureKind::file_unreadable:
        case FailureKind::file_empty:
        case FailureKind::file_binary:
        case FailureKind::does_not_compile:
        case FailureKind::kernel_missing:
        case FailureKind::wrong_signature:
        case FailureKind::configure_missing:
        case FailureKind::does_not_load: return VerdictKind::compile_error;

        case FailureKind::file_too_large:
        case FailureKind::compile_time_out: return VerdictKind::compile_limit;

        case FailureKind::include_refused:
        case FailureKind::not_simulated:
        case FailureKind::bad_launch:
        case FailureKind::block_too_large:
        case FailureKind::too_much_shared_memory: return VerdictKind::rejected;

        case FailureKind::endless_loop: return VerdictKind::time_limit;

        case FailureKind::deadlock:
        case FailureKind::divergent_barrier:
        case FailureKind::bad_warp_mask: return VerdictKind::synchronisation;

        case FailureKind::no_bounds_check:
        case FailureKind::out_of_bounds:
        case FailureKind::outside_shared_memory:
        case FailureKind::misaligned: return VerdictKind::memory;

        case FailureKind::missing_barrier:
        case FailureKind::shared_race:
        case FailureKind::race_between_blocks: return VerdictKind::race;

        case FailureKind::uninitialised_shared:
        case FailureKind::uninitialised_read: return VerdictKind::uninitialised;

        case FailureKind::assertion_failed:
        case FailureKind::kernel_failed:
        case FailureKind::wrong_result: return VerdictKind::wrong_answer;

        case FailureKind::no_compiler:
        case FailureKind::environment_problem: return VerdictKind::system;
    }
    return VerdictKind::system;
}

bool is_cost(FailureKind kind) {
    return kind != FailureKind::none && verdict_for(kind) == VerdictKind::ok;
}

}  // namespace coalesce::grader
