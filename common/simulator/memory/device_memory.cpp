// See device_memory.h.
//
// Theory of operation
//   Three mappings are created once. They use memory only when they are accessed:
//     addresses  [kDeviceBase, + range): no access. A device pointer is an address in this mapping,
//                so that host code that dereferences it faults. At the upper end of the mapping is
//                the host zone. Parts of it are made accessible for managed and pinned memory,
//                which the host and kernels access at the same address.
//     storage    the bytes of the device zone, at a fixed distance from their addresses.
//     shadow     a byte for each word of `addresses`.
//   An allocation owns a slot: its bytes, and an unused gap after them. The size of a slot is a
//   multiple of the memory that one page of shadow covers. Allocations therefore share no pages of
//   storage or shadow, and freed pages can be returned to the system.
#include "simulator/memory/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "simulator/memory/address_zone.h"
#include "simulator/memory/host_fault.h"

#ifndef MAP_FIXED_NOREPLACE
#    define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace coalesce::simulator {
namespace {

constexpr u64 kPageBytes = 4096;
constexpr u64 kHugePageBytes = 2 << 20;
/// The sizes of small and huge slots are multiples of these constants, in bytes. The shadow has one
/// byte for each word, so that a page of shadow covers four pages of memory.
constexpr u64 kSmallSlotBytes = 4 * kPageBytes;
constexpr u64 kHugeSlotBytes = 4 * kHugePageBytes;
constexpr u64 kMinCapacityBytes = 16 << 20;
/// The number of freed allocations to remember, so that "use after free" can be reported.
constexpr std::size_t kMaxRememberedFrees = 256;

u8* map_anywhere(u64 bytes, int protection) {
    void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<u8*>(p);
}

/// Returns pages to the system. `begin` must be the start of a page. The end is rounded up.
void release_pages(u8* begin, u64 bytes) {
    madvise(begin, round_up(bytes, kPageBytes), MADV_DONTNEED);
}

/// Reserves a range of addresses. Returns false if the range is not available. Linux kernels before
/// 4.17 treat the address only as a hint, so the result is checked.
bool reserve_at(u64 address, u64 bytes) {
    void* address_hint = reinterpret_cast<void*>(address);
    void* p = mmap(address_hint, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == address_hint) return true;
    if (p != MAP_FAILED) munmap(p, bytes);
    return false;
}

bool is_in_host_zone(AllocationKind kind) {
    return kind == AllocationKind::managed || kind == AllocationKind::pinned;
}

bool uses_device_memory(AllocationKind kind) {
    return kind != AllocationKind::pinned && kind != AllocationKind::registered;
}

const char* kind_name(AllocationKind kind) {
    switch (kind) {
        case AllocationKind::managed: return "managed allocation";
        case AllocationKind::pinned: return "pinned allocation";
        case AllocationKind::registered: return "registered range";
        case AllocationKind::variable: return "__device__ variable";
        case AllocationKind::constant: return "__constant__ variable";
        case AllocationKind::array: return "CUDA array";
        case AllocationKind::device: break;
    }
    return "allocation";
}

}  // namespace

struct DeviceMemory::State {
    struct OwnedAllocation {
        Allocation allocation;
        Interval slot;  ///< empty for registered memory
    };

    mutable std::mutex mutex;
    std::map<u64, OwnedAllocation> live_allocations;  ///< by start address
    std::deque<Allocation> freed_allocations;
    AddressZone device_zone{Interval{}}, host_zone{Interval{}};
    bool is_host_zone_open = false;  ///< whether the whole zone is accessible: see open_host_slot
    u64 bytes_in_use = 0;
    u64 next_serial = 1;
    /// The table of allocations, or null if it must be rebuilt.
    mutable std::shared_ptr<const AllocationTable> table;

