// st.async and red.async: a thread stores to, or updates, the shared memory of any block of its
// cluster. An mbarrier in that block counts the bytes.
//
// Idea   A store is queued like a bulk copy (bulk_copies.h), and reaches memory when a thread waits
//        at the mbarrier. An update is atomic and takes effect immediately, but the mbarrier counts
//        its bytes later.
#include <array>

#include "simulator/execute/bulk_copies.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/combining.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

using ptx::StateSpace;
using ptx::Type;

namespace {

/// The bit of Op::detail that is set for 8-byte elements.
constexpr u8 kWideElementsBit = 64;
constexpr u32 kMaxStoreBytes = 16;

u32 element_bytes(const Op* op) {
    return op->detail & kWideElementsBit ? 8 : 4;
}

/// Resolves the addresses to which the lanes store. Returns false if the launch has failed.
bool find_targets(Warp& w, const Op* op, u32 bytes, ResolvedAddresses& resolved) {
    if (!resolve_addresses(w, op, w.lanes<u64>(op->a), 0, bytes, space_of(op), Access::store,
                           resolved))
        return false;
    if (const Mask other_block_lanes = w.active & ~resolved.shared_lanes) {
        const int lane = std::countr_zero(other_block_lanes);
        return w.fail_launch(op, Status::illegal_address, "memcheck", "out of bounds",
                             "this address is not in shared memory", lane, resolved.address[lane]);
    }
    return true;
}

u64 mbarrier_address(const Warp& w, const Op* op, int lane) {
    return address_in_space(w.lanes<u64>(op->c)[lane]);
}

/// The bytes that one lane stores, and the mbarrier that counts them. Both addresses are in shared
/// memory and include the rank of a block.
struct AsyncStore {
    u64 address = 0, mbarrier = 0;
    const u8* value = nullptr;
    u32 bytes = 0;
    bool is_done = false;  ///< true if the value is already in memory, as for red.async
};

/// Queues a store until a thread waits at the mbarrier. Returns false if an error was reported and
/// the launch has failed.
bool queue_store(Warp& w, const Op* op, int lane, const AsyncStore& store) {
    bulk::CopyIssue issue{.w = w,
                          .copy = {.op = op,
                                   .writes_shared = true,
                                   .issuer = w.block,
                                   .owner_block = w.block,
                                   .warp = w.index,
                                   .lane = lane,
                                   .pieces = {},
                                   .stored_values = {store.value, store.value + store.bytes}}};
    issue.shared_address = store.address;
    issue.mbarrier_address = store.mbarrier;
    if (Block* owner = find_owner_block(*w.block, store.address)) issue.copy.owner_block = owner;
    if (!bulk::check_is_multiple(issue, store.address, store.bytes,
                                 "the address that st.async writes") ||
        !bulk::check_shared_range(issue, store.address, store.bytes))
        return false;
    issue.copy.bytes = store.bytes;
    if (!bulk::find_mbarrier(issue)) return false;
    Block& owner_block = *issue.copy.owner_block;
    if (store.is_done) {
        // The value of a red.async is already in memory. The mbarrier counts its bytes later.
        if (w.block->shared_race)
            w.block->shared_race->record_mbarrier_arrival(race_check_warp(w),
                                                          static_cast<u32>(store.mbarrier));
    } else {
        issue.copy.pieces.push_back({.shared_offset = offset_in_block(store.address),
                                     .bytes_inside_array = store.bytes,
                                     .size = store.bytes,
                                     .host = issue.copy.stored_values.data()});
        if (w.block->shared_race) {
            bulk::OneLaneAccess access(issue, static_cast<u32>(store.address), store.bytes);
            access.access.site = op->site;
            issue.copy.race_copy_id = w.block->shared_race->begin_bulk_copy(access.access, true);
        }
    }
    if (GlobalRace* race = w.block->launch->global_race)
        race->record_cluster_arrival(w.block->global_race, w.index);
    owner_block.copy_bytes_in_flight += store.bytes;
    bulk::pending_copies(owner_block).pending.push_back(std::move(issue.copy));
    return true;
}

const Op* run_store(Warp& w, const Op* op) {
    const u32 size = element_bytes(op), bytes = size * op->count;
    ResolvedAddresses resolved;
    if (!find_targets(w, op, bytes, resolved)) return nullptr;
    count_access(w, op->site, resolved, bytes);
    for (const int l : LaneRange{w.active}) {
        u8 value[kMaxStoreBytes];
        for (u32 k = 0; k < op->count; ++k) {
            const u64 element = size == 8 ? w.lanes<u64>(op->v[k])[l] : w.lanes<u32>(op->v[k])[l];
            std::memcpy(value + k * size, &element, size);
        }
        const AsyncStore store{.address = resolved.address[l],
                               .mbarrier = mbarrier_address(w, op, l),
                               .value = value,
                               .bytes = bytes};
        if (!queue_store(w, op, l, store)) return nullptr;
    }
    w.block->watch->note_memory_change();
    return op + 1;
}

template <class F, class T>
const Op* run_reduction(Warp& w, const Op* op) {
    using Bits = std::conditional_t<sizeof(T) == 8, u64, u32>;
    ResolvedAddresses resolved;
    if (!find_targets(w, op, sizeof(T), resolved)) return nullptr;
    count_remote_atomic(w, op->site, resolved.address, sizeof(T), resolved.other_block_lanes);
    note_atomic(w, op, resolved, sizeof(T));
    const Bits* operand = w.lanes<Bits>(op->v[0]);
    for (const int l : LaneRange{w.active}) {
        T current_value;
        std::memcpy(&current_value, resolved.host[l], sizeof current_value);
        const T b = static_cast<T>(operand[l]);
        current_value = static_cast<T>(F::apply(current_value, b, b));
        const AsyncStore store{.address = resolved.address[l],
                               .mbarrier = mbarrier_address(w, op, l),
                               .value = resolved.host[l],
                               .bytes = sizeof(T),
                               .is_done = true};
        if (!queue_store(w, op, l, store)) return nullptr;
        std::memcpy(resolved.host[l], &current_value, sizeof current_value);
    }
    w.block->watch->note_memory_change();
    return op + 1;
}

struct AsyncReduction {
    std::string_view operation;
    Type type;
    Handler run;
};
constexpr AsyncReduction kAsyncReductions[] = {
    {"add", Type::u32, run_reduction<combining::Add, u32>},
    {"add", Type::s32, run_reduction<combining::Add, u32>},
    {"add", Type::u64, run_reduction<combining::Add, u64>},
    {"min", Type::u32, run_reduction<combining::Minimum, u32>},
    {"min", Type::s32, run_reduction<combining::Minimum, i32>},
    {"max", Type::u32, run_reduction<combining::Maximum, u32>},
    {"max", Type::s32, run_reduction<combining::Maximum, i32>},
    {"inc", Type::u32, run_reduction<combining::Increment, u32>},
    {"dec", Type::u32, run_reduction<combining::Decrement, u32>},
    {"and", Type::b32, run_reduction<combining::And, u32>},
    {"or", Type::b32, run_reduction<combining::Or, u32>},
    {"xor", Type::b32, run_reduction<combining::Xor, u32>},
};

Handler reduction_handler(const ptx::Instruction& i, Type type) {
    for (const AsyncReduction& reduction : kAsyncReductions)
        if (reduction.type == type && i.has(reduction.operation)) return reduction.run;
    return nullptr;
}

}  // namespace

