// The simulated device's memory in a browser: memory/device_memory.h over one array.
//
// Theory of operation
//   A web page has no mmap, and no memory but what it takes. So the device's range is as small as the
//   page's matrices need, its storage and shadow are two static arrays, and freed slots are used again at
//   once. What the header promises about the host (faults, pinned and managed memory) needs a host
//   program; a page has none, so such memory is never had here.
#include "memory/device_memory.h"

#include <algorithm>
#include <cstring>

#include "memory/address_zone.h"

namespace coalesce::sim {
namespace {

/// What lies behind an allocation and belongs to nobody, so that an overrun is seen.
constexpr u64 kGuardGap = 4096;
constexpr u64 kAlign = 512;
/// Two matrices of 2048 x 2048 floats, and room.
constexpr u64 kLargestCapacity = 48ull << 20;
constexpr std::size_t kFreedRemembered = 16;

/// The last allocation that begins at or below `address`, in a table sorted by begin.
const Allocation* last_at_or_below(const std::vector<Allocation>& sorted, u64 address) {
    const auto above = std::upper_bound(sorted.begin(), sorted.end(), address,
                                        [](u64 a, const Allocation& b) { return a < b.begin; });
    return above == sorted.begin() ? nullptr : &*std::prev(above);
}

u64 distance(const Allocation& allocation, u64 address) {
    if (address < allocation.begin) return allocation.begin - address;
    return address < allocation.end ? 0 : address - allocation.end + 1;
}

}  // namespace

const Allocation* AllocationTable::find(u64 address) const {
    const Allocation* candidate = last_at_or_below(live, address);
    return candidate && candidate->contains(address, 1) ? candidate : nullptr;
}

const Allocation* AllocationTable::nearest(u64 address) const {
    const Allocation* best = nullptr;
    for (const Allocation& allocation : live) {
        if (!best || distance(allocation, address) < distance(*best, address)) best = &allocation;
    }
    return best;
}

const Allocation* AllocationTable::find_freed(u64 address) const {
    const auto found =
        std::find_if(freed.rbegin(), freed.rend(),
                     [&](const Allocation& allocation) { return allocation.contains(address, 1); });
    return found == freed.rend() ? nullptr : &*found;
}

struct DeviceMemory::State {
    struct Owned {
        Allocation allocation;
        u64 slot_end = 0;
    };
    std::map<u64, Owned> live;  ///< by begin
    std::vector<Allocation> freed;
    u64 bytes_in_use = 0, next_serial = 1;
    mutable std::shared_ptr<const AllocationTable> table;  ///< null when out of date

    /// First fit: the lowest address with `bytes` free behind it, or 0.
    u64 place_for(u64 bytes, u64 range) const {
        u64 begin = kDeviceBase;
        for (const auto& [next, owned] : live) {
            if (next - begin >= bytes) break;
            begin = owned.slot_end;
        }
        return begin + bytes <= kDeviceBase + range ? begin : 0;
    }
};

// What is static is zero without being touched, so that a page opens at once.
static u8 all_storage[kLargestCapacity], all_shadow[kLargestCapacity / 4];

DeviceMemory::DeviceMemory(u64 capacity_bytes)
    : capacity_(std::min(capacity_bytes, kLargestCapacity)),
      range_(capacity_),
      storage_(all_storage),
      shadow_(all_shadow),
      state_(std::make_unique<State>()) {}

DeviceMemory::~DeviceMemory() = default;

u64 DeviceMemory::allocate(u64 bytes, AllocationKind kind, std::string name) {
    const bool is_of_host = kind == AllocationKind::managed || kind == AllocationKind::pinned;
    const u64 slot = round_up(std::max<u64>(bytes, 1) + kGuardGap, kAlign);
    const u64 begin = is_of_host ? 0 : state_->place_for(slot, range_);
    if (begin == 0) return 0;
    Allocation allocation;
    allocation.begin = begin;
    allocation.end = begin + std::max<u64>(bytes, 1);
    // Pointers are shorter than device addresses here: the sum is right in the bits that they have.
    allocation.to_host = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(storage_) -
                                                     static_cast<std::uintptr_t>(kDeviceBase));
    allocation.kind = kind;
    allocation.serial = state_->next_serial++;
    allocation.name = std::move(name);
    std::memset(shadow(begin), 0, static_cast<std::size_t>(slot / 4));
    state_->bytes_in_use += bytes;
    state_->live[begin] = {std::move(allocation), begin + slot};
    state_->table.reset();
    return begin;
}

