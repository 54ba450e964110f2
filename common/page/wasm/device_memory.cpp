// Implements memory/device_memory.h in a browser, with static arrays instead of mmap.
//
// Theory of operation
//   A web page has no mmap, and its memory is limited. The device's address range is therefore only
//   as large as the matrices on the page require. One static array is its storage, and another is
//   its shadow. Beyond this range, the device has addresses without storage, for matrices that
//   are too large. Such addresses are sufficient for a launch whose time is only predicted
//   (Recorder::RecordMode::alone). A launch that is executed finds no memory there.
//   Pinned memory is ordinary memory of this module, and managed memory is not available. The only
//   host code that uses device pointers is the module's own.
#include "simulator/memory/device_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simulator/memory/address_zone.h"
#include "simulator/memory/host_guard.h"

namespace coalesce::simulator {
namespace {

constexpr u64 kAlignmentBytes = 16 << 10;
/// Space for two matrices of 2048 x 2048 floats (32 MiB), and 16 MiB for other allocations.
constexpr u64 kMaxCapacityBytes = 48ull << 20;
/// The end of the address space. Host and device addresses are in the same 32-bit address space.
constexpr u64 kAddressLimit = 1ull << 32;
constexpr std::size_t kMaxFreedRecords = 256;

}  // namespace

struct DeviceMemory::State {
    struct LiveAllocation {
        Allocation allocation;
        Interval slot;  ///< empty for pinned memory
        /// Whether the allocation has storage; otherwise it has only addresses.
        bool has_storage = false;
    };
    explicit State(u64 range)
        : zone_with_storage({kDeviceBase, kDeviceBase + range}),
          zone_without_storage({kDeviceBase + range, kAddressLimit}) {}

    AddressZone zone_with_storage, zone_without_storage;
    std::map<u64, LiveAllocation> live_allocations;  ///< the live allocations, by start address
    std::vector<Allocation> freed_allocations;
    u64 bytes_in_use = 0, next_serial = 1;
    mutable std::shared_ptr<const AllocationTable> table;  ///< null if out of date

    const LiveAllocation* find_live(u64 address) const {
        const auto next_allocation = live_allocations.upper_bound(address);
        if (next_allocation == live_allocations.begin()) return nullptr;
        const LiveAllocation& candidate = std::prev(next_allocation)->second;
        return candidate.allocation.contains(address, 1) ? &candidate : nullptr;
    }
    /// Removes the records of freed allocations whose addresses are being reused.
    void drop_reused_records(Interval slot) {
        std::erase_if(freed_allocations, [&](const Allocation& allocation) {
            return allocation.begin < slot.end && slot.begin < allocation.end;
        });
    }
};

// Use static arrays, which are zero at the start. Clearing memory would delay the start of the
// page.
static u8 all_storage[kMaxCapacityBytes], all_shadow[kMaxCapacityBytes / 4];

DeviceMemory::DeviceMemory(u64 capacity_bytes)
    : capacity_(std::min(capacity_bytes, kMaxCapacityBytes)),
      range_bytes_(capacity_),
      storage_(all_storage),
      shadow_(all_shadow),
      state_(std::make_unique<State>(range_bytes_)) {}

DeviceMemory::~DeviceMemory() = default;

u64 DeviceMemory::allocate(u64 bytes, AllocationKind kind, std::string name) {
    if (kind == AllocationKind::managed) return 0;
    bytes = std::max<u64>(bytes, 1);
    State::LiveAllocation owned;
    Allocation& allocation = owned.allocation;
    if (kind == AllocationKind::pinned) {
        allocation.begin = reinterpret_cast<u64>(std::calloc(1, static_cast<std::size_t>(bytes)));
        allocation.has_shadow = false;
    } else {
        const u64 with_gap = round_up(
            bytes + choose_gap(state_->live_allocations.size(), range_bytes_), kAlignmentBytes);
        owned.slot = state_->zone_with_storage.take_interval(with_gap, kAlignmentBytes);
        if (owned.slot.size() == 0) {
            owned.slot = state_->zone_with_storage.take_interval(
                round_up(bytes + kNarrowGapBytes, kAlignmentBytes), kAlignmentBytes);
        }
        owned.has_storage = owned.slot.size() != 0;
        if (!owned.has_storage)
            owned.slot = state_->zone_without_storage.take_interval(with_gap, kAlignmentBytes);
        allocation.begin = owned.slot.begin;
        // Host pointers have fewer bits than device addresses here. Only the lower bits of the sum
        // are used for a host pointer, and these bits are correct.
        allocation.host_offset = static_cast<std::ptrdiff_t>(
            reinterpret_cast<std::uintptr_t>(storage_) - static_cast<std::uintptr_t>(kDeviceBase));
    }
    if (allocation.begin == 0) return 0;
    allocation.end = allocation.begin + bytes;
    allocation.kind = kind;
    allocation.serial = state_->next_serial++;
    allocation.name = std::move(name);
    if (owned.has_storage) {
        state_->drop_reused_records(owned.slot);
        std::memset(storage_ + static_cast<std::size_t>(allocation.begin - kDeviceBase), 0,
                    static_cast<std::size_t>(bytes));
        clear_shadow(shadow(allocation.begin), owned.slot.size() / 4);
        state_->bytes_in_use += bytes;
    }
    const u64 begin = allocation.begin;
    state_->live_allocations[begin] = std::move(owned);
    state_->table.reset();
    return begin;
}

/// Returns false, because a page does not need random addresses.
bool DeviceMemory::draw_addresses(u64) {
    return false;
}

bool DeviceMemory::free(u64 begin) {
    const auto allocation_entry = state_->live_allocations.find(begin);
    if (allocation_entry == state_->live_allocations.end()) return false;
    const State::LiveAllocation owned = std::move(allocation_entry->second);
    state_->live_allocations.erase(allocation_entry);
    state_->table.reset();
    if (owned.slot.size() == 0) {
        std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(begin)));
        return true;
    }
    if (!owned.has_storage) {
        state_->zone_without_storage.return_interval(owned.slot);
        return true;
    }
    state_->zone_with_storage.return_interval(owned.slot);
    state_->bytes_in_use -= owned.allocation.end - owned.allocation.begin;
    state_->freed_allocations.push_back(owned.allocation);
    if (state_->freed_allocations.size() > kMaxFreedRecords)
        state_->freed_allocations.erase(state_->freed_allocations.begin());
    return true;
}

