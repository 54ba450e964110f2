#include "grader/judge/marks.h"

#include <utility>

namespace coalesce::grader {
namespace {

constexpr std::pair<Mark, const char*> kCodes[] = {
    {Mark::ok, "OK"},          {Mark::compile_error, "CE"},   {Mark::compile_limit, "CL"},
    {Mark::rejected, "REJ"},   {Mark::wrong_answer, "WA"},    {Mark::memory, "MEM"},
    {Mark::race, "RACE"},      {Mark::uninitialised, "INIT"}, {Mark::synchronisation, "SYNC"},
    {Mark::time_limit, "TLE"}, {Mark::cheat, "CHEAT"},        {Mark::fault, "FAULT"},
    {Mark::system, "SYS"},
};

}  // namespace

const char* code_of(Mark kind) {
    for (const auto& [one, code] : kCodes) {
        if (one == kind) return code;
    }
    return "SYS";
}

std::optional<Mark> mark_of(const std::string& code) {
    for (const auto& [mark, text] : kCodes) {
        if (code == text) return mark;
    }
    return std::nullopt;
}

const char* sentence_of(Mark mark) {
    switch (mark) {
        case Mark::ok: return "right and clean";
        case Mark::compile_error: return "it does not compile";
        case Mark::compile_limit: return "it is too much for the compiler";
        case Mark::rejected: return "it cannot be accepted";
        case Mark::wrong_answer: return "the result is wrong";
        case Mark::memory: return "it uses memory that it may not use";
        case Mark::race: return "threads get in each other's way";
        case Mark::uninitialised: return "it reads what nothing wrote";
        case Mark::synchronisation: return "threads wait for each other in a wrong way";
        case Mark::time_limit: return "it does not end";
        case Mark::cheat: return "it tries to get round the grader";
        case Mark::fault: return "the grader cannot judge it, and a teacher has to look";
        case Mark::system: return "not graded yet, through no fault of yours";
    }
    return "";
}

bool may_be_right(Mark mark) {
    return mark == Mark::memory || mark == Mark::race || mark == Mark::uninitialised ||
           mark == Mark::synchronisation;
}

// Long: a line for every kind of failure.
Mark mark_for(FailureKind kind) {
    switch (kind) {
        case FailureKind::none:
        case FailureKind::uncoalesced_loads:
        case FailureKind::uncoalesced_stores:
        case FailureKind::bank_conflicts:
        case FailureKind::too_many_requests:
        case FailureKind::too_many_threads:
        case FailureKind::tile_too_small:
        case FailureKind::wrong_block_order:
        case FailureKind::work_repeated:
        case FailureKind::lanes_idle:
        case FailureKind::needless_atomics:
        case FailureKind::multiprocessors_idle:
        case FailureKind::loads_not_overlapped:
        case FailureKind::copies_not_async:
        case FailureKind::copies_not_overlapped:
        case FailureKind::too_slow_predicted: return Mark::ok;

        case FailureKind::file_missing:
        case FailureKind::file_unreadable:
        case FailureKind::file_empty:
        case FailureKind::file_binary:
        case FailureKind::does_not_compile:
        case FailureKind::kernel_missing:
        case FailureKind::wrong_signature:
        case FailureKind::configure_missing:
        case FailureKind::does_not_load: return Mark::compile_error;

        case FailureKind::file_too_large:
        case FailureKind::compile_time_out:
        case FailureKind::compiler_out_of_memory:
        case FailureKind::compiler_crashed: return Mark::compile_limit;

        case FailureKind::no_file:
        case FailureKind::two_files:
        case FailureKind::two_submissions:
        case FailureKind::not_a_file:
        case FailureKind::archive_too_large:
        case FailureKind::archive_encrypted:
        case FailureKind::archive_broken:
        case FailureKind::archive_hostile:
        case FailureKind::include_refused:
        case FailureKind::ptx_refused:
        case FailureKind::ptx_too_large:
        case FailureKind::not_simulated:
        case FailureKind::not_translated:
        case FailureKind::bad_launch:
        case FailureKind::block_too_large:
        case FailureKind::launch_exchanged:
        case FailureKind::too_much_shared_memory: return Mark::rejected;

        case FailureKind::endless_loop:
        case FailureKind::too_much_work:
        case FailureKind::launch_out_of_time: return Mark::time_limit;

        case FailureKind::deadlock:
        case FailureKind::divergent_barrier:
        case FailureKind::bad_warp_mask: return Mark::synchronisation;

        case FailureKind::no_bounds_check:
        case FailureKind::out_of_bounds:
        case FailureKind::outside_shared_memory:
        case FailureKind::outside_local_array:
        case FailureKind::stack_overflow:
        case FailureKind::misaligned:
        case FailureKind::memory_leaked:
        case FailureKind::launch_out_of_memory: return Mark::memory;

        case FailureKind::missing_barrier:
        case FailureKind::shared_race:
        case FailureKind::copy_not_waited_for:
        case FailureKind::copy_not_committed:
        case FailureKind::race_between_blocks: return Mark::race;

        case FailureKind::copy_too_short:
        case FailureKind::uninitialised_shared:
        case FailureKind::uninitialised_read: return Mark::uninitialised;

        case FailureKind::assertion_failed:
        case FailureKind::kernel_failed:
        case FailureKind::tile_not_shared:
        case FailureKind::grid_exchanged:
        case FailureKind::elements_left_out:
        case FailureKind::program_failed:
        case FailureKind::not_launched:
        case FailureKind::not_copied:
        case FailureKind::wrong_element:
        case FailureKind::launch_not_checked:
        case FailureKind::comparison_wrong:
        case FailureKind::wrong_result: return Mark::wrong_answer;

        case FailureKind::ptx_forged: return Mark::cheat;

        case FailureKind::grader_fault: return Mark::fault;

        case FailureKind::no_compiler:
        case FailureKind::environment_problem: return Mark::system;
    }
    return Mark::system;
}

}  // namespace coalesce::grader
