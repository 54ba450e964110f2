// Finds the uses that are certain to follow a load, the origins of stored bytes, and the loads and
// stores that copy one struct together.
// Long: the three analyses share the descriptions of instructions at the beginning.
#include "simulator/analysis/demanded_bytes.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>

#include "base/ranges.h"
#include "simulator/analysis/bit_flow.h"
#include "simulator/analysis/register_use.h"
#include "simulator/code/kernel.h"
#include "simulator/code/opcodes.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

namespace {

bool is_lane_by_lane(const Instruction& i) {
    const OpcodeEntry* opcode = find_opcode(i.opcode);
    return opcode && opcode->group == OpcodeGroup::lanes;
}
bool is_load(const Instruction& i) {
    return (i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "ldmatrix") &&
           i.operands.size() >= 2;
}
bool is_store(const Instruction& i) {
    return (i.opcode == "st" || i.opcode == "stmatrix") && i.operands.size() >= 2;
}
bool moves_matrices(const Instruction& i) {
    return i.opcode == "ldmatrix" || i.opcode == "stmatrix";
}
/// Returns the size of a loaded or stored element in memory.
u32 element_bytes(const Instruction& i) {
    return moves_matrices(i) ? 4 : size_of(type_of(i));
}
/// Reports whether the instruction accesses memory for which the simulator tracks initialized
/// bytes.
bool is_initialisation_tracked(const Instruction& i) {
    const StateSpace space = access_space(i);
    return space == StateSpace::global || space == StateSpace::shared ||
           space == StateSpace::local || space == StateSpace::generic;
}

/// Returns the registers of a loaded or stored value, which may be a vector.
std::vector<Operand> vector_elements(const Operand& value) {
    return value.is_vector() ? value.elements : std::vector{value};
}
const Operand& value_operand(const Instruction& i) {
    return i.operands[is_load(i) ? 0 : 1];
}
const Operand& address_of(const Instruction& i) {
    return i.operands[is_load(i) ? 1 : 0];
}

// ---- uses that are certain to happen ----

/// The basic blocks of a function, and for each block its only possible successor, if there is one.
class ExecutionOrder {
public:
    explicit ExecutionOrder(const ptx::Function& function) {
        const auto& body = function.body;
        block_of_.resize(body.size());
        u32 blocks = 0;
        for (u32 at = 0; at < body.size(); ++at) {
            const bool begins = !body[at].label.empty() || at == 0 || ends_block(body[at - 1]);
            block_of_[at] = begins ? blocks++ : blocks - 1;
        }
        next_.assign(blocks, kNone);
        for (u32 at = 0; at < body.size(); ++at) {
            const Instruction& i = body[at];
            const bool is_last = at + 1 == body.size() || block_of_[at + 1] != block_of_[at];
            if (!is_last) continue;
            if (!ends_block(i)) {
                if (at + 1 < body.size()) next_[block_of_[at]] = block_of_[at + 1];
            } else if (i.opcode == "bra" && !i.guard && !i.operands.empty()) {
                const auto target = function.labels.find(i.operands[0].name);
                if (target != function.labels.end() && target->second < body.size())
                    next_[block_of_[at]] = block_of_[target->second];
            }
        }
    }

    /// Reports whether every lane that executes `first` also executes `second` afterwards.
    bool is_always_followed_by(u32 first, u32 second) const {
        constexpr int kFar = 64;
        u32 block = block_of_[first];
        if (block == block_of_[second]) return first < second;
        for (int steps = 0; steps < kFar && block != kNone; ++steps) {
            block = next_[block];
            if (block == block_of_[second]) return true;
        }
        return false;
    }

private:
    static bool ends_block(const Instruction& i) {
        return i.opcode == "bra" || i.opcode == "brx" || i.opcode == "ret" || i.opcode == "exit" ||
               i.opcode == "trap";
    }
    std::vector<u32> block_of_;
    std::vector<u32> next_;  ///< for each block, the only block that may follow it
};

// ---- bits that decide ----

class LoadUses {
public:
    explicit LoadUses(const Definitions& definitions)
        : definitions_(definitions),
          function_(definitions.function()),
          execution_order_(function_),
          readers_(function_.registers.size()) {
        for (u32 at = 0; at < function_.body.size(); ++at) {
            transfers_.push_back(describe_bit_transfer(function_.body[at], definitions));
            for (const u32 r : registers_read(function_.body[at])) readers_[r].push_back(at);
        }
    }

