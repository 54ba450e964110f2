#include "execute/warp.h"

#include "execute/block.h"
#include "execute/reports_enabled.h"

namespace coalesce::sim {

Dim3 Warp::thread_of(int lane) const {
    const Dim3 shape = block->dimensions();
    const u32 t = index * kLanes + static_cast<u32>(lane);
    return {t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y};
}

Report Warp::describe(const Op* op, const char* check, const char* kind, int lane) const {
    Report report;
    report.check = check;
    report.kind = kind;
    report.where = block->launch->kernel->place(op);
    report.kernel = block->launch->kernel->demangled;
    report.block = block->index;
    report.thread = thread_of(lane);
    return report;
}

const Op* Warp::fail(const Op* op, Status status, const std::string& check, const std::string& kind,
                     const std::string& message, int lane, u64 address) {
    Report report = describe(op, check.c_str(), kind.c_str(), lane);
    report.message = message;
    report.address = address;
    return fail(status, report);
}

const Op* Warp::fail(Status status, const Report& report) {
    Launch& launch = *block->launch;
    // The first failure ends the launch; other workers may fail as well before they notice.
    if (!launch.failed() && wants(checks, report.check)) reports().add(report);
    launch.fail(status);
    return nullptr;
}

}  // namespace coalesce::sim
