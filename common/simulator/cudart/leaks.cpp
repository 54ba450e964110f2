// See leaks.h.
#include "cudart/leaks.h"

#include "base/options.h"
#include "execute/device.h"
#include "report/reports.h"

namespace coalesce::sim::cudart {
namespace {

/// The call that the memory came from; nullptr for what the program does not free itself.
const char* origin(AllocationKind kind) {
    switch (kind) {
        case AllocationKind::device: return "cudaMalloc";
        case AllocationKind::managed: return "cudaMallocManaged";
        case AllocationKind::pinned: return "cudaMallocHost";
        case AllocationKind::registered: return "cudaHostRegister";
        case AllocationKind::variable:
        case AllocationKind::constant: break;
    }
    return nullptr;
}

const char* cure(AllocationKind kind) {
    switch (kind) {
        case AllocationKind::pinned: return "Call cudaFreeHost when you no longer need it.";
        case AllocationKind::registered: return "Call cudaHostUnregister when you no longer need it.";
        default: return "Call cudaFree when you no longer need it.";
    }
}

}  // namespace

void report_leaks() {
    if (!options().checks.leak) return;
    const auto table = Device::instance().memory().table();
    for (const Allocation& allocation : table->live) {
        const char* from = origin(allocation.kind);
        if (!from) continue;
        Report report;
        report.check = "leakcheck";
        report.kind = "not freed";
        report.address = allocation.begin;
        report.message = std::to_string(allocation.end - allocation.begin) + " bytes of " + from +
                         ", allocation " + std::to_string(allocation.serial) +
                         " of the program, were never freed.";
        report.cure = cure(allocation.kind);
        reports().add(report);
    }
}

}  // namespace coalesce::sim::cudart
