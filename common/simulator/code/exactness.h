// How exactly an instruction is simulated, beyond what its operands show.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The remark about an opcode: a column of opcodes.inc.
enum class Exactness : u8 {
    exact,  ///< no remark: the result is that of a GPU
    /// The forms .approx and .full are computed in double precision and rounded once (math.cpp).
    approximation,
    /// Sums of products of floats are rounded once, at the end (execute/tensor_cores.cpp).
    product,
    mipmap,  ///< forms that choose a level of a texture have not been compared with a GPU
    hint,    ///< a hint, which changes no result and costs nothing
    time,    ///< depends on a clock, which counts simulated time
    copy,    ///< the form .bulk uses the asynchronous proxy
};

/// A remark about an instruction that was executed.
struct Remark {
    enum class Kind : u8 {
        last_bits,    ///< the last bits of its result may differ from a GPU's
        values,       ///< its result may be completely different
        no_effect,    ///< it has no effect in the simulator
        async_proxy,  ///< a missing fence.proxy.async before it is not detected
    };
    Kind kind = Kind::last_bits;
    std::string name;  ///< "ex2.approx", "cache hints"

    bool operator<(const Remark& other) const {
        return kind != other.kind ? kind < other.kind : name < other.name;
    }
    bool operator==(const Remark& other) const { return kind == other.kind && name == other.name; }
    /// Reports whether the instruction counts as simulated exactly.
    bool is_exact() const { return kind == Kind::no_effect || kind == Kind::async_proxy; }
};

/// Returns the remarks. At most one of them says that the instruction is not exact.
std::vector<Remark> remarks_on(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
