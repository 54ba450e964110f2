// See host_guard.h.
#include "simulator/memory/host_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "simulator/memory/host_fault.h"

namespace coalesce::simulator::host_guard {

namespace {

constexpr u64 kGuardPageBytes = 4096;
constexpr std::size_t kMaxTouches = 16;

struct Guard {
    std::vector<GuardedRange> ranges;  ///< changes only while no page is protected
    std::atomic<bool> is_protected{false};
    std::array<HostTouch, kMaxTouches> touches;
    std::atomic<std::size_t> touch_count{0};
    std::atomic<u64> last_retried_address{0};
};

Guard& guard() {
    static Guard& instance = *new Guard;
    return instance;
}

void set_access(const GuardedRange& range, int access) {
    const u64 begin = range.begin & ~(kGuardPageBytes - 1);
    mprotect(reinterpret_cast<void*>(begin), round_up(range.end, kGuardPageBytes) - begin, access);
}

void record_touch(Guard& g, const HostTouch& touch) {
    const std::size_t count = std::min(g.touch_count.load(), kMaxTouches);
    for (std::size_t k = 0; k < count; ++k)
        if (g.touches[k].operation_number == touch.operation_number) return;
    const std::size_t touch_index = g.touch_count.fetch_add(1);
    if (touch_index < kMaxTouches) g.touches[touch_index] = touch;
}

}  // namespace

void protect(std::vector<GuardedRange> ranges) {
    Guard& g = guard();
    unprotect();
    g.ranges = std::move(ranges);
    if (g.ranges.empty() || !explains_host_faults()) return;
    g.is_protected = true;
    // A page may contain ranges that the device writes and ranges that it only reads. The page
    // needs the stricter of the two protections, so this protection is set last.
    for (const bool writes : {false, true})
        for (const GuardedRange& range : g.ranges)
            if (range.device_writes == writes) set_access(range, writes ? PROT_NONE : PROT_READ);
}

void unprotect() {
    Guard& g = guard();
    if (!g.is_protected.exchange(false)) return;
    for (const GuardedRange& range : g.ranges) set_access(range, PROT_READ | PROT_WRITE);
}

std::vector<HostTouch> take_touches() {
    Guard& g = guard();
    const std::size_t count = std::min(g.touch_count.exchange(0), kMaxTouches);
    return {g.touches.begin(), g.touches.begin() + static_cast<std::ptrdiff_t>(count)};
}

bool handle_fault(u64 address, bool is_write, u64 instruction) {
    Guard& g = guard();
    if (!g.is_protected) {
        // Another thread may have made the page accessible since, so retry the access once.
        return !g.ranges.empty() && g.last_retried_address.exchange(address) != address;
    }
    bool is_guarded = false;
    for (const GuardedRange& range : g.ranges) {
        if (address < (range.begin & ~(kGuardPageBytes - 1)) ||
            address >= round_up(range.end, kGuardPageBytes))
            continue;
        is_guarded = true;
        if (address < range.begin || address >= range.end) continue;
        if (range.device_writes || is_write)
            record_touch(g, {address, is_write, range.operation_number, instruction});
        set_access(range, PROT_READ | PROT_WRITE);
    }
    if (is_guarded) set_access({address, address + 1}, PROT_READ | PROT_WRITE);
    return is_guarded;
}

}  // namespace coalesce::simulator::host_guard
