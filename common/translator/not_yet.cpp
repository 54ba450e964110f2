#include "translator/emit_call.h"
#include "translator/intrinsics.h"
#include "translator/passes.h"
namespace coalesce::translator {
#define NOT_YET(name)                                                 \
    __attribute__((weak)) void name(Emitter&, const Instruction& i) { \
        fail(i, "not known yet");                                     \
    }
NOT_YET(emit_inline_asm)
NOT_YET(emit_fneg) NOT_YET(emit_float) NOT_YET(emit_frem) NOT_YET(emit_fcmp)
    NOT_YET(emit_float_resize) NOT_YET(emit_float_to_integer) NOT_YET(emit_integer_to_float)
        NOT_YET(emit_atomicrmw) NOT_YET(emit_cmpxchg) NOT_YET(emit_fence)
            __attribute__((weak)) void vectorise(Module&, Function&) {}
__attribute__((weak)) std::span<const Intrinsic> math_intrinsics() {
    return {};
}
}  // namespace coalesce::translator
