// Calls of functions, of intrinsics and of inline assembly.
#pragma once

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

/// inline_asm.cpp: the callee is an InlineAsm.
void emit_inline_asm(Emitter& emitter, const Instruction& call);

}  // namespace coalesce::translator
