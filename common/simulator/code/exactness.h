// Describes which instructions the simulator does not compute exactly.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The exactness with which the simulator computes the results of an opcode. opcodes.inc contains
/// the value for each opcode.
enum class Exactness : u8 {
    exact,  ///< the result is the same as on a GPU
    /// The .approx and .full variants are computed in double precision and then rounded once
    /// (math.cpp).
    approximate_variants,
    /// Sums of products of floats are rounded only once, after the last addition. A GPU rounds such
    /// sums in another way (addons/matrices/tensor_cores.cpp).
    float_products,
    mipmap_variants,  ///< the variants with a mipmap level have not been compared with a GPU
    without_effect,   ///< a hint that changes no result and costs no time
    /// The result depends on a clock, and the simulator's clocks show simulated time.
    depends_on_clock,
    /// The .bulk variant uses the asynchronous proxy, for which some missing fences are not
    /// detected.
    bulk_variant,
};

/// A way in which the simulator executes an instruction differently from a GPU.
struct Remark {
    enum class Kind : u8 {
        last_bits,    ///< the last bits of the result may differ from a GPU's
        values,       ///< the result may differ completely from a GPU's
        no_effect,    ///< the instruction does nothing in the simulator
        async_proxy,  ///< a missing fence.proxy.async for global memory is not detected
    };
    Kind kind = Kind::last_bits;
    std::string name;  ///< the instruction or feature, such as "ex2.approx" or "cache hints"

    bool operator<(const Remark& other) const {
        return kind != other.kind ? kind < other.kind : name < other.name;
    }
    bool operator==(const Remark& other) const { return kind == other.kind && name == other.name; }
    /// Reports whether the instruction's results are exact in spite of the remark.
    bool is_exact() const { return kind == Kind::no_effect || kind == Kind::async_proxy; }
};

/// Returns the remarks on an instruction. At most one of them is about an inexact result.
std::vector<Remark> find_remarks(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
