#include "simulator/code/exactness.h"

#include <algorithm>

#include "simulator/code/opcodes.h"
#include "simulator/ptx/special_registers.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using Kind = Remark::Kind;

/// Reports whether a modifier is a hint about how long caches should keep a line. (For cp.async
/// these modifiers select a variant.)
bool is_cache_hint(const std::string& modifier) {
    static constexpr std::string_view kCacheOperators[] = {"ca", "cg", "cs", "lu",
                                                           "cv", "wb", "wt"};
    return modifier.starts_with("L1::") || modifier.starts_with("L2::") ||
           std::find(std::begin(kCacheOperators), std::end(kCacheOperators), modifier) !=
               std::end(kCacheOperators);
}

bool has_cache_hint(const Instruction& i, const OpcodeEntry& opcode) {
    if (opcode.group != OpcodeGroup::access && opcode.group != OpcodeGroup::memory) return false;
    return std::any_of(i.modifiers.begin(), i.modifiers.end(), [&](const std::string& modifier) {
        return is_cache_hint(modifier) && (i.opcode != "cp" || modifier.starts_with("L"));
    });
}

/// Reports whether the instruction multiplies matrices of floats (mma or wmma.mma). Integer
/// matrices are excluded because their sums are exact, and matrices of doubles because their
/// products are added by fma.
bool is_product_of_floats(const Instruction& i) {
    const bool is_multiplication = i.opcode == "mma" || i.has("mma");
    return is_multiplication && !i.has("s32") && !i.has("f64");
}

bool reads_clock(const Instruction& i) {
    return std::any_of(i.operands.begin(), i.operands.end(), [](const ptx::Operand& operand) {
        return operand.is_special() && ptx::is_clock(operand.name);
    });
}

void add_remark_of_opcode(const Instruction& i, Exactness exactness, std::vector<Remark>& remarks) {
    switch (exactness) {
        case Exactness::approximate_variants:
            for (const char* variant : {"approx", "full"})
                if (i.has(variant)) remarks.push_back({Kind::last_bits, i.opcode + "." + variant});
            break;
        case Exactness::float_products:
            if (is_product_of_floats(i)) remarks.push_back({Kind::last_bits, i.opcode});
            break;
        case Exactness::mipmap_variants:
            if (i.has("level") || i.has("grad"))
                remarks.push_back({Kind::last_bits, "fetches from mipmaps"});
            break;
        case Exactness::without_effect: remarks.push_back({Kind::no_effect, i.opcode}); break;
        case Exactness::depends_on_clock: remarks.push_back({Kind::values, i.opcode}); break;
        case Exactness::bulk_variant:
            if (i.has("bulk") && !i.has("prefetch"))
                remarks.push_back({Kind::async_proxy, "bulk copies"});
            else if (i.has("prefetch"))
                remarks.push_back({Kind::no_effect, "prefetch"});
            break;
        case Exactness::exact: break;
    }
}

}  // namespace

std::vector<Remark> find_remarks(const Instruction& instruction) {
    std::vector<Remark> remarks;
    const OpcodeEntry* opcode = find_opcode(instruction.opcode);
    if (!opcode) return remarks;
    add_remark_of_opcode(instruction, opcode->exactness, remarks);
    if (has_cache_hint(instruction, *opcode)) remarks.push_back({Kind::no_effect, "cache hints"});
    if (reads_clock(instruction)) remarks.push_back({Kind::values, "clocks"});
    return remarks;
}

}  // namespace coalesce::simulator