// Describes these instructions:
//   st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2, .v4}.TYPE
//       [a], b, [mbarrier]
//   red.async.relaxed.cluster....mbarrier::complete_tx::bytes{.shared::cluster}.OP.TYPE
//       [a], b, [mbarrier]
Description describe_async_store(const ptx::Instruction& i) {
    const Type type = find_type(i);
    const u32 length = vector_length(i), size = ptx::size_of(type);
    const StateSpace space = find_space(i);
    const bool is_store = i.opcode == "st";
    if (!i.has("mbarrier::complete_tx::bytes") || (size != 4 && size != 8) ||
        size * length > kMaxStoreBytes || (!is_store && length > 1) ||
        (space != StateSpace::shared && space != StateSpace::generic))
        return std::nullopt;
    const Width width = lane_width(type);
    return describe(i, {.run = is_store ? run_store : reduction_handler(i, type),
                        .operands = {{Role::address_a, Width::w64},
                                     {length > 1 ? Role::vector_source : Role::v0, width},
                                     {Role::address_c, Width::w64}},
                        .memory_uses = {{.space = space,
                                         .is_store = is_store,
                                         .is_atomic = !is_store,
                                         .bytes_per_lane = size * length}},
                        .detail = size == 8 ? kWideElementsBit : u8{0},
                        .count = static_cast<u8>(length),
                        .has_side_effects = true});
}

}  // namespace coalesce::simulator