    /// Returns the last allocation that begins at or below `address`, or nullptr.
    const OwnedAllocation* find_at_or_below(u64 address) const {
        const auto above = live_allocations.upper_bound(address);
        return above == live_allocations.begin() ? nullptr : &std::prev(above)->second;
    }
    const OwnedAllocation* find_live(u64 address) const {
        const OwnedAllocation* candidate = find_at_or_below(address);
        return candidate && candidate->allocation.contains(address, 1) ? candidate : nullptr;
    }
    /// Returns the allocation that a loop has probably overrun if it accesses `address`, or nullptr
    /// if no allocation ends close enough to `address`.
    const Allocation* find_overrun_allocation(u64 address) const {
        constexpr u64 kNear = u64{1} << 20;
        const OwnedAllocation* candidate = find_at_or_below(address);
        return candidate && address - candidate->allocation.end < kNear ? &candidate->allocation
                                                                        : nullptr;
    }

    bool open_host_slot(Interval slot, u64 bytes);
    void close_host_slot(Interval slot);
};

/// Makes a slot of the host zone accessible. Each slot with its own access rights is a separate
/// mapping, and the system limits a process to about 65000 mappings. If a program has more managed
/// allocations, makes the whole zone accessible. An access between allocations then does not fault.
bool DeviceMemory::State::open_host_slot(Interval slot, u64 bytes) {
    if (is_host_zone_open) return true;
    void* begin = reinterpret_cast<void*>(slot.begin);
    if (mprotect(begin, round_up(bytes, kPageBytes), PROT_READ | PROT_WRITE) == 0) return true;
    const Interval zone = host_zone.zone();
    is_host_zone_open =
        mprotect(reinterpret_cast<void*>(zone.begin), zone.size(), PROT_READ | PROT_WRITE) == 0;
    return is_host_zone_open;
}

void DeviceMemory::State::close_host_slot(Interval slot) {
    u8* begin = reinterpret_cast<u8*>(slot.begin);
    release_pages(begin, slot.size());
    if (!is_host_zone_open) mprotect(begin, slot.size(), PROT_NONE);
}

DeviceMemory::DeviceMemory(u64 capacity_bytes)
    : capacity_(round_up(std::max(capacity_bytes, kMinCapacityBytes), kHugeSlotBytes)),
      state_(std::make_unique<State>()) {
    const u64 address_hint = capacity_;
    // Try a large range first. Four times the capacity leaves room for the gaps, and delays the
    // reuse of freed addresses. If the process may not map that much (ulimit -v), try smaller
    // ranges.
    for (u64 spare_bytes = 4;;
         spare_bytes = 2, capacity_ = round_up(capacity_ / 2, kHugeSlotBytes)) {
        const u64 device_bytes = capacity_ * spare_bytes, host_bytes = capacity_ * 2;
        range_bytes_ = device_bytes + host_bytes;
        const bool reserved = reserve_at(kDeviceBase, range_bytes_);
        storage_ = reserved ? map_anywhere(device_bytes, PROT_READ | PROT_WRITE) : nullptr;
        shadow_ = storage_ ? map_anywhere(range_bytes_ / 4, PROT_READ | PROT_WRITE) : nullptr;
        if (shadow_) {
            const u64 protected_begin = kDeviceBase + device_bytes;
            state_->device_zone = AddressZone({kDeviceBase, protected_begin});
            state_->host_zone = AddressZone({protected_begin, protected_begin + host_bytes});
            break;
        }
        if (storage_) munmap(storage_, device_bytes);
        if (reserved) munmap(reinterpret_cast<void*>(kDeviceBase), range_bytes_);
        if (capacity_ <= kMinCapacityBytes) {
            throw std::runtime_error(
                "the simulated device's addresses (from 0x500000000000) cannot be reserved: "
                "another part of the program uses them, or the limit on address space is too low "
                "(see ulimit -v)");
        }
    }
    if (capacity_ < address_hint) {
        std::fprintf(stderr,
                     "coalesce: this process may not reserve enough address space (ulimit -v):\n"
                     "  the simulated device has %llu MiB of memory instead of %llu MiB.\n",
                     static_cast<unsigned long long>(capacity_ >> 20),
                     static_cast<unsigned long long>(address_hint >> 20));
    }
    explain_host_faults(this);
}