    /// Returns those uses of the loaded bytes that are certain to happen.
    LoadUse use_of(u32 load) const {
        const Instruction& i = function_.body[load];
        LoadUse use{.members = i.used_bytes, .decides = 0, .certain = false};
        use.is_only_selected = true;
        const u32 size = element_bytes(i);
        u32 first = 0;
        for (const Operand& element : vector_elements(value_operand(i))) {
            for (u32 byte = 0; element.is_register() && byte < size; ++byte) {
                const bool whole = size_of(function_.registers[element.reg].type) > 8;
                // A load of a signed type copies the sign bit of its last byte to all higher bits.
                const bool extends = is_signed(type_of(i)) && byte + 1 == size;
                const u64 own = extends ? ~u64{0} : u64{0xff};
                const ValueFate fate =
                    whole ? ValueFate::decides : follow(load, element.reg, own << 8 * byte);
                if (fate == ValueFate::decides) use.decides |= 1u << (first + byte);
                use.certain |= fate == ValueFate::decides || fate == ValueFate::stored;
                use.is_only_selected &= fate == ValueFate::selected;
            }
            first += size;
        }
        // The callers know the row in memory, but not which of its bytes each lane receives.
        if (moves_matrices(i)) use.decides = use.decides ? ~0u : 0;
        use.may_overread = moves_matrices(i);
        return use;
    }

private:
    /// How the program uses a loaded value. A `selected` value may have no effect: a selection may
    /// choose another operand, or another condition may decide instead.
    enum class ValueFate : u8 { unknown, selected, stored, decides };

    /// A register that contains loaded bits or, if `computed` is true, a value computed from them.
    struct Carrier {
        u32 reg = 0;
        bool computed = false;
        bool operator<(const Carrier& other) const {
            return std::pair(reg, computed) < std::pair(other.reg, other.computed);
        }
    };

    ValueFate follow(u32 load, u32 reg, u64 bits) const {
        const ValueFate certain = follow_uses(reg, bits, [&](u32 reader) {
            return execution_order_.is_always_followed_by(load, reader);
        });
        if (certain == ValueFate::decides || certain == ValueFate::stored) return certain;
        // Uses that may not happen matter only if all of the uses are selections.
        const auto every = [](u32) { return true; };
        return follow_uses(reg, bits, every) == ValueFate::selected ? ValueFate::selected
                                                                    : ValueFate::unknown;
    }

    /// Returns how the readers of `reg` use `bits` of the register. Considers only readers for
    /// which `counts` returns true.
    template <class Counts>
    ValueFate follow_uses(u32 reg, u64 bits, Counts counts) const {
        std::map<Carrier, u64> known;
        std::vector<Carrier> rest;
        const auto reach = [&](Carrier to, u64 more) {
            u64& there = known[to];
            if ((there | more) == there) return;
            there |= more;
            rest.push_back(to);
        };
        const auto is_carried = [&](u32 r) { return known.contains({r, true}); };
        reach({reg, false}, bits);
        ValueFate fate = ValueFate::unknown;
        bool is_selected = false, has_other_use = false;
        while (!rest.empty()) {
            const Carrier from = rest.back();
            rest.pop_back();
            // Assume that the value affects the program if it flows into a running sum, or into
            // more than kMany registers.
            constexpr std::size_t kMany = 64;
            const bool is_sum = definitions_.only_writer(from.reg) == kNone;
            if (from.computed && (is_sum || known.size() > kMany)) return ValueFate::decides;
            for (const u32 reader : readers_[from.reg]) {
                if (!counts(reader)) continue;
                const bool is_masked = from.computed && combines_with_other(reader, is_carried);
                const ValueFate next =
                    is_masked ? ValueFate::selected : pass(reader, from, known[from], reach);
                if (next == ValueFate::decides) return next;
                if (next == ValueFate::stored) fate = next;
                is_selected |= next == ValueFate::selected;
                has_other_use |= next == ValueFate::unknown && !passes_on(reader);
            }
        }
        const bool is_only_selected = fate == ValueFate::unknown && is_selected && !has_other_use;
        return is_only_selected ? ValueFate::selected : fate;
    }

