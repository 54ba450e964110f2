// Implements instructions without arithmetic: fences, hints, sleeping, traps, and queries about
// addresses.
#include <algorithm>

#include "simulator/execute/cluster.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/special_registers.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

const Op* run_nothing(Warp&, const Op* op) {
    return op + 1;
}

/// Executes a fence. Op::count is 1 if the scope of the fence is the block. Op::detail is 1 if the
/// fence makes stores to shared memory visible to the asynchronous proxy.
const Op* run_fence(Warp& w, const Op* op) {
    note_fence(w, op->count != 0 ? GlobalRace::Scope::block : GlobalRace::Scope::device);
    if (op->detail && w.block->shared_race)
        w.block->shared_race->record_proxy_fence(race_check_warp(w));
    return op + 1;
}

template <class Lane>
const Op* run_zero(Warp& w, const Op* op) {
    w.write<Lane>(op->d, [](int) { return Lane{0}; });
    return op + 1;
}

/// Advances the block's time by the longest sleep among the active lanes.
const Op* run_sleep(Warp& w, const Op* op) {
    const u32* nanoseconds = w.lanes<u32>(op->a);
    u32 longest_sleep = 0;
    for (const int l : LaneRange{w.active}) longest_sleep = std::max(longest_sleep, nanoseconds[l]);
    w.block->cycles += longest_sleep;
    return op + 1;
}

/// Reports whether the function reads the address of the grid's barrier, as grid.sync() does.
bool uses_grid_barrier(const ptx::Function& function) {
    const auto is_grid_address = [](const ptx::Operand& operand) {
        return operand.is_special() && operand.name == "%envreg2";
    };
    return std::any_of(function.body.begin(), function.body.end(), [&](const auto& i) {
        return std::any_of(i.operands.begin(), i.operands.end(), is_grid_address);
    });
}

const Op* run_trap(Warp& w, const Op* op) {
    const Launch& launch = *w.block->launch;
    Report report = w.describe(
        op, "execution", "trap", w.first_active(),
        "the kernel executed `trap`, because it calls __trap(), or because a check in it failed");
    const FunctionCode& code = w.frame ? *w.frame->code : launch.code->kernel_function;
    if (!launch.config.is_cooperative && uses_grid_barrier(*code.ast)) {
        report.message =
            "grid.sync() ended the kernel, because the launch is not cooperative: its blocks may "
            "not all run at the same time, so they cannot wait for each other";
        report.cure = "Launch the kernel with cudaLaunchCooperativeKernel.";
    }
    return w.fail_with_report(Status::launch_failure, report);
}

// ---- isspacep ----

bool is_in_space(const Warp& w, u64 address, StateSpace space, bool includes_other_blocks) {
    const StateSpace actual_space = find_space_of_address(address);
    if (space == StateSpace::constant) {
        const Allocation* allocation = w.block->launch->allocations->find(address);
        return allocation && allocation->kind == AllocationKind::constant;
    }
    if (space == StateSpace::shared && !includes_other_blocks && actual_space == space)
        return find_owner_block(*w.block, address_in_space(address)) == w.block;
    return actual_space == space;
}

const Op* run_is_space(Warp& w, const Op* op) {
    const u64* addresses = w.lanes<u64>(op->a);
    w.write_predicate(op->d, select_lanes(w.active, [&](int l) {
                          return is_in_space(w, addresses[l], space_of(op), op->count != 0);
                      }));
    return op + 1;
}

// ---- clusters ----

/// Executes mapa. Op::d receives the address of the variable at Op::a in the block with rank Op::b.
/// As on hardware, every rank yields an address, even if the cluster has no block with that rank.
template <class Address>
const Op* run_map_address(Warp& w, const Op* op) {
    const Address* address = w.lanes<Address>(op->a);
    const u32* rank = w.lanes<u32>(op->b);
    w.write<Address>(op->d, [=](int l) {
        const u64 offset_in_block = address_in_space(address[l]);
        const u64 mapped_address =
            rank[l] * kWindowBytes % kSharedWindowBytes + offset_in_block % kWindowBytes;
        return static_cast<Address>(address[l] - offset_in_block + mapped_address);
    });
    return op + 1;
}

/// Executes getctarank. Op::d receives the rank of the block that owns the address in Op::a.
template <class Address>
const Op* run_block_rank(Warp& w, const Op* op) {
    const Address* address = w.lanes<Address>(op->a);
    w.write<u32>(op->d, [=](int l) {
        return static_cast<u32>(address_in_space(address[l]) % kSharedWindowBytes / kWindowBytes);
    });
    return op + 1;
}

}  // namespace

// Describes membar.{cta,gl,sys}; fence{.sc,.acq_rel}{.scope}; fence.proxy.KIND;
// fence.mbarrier_init...
Description describe_fence(const ptx::Instruction& i, const ptx::Function&) {
    const bool is_proxy_fence =
        (i.has("proxy") && i.has("async") && !i.has("global")) || i.has("mbarrier_init");
    return describe(i, {.run = run_fence,
                        .detail = static_cast<u8>(is_proxy_fence),
                        .count = i.has("cta"),
                        .has_side_effects = true});
}

// Describes prefetch, applypriority, discard, brkpt and other instructions that do nothing here.
Description describe_hint(const ptx::Instruction& i, const ptx::Function&) {
    return describe(i, {.run = run_nothing}, 0, 3);
}

// Describes createpolicy.KIND.b64 d, ...
Description describe_create_policy(const ptx::Instruction& i, const ptx::Function&) {
    return describe(i, {.run = run_zero<u64>, .operands = {{Role::destination, Width::w64}}}, 1, 5);
}

// Describes nanosleep.u32 t.
Description describe_sleep(const ptx::Instruction& i, const ptx::Function&) {
    return describe(
        i, {.run = run_sleep, .operands = {{Role::a, Width::w32}}, .has_side_effects = true});
}

Description describe_trap(const ptx::Instruction& i, const ptx::Function&) {
    return describe(i, {.run = run_trap, .has_side_effects = true});
}

// Describes isspacep.SPACE p, a.
Description describe_is_space(const ptx::Instruction& i, const ptx::Function&) {
    const StateSpace space =
        i.has("param") || i.has("param::entry") ? StateSpace::param : find_space(i);
    if (space == StateSpace::generic) return std::nullopt;
    return describe(i, {.run = run_is_space,
                        .operands = {{Role::destination, Width::predicate}, {Role::a, Width::w64}},
                        .detail = static_cast<u8>(space),
                        .count = i.has("shared::cluster")});
}

// Describes mapa{.shared::cluster}.{u32,u64} d, a, block.
Description describe_map_address(const ptx::Instruction& i, const ptx::Function&) {
    const Width width = lane_width(find_type(i));
    const Handler run = width == Width::w64 ? run_map_address<u64> : run_map_address<u32>;
    return describe(
        i, {.run = run,
            .operands = {{Role::destination, width}, {Role::a, width}, {Role::b, Width::w32}}});
}

// Describes getctarank{.shared::cluster}.{u32,u64} d, a.
Description describe_block_rank(const ptx::Instruction& i, const ptx::Function&) {
    const Width width = lane_width(find_type(i));
    return describe(i, {.run = width == Width::w64 ? run_block_rank<u64> : run_block_rank<u32>,
                        .operands = {{Role::destination, Width::w32}, {Role::a, width}}});
}

}  // namespace coalesce::simulator