DeviceMemory::~DeviceMemory() {
    stop_explaining_host_faults(this);
    munmap(shadow_, range_bytes_ / 4);
    munmap(storage_, state_->device_zone.zone().size());
    munmap(reinterpret_cast<void*>(device_base()), range_bytes_);
    current_address_map = {};
}

u64 DeviceMemory::allocate(u64 bytes, AllocationKind kind, std::string name) {
    bytes = std::max<u64>(bytes, 1);
    std::lock_guard lock(state_->mutex);
    if (bytes > capacity_) return 0;
    if (uses_device_memory(kind) && bytes > capacity_ - state_->bytes_in_use) return 0;

    AddressZone& zone = is_in_host_zone(kind) ? state_->host_zone : state_->device_zone;
    const bool is_huge = bytes >= kHugePageBytes;
    // Large allocations begin at the start of a page, as on hardware.
    const u64 first_offset =
        is_huge || is_in_host_zone(kind) ? 0 : scatter_offset(state_->next_serial);
    Interval slot;
    const u64 gap_bytes = choose_gap(state_->live_allocations.size(), zone.zone().size());
    if (is_huge)
        slot = zone.take_interval(round_up(bytes + gap_bytes, kHugeSlotBytes), kHugeSlotBytes);
    // If the free addresses are too fragmented for a huge slot, use small slots even for a large
    // allocation.
    for (const u64 gap_behind : {gap_bytes, kNarrowGapBytes}) {
        if (slot.size() != 0) continue;
        slot = zone.take_interval(round_up(first_offset + bytes + gap_behind, kSmallSlotBytes),
                                  kSmallSlotBytes);
    }
    if (slot.size() == 0) return 0;
    if (is_in_host_zone(kind) && !state_->open_host_slot(slot, bytes)) {
        zone.return_interval(slot);
        return 0;
    }

    Allocation allocation{.begin = slot.begin + first_offset,
                          .end = slot.begin + first_offset + bytes,
                          .has_shadow = !is_in_host_zone(kind),
                          .kind = kind,
                          .serial = state_->next_serial++,
                          .name = std::move(name)};
    if (allocation.has_shadow)
        allocation.host_offset =
            reinterpret_cast<std::ptrdiff_t>(storage_) - static_cast<std::ptrdiff_t>(device_base());
    // Use huge pages for large allocations. Kernels access large arrays in any order, and huge
    // pages avoid most page faults and TLB misses. For a small array, most of a huge page would be
    // wasted.
    if (is_huge) {
        madvise(reinterpret_cast<u8*>(slot.begin) + allocation.host_offset, slot.size(),
                MADV_HUGEPAGE);
        if (bytes >= kHugeSlotBytes) madvise(shadow(slot.begin), slot.size() / 4, MADV_HUGEPAGE);
    }
    if (uses_device_memory(kind)) state_->bytes_in_use += bytes;
    const u64 begin = allocation.begin;
    state_->live_allocations[begin] = {std::move(allocation), slot};
    state_->table.reset();
    return begin;
}

bool DeviceMemory::free(u64 begin) {
    std::lock_guard lock(state_->mutex);
    const auto live_entry = state_->live_allocations.find(begin);
    if (live_entry == state_->live_allocations.end()) return false;
    if (live_entry->second.allocation.kind == AllocationKind::registered) return false;
    State::OwnedAllocation owned_allocation = std::move(live_entry->second);
    state_->live_allocations.erase(live_entry);
    state_->table.reset();

    const Allocation& allocation = owned_allocation.allocation;
    const u64 bytes = allocation.end - allocation.begin;
    if (uses_device_memory(allocation.kind)) state_->bytes_in_use -= bytes;
    if (is_in_host_zone(allocation.kind)) {
        state_->close_host_slot(owned_allocation.slot);
        state_->host_zone.return_interval(owned_allocation.slot);
    } else {
        u8* storage = reinterpret_cast<u8*>(owned_allocation.slot.begin) + allocation.host_offset;
        u8* shadow_begin = shadow(owned_allocation.slot.begin);
        release_pages(storage, owned_allocation.slot.size());
        release_pages(shadow_begin, owned_allocation.slot.size() / 4);
        if (bytes >= kHugePageBytes) {
            madvise(storage, owned_allocation.slot.size(), MADV_NOHUGEPAGE);
            madvise(shadow_begin, owned_allocation.slot.size() / 4, MADV_NOHUGEPAGE);
        }
        state_->device_zone.return_interval(owned_allocation.slot);
    }
    state_->freed_allocations.push_back(std::move(owned_allocation.allocation));
    if (state_->freed_allocations.size() > kMaxRememberedFrees)
        state_->freed_allocations.pop_front();
    return true;
}

