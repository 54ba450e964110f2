// How far an instruction does here what it does on a GPU, beyond what its operands say.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// What is to be said of an opcode: a column of opcodes.inc.
enum class Exactness : u8 {
    exact,  ///< nothing: the result is the one of a GPU
    approximation,  ///< its forms .approx and .full are computed in double precision and rounded once (math.cpp)
    product,  ///< sums of products of floats are rounded once, at the end (execute/tensor_cores.cpp)
    mipmap,   ///< its forms that choose a level of a texture were not compared with a GPU
    hint,     ///< it changes no result and costs nothing
    time,     ///< it depends on a clock, and clocks count simulated time
    copy,     ///< its form .bulk goes through the asynchronous proxy
};

/// One thing to say of an instruction that has run.
struct Remark {
    enum class Kind : u8 {
        last_bits,    ///< the last bits of its result may differ from a GPU's
        values,       ///< its result may differ altogether
        no_effect,    ///< it has no effect here
        async_proxy,  ///< a missing fence.proxy.async before it is not found
    };
    Kind kind = Kind::last_bits;
    std::string name;  ///< "ex2.approx", "cache hints"

    bool operator<(const Remark& other) const {
        return kind != other.kind ? kind < other.kind : name < other.name;
    }
    bool operator==(const Remark& other) const { return kind == other.kind && name == other.name; }
    /// Whether the instruction counts as simulated exactly.
    bool is_exact() const { return kind == Kind::no_effect || kind == Kind::async_proxy; }
};

/// At most one of them says that the instruction is not exact.
std::vector<Remark> remarks_on(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
