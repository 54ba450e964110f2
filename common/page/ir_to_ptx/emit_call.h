// Calls to functions, intrinsics and inline assembly.
#pragma once

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

/// Emits a call to an InlineAsm. See inline_asm.cpp.
void emit_inline_asm(Emitter& emitter, const Instruction& call);

}  // namespace coalesce::translator
