#include "simulator/execute/undefined.h"

#include <algorithm>
#include <bit>

#include "simulator/analysis/byte_uses.h"
#include "simulator/checks/access_report.h"
#include "simulator/execute/block.h"

namespace coalesce::simulator {

void forget_undefined_slowly(Warp& w, const Op* op) {
    if (!w.undefined_bytes->find_lanes(op->site)) return;
    UndefinedBytes::Lanes& lanes = w.undefined_bytes->find_or_add(op->site);
    for (const int l : LaneRange{w.active}) lanes[l] = 0;
}

void note_undefined(Warp& w, const Op* op, int lane, u32 bytes) {
    if (bytes == 0) return;
    if (!w.undefined_bytes) w.undefined_bytes = &w.block->undefined_bytes_of_warps[w.index];
    w.undefined_bytes->find_or_add(op->site)[lane] = bytes;
}

void note_undefined(Warp& w, const Op* op, const u32* bytes) {
    forget_undefined(w, op);
    for (const int l : LaneRange{bytes ? w.active : 0}) note_undefined(w, op, l, bytes[l]);
}

bool find_undefined_in_store(const Warp& w, const Op* op, u32* bytes) {
    std::fill_n(bytes, kLanes, 0);
    u32 undefined_mask = 0;
    for (const CopiedBytes& copy : byte_uses(*w.block->launch->kernel).stored_copies(op->site)) {
        const UndefinedBytes::Lanes* loaded_bytes = w.undefined_bytes->find_lanes(copy.load);
        if (!loaded_bytes) continue;
        for (const int l : LaneRange{w.active}) {
            bytes[l] |=
                ((*loaded_bytes)[l] >> copy.from_byte & mask_of_first_lanes(copy.byte_count))
                << copy.to_byte;
            undefined_mask |= bytes[l];
        }
    }
    return undefined_mask != 0;
}

void mark_undefined_stored_slowly(Warp& w, const Op* op, const u64* addresses) {
    u32 bytes[kLanes];
    if (!find_undefined_in_store(w, op, bytes)) return;
    DeviceMemory& memory = *w.block->launch->memory;
    for (int l = 0; l < kLanes; ++l)
        if (bytes[l] && memory.is_device_range(addresses[l]))
            memory.mark_bytes_unwritten(addresses[l], bytes[l]);
}

namespace {

/// Reports whether a load of only uninitialized bytes is a mistake even if the neighbouring bytes
/// are initialized.
bool is_always_mistake(const LoadUse& use, const LaneAccess& access) {
    return is_uninitialised_read_error(use, ~0u, access.address, access.bytes,
                                       [](u64, u64) { return true; });
}

void note_uninitialised_read(const Warp& w, u32 site, int lane) {
    UninitialisedReads& mistakes = w.block->launch->kernel->uninitialised_reads[site];
    const u64 rank = thread_number(w, lane);
    u64 first = mistakes.first_thread.load(std::memory_order_relaxed);
    while (rank < first &&
           !mistakes.first_thread.compare_exchange_weak(first, rank, std::memory_order_relaxed)) {
    }
    mistakes.count.fetch_add(1, std::memory_order_relaxed);
}

/// Reports whether the host has filled an array only up to an address in [begin, end), the bytes of
/// an element. The host leaves no gaps when it fills an array. If it has filled the previous
/// element completely, the unfilled bytes of this element are therefore not padding: the host has
/// filled too few bytes.
bool is_end_of_fill(const DeviceMemory& memory, const Allocation& allocation, u64 begin, u64 end) {
    const u64 size = end - begin;
    if (begin < allocation.begin + size) return false;
    for (u64 byte_address = begin; byte_address < end; ++byte_address) {
        const bool is_written = memory.is_written(byte_address)
                                    ? memory.is_written_by_host(byte_address)
                                    : memory.is_written(byte_address - size);
        if (!is_written) return false;
    }
    return true;
}

}  // namespace

u32 find_undefined_bytes(Warp& w, const Op* op, u32 site, int lane, const LaneAccess& access) {
    const Launch& launch = *w.block->launch;
    const DeviceMemory& memory = *launch.memory;
    const Allocation& allocation = *launch.allocations->find(access.address);
    const LoadUse& use = byte_uses(*launch.kernel).load_use(site);
    const auto is_within = [&](u64 address) {
        return std::clamp(address, allocation.begin, allocation.end);
    };
    bool is_mistake = is_uninitialised_read_error(
        use, access.unwritten_mask, access.address, access.bytes, [&](u64 begin, u64 end) {
            for (u64 at = is_within(begin); at < is_within(end); ++at)
                if (memory.is_written(at)) return true;
            return false;
        });
    if (!is_mistake && !use.is_stored_back && (access.unwritten_mask & use.member_bytes)) {
        const u64 begin = access.address + static_cast<u64>(i64{std::min(use.struct_begin, 0)});
        const u64 end = access.address +
                        std::max<u64>(access.bytes, static_cast<u64>(std::max(use.struct_end, 0)));
        is_mistake = is_end_of_fill(memory, allocation, is_within(begin), is_within(end));
    }
    if (!is_mistake) return access.unwritten_mask;
    const bool is_whole = static_cast<u32>(std::popcount(access.unwritten_mask)) == access.bytes;
    if (is_whole && is_always_mistake(use, access)) note_uninitialised_read(w, site, lane);
    const char* report_kind = "uninitialised global read";
    reports().add(describe_uninitialised_global(w.describe(op, "initcheck", report_kind, lane),
                                                access, *launch.allocations));
    return 0;
}

}  // namespace coalesce::simulator