    /// Returns the use that the instruction `reader` certainly makes of `bits` of the carrier
    /// `from`. Calls `reach` for each result that contains these bits.
    template <class Reach>
    ValueFate pass(u32 reader, const Carrier& from, u64 bits, Reach reach) const {
        const Instruction& i = function_.body[reader];
        if (i.guard) return *i.guard == from.reg ? ValueFate::decides : ValueFate::unknown;
        if (is_store(i)) {
            const Operand& address = address_of(i);
            const bool points = address.has_base_register && address.reg == from.reg;
            return points || from.computed ? ValueFate::decides : ValueFate::stored;
        }
        const BitTransfer& passed = transfers_[reader];
        if (i.opcode == "shfl" && !from.computed && is_only_shuffled_value(i, from.reg))
            return ValueFate::unknown;
        if (!passed.known) {
            // The result of a lane-by-lane instruction may turn out to be unused, so follow it to
            // its readers.
            if (!is_lane_by_lane(i)) return ValueFate::decides;
            for (const u32 r : registers_written(i)) reach({r, true}, ~u64{0});
            return ValueFate::unknown;
        }
        bool moves = false;
        for (const BitFlow& flow : passed.flows) {
            if (flow.from_register != from.reg) continue;
            moves = true;
            const u64 more = from.computed ? ~u64{0} : map_through(flow, bits);
            if (more && !passed.selects_one_source) reach({flow.to_register, from.computed}, more);
        }
        // A value that is used only as the condition of a selection decides the selection's result.
        if (passed.selects_one_source) return moves ? ValueFate::selected : ValueFate::decides;
        return ValueFate::unknown;
    }
    /// Reports whether the instruction combines (`and.pred`, `or.pred`) a predicate that was
    /// computed from the load with a predicate that was not. The other predicate may decide the
    /// result alone. Compilers combine the conditions of `i < n && a[i] > 0` in this way if they
    /// may load a[i] unconditionally.
    template <class IsCarried>
    bool combines_with_other(u32 at, IsCarried is_carried) const {
        const Instruction& i = function_.body[at];
        if ((i.opcode != "and" && i.opcode != "or") || type_of(i) != ptx::Type::pred ||
            i.operands.size() != 3 || i.guard)
            return false;
        const Operand &a = i.operands[1], &b = i.operands[2];
        return a.is_register() && b.is_register() && is_carried(a.reg) != is_carried(b.reg);
    }
    /// Reports whether the instruction only computes a value. If so, follow() visits the readers of
    /// that value.
    bool passes_on(u32 at) const {
        const Instruction& i = function_.body[at];
        return !i.guard && (is_lane_by_lane(i) || (transfers_[at].known && !is_store(i)));
    }
    /// Reports whether `reg` is only the value that a shuffle moves to other lanes, and neither the
    /// lane index nor the mask of the shuffle.
    static bool is_only_shuffled_value(const Instruction& shuffle, u32 reg) {
        const std::vector<u32> read = registers_read(shuffle);
        return shuffle.operands.size() > 1 && shuffle.operands[1].is_register() &&
               shuffle.operands[1].reg == reg && std::count(read.begin(), read.end(), reg) == 1;
    }
    static u64 map_through(const BitFlow& flow, u64 bits) {
        const u64 taken = bits >> flow.from & low_bits(flow.repeats ? 1 : flow.count);
        return (flow.repeats && taken ? low_bits(flow.count) : taken) << flow.to;
    }

