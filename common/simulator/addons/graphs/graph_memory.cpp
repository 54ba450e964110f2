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

/// Graph memory is mapped in blocks of this size (in bytes), as measured on an H100 with an
/// allocation of 4 bytes.
constexpr u64 kBlock = u64{32} << 20;

u64 in_blocks(u64 bytes) {
    return (bytes + kBlock - 1) / kBlock * kBlock;
}

/// The memory of all existing graphs, and the number of bytes reported to the program as mapped. A
/// launch maps memory for its allocations. Freed memory stays mapped for later launches of any
/// graph, until cudaDeviceGraphMemTrim.
struct Books {
    std::mutex mutex;
    std::map<u64, std::weak_ptr<GraphMemory>> known;
    u64 in_use = 0, mapped = 0;  ///< bytes of allocations
    u64 kept = 0;                ///< bytes of blocks
    u64 most_used = 0, most_kept = 0;

    u64 used() const { return std::min(kept, in_blocks(mapped)); }

    void unmap(GraphMemory& memory) {
        if (memory.is_mapped) mapped -= memory.bytes;
        memory.is_mapped = false;
    }

    static Books& instance() {
        static Books& books = *new Books;
        return books;
    }
};

}  // namespace

namespace coalesce::simulator::cudart {

GraphMemory::~GraphMemory() {
    Books& books = Books::instance();
    const bool is_programs = in_use;
    {
        std::lock_guard lock(books.mutex);
        books.known.erase(address);
        books.unmap(*this);
        if (in_use) books.in_use -= bytes;
    }
    if (!is_programs) memory().free(address);
}

std::shared_ptr<GraphMemory> reserve_graph_memory(u64 bytes) {
    const u64 address = memory().allocate(bytes);
    if (address == 0) return nullptr;
    auto reserved = std::make_shared<GraphMemory>();
    reserved->address = address;
    reserved->bytes = bytes;
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    books.known[address] = reserved;
    return reserved;
}

std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    const auto found = books.known.find(reinterpret_cast<u64>(pointer));
    return found == books.known.end() ? nullptr : found->second.lock();
}

bool begin_use(GraphMemory& graph_memory) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    if (graph_memory.in_use) return false;
    if (!graph_memory.is_mapped) books.mapped += graph_memory.bytes;
    graph_memory.in_use = graph_memory.is_mapped = true;
    books.in_use += graph_memory.bytes;
    books.kept = std::max(books.kept, in_blocks(books.in_use));
    books.most_kept = std::max(books.most_kept, books.kept);
    books.most_used = std::max(books.most_used, books.used());
    memory().mark_unwritten(graph_memory.address, graph_memory.bytes);
    return true;
}

bool end_use(GraphMemory& graph_memory) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    if (!graph_memory.in_use) return false;
    graph_memory.in_use = false;
    books.in_use -= graph_memory.bytes;
    memory().mark_unwritten(graph_memory.address, graph_memory.bytes);
    return true;
}

void trim_graph_memory() {
    Books& books = Books::instance();
    // Declared before the lock so that it is destroyed after the lock: the destructor of a
    // GraphMemory also takes the lock.
    std::vector<std::shared_ptr<GraphMemory>> all;
    std::lock_guard lock(books.mutex);
    for (const auto& [address, known] : books.known) all.push_back(known.lock());
    for (const auto& memory : all) {
        if (memory && !memory->in_use) books.unmap(*memory);
    }
    books.kept = in_blocks(books.in_use);
}

}  // namespace coalesce::simulator::cudart

namespace {

void get(const Books& books, cudaGraphMemAttributeType attribute, u64* value) {
    switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent: return give(value, books.used());
        case cudaGraphMemAttrUsedMemHigh: return give(value, books.most_used);
        case cudaGraphMemAttrReservedMemCurrent: return give(value, books.kept);
        case cudaGraphMemAttrReservedMemHigh: return give(value, books.most_kept);
        default: fail();
    }
}

/// Resets a high-water mark. Other attributes cannot be set.
void set(Books& books, cudaGraphMemAttributeType attribute, const u64* value) {
    need(value && *value == 0);
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        books.most_used = books.used();
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
        books.most_kept = books.kept;
    else
        fail();
}

}  // namespace

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return api(__func__, [&] {
        check_device(device);
        std::lock_guard lock(Books::instance().mutex);
        get(Books::instance(), attribute, static_cast<u64*>(value));
    });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return api(__func__, [&] {
        check_device(device);
        std::lock_guard lock(Books::instance().mutex);
        set(Books::instance(), attribute, static_cast<const u64*>(value));
    });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return api(__func__, [&] {
        check_device(device);
        trim_graph_memory();
    });
}
