#include "kernel/failure.h"

#include <algorithm>
#include <utility>

#include "harness/text.h"

namespace coalesce {
namespace {

constexpr std::pair<FailureKind, const char*> ids[] = {
    {FailureKind::none, "none"},
    {FailureKind::file_missing, "file-missing"},
    {FailureKind::file_unreadable, "file-unreadable"},
    {FailureKind::file_empty, "file-empty"},
    {FailureKind::file_binary, "file-binary"},
    {FailureKind::file_too_large, "file-too-large"},
    {FailureKind::include_refused, "include-refused"},
    {FailureKind::does_not_compile, "does-not-compile"},
    {FailureKind::kernel_missing, "kernel-missing"},
    {FailureKind::wrong_signature, "wrong-signature"},
    {FailureKind::configure_missing, "configure-missing"},
    {FailureKind::compile_time_out, "compile-time-out"},
    {FailureKind::does_not_load, "does-not-load"},
    {FailureKind::bad_launch, "bad-launch"},
    {FailureKind::block_too_large, "block-too-large"},
    {FailureKind::too_much_shared_memory, "too-much-shared-memory"},
    {FailureKind::not_simulated, "not-simulated"},
    {FailureKind::endless_loop, "endless-loop"},
    {FailureKind::deadlock, "deadlock"},
    {FailureKind::divergent_barrier, "divergent-barrier"},
    {FailureKind::bad_warp_mask, "bad-warp-mask"},
    {FailureKind::assertion_failed, "assertion-failed"},
    {FailureKind::no_bounds_check, "no-bounds-check"},
    {FailureKind::out_of_bounds, "out-of-bounds"},
    {FailureKind::outside_shared_memory, "outside-shared-memory"},
    {FailureKind::misaligned, "misaligned"},
    {FailureKind::missing_barrier, "missing-barrier"},
    {FailureKind::shared_race, "shared-race"},
    {FailureKind::elements_left_out, "elements-left-out"},
    {FailureKind::uninitialised_shared, "uninitialised-shared"},
    {FailureKind::uninitialised_read, "uninitialised-read"},
    {FailureKind::race_between_blocks, "race-between-blocks"},
    {FailureKind::kernel_failed, "kernel-failed"},
    {FailureKind::tile_not_shared, "tile-not-shared"},
    {FailureKind::copy_not_waited_for, "copy-not-waited-for"},
    {FailureKind::copy_not_committed, "copy-not-committed"},
    {FailureKind::copy_too_short, "copy-too-short"},
    {FailureKind::too_much_work, "too-much-work"},
    {FailureKind::grid_exchanged, "grid-exchanged"},
    {FailureKind::wrong_result, "wrong-result"},
    {FailureKind::uncoalesced_loads, "uncoalesced-loads"},
    {FailureKind::uncoalesced_stores, "uncoalesced-stores"},
    {FailureKind::bank_conflicts, "bank-conflicts"},
    {FailureKind::too_many_requests, "too-many-requests"},
    {FailureKind::too_many_threads, "too-many-threads"},
    {FailureKind::tile_too_small, "tile-too-small"},
    {FailureKind::wrong_block_order, "wrong-block-order"},
    {FailureKind::work_repeated, "work-repeated"},
    {FailureKind::lanes_idle, "lanes-idle"},
    {FailureKind::needless_atomics, "needless-atomics"},
    {FailureKind::multiprocessors_idle, "multiprocessors-idle"},
    {FailureKind::loads_not_overlapped, "loads-not-overlapped"},
    {FailureKind::copies_not_async, "copies-not-async"},
    {FailureKind::copies_not_overlapped, "copies-not-overlapped"},
    {FailureKind::no_file, "no-file"},
    {FailureKind::two_files, "two-files"},
    {FailureKind::two_submissions, "two-submissions"},
    {FailureKind::not_a_file, "not-a-file"},
    {FailureKind::archive_too_large, "archive-too-large"},
    {FailureKind::archive_encrypted, "archive-encrypted"},
    {FailureKind::archive_broken, "archive-broken"},
    {FailureKind::archive_hostile, "archive-hostile"},
    {FailureKind::ptx_refused, "ptx-refused"},
    {FailureKind::ptx_too_large, "ptx-too-large"},
    {FailureKind::ptx_forged, "ptx-forged"},
    {FailureKind::compiler_out_of_memory, "compiler-out-of-memory"},
    {FailureKind::compiler_crashed, "compiler-crashed"},
    {FailureKind::launch_out_of_memory, "launch-out-of-memory"},
    {FailureKind::launch_out_of_time, "launch-out-of-time"},
    {FailureKind::sandbox_escape, "sandbox-escape"},
    {FailureKind::no_compiler, "no-compiler"},
    {FailureKind::environment_problem, "environment-problem"},
};

}  // namespace

std::string id_of(FailureKind kind) {
    for (const auto& [one, id] : ids) {
        if (one == kind) return id;
    }
    return "unknown";
}

std::string id_of(Fault fault) {
    std::string id = name_of(fault);
    std::replace(id.begin(), id.end(), '_', '-');
    return id;
}

std::vector<std::string> all_failure_ids() {
    std::vector<std::string> all;
    for (const auto& [kind, id] : ids) {
        if (kind == FailureKind::none) continue;
        if (kind != FailureKind::wrong_result) {
            all.push_back(id);
            continue;
        }
        for (int i = 1; i <= static_cast<int>(Fault::input_changed); ++i) {
            all.push_back(id_of(static_cast<Fault>(i)));
        }
    }
    return all;
}

std::string Place::text() const {
    if (file.empty()) return "";
    return line > 0 ? file + ":" + std::to_string(line) : file;
}

std::string Failure::id() const {
    return kind == FailureKind::wrong_result ? id_of(fault) : id_of(kind);
}

}  // namespace coalesce