    const Definitions& definitions_;
    const ptx::Function& function_;
    ExecutionOrder execution_order_;
    std::vector<BitTransfer> transfers_;
    std::vector<std::vector<u32>> readers_;  ///< for each register, its readers
};

// ---- origins of stored bytes ----

/// The origin of one byte of a register.
struct Origin {
    enum class Kind : u8 { zero, copied, other };
    Kind kind = Kind::other;
    u32 load = kNone;  ///< the load from which bits of the byte come, if any
    u32 byte = 0;      ///< the offset of the byte in the value that `load` loads
};

class Origins {
public:
    explicit Origins(const Definitions& definitions) : definitions_(definitions) {}

    Origin origin_of(u32 reg, u32 byte) {
        const auto [found, is_new] = known_origins_.try_emplace({reg, byte});
        // A byte counts as `other` while its origin is being determined, so that cycles terminate.
        if (!is_new || depth_ == kMaxFollowedDepth) return found->second;
        ++depth_;
        const Origin origin = find(reg, byte);
        --depth_;
        return known_origins_[{reg, byte}] = origin;
    }

private:
    Origin find(u32 reg, u32 byte) {
        const u32 at = definitions_.only_writer(reg);
        if (at == kNone) return {};
        const Instruction& i = definitions_.function().body[at];
        if (is_load(i)) return is_initialisation_tracked(i) ? loaded(i, at, reg, byte) : Origin{};
        const BitTransfer passed = describe_bit_transfer(i, definitions_);
        if (!passed.known) return {};
        Origin origin{passed.zero_elsewhere ? Origin::Kind::zero : Origin::Kind::other, kNone, 0};
        bool is_first = true;
        for (const BitFlow& flow : passed.flows) {
            if (flow.to_register != reg || flow.to >= 8 * byte + 8 ||
                flow.to + flow.count <= 8 * byte)
                continue;
            const Origin more = map_through(flow, 8 * byte);
            origin = is_first ? more : merge_origins(origin, more);
            is_first = false;
        }
        if (passed.selects_at_run_time && origin.kind == Origin::Kind::copied)
            origin.kind = Origin::Kind::other;
        return origin;
    }

    Origin loaded(const Instruction& i, u32 at, u32 reg, u32 byte) const {
        const u32 size = element_bytes(i);
        const std::vector<Operand> elements = vector_elements(value_operand(i));
        for (u32 k = 0; k < elements.size(); ++k) {
            if (!elements[k].is_register() || elements[k].reg != reg) continue;
            if (byte < size) return {Origin::Kind::copied, at, k * size + byte};
            return {is_signed(type_of(i)) ? Origin::Kind::other : Origin::Kind::zero, kNone, 0};
        }
        return {};
    }

    /// Returns the origin of the bits that the flow copies to the byte starting at bit `first`.
    Origin map_through(const BitFlow& flow, u32 first) {
        const u32 begin = std::max(flow.to, first), end = std::min(flow.to + flow.count, first + 8);
        const u32 from = flow.repeats ? flow.from : flow.from + begin - flow.to;
        Origin origin = origin_of(flow.from_register, from / 8);
        const bool whole = !flow.repeats && end - begin == 8 && from % 8 == 0;
        if (!whole && origin.kind == Origin::Kind::copied) origin.kind = Origin::Kind::other;
        if (from / 8 != (from + end - begin - 1) / 8 && !flow.repeats)
            origin = merge_origins(origin, origin_of(flow.from_register, from / 8 + 1));
        return origin;
    }

    static Origin merge_origins(const Origin& a, const Origin& b) {
        if (a.kind == Origin::Kind::zero) return b;
        if (b.kind == Origin::Kind::zero) return a;
        Origin origin = a.load != kNone ? a : b;
        origin.kind = Origin::Kind::other;
        return origin;
    }

    static constexpr int kMaxFollowedDepth =
        64;  ///< the maximum number of moves to follow a value through

