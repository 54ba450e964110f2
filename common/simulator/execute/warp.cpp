#include "simulator/execute/warp.h"

#include <algorithm>

#include "simulator/execute/block.h"

namespace coalesce::simulator {

Dim3 Warp::thread_index(int lane) const {
    return block->dimensions().position_of(index * kLanes + static_cast<u32>(lane));
}

void Warp::enter_frame(Frame* entered_frame) {
    frame = entered_frame;
    register_files[kOwnFile] = entered_frame ? entered_frame->registers : kernel_registers;
}

bool is_inlined_from(std::string_view path, const Kernel& kernel, const FunctionCode& code,
                     const Op& op) {
    const ptx::Instruction& i = code.ast->body[op.source];
    if (i.inline_chain_index == 0) return false;
    const auto& files = kernel.module->ast->files;
    const auto& callers = code.ast->inline_chains[i.inline_chain_index - 1];
    return std::ranges::any_of(callers, [&](const ptx::SourceLine& caller) {
        const auto file = files.find(caller.file);
        return file != files.end() && file->second.find(path) != std::string::npos;
    });
}

Report Warp::describe(const Op* op, const char* check, const char* kind, int lane,
                      const std::string& message, const std::string& cure) const {
    Report report;
    report.check = check;
    report.kind = kind;
    report.where = block->launch->kernel->place(op);
    report.kernel = block->launch->kernel->display_name;
    report.block = block->index;
    report.thread = thread_index(lane);
    report.message = message;
    report.cure = cure;
    return report;
}

Failed Warp::fail_launch(const Op* op, Status status, const char* check, const char* kind,
                         const std::string& message, int lane, u64 address) {
    Report report = describe(op, check, kind, lane, message);
    report.address = address;
    return fail_with_report(status, report);
}

Failed Warp::fail_with_report(Status status, const Report& report) {
    Launch& launch = *block->launch;
    // The first failure ends the launch, but other workers may fail too before they notice.
    if (!launch.has_failed() && checks.is_enabled(report.check)) reports().add(report);
    launch.fail(status);
    return {};
}

}  // namespace coalesce::simulator
