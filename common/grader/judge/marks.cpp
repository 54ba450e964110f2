#include "grader/judge/marks.h"

#include <initializer_list>

namespace coalesce::grader {
namespace {

struct MarkWords {
    Mark mark;
    const char* code;
    const char* sentence;
};
constexpr MarkWords kMarkWords[] = {
    {Mark::ok, "OK", "right and clean"},
    {Mark::compile_error, "CE", "the file does not compile"},
    {Mark::compile_limit, "CL", "the compiler exceeds a time or memory limit"},
    {Mark::rejected, "REJ", "the submission cannot be accepted"},
    {Mark::wrong_answer, "WA", "the result is wrong"},
    {Mark::memory, "MEM", "the kernel accesses memory outside its matrices"},
    {Mark::race, "RACE", "threads access the same memory in an undefined order"},
    {Mark::uninitialised, "INIT", "the kernel reads memory that was never written"},
    {Mark::synchronisation, "SYNC", "the threads synchronize incorrectly"},
    {Mark::time_limit, "TLE", "the kernel does not end"},
    {Mark::cheat, "CHEAT", "the kernel tries to deceive the grader"},
    {Mark::fault, "FAULT", "the grader cannot judge the file, and a teacher has to look at it"},
    {Mark::system, "SYS", "the submission has not been graded yet, through no fault of yours"},
};

constexpr const MarkWords& find_mark_words(Mark mark) {
    for (const MarkWords& words : kMarkWords) {
        if (words.mark == mark) return words;
    }
    return find_mark_words(Mark::system);
}

/// Maps failures to marks. Failures about costs are not included, because costs affect only the
/// points.
struct MarkedFailures {
    using enum FailureKind;
    struct Row {
        Mark mark;
        std::initializer_list<FailureKind> failures;
    };
    static constexpr Row kRows[] = {
        {Mark::ok,
         {none, uncoalesced_loads, uncoalesced_stores, bank_conflicts, too_many_requests,
          too_many_threads, tile_too_small, wrong_block_order, work_repeated, lanes_idle,
          needless_atomics, too_many_atomics, multiprocessors_idle, loads_not_overlapped,
          copies_not_async, copies_not_overlapped, too_slow_predicted}},
        {Mark::compile_error,
         {file_missing, file_unreadable, file_empty, file_binary, does_not_compile, kernel_missing,
          wrong_signature, configure_missing, does_not_load}},
        {Mark::compile_limit,
         {file_too_large, compile_time_out, compiler_out_of_memory, compiler_crashed}},
        {Mark::rejected,
         {no_file, two_files, two_submissions, not_a_file, archive_too_large, archive_encrypted,
          archive_broken, archive_hostile, include_refused, ptx_refused, ptx_too_large,
          not_simulated, not_translated, bad_launch, block_too_large, launch_exchanged,
          too_much_shared_memory}},
        {Mark::time_limit, {endless_loop, too_much_work, launch_out_of_time}},
        {Mark::synchronisation, {deadlock, divergent_barrier, bad_warp_mask}},
        {Mark::memory,
         {no_bounds_check, out_of_bounds, outside_shared_memory, outside_local_array,
          stack_overflow, misaligned, memory_leaked, launch_out_of_memory}},
        {Mark::race,
         {missing_barrier, shared_race, copy_not_waited_for, copy_not_committed,
          race_between_blocks}},
        {Mark::uninitialised, {copy_too_short, uninitialised_shared, uninitialised_read}},
        {Mark::wrong_answer,
         {assertion_failed, kernel_failed, tile_not_shared, grid_exchanged, elements_left_out,
          program_failed, not_launched, not_copied, wrong_element, launch_not_checked,
          comparison_wrong, wrong_result, inputs_left_out, inputs_repeated, beyond_tolerance,
          wrong_elements}},
        {Mark::cheat, {ptx_forged}},
        {Mark::fault, {grader_fault}},
        {Mark::system, {no_compiler, environment_problem}},
    };

    static constexpr std::optional<Mark> mark(FailureKind wanted_kind) {
        for (const Row& row : kRows) {
            for (const FailureKind kind : row.failures) {
                if (kind == wanted_kind) return row.mark;
            }
        }
        return std::nullopt;
    }

    static constexpr bool has_one_mark_per_kind() {
        std::size_t count = 0;
        for (const Row& row : kRows) count += row.failures.size();
        for (int kind = 0; kind <= static_cast<int>(last_of(FailureKind{})); ++kind, --count) {
            if (!mark(static_cast<FailureKind>(kind))) return false;
        }
        return count == 0;
    }
};
static_assert(MarkedFailures::has_one_mark_per_kind(),
              "a kind of failure has no mark, or two marks");

}  // namespace

const char* mark_code(Mark mark) {
    return find_mark_words(mark).code;
}

const char* mark_phrase(Mark mark) {
    return find_mark_words(mark).sentence;
}

std::optional<Mark> parse_mark(const std::string& code) {
    for (const MarkWords& words : kMarkWords) {
        if (code == words.code) return words.mark;
    }
    return std::nullopt;
}

bool may_be_correct(Mark mark) {
    return mark == Mark::memory || mark == Mark::race || mark == Mark::uninitialised ||
           mark == Mark::synchronisation;
}

Mark mark_for_failure(FailureKind kind) {
    return MarkedFailures::mark(kind).value_or(Mark::system);
}

}  // namespace coalesce::grader