    const Definitions& definitions_;
    std::map<std::pair<u32, u32>, Origin> known_origins_;
    int depth_ = 0;
};

// ---- parts of structs ----

/// An address: a base register or a variable's name, and an offset.
struct Address {
    u32 base = kNone;
    std::string name;
    i64 offset = 0;
};

Address parse_address(const Definitions& definitions, const Operand& operand) {
    Address address{.base = kNone, .name = operand.name, .offset = operand.offset};
    if (!operand.has_base_register) return address;
    address.base = operand.reg;
    // Stops after 16 definitions, because they may form a cycle.
    for (int followed = 0; followed < 16; ++followed) {
        const u32 at = definitions.only_writer(address.base);
        if (at == kNone) break;
        const Instruction& i = definitions.function().body[at];
        const bool moves = (i.opcode == "mov" || i.opcode == "cvta") && i.operands.size() == 2,
                   adds = i.opcode == "add" && i.operands.size() == 3;
        if ((!moves && !adds) || !i.operands[1].is_register()) break;
        const auto distance = adds ? definitions.constant(i.operands[2]) : 0;
        if (!distance) break;
        address.offset += static_cast<i64>(*distance);
        address.base = i.operands[1].reg;
    }
    return address;
}

/// Finds the loads and stores that copy one struct together. They have the same two base addresses
/// and the same distance between source and destination, and at most padding separates the bytes
/// that they copy.
class StructParts {
public:
    StructParts(const Definitions& definitions, DemandedBytes& result)
        : definitions_(definitions), result_(result) {}

    /// Records that `store` stores, in byte `to` of its value, bits of byte `from` of the value
    /// that `load` loads.
    void note(u32 load, u32 from, u32 store, u32 to) {
        const Instruction &loads = body(load), &stores = body(store);
        if (moves_matrices(loads) || moves_matrices(stores)) return;
        const Address source = parse_address(definitions_, address_of(loads)),
                      target = parse_address(definitions_, address_of(stores));
        const i64 begin = source.offset + from, moved = target.offset + to - begin;
        const bool same_place = source.base == target.base && source.name == target.name &&
                                source.offset == target.offset &&
                                access_space(loads) == access_space(stores);
        if (same_place) result_.loads[load].is_stored_back = true;
        bytes_[{{source.base, source.name}, {target.base, target.name}, moved}].push_back(
            {begin, load, source.offset});
        if (is_copy_loop(loads, source, target)) {
            result_.loads[load].part_begin = 1 - kAlignment;
            result_.loads[load].part_end =
                static_cast<i32>(count_loaded_bytes(loads)) + kAlignment - 1;
        }
    }

    /// Groups the loads by base address. Compilers may load a member before checking whether the
    /// program needs it. Such a load is not reported if other members are initialized.
    void record_members() {
        for (const auto& [at, use] : result_.loads) {
            if (moves_matrices(body(at))) continue;
            const Address source = parse_address(definitions_, address_of(body(at)));
            for (u32 byte = 0; byte < count_loaded_bytes(body(at)); ++byte)
                members_[{source.base, source.name}].push_back(
                    {source.offset + byte, at, source.offset});
        }
    }

    void find() {
        for (auto& [where, bytes] : bytes_) find(bytes, true);
        for (auto& [where, bytes] : members_) find(bytes, false);
    }

private:
    /// The largest alignment of any type, in bytes. Padding between members is shorter.
    static constexpr i32 kAlignment = 16;

    struct Byte {
        i64 at;  ///< the byte's offset from the base
        u32 load;
        i64 offset;  ///< the load's offset from the base
    };
    using Base = std::pair<u32, std::string>;

    void find(std::vector<Byte>& bytes, bool certain) {
        std::sort(bytes.begin(), bytes.end(),
                  [](const Byte& a, const Byte& b) { return a.at < b.at; });
        for (std::size_t first = 0, next = 1; first < bytes.size(); first = next++) {
            while (next < bytes.size() && bytes[next].at - bytes[next - 1].at <= kAlignment) ++next;
            join(first, next, bytes, certain);
        }
    }