bool DeviceMemory::free(u64 begin) {
    const auto found = state_->live.find(begin);
    if (found == state_->live.end()) return false;
    const Allocation& allocation = found->second.allocation;
    state_->bytes_in_use -= allocation.end - allocation.begin;
    state_->freed.push_back(allocation);
    if (state_->freed.size() > kFreedRemembered) state_->freed.erase(state_->freed.begin());
    state_->live.erase(found);
    state_->table.reset();
    return true;
}

bool DeviceMemory::register_host(void*, u64) {
    return false;
}

bool DeviceMemory::unregister_host(void*) {
    return false;
}

std::shared_ptr<const AllocationTable> DeviceMemory::table() const {
    if (!state_->table) {
        auto fresh = std::make_shared<AllocationTable>();
        for (const auto& [begin, owned] : state_->live) fresh->live.push_back(owned.allocation);
        fresh->freed = state_->freed;
        state_->table = std::move(fresh);
    }
    return state_->table;
}

std::optional<Allocation> DeviceMemory::find(u64 address) const {
    const Allocation* found = table()->find(address);
    return found ? std::optional(*found) : std::nullopt;
}

u8* DeviceMemory::host_view(u64 address, u64 bytes) const {
    const Allocation* found = table()->find(address);
    if (!found || !found->contains(address, bytes)) return nullptr;
    return storage_ + static_cast<std::size_t>(address - kDeviceBase);
}

u64 DeviceMemory::bytes_in_use() const {
    return state_->bytes_in_use;
}

// Byte by byte: the page marks whole matrices, whose ends are those of words.
void DeviceMemory::mark_written(u64 address, u64 bytes) {
    if (((address | bytes) & 3) == 0) {
        std::memset(shadow(address), 0xf, static_cast<std::size_t>(bytes / 4));
        return;
    }
    for (u64 at = address; at < address + bytes; ++at) {
        *shadow(at) = static_cast<u8>(*shadow(at) | 1u << (at & 3));
    }
}

void DeviceMemory::mark_unwritten(u64 address, u64 bytes) {
    for (u64 at = address; at < address + bytes; ++at) {
        *shadow(at) = static_cast<u8>(*shadow(at) & ~(1u << (at & 3)));
    }
}

void DeviceMemory::mark_bytes_unwritten(u64 address, u32 bytes) {
    for (u64 at = address; bytes; ++at, bytes >>= 1) {
        if (bytes & 1) mark_unwritten(at, 1);
    }
}

u32 DeviceMemory::unwritten_bytes(u64 address, u32 bytes) const {
    u32 unwritten = 0;
    for (u32 k = 0; k < bytes; ++k) unwritten |= u32{!is_written(address + k)} << k;
    return unwritten;
}

void DeviceMemory::copy_written(u64 to, u64 from, u64 bytes) {
    std::vector<bool> written;
    for (u64 i = 0; i < bytes; ++i) written.push_back(*shadow(from + i) >> ((from + i) & 3) & 1);
    mark_unwritten(to, bytes);
    for (u64 i = 0; i < bytes; ++i) {
        if (written[static_cast<std::size_t>(i)]) mark_written(to + i, 1);
    }
}

bool DeviceMemory::try_describe_address(u64, char*, std::size_t) const {
    return false;  // no host code follows a device pointer here
}

}  // namespace coalesce::sim
