// See graph_memory.h.
#include "simulator/addons/graphs/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "simulator/cudart/api.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/transfers.h"
#include "simulator/device/device.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The unit in which graph memory is mapped, in bytes. An H100 maps a whole block of this size even
/// for an allocation of 4 bytes.
constexpr u64 kBlockBytes = u64{32} << 20;

u64 round_up_to_blocks(u64 bytes) {
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

/// The memory of all existing graphs, and the sizes that the program can query. A launch maps
/// memory for its allocations. Freed memory stays mapped until the program calls
/// cudaDeviceGraphMemTrim, so that later launches of any graph can reuse it.
struct GraphMemoryAccounts {
    std::mutex mutex;
    std::map<u64, std::weak_ptr<GraphMemory>> memory_by_address;
    u64 bytes_in_use = 0,
        mapped_bytes = 0;    ///< bytes in use by allocations, and bytes that are mapped
    u64 reserved_bytes = 0;  ///< total size of the mapped blocks, in bytes
    u64 peak_used_bytes = 0, peak_reserved_bytes = 0;

    u64 used_bytes() const { return std::min(reserved_bytes, round_up_to_blocks(mapped_bytes)); }

    void unmap_memory(GraphMemory& memory) {
        if (memory.is_mapped) mapped_bytes -= memory.bytes;
        memory.is_mapped = false;
    }

    static GraphMemoryAccounts& instance() {
        static GraphMemoryAccounts& accounts = *new GraphMemoryAccounts;
        return accounts;
    }
};

}  // namespace

namespace coalesce::simulator::cudart {

GraphMemory::~GraphMemory() {
    GraphMemoryAccounts& accounts = GraphMemoryAccounts::instance();
    const bool is_still_used = is_in_use;
    {
        std::lock_guard lock(accounts.mutex);
        accounts.memory_by_address.erase(address);
        accounts.unmap_memory(*this);
        if (is_in_use) accounts.bytes_in_use -= bytes;
    }
    if (!is_still_used) memory().free(address);
}

std::shared_ptr<GraphMemory> reserve_graph_memory(u64 bytes) {
    const u64 address = memory().allocate(bytes);
    if (address == 0) return nullptr;
    auto reserved_memory = std::make_shared<GraphMemory>();
    reserved_memory->address = address;
    reserved_memory->bytes = bytes;
    GraphMemoryAccounts& accounts = GraphMemoryAccounts::instance();
    std::lock_guard lock(accounts.mutex);
    accounts.memory_by_address[address] = reserved_memory;
    return reserved_memory;
}

std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer) {
    GraphMemoryAccounts& accounts = GraphMemoryAccounts::instance();
    std::lock_guard lock(accounts.mutex);
    const auto entry = accounts.memory_by_address.find(reinterpret_cast<u64>(pointer));
    return entry == accounts.memory_by_address.end() ? nullptr : entry->second.lock();
}

bool begin_use(GraphMemory& graph_memory) {
    GraphMemoryAccounts& accounts = GraphMemoryAccounts::instance();
    std::lock_guard lock(accounts.mutex);
    if (graph_memory.is_in_use) return false;
    if (!graph_memory.is_mapped) accounts.mapped_bytes += graph_memory.bytes;
    graph_memory.is_in_use = graph_memory.is_mapped = true;
    accounts.bytes_in_use += graph_memory.bytes;
    accounts.reserved_bytes =
        std::max(accounts.reserved_bytes, round_up_to_blocks(accounts.bytes_in_use));
    accounts.peak_reserved_bytes = std::max(accounts.peak_reserved_bytes, accounts.reserved_bytes);
    accounts.peak_used_bytes = std::max(accounts.peak_used_bytes, accounts.used_bytes());
    memory().mark_unwritten(graph_memory.address, graph_memory.bytes);
    return true;
}

bool end_use(GraphMemory& graph_memory) {
    GraphMemoryAccounts& accounts = GraphMemoryAccounts::instance();
    std::lock_guard lock(accounts.mutex);
    if (!graph_memory.is_in_use) return false;
    graph_memory.is_in_use = false;
    accounts.bytes_in_use -= graph_memory.bytes;
    memory().mark_unwritten(graph_memory.address, graph_memory.bytes);
    return true;
}

void trim_graph_memory() {
    GraphMemoryAccounts& accounts = GraphMemoryAccounts::instance();
    // The lock must be released before this list is destroyed, because the destructor of a
    // GraphMemory takes the same lock. Declare the list before the lock.
    std::vector<std::shared_ptr<GraphMemory>> all_memory;
    std::lock_guard lock(accounts.mutex);
    for (const auto& [address, memory] : accounts.memory_by_address)
        all_memory.push_back(memory.lock());
    for (const auto& memory : all_memory) {
        if (memory && !memory->is_in_use) accounts.unmap_memory(*memory);
    }
    accounts.reserved_bytes = round_up_to_blocks(accounts.bytes_in_use);
}

}  // namespace coalesce::simulator::cudart

namespace {

void get_attribute(const GraphMemoryAccounts& accounts, cudaGraphMemAttributeType attribute,
                   u64* value) {
    switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent: return store_output(value, accounts.used_bytes());
        case cudaGraphMemAttrUsedMemHigh: return store_output(value, accounts.peak_used_bytes);
        case cudaGraphMemAttrReservedMemCurrent:
            return store_output(value, accounts.reserved_bytes);
        case cudaGraphMemAttrReservedMemHigh:
            return store_output(value, accounts.peak_reserved_bytes);
        default: fail();
    }
}

/// Resets a high-water mark. Other attributes cannot be set.
void set_attribute(GraphMemoryAccounts& accounts, cudaGraphMemAttributeType attribute,
                   const u64* value) {
    require(value && *value == 0);
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        accounts.peak_used_bytes = accounts.used_bytes();
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
        accounts.peak_reserved_bytes = accounts.reserved_bytes;
    else
        fail();
}

}  // namespace

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return run_device_call(__func__, [&] {
        check_device(device);
        std::lock_guard lock(GraphMemoryAccounts::instance().mutex);
        get_attribute(GraphMemoryAccounts::instance(), attribute, static_cast<u64*>(value));
    });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return run_device_call(__func__, [&] {
        check_device(device);
        std::lock_guard lock(GraphMemoryAccounts::instance().mutex);
        set_attribute(GraphMemoryAccounts::instance(), attribute, static_cast<const u64*>(value));
    });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return run_device_call(__func__, [&] {
        check_device(device);
        trim_graph_memory();
    });
}
