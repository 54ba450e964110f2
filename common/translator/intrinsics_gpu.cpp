// llvm.nvvm.*: indices and barriers.
#include "translator/intrinsics.h"

namespace coalesce::translator {

namespace {

/// llvm.nvvm.read.ptx.sreg.tid.x -> mov.u32 %tid.x
void emit_special_register(Emitter& e, const Instruction& i) {
    constexpr std::string_view kPrefix = "llvm.nvvm.read.ptx.sreg.";
    const std::string name = called(i)->name.substr(kPrefix.size());
    e.put("mov.b" + std::to_string(register_bits(*i.type)) + " " + e.result(i) + ", %" + name);
}

void emit_barrier(Emitter& e, const Instruction& i) {
    const std::string name = called(i)->name;
    e.put("bar.sync " + (i.operands.empty() ? std::string("0") : e.use(i.operands[0])));
}

constexpr Intrinsic kIntrinsics[] = {
    {"nvvm.read.ptx.sreg.*", emit_special_register},
    {"nvvm.barrier0", emit_barrier},
    {"nvvm.barrier.cta.sync.aligned.all", emit_barrier},
};

}  // namespace

std::span<const Intrinsic> gpu_intrinsics() {
    return kIntrinsics;
}

}  // namespace coalesce::translator