    const Instruction& body(u32 at) const { return definitions_.function().body[at]; }
    static u32 count_loaded_bytes(const Instruction& i) {
        return element_bytes(i) * static_cast<u32>(vector_elements(value_operand(i)).size());
    }

    /// Reports whether a loop advances both addresses by the number of bytes that it copies, as
    /// memcpy does.
    bool is_copy_loop(const Instruction& load, const Address& source, const Address& target) const {
        if (source.base == kNone || target.base == kNone) return false;
        const i64 step = definitions_.growth(source.base);
        return step != 0 && step == definitions_.growth(target.base) && step <= 8 &&
               step == i64{count_loaded_bytes(load)};
    }

    void join(std::size_t first, std::size_t last, const std::vector<Byte>& bytes, bool certain) {
        const bool several =
            std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                        bytes.begin() + static_cast<std::ptrdiff_t>(last),
                        [&](const Byte& b) { return b.load != bytes[first].load; });
        if (!several) return;
        for (std::size_t k = first; k < last; ++k) {
            LoadUse& use = result_.loads[bytes[k].load];
            if (use.certain && !certain) continue;
            use.part_begin =
                std::min(use.part_begin, static_cast<i32>(bytes[first].at - bytes[k].offset));
            use.part_end =
                std::max(use.part_end, static_cast<i32>(bytes[last - 1].at + 1 - bytes[k].offset));
        }
    }

    const Definitions& definitions_;
    DemandedBytes& result_;
    /// The copied bytes, grouped by source base, target base, and distance between source and
    /// target.
    std::map<std::tuple<Base, Base, i64>, std::vector<Byte>> bytes_;
    std::map<Base, std::vector<Byte>> members_;  ///< by base: the loaded bytes
};

void find_copies(const Definitions& definitions, u32 at, Origins& origins, StructParts& pieces,
                 std::vector<CopiedBytes>& copies) {
    const Instruction& i = definitions.function().body[at];
    const u32 size = element_bytes(i);
    const std::vector<Operand> elements = vector_elements(value_operand(i));
    for (u32 to = 0; to < size * elements.size(); ++to) {
        const Operand& element = elements[to / size];
        if (!element.is_register() || element.negated || to % size >= 8) continue;
        const Origin origin = origins.origin_of(element.reg, to % size);
        if (origin.load == kNone) continue;
        pieces.note(origin.load, origin.byte, at, to);
        if (origin.kind != Origin::Kind::copied) continue;
        CopiedBytes* last = copies.empty() ? nullptr : &copies.back();
        if (last && last->load == origin.load && last->from + last->count == origin.byte &&
            last->to + last->count == to)
            ++last->count;
        else
            copies.push_back({origin.load, origin.byte, to, 1});
    }
}

/// Reports whether the function may call itself. A deeper call may then repeat a load before the
/// store that uses its bytes.
bool may_be_recursive(const ptx::Function& function) {
    return !function.is_entry &&
           any_of(function.body, [](const Instruction& i) { return i.opcode == "call"; });
}

}  // namespace

DemandedBytes demanded_bytes(const ptx::Function& function) {
    DemandedBytes result;
    const Definitions definitions(function);
    const LoadUses uses(definitions);
    for (u32 at = 0; at < function.body.size(); ++at) {
        const Instruction& i = function.body[at];
        if (!is_load(i) || !is_initialisation_tracked(i)) continue;
        result.loads[at] = uses.use_of(at);
    }
    Origins origins(definitions);
    StructParts pieces(definitions, result);
    pieces.record_members();
    for (u32 at = 0; at < function.body.size(); ++at)
        if (is_store(function.body[at]))
            find_copies(definitions, at, origins, pieces, result.stores[at]);
    pieces.find();
    if (may_be_recursive(function)) result.stores.clear();
    return result;
}

}  // namespace coalesce::simulator
