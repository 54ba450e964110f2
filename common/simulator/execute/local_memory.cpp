#include "simulator/execute/local_memory.h"

#include "simulator/analysis/byte_uses.h"
#include "simulator/checks/access_report.h"
#include "simulator/execute/block.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {
namespace {

/// Returns a mask of the bytes in [offset, offset + bytes) of the lane's local memory that the lane
/// has not written. `bytes` is at most 32.
u32 unwritten_bytes(const Warp& w, int lane, u64 offset, u32 bytes) {
    u32 unwritten_mask = 0;
    for (u32 k = 0; k < bytes; ++k) {
        const bool is_written = *local_shadow(w, lane, offset + k) >> ((offset + k) & 3) & 1;
        unwritten_mask |= u32{!is_written} << k;
    }
    return unwritten_mask;
}

}  // namespace

void mark_local_written(const Warp& w, int lane, u64 offset, u64 bytes) {
    if (offset % 4 == 0 && bytes % 4 == 0) {
        std::memset(local_shadow(w, lane, offset), 0xf, bytes / 4);
        return;
    }
    for (u64 byte_offset = offset; byte_offset < offset + bytes; ++byte_offset)
        *local_shadow(w, lane, byte_offset) |= static_cast<u8>(1u << (byte_offset & 3));
}

void mark_local_unwritten(const Warp& w, int lane, u64 offset, u64 bytes) {
    for (u64 at = offset; at < offset + bytes; ++at)
        *local_shadow(w, lane, at) &= static_cast<u8>(~(1u << (at & 3)));
}

void check_local_load(Warp& w, const Op* op, int lane, u64 offset, u32 bytes) {
    if (is_lane_written(local_shadow(w, lane, offset), offset, bytes)) [[likely]]
        return;
    const u32 unwritten_mask = unwritten_bytes(w, lane, offset, bytes);
    const LoadUse& use = byte_uses(*w.block->launch->kernel).load_use(op->site);
    if (!(unwritten_mask & use.certainly_used_bytes & use.member_bytes))
        return note_undefined(w, op, lane, unwritten_mask);
    const LaneAccess access{.kind = LaneAccess::Kind::read,
                            .address = offset,
                            .bytes = bytes,
                            .unwritten_mask = unwritten_mask};
    const char* report_kind = "uninitialised local read";
    reports().add(
        describe_uninitialised_local(w.describe(op, "initcheck", report_kind, lane), access));
    mark_local_written(w, lane, offset, bytes);  // report these bytes only once
}

void mark_undefined_stored_in_local(const Warp& w, const Op* op, int lane, u64 offset) {
    u32 undefined_bytes[kLanes];
    if (!find_undefined_in_store(w, op, undefined_bytes)) return;
    for (u32 k = 0; k < 32; ++k)
        if (undefined_bytes[lane] >> k & 1) mark_local_unwritten(w, lane, offset + k, 1);
}

u64 local_window_address(const Warp& w, int lane) {
    return local_window() + (w.index * kLanes + static_cast<u64>(lane)) * kLocalBytesPerThread;
}

bool check_local_owner(Warp& w, const Op* op, u64 generic_address, int lane, u32 bytes,
                       bool is_store) {
    const u64 offset_in_window = generic_address - local_window_address(w, lane);
    if (offset_in_window < kLocalBytesPerThread) return true;
    const u64 owner = (generic_address - local_window()) / kLocalBytesPerThread;
    const bool is_variable = address_in_space(generic_address) + bytes <= w.local_bytes;
    const Access access = load_or_store(is_store);
    if (!is_variable || owner >= w.block->threads)
        return fail_bad_address(w, op, offset_in_window, lane, bytes, ptx::StateSpace::local,
                                access);
    const char* kind = "another thread's variable";
    reports().add(describe_foreign_local(w.describe(op, "memcheck", kind, lane), is_store,
                                         w.block->dimensions().position_of(owner)));
    return true;
}

}  // namespace coalesce::simulator