/// Releases the reserved addresses, and reserves random addresses instead. The process must not
/// already use the new addresses, because a host pointer could then be mistaken for a device
/// pointer.
std::optional<AddressMap> DeviceMemory::reserve_elsewhere(u64 seed) const {
    // Release the old range first, because the address space may be limited.
    munmap(reinterpret_cast<void*>(device_base()), range_bytes_);
    constexpr u64 kMaxAttempts = 100;
    for (u64 attempt = 0; attempt < kMaxAttempts; ++attempt) {
        const AddressMap map = draw_address_map(seed + (attempt << 32), range_bytes_);
        if (reserve_at(map.device_begin, range_bytes_)) return map;
    }
    reserve_at(device_base(), range_bytes_);
    return std::nullopt;
}

bool DeviceMemory::draw_addresses(u64 seed) {
    std::lock_guard lock(state_->mutex);
    if (!state_->live_allocations.empty()) return false;
    const std::optional<AddressMap> map = reserve_elsewhere(seed);
    if (!map) return false;
    current_address_map = *map;
    const u64 device_bytes = state_->device_zone.zone().size();
    state_->device_zone = AddressZone({device_base(), device_base() + device_bytes});
    state_->host_zone = AddressZone(Interval{});
    state_->freed_allocations.clear();
    state_->table.reset();
    return true;
}

bool DeviceMemory::register_host(void* pointer, u64 bytes) {
    const u64 begin = reinterpret_cast<u64>(pointer);
    if (bytes == 0 || begin == 0 || begin + bytes < begin || is_device_range(begin)) return false;
    std::lock_guard lock(state_->mutex);
    const auto next_entry = state_->live_allocations.lower_bound(begin);
    if (next_entry != state_->live_allocations.end() && next_entry->first < begin + bytes)
        return false;
    if (state_->find_live(begin)) return false;

    state_->live_allocations[begin] = {{.begin = begin,
                                        .end = begin + bytes,
                                        .has_shadow = false,
                                        .kind = AllocationKind::registered,
                                        .serial = state_->next_serial++,
                                        .name = {}},
                                       {}};
    state_->table.reset();
    return true;
}

bool DeviceMemory::unregister_host(void* pointer) {
    std::lock_guard lock(state_->mutex);
    const auto found = state_->live_allocations.find(reinterpret_cast<u64>(pointer));
    if (found == state_->live_allocations.end()) return false;
    if (found->second.allocation.kind != AllocationKind::registered) return false;
    state_->live_allocations.erase(found);
    state_->table.reset();
    return true;
}

void DeviceMemory::set_device(u64 begin, int device) {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->live_allocations.find(begin);
    if (found == state_->live_allocations.end()) return;
    found->second.allocation.device = device;
    state_->table.reset();
}

std::shared_ptr<const AllocationTable> DeviceMemory::allocation_table_for(
    u64 accessible_devices) const {
    const auto is_hidden = [=](const Allocation& allocation) {
        return allocation.device != Allocation::kAllDevices &&
               !(accessible_devices >> allocation.device & 1);
    };
    const auto complete_table = allocation_table();
    if (std::none_of(complete_table->live_allocations.begin(),
                     complete_table->live_allocations.end(), is_hidden))
        return complete_table;
    auto visible_table = std::make_shared<AllocationTable>(*complete_table);
    std::copy_if(complete_table->live_allocations.begin(), complete_table->live_allocations.end(),
                 std::back_inserter(visible_table->allocations_of_other_devices), is_hidden);
    std::erase_if(visible_table->live_allocations, is_hidden);
    return visible_table;
}