bool DeviceMemory::register_host(void*, u64) {
    return false;
}

bool DeviceMemory::unregister_host(void*) {
    return false;
}

std::shared_ptr<const AllocationTable> DeviceMemory::allocation_table() const {
    if (!state_->table) {
        auto new_table = std::make_shared<AllocationTable>();
        for (const auto& [begin, owned] : state_->live_allocations) {
            if (owned.has_storage || owned.slot.size() == 0)
                new_table->live_allocations.push_back(owned.allocation);
        }
        new_table->freed_allocations = state_->freed_allocations;
        state_->table = std::move(new_table);
    }
    return state_->table;
}

/// Does nothing, because a page has only one device, which can access everything.
void DeviceMemory::set_device(u64, int) {}
std::shared_ptr<const AllocationTable> DeviceMemory::allocation_table_for(u64) const {
    return allocation_table();
}

std::optional<Allocation> DeviceMemory::find(u64 address) const {
    const State::LiveAllocation* owned = state_->find_live(address);
    return owned ? std::optional(owned->allocation) : std::nullopt;
}

u8* DeviceMemory::host_view(u64 address, u64 bytes) const {
    const State::LiveAllocation* owned = state_->find_live(address);
    if (!owned || !owned->has_storage || !owned->allocation.contains(address, bytes))
        return nullptr;
    return storage_ + static_cast<std::size_t>(address - kDeviceBase);
}

u64 DeviceMemory::bytes_in_use() const {
    return state_->bytes_in_use;
}

bool DeviceMemory::has_shadow(u64 address) const {
    return is_device_range(address);
}

void DeviceMemory::clear_shadow(u8* begin, u64 words) {
    std::memset(begin, 0, static_cast<std::size_t>(words));
}

bool DeviceMemory::try_describe_address(u64, char*, std::size_t) const {
    return false;  // no host code in a page uses device pointers
}

// The module's own code is the only host code in a page. It does not access device memory directly,
// so no guard is needed.
namespace host_guard {

void protect(std::vector<GuardedRange>) {}
void unprotect() {}
std::vector<HostTouch> take_touches() {
    return {};
}

}  // namespace host_guard
}  // namespace coalesce::simulator
