#include "simulator/code/kernel.h"

namespace coalesce::simulator {

Place Kernel::place(ptx::SourceLine where) const {
    const auto file = module->ast->files.find(where.file);
    if (where.line == 0 || file == module->ast->files.end()) return {};
    return {file->second, where.line};
}

Place Kernel::place(const Op* op) const {
    return op ? place(op->where) : Place{};
}

Kernel* Module::kernel(const std::string& name) const {
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : found->second.get();
}

}  // namespace coalesce::simulator
