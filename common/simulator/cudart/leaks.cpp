// See leaks.h.
#include "simulator/cudart/leaks.h"

#include <map>
#include <vector>

#include "simulator/base/options.h"
#include "simulator/device/device.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator::cudart {
namespace {

/// The maximum number of allocations that a message lists individually.
constexpr std::size_t kMaxListedAllocations = 5;

struct MemoryFunctions {
    const char* allocate_call;
    const char* free_call;
};

/// Returns the function that allocates memory of this kind and the function that frees it. Returns
/// nothing for variables, which the program does not free.
MemoryFunctions find_memory_functions(AllocationKind kind) {
    switch (kind) {
        case AllocationKind::device: return {"cudaMalloc", "cudaFree"};
        case AllocationKind::managed: return {"cudaMallocManaged", "cudaFree"};
        case AllocationKind::pinned: return {"cudaMallocHost", "cudaFreeHost"};
        case AllocationKind::registered: return {"cudaHostRegister", "cudaHostUnregister"};
        case AllocationKind::array: return {"cudaMallocArray", "cudaFreeArray"};
        case AllocationKind::variable:
        case AllocationKind::constant: break;
    }
    return {nullptr, nullptr};
}

Report describe_leaks(MemoryFunctions functions, const std::vector<const Allocation*>& leaks) {
    u64 bytes = 0;
    std::string listed_allocations;
    for (std::size_t i = 0; i < leaks.size(); ++i) {
        const u64 size = leaks[i]->end - leaks[i]->begin;
        bytes += size;
        if (i >= kMaxListedAllocations) continue;
        listed_allocations += (i ? ", " : "") + std::to_string(size) + " bytes (allocation " +
                              std::to_string(leaks[i]->serial) + " of the program)";
    }
    if (leaks.size() > kMaxListedAllocations) listed_allocations += ", ...";
    Report report;
    report.check = "leakcheck";
    report.kind = std::string(functions.allocate_call) + " not freed";
    report.address = leaks.front()->begin;
    report.count = leaks.size();
    report.message = std::to_string(bytes) + " bytes from " + std::to_string(leaks.size()) +
                     (leaks.size() == 1 ? " call" : " calls") + " of " + functions.allocate_call +
                     " were never freed: " + listed_allocations + ".";
    report.cure =
        std::string("Call ") + functions.free_call + " when the memory is no longer needed.";
    return report;
}

}  // namespace

void report_leaks() {
    if (!options().checks.runs_leakcheck) return;
    const auto table = Device::instance().memory().allocation_table();
    std::map<AllocationKind, std::vector<const Allocation*>> leaks;
    for (const Allocation& allocation : table->live_allocations) {
        const bool is_variable = !allocation.name.empty();
        if (!is_variable && find_memory_functions(allocation.kind).allocate_call)
            leaks[allocation.kind].push_back(&allocation);
    }
    for (const auto& [kind, leaked_allocations] : leaks)
        reports().add(describe_leaks(find_memory_functions(kind), leaked_allocations));
}

}  // namespace coalesce::simulator::cudart
