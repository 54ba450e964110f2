// See graph_memory.h.
#include "cudart/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "cudart/api.h"
#include "cudart/devices.h"
#include "cudart/transfers.h"
#include "execute/device.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// The memory of all graphs that are alive, and how much of it is and was in use.
struct Books {
    std::mutex mutex;
    std::map<u64, std::weak_ptr<GraphMemory>> reserved;
    u64 used = 0, most_used = 0;
    u64 kept = 0, most_kept = 0;

    static Books& instance() {
        static Books& books = *new Books;
        return books;
    }
};

}  // namespace

namespace coalesce::sim::cudart {

GraphMemory::~GraphMemory() {
    Books& books = Books::instance();
    {
        std::lock_guard lock(books.mutex);
        books.reserved.erase(address);
        books.kept -= bytes;
        if (in_use) books.used -= bytes;
    }
    if (!in_use) memory().free(address);
}

std::shared_ptr<GraphMemory> reserve_graph_memory(u64 bytes) {
    const u64 address = memory().allocate(bytes);
    if (address == 0) return nullptr;
    auto reserved = std::make_shared<GraphMemory>();
    reserved->address = address;
    reserved->bytes = bytes;
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    books.reserved[address] = reserved;
    books.kept += bytes;
    books.most_kept = std::max(books.most_kept, books.kept);
    return reserved;
}

std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    const auto found = books.reserved.find(reinterpret_cast<u64>(pointer));
    return found == books.reserved.end() ? nullptr : found->second.lock();
}

bool begin_use(GraphMemory& graph_memory) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    if (graph_memory.in_use) return false;
    graph_memory.in_use = true;
    books.used += graph_memory.bytes;
    books.most_used = std::max(books.most_used, books.used);
    memory().mark_unwritten(graph_memory.address, graph_memory.bytes);
    return true;
}

bool end_use(GraphMemory& graph_memory) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    if (!graph_memory.in_use) return false;
    graph_memory.in_use = false;
    books.used -= graph_memory.bytes;
    memory().mark_unwritten(graph_memory.address, graph_memory.bytes);
    return true;
}

}  // namespace coalesce::sim::cudart

namespace {

u64* number_of(Books& books, cudaGraphMemAttributeType attribute) {
    switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent: return &books.used;
        case cudaGraphMemAttrUsedMemHigh: return &books.most_used;
        case cudaGraphMemAttrReservedMemCurrent: return &books.kept;
        case cudaGraphMemAttrReservedMemHigh: return &books.most_kept;
        default: return nullptr;
    }
}

cudaError_t get(cudaGraphMemAttributeType attribute, void* value) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    const u64* number = number_of(books, attribute);
    if (!number || !value) return cudaErrorInvalidValue;
    *static_cast<u64*>(value) = *number;
    return cudaSuccess;
}

/// High-water marks may be set back, and nothing else.
cudaError_t set(cudaGraphMemAttributeType attribute, const void* value) {
    Books& books = Books::instance();
    std::lock_guard lock(books.mutex);
    if (!value || *static_cast<const u64*>(value) != 0) return cudaErrorInvalidValue;
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        books.most_used = books.used;
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
        books.most_kept = books.kept;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

template <class Body>
cudaError_t of_device(const char* name, int device, Body body) {
    return api(
        name, [&]() -> cudaError_t { return is_device(device) ? body() : cudaErrorInvalidDevice; });
}

}  // namespace

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return of_device(__func__, device, [&] { return get(attribute, value); });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return of_device(__func__, device, [&] { return set(attribute, value); });
}

/// Memory is kept for graphs that are alive, and for no others.
cudaError_t cudaDeviceGraphMemTrim(int device) {
    return of_device(__func__, device, [] { return cudaSuccess; });
}