std::shared_ptr<const AllocationTable> DeviceMemory::allocation_table() const {
    std::lock_guard lock(state_->mutex);
    if (!state_->table) {
        auto updated_table = std::make_shared<AllocationTable>();
        updated_table->live_allocations.reserve(state_->live_allocations.size());
        for (const auto& [begin, owned_allocation] : state_->live_allocations)
            updated_table->live_allocations.push_back(owned_allocation.allocation);
        updated_table->freed_allocations.assign(state_->freed_allocations.begin(),
                                                state_->freed_allocations.end());
        updated_table->range_end = device_base() + range_bytes_;
        state_->table = std::move(updated_table);
    }
    return state_->table;
}

std::optional<Allocation> DeviceMemory::find(u64 address) const {
    std::lock_guard lock(state_->mutex);
    const State::OwnedAllocation* owned_allocation = state_->find_live(address);
    return owned_allocation ? std::optional(owned_allocation->allocation) : std::nullopt;
}

u8* DeviceMemory::host_view(u64 address, u64 bytes) const {
    std::lock_guard lock(state_->mutex);
    const State::OwnedAllocation* owned_allocation = state_->find_live(address);
    if (!owned_allocation || !owned_allocation->allocation.contains(address, bytes)) return nullptr;
    return reinterpret_cast<u8*>(address +
                                 static_cast<u64>(owned_allocation->allocation.host_offset));
}

u64 DeviceMemory::bytes_in_use() const {
    std::lock_guard lock(state_->mutex);
    return state_->bytes_in_use;
}

// ---- initialized bytes ----

bool DeviceMemory::has_shadow(u64 address) const {
    return state_->device_zone.contains(address);
}

void DeviceMemory::clear_shadow(u8* begin, u64 words) {
    u8* end = begin + words;
    u8* first_page = reinterpret_cast<u8*>(round_up(reinterpret_cast<u64>(begin), kPageBytes));
    const u64 pages =
        first_page < end ? static_cast<u64>(end - first_page) / kPageBytes * kPageBytes : 0;
    // Return the pages to the system: they then read as zeros and cost no memory. If the range has
    // only a few pages, clear them instead.
    if (pages < 16 * kPageBytes) {
        std::memset(begin, 0, words);
        return;
    }
    std::memset(begin, 0, static_cast<std::size_t>(first_page - begin));
    release_pages(first_page, pages);
    std::memset(first_page + pages, 0, static_cast<std::size_t>(end - first_page) - pages);
}

// ---- functions for the fault handler ----

bool DeviceMemory::try_describe_address(u64 address, char* text, std::size_t size) const {
    std::unique_lock lock(state_->mutex, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    const auto print = [&](const Allocation& a, const char* suffix) {
        std::snprintf(text, size, "%llu bytes into the %s%s of %llu bytes%s%s",
                      static_cast<unsigned long long>(address - a.begin), suffix, kind_name(a.kind),
                      static_cast<unsigned long long>(a.end - a.begin), a.name.empty() ? "" : " ",
                      a.name.c_str());
    };
    if (const State::OwnedAllocation* owned_allocation = state_->find_live(address)) {
        print(owned_allocation->allocation, "");
        return true;
    }
    for (auto a = state_->freed_allocations.rbegin(); a != state_->freed_allocations.rend(); ++a) {
        if (!a->contains(address, 1)) continue;
        print(*a, "freed ");
        return true;
    }
    if (const Allocation* below = state_->find_overrun_allocation(address)) {
        std::snprintf(text, size, "%llu bytes past the end of the %s of %llu bytes",
                      static_cast<unsigned long long>(address - below->end), kind_name(below->kind),
                      static_cast<unsigned long long>(below->end - below->begin));
        return true;
    }
    std::snprintf(text, size, "which belongs to no allocation");
    return true;
}

}  // namespace coalesce::simulator
