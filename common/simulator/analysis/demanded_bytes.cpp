// Finds three things: the uses of loaded bytes that are certain to happen, the loads from which
// stored bytes come, and the loads and stores that copy one struct together.
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
    return moves_matrices(i) ? 4 : size_of(find_type(i));
}
/// Reports whether the instruction accesses memory for which the simulator tracks initialized
/// bytes.
bool is_initialisation_tracked(const Instruction& i) {
    const StateSpace space = access_space(i);
    return space == StateSpace::global || space == StateSpace::shared ||
           space == StateSpace::local || space == StateSpace::generic;
}

/// Returns the registers of a loaded or stored value, which may be a vector.
std::vector<Operand> list_elements(const Operand& value) {
    return value.is_vector() ? value.elements : std::vector{value};
}
const Operand& value_operand(const Instruction& i) {
    return i.operands[is_load(i) ? 0 : 1];
}
const Operand& address_operand(const Instruction& i) {
    return i.operands[is_load(i) ? 1 : 0];
}

// ---- uses that are certain to happen ----

/// The basic blocks of a function, and for each block its only possible successor, if there is one.
class ExecutionOrder {
public:
    explicit ExecutionOrder(const ptx::Function& function) {
        const auto& body = function.body;
        block_of_instruction_.resize(body.size());
        u32 block_count = 0;
        for (u32 at = 0; at < body.size(); ++at) {
            const bool begins_block =
                !body[at].label.empty() || at == 0 || ends_block(body[at - 1]);
            block_of_instruction_[at] = begins_block ? block_count++ : block_count - 1;
        }
        only_successors_.assign(block_count, kNone);
        for (u32 at = 0; at < body.size(); ++at) {
            const Instruction& i = body[at];
            const bool is_last_of_block =
                at + 1 == body.size() || block_of_instruction_[at + 1] != block_of_instruction_[at];
            if (!is_last_of_block) continue;
            if (!ends_block(i)) {
                if (at + 1 < body.size())
                    only_successors_[block_of_instruction_[at]] = block_of_instruction_[at + 1];
            } else if (i.opcode == "bra" && !i.guard && !i.operands.empty()) {
                const auto target = function.labels.find(i.operands[0].name);
                if (target != function.labels.end() && target->second < body.size())
                    only_successors_[block_of_instruction_[at]] =
                        block_of_instruction_[target->second];
            }
        }
    }

    /// Reports whether every lane that executes `first_instruction` also executes
    /// `second_instruction` afterwards.
    bool is_always_followed_by(u32 first_instruction, u32 second_instruction) const {
        constexpr int kMaxFollowedBlocks = 64;
        u32 block = block_of_instruction_[first_instruction];
        if (block == block_of_instruction_[second_instruction])
            return first_instruction < second_instruction;
        for (int blocks_followed = 0; blocks_followed < kMaxFollowedBlocks && block != kNone;
             ++blocks_followed) {
            block = only_successors_[block];
            if (block == block_of_instruction_[second_instruction]) return true;
        }
        return false;
    }

private:
    static bool ends_block(const Instruction& i) {
        return i.opcode == "bra" || i.opcode == "brx" || i.opcode == "ret" || i.opcode == "exit" ||
               i.opcode == "trap";
    }
    std::vector<u32> block_of_instruction_;
    std::vector<u32> only_successors_;  ///< for each block, the only block that may follow it
};

// ---- bits that decide ----

class LoadUses {
public:
    explicit LoadUses(const RegisterDefinitions& definitions)
        : definitions_(definitions),
          function_(definitions.analyzed_function()),
          execution_order_(function_),
          readers_(function_.registers.size()) {
        for (u32 at = 0; at < function_.body.size(); ++at) {
            bit_transfers_.push_back(describe_bit_transfer(function_.body[at], definitions));
            for (const u32 r : list_read_registers(function_.body[at])) readers_[r].push_back(at);
        }
    }

    /// Returns those uses of the loaded bytes that are certain to happen.
    LoadUse find_use(u32 load) const {
        const Instruction& i = function_.body[load];
        LoadUse use{
            .member_bytes = i.used_bytes, .certainly_used_bytes = 0, .is_certainly_used = false};
        use.is_only_selected = true;
        const u32 size = element_bytes(i);
        u32 first_byte = 0;
        for (const Operand& element : list_elements(value_operand(i))) {
            for (u32 byte = 0; element.is_register() && byte < size; ++byte) {
                const bool is_wide_register = size_of(function_.registers[element.reg].type) > 8;
                // A load of a signed type copies the sign bit of its last byte to all higher bits.
                const bool is_sign_extended = is_signed(find_type(i)) && byte + 1 == size;
                const u64 byte_mask = is_sign_extended ? ~u64{0} : u64{0xff};
                const ValueUse value_use =
                    is_wide_register ? ValueUse::affects_program
                                     : find_value_use(load, element.reg, byte_mask << 8 * byte);
                if (value_use == ValueUse::affects_program)
                    use.certainly_used_bytes |= 1u << (first_byte + byte);
                use.is_certainly_used |=
                    value_use == ValueUse::affects_program || value_use == ValueUse::stored;
                use.is_only_selected &= value_use == ValueUse::selected;
            }
            first_byte += size;
        }
        // The callers know the row in memory, but not which of its bytes each lane receives.
        if (moves_matrices(i)) use.certainly_used_bytes = use.certainly_used_bytes ? ~0u : 0;
        use.may_overread = moves_matrices(i);
        return use;
    }

private:
    /// How the program uses a loaded value. A `selected` value may have no effect: a selection may
    /// choose another operand, or another condition may decide instead.
    enum class ValueUse : u8 { unknown, selected, stored, affects_program };

    /// A register that contains loaded bits or, if `is_computed` is true, a value computed from
    /// them.
    struct TrackedRegister {
        u32 reg = 0;
        bool is_computed = false;
        bool operator<(const TrackedRegister& other) const {
            return std::pair(reg, is_computed) < std::pair(other.reg, other.is_computed);
        }
    };

    ValueUse find_value_use(u32 load, u32 reg, u64 bits) const {
        const ValueUse certain_use = find_use_by_readers(reg, bits, [&](u32 reader) {
            return execution_order_.is_always_followed_by(load, reader);
        });
        if (certain_use == ValueUse::affects_program || certain_use == ValueUse::stored)
            return certain_use;
        // No use is certain. The uses that may happen matter only if all of them are selections.
        const auto accept_any_reader = [](u32) { return true; };
        return find_use_by_readers(reg, bits, accept_any_reader) == ValueUse::selected
                   ? ValueUse::selected
                   : ValueUse::unknown;
    }

    /// Returns how the readers of `reg` use `bits` of the register. Considers only readers for
    /// which `is_counted` returns true.
    template <class IsCounted>
    ValueUse find_use_by_readers(u32 reg, u64 bits, IsCounted is_counted) const {
        std::map<TrackedRegister, u64> tracked_bits;
        std::vector<TrackedRegister> unvisited;
        const auto track_register = [&](TrackedRegister target_register, u64 added_bits) {
            u64& known_bits = tracked_bits[target_register];
            if ((known_bits | added_bits) == known_bits) return;
            known_bits |= added_bits;
            unvisited.push_back(target_register);
        };
        const auto is_computed_from_load = [&](u32 r) { return tracked_bits.contains({r, true}); };
        track_register({reg, false}, bits);
        ValueUse value_use = ValueUse::unknown;
        bool is_selected = false, has_other_use = false;
        while (!unvisited.empty()) {
            const TrackedRegister source_register = unvisited.back();
            unvisited.pop_back();
            // Assume that the value affects the program if it flows into a running sum, or into
            // more than kMaxTrackedRegisters registers.
            constexpr std::size_t kMaxTrackedRegisters = 64;
            const bool has_several_writers = definitions_.only_writer(source_register.reg) == kNone;
            if (source_register.is_computed &&
                (has_several_writers || tracked_bits.size() > kMaxTrackedRegisters))
                return ValueUse::affects_program;
            for (const u32 reader : readers_[source_register.reg]) {
                if (!is_counted(reader)) continue;
                const bool is_masked = source_register.is_computed &&
                                       combines_with_other(reader, is_computed_from_load);
                const ValueUse reader_use =
                    is_masked ? ValueUse::selected
                              : find_reader_use(reader, source_register,
                                                tracked_bits[source_register], track_register);
                if (reader_use == ValueUse::affects_program) return reader_use;
                if (reader_use == ValueUse::stored) value_use = reader_use;
                is_selected |= reader_use == ValueUse::selected;
                has_other_use |=
                    reader_use == ValueUse::unknown && !is_pure_value_computation(reader);
            }
        }
        const bool is_only_selected =
            value_use == ValueUse::unknown && is_selected && !has_other_use;
        return is_only_selected ? ValueUse::selected : value_use;
    }

    /// Returns the use that the instruction `reader` certainly makes of `bits` of the tracked
    /// register `source_register`. Calls `track_register` for each result that contains these bits.
    template <class TrackRegister>
    ValueUse find_reader_use(u32 reader, const TrackedRegister& source_register, u64 bits,
                             TrackRegister track_register) const {
        const Instruction& i = function_.body[reader];
        if (i.guard)
            return *i.guard == source_register.reg ? ValueUse::affects_program : ValueUse::unknown;
        if (is_store(i)) {
            const Operand& address = address_operand(i);
            const bool is_address_register =
                address.has_base_register && address.reg == source_register.reg;
            return is_address_register || source_register.is_computed ? ValueUse::affects_program
                                                                      : ValueUse::stored;
        }
        const BitTransfer& bit_transfer = bit_transfers_[reader];
        if (i.opcode == "shfl" && !source_register.is_computed &&
            is_only_shuffled_value(i, source_register.reg))
            return ValueUse::unknown;
        if (!bit_transfer.is_known) {
            // The result of a lane-by-lane instruction may turn out to be unused, so follow it to
            // its readers.
            if (!is_lane_by_lane(i)) return ValueUse::affects_program;
            for (const u32 r : list_written_registers(i)) track_register({r, true}, ~u64{0});
            return ValueUse::unknown;
        }
        bool copies_register = false;
        for (const BitFlow& flow : bit_transfer.flows) {
            if (flow.from_register != source_register.reg) continue;
            copies_register = true;
            const u64 added_bits = source_register.is_computed ? ~u64{0} : map_bits(flow, bits);
            if (added_bits && !bit_transfer.selects_one_source)
                track_register({flow.to_register, source_register.is_computed}, added_bits);
        }
        // A value that is used only as the condition of a selection decides the selection's result.
        if (bit_transfer.selects_one_source)
            return copies_register ? ValueUse::selected : ValueUse::affects_program;
        return ValueUse::unknown;
    }
    /// Reports whether the instruction combines (`and.pred`, `or.pred`) a predicate that was
    /// computed from the load with a predicate that was not. The other predicate may decide the
    /// result alone. Compilers combine the conditions of `i < n && a[i] > 0` in this way if they
    /// may load a[i] unconditionally.
    template <class IsComputedFromLoad>
    bool combines_with_other(u32 at, IsComputedFromLoad is_computed_from_load) const {
        const Instruction& i = function_.body[at];
        if ((i.opcode != "and" && i.opcode != "or") || find_type(i) != ptx::Type::pred ||
            i.operands.size() != 3 || i.guard)
            return false;
        const Operand &a = i.operands[1], &b = i.operands[2];
        return a.is_register() && b.is_register() &&
               is_computed_from_load(a.reg) != is_computed_from_load(b.reg);
    }
    /// Reports whether the instruction only computes a value. If so, find_use_by_readers() goes on to
    /// the readers of that value.
    bool is_pure_value_computation(u32 at) const {
        const Instruction& i = function_.body[at];
        return !i.guard && (is_lane_by_lane(i) || (bit_transfers_[at].is_known && !is_store(i)));
    }
    /// Reports whether `reg` is only the value that a shuffle moves to other lanes, and neither the
    /// lane index nor the mask of the shuffle.
    static bool is_only_shuffled_value(const Instruction& shuffle, u32 reg) {
        const std::vector<u32> read_registers = list_read_registers(shuffle);
        return shuffle.operands.size() > 1 && shuffle.operands[1].is_register() &&
               shuffle.operands[1].reg == reg &&
               std::count(read_registers.begin(), read_registers.end(), reg) == 1;
    }
    static u64 map_bits(const BitFlow& flow, u64 bits) {
        const u64 copied_bits =
            bits >> flow.from_bit & low_bits(flow.repeats_one_bit ? 1 : flow.bit_count);
        return (flow.repeats_one_bit && copied_bits ? low_bits(flow.bit_count) : copied_bits)
               << flow.to_bit;
    }

    const RegisterDefinitions& definitions_;
    const ptx::Function& function_;
    ExecutionOrder execution_order_;
    std::vector<BitTransfer> bit_transfers_;
    std::vector<std::vector<u32>> readers_;  ///< for each register, its readers
};

// ---- origins of stored bytes ----

/// The origin of one byte of a register.
struct ByteOrigin {
    enum class Kind : u8 { zero_byte, copied_byte, other_byte };
    Kind kind = Kind::other_byte;
    u32 load = kNone;  ///< the load from which bits of the byte come, if any
    u32 byte = 0;      ///< the offset of the byte in the value that `load` loads
};

class ByteOrigins {
public:
    explicit ByteOrigins(const RegisterDefinitions& definitions) : definitions_(definitions) {}

    ByteOrigin find_origin(u32 reg, u32 byte) {
        const auto [found, is_new] = known_origins_.try_emplace({reg, byte});
        // A byte counts as `other_byte` while its origin is being determined, so that cycles
        // terminate.
        if (!is_new || depth_ == kMaxFollowedDepth) return found->second;
        ++depth_;
        const ByteOrigin origin = trace_origin(reg, byte);
        --depth_;
        return known_origins_[{reg, byte}] = origin;
    }

private:
    ByteOrigin trace_origin(u32 reg, u32 byte) {
        const u32 at = definitions_.only_writer(reg);
        if (at == kNone) return {};
        const Instruction& i = definitions_.analyzed_function().body[at];
        if (is_load(i))
            return is_initialisation_tracked(i) ? make_loaded_origin(i, at, reg, byte)
                                                : ByteOrigin{};
        const BitTransfer bit_transfer = describe_bit_transfer(i, definitions_);
        if (!bit_transfer.is_known) return {};
        ByteOrigin origin{bit_transfer.is_zero_elsewhere ? ByteOrigin::Kind::zero_byte
                                                         : ByteOrigin::Kind::other_byte,
                          kNone, 0};
        bool is_first = true;
        for (const BitFlow& flow : bit_transfer.flows) {
            if (flow.to_register != reg || flow.to_bit >= 8 * byte + 8 ||
                flow.to_bit + flow.bit_count <= 8 * byte)
                continue;
            const ByteOrigin flow_origin = find_flow_origin(flow, 8 * byte);
            origin = is_first ? flow_origin : merge_origins(origin, flow_origin);
            is_first = false;
        }
        if (bit_transfer.selects_at_run_time && origin.kind == ByteOrigin::Kind::copied_byte)
            origin.kind = ByteOrigin::Kind::other_byte;
        return origin;
    }

    ByteOrigin make_loaded_origin(const Instruction& i, u32 at, u32 reg, u32 byte) const {
        const u32 size = element_bytes(i);
        const std::vector<Operand> elements = list_elements(value_operand(i));
        for (u32 k = 0; k < elements.size(); ++k) {
            if (!elements[k].is_register() || elements[k].reg != reg) continue;
            if (byte < size) return {ByteOrigin::Kind::copied_byte, at, k * size + byte};
            return {is_signed(find_type(i)) ? ByteOrigin::Kind::other_byte
                                            : ByteOrigin::Kind::zero_byte,
                    kNone, 0};
        }
        return {};
    }

    /// Returns the origin of the bits that the flow copies to the byte starting at bit `first_bit`.
    ByteOrigin find_flow_origin(const BitFlow& flow, u32 first_bit) {
        const u32 begin = std::max(flow.to_bit, first_bit),
                  end = std::min(flow.to_bit + flow.bit_count, first_bit + 8);
        const u32 from_bit =
            flow.repeats_one_bit ? flow.from_bit : flow.from_bit + begin - flow.to_bit;
        ByteOrigin origin = find_origin(flow.from_register, from_bit / 8);
        const bool is_whole_byte = !flow.repeats_one_bit && end - begin == 8 && from_bit % 8 == 0;
        if (!is_whole_byte && origin.kind == ByteOrigin::Kind::copied_byte)
            origin.kind = ByteOrigin::Kind::other_byte;
        if (from_bit / 8 != (from_bit + end - begin - 1) / 8 && !flow.repeats_one_bit)
            origin = merge_origins(origin, find_origin(flow.from_register, from_bit / 8 + 1));
        return origin;
    }

    static ByteOrigin merge_origins(const ByteOrigin& a, const ByteOrigin& b) {
        if (a.kind == ByteOrigin::Kind::zero_byte) return b;
        if (b.kind == ByteOrigin::Kind::zero_byte) return a;
        ByteOrigin origin = a.load != kNone ? a : b;
        origin.kind = ByteOrigin::Kind::other_byte;
        return origin;
    }

    static constexpr int kMaxFollowedDepth =
        64;  ///< the maximum number of moves to follow a value through

    const RegisterDefinitions& definitions_;
    std::map<std::pair<u32, u32>, ByteOrigin> known_origins_;
    int depth_ = 0;
};

// ---- parts of structs ----

/// An address: a base register or a variable's name, and an offset.
struct Address {
    u32 base_register = kNone;
    std::string name;
    i64 offset = 0;
};

Address parse_address(const RegisterDefinitions& definitions, const Operand& operand) {
    Address address{.base_register = kNone, .name = operand.name, .offset = operand.offset};
    if (!operand.has_base_register) return address;
    address.base_register = operand.reg;
    // Stops after 16 definitions, because they may form a cycle.
    for (int moves_followed = 0; moves_followed < 16; ++moves_followed) {
        const u32 at = definitions.only_writer(address.base_register);
        if (at == kNone) break;
        const Instruction& i = definitions.analyzed_function().body[at];
        const bool is_move = (i.opcode == "mov" || i.opcode == "cvta") && i.operands.size() == 2,
                   is_addition = i.opcode == "add" && i.operands.size() == 3;
        if ((!is_move && !is_addition) || !i.operands[1].is_register()) break;
        const auto distance = is_addition ? definitions.find_constant(i.operands[2]) : 0;
        if (!distance) break;
        address.offset += static_cast<i64>(*distance);
        address.base_register = i.operands[1].reg;
    }
    return address;
}

/// Finds the loads and stores that copy one struct together. They have the same two base addresses
/// and the same distance between source and destination, and at most padding separates the bytes
/// that they copy.
class StructParts {
public:
    StructParts(const RegisterDefinitions& definitions, DemandedBytes& result)
        : definitions_(definitions), result_(result) {}

    /// Records that `store` stores, in byte `to_byte` of its value, bits of byte `from_byte` of the
    /// value that `load` loads.
    void record_copy(u32 load, u32 from_byte, u32 store, u32 to_byte) {
        const Instruction &load_instruction = instruction_at(load),
                          &store_instruction = instruction_at(store);
        if (moves_matrices(load_instruction) || moves_matrices(store_instruction)) return;
        const Address source = parse_address(definitions_, address_operand(load_instruction)),
                      target = parse_address(definitions_, address_operand(store_instruction));
        const i64 begin = source.offset + from_byte,
                  copy_distance = target.offset + to_byte - begin;
        const bool is_same_address =
            source.base_register == target.base_register && source.name == target.name &&
            source.offset == target.offset &&
            access_space(load_instruction) == access_space(store_instruction);
        if (is_same_address) result_.loads[load].is_stored_back = true;
        copied_bytes_[{{source.base_register, source.name},
                       {target.base_register, target.name},
                       copy_distance}]
            .push_back({begin, load, source.offset});
        if (is_copy_loop(load_instruction, source, target)) {
            result_.loads[load].struct_begin = 1 - kMaxAlignment;
            result_.loads[load].struct_end =
                static_cast<i32>(count_loaded_bytes(load_instruction)) + kMaxAlignment - 1;
        }
    }

    /// Groups the loads by base address. Compilers may load a member before checking whether the
    /// program needs it. Such a load is not reported if other members are initialized.
    void record_loaded_bytes() {
        for (const auto& [at, use] : result_.loads) {
            if (moves_matrices(instruction_at(at))) continue;
            const Address source = parse_address(definitions_, address_operand(instruction_at(at)));
            for (u32 byte = 0; byte < count_loaded_bytes(instruction_at(at)); ++byte)
                loaded_bytes_[{source.base_register, source.name}].push_back(
                    {source.offset + byte, at, source.offset});
        }
    }

    void find_structs() {
        for (auto& [address_key, bytes] : copied_bytes_) group_into_structs(bytes, true);
        for (auto& [address_key, bytes] : loaded_bytes_) group_into_structs(bytes, false);
    }

private:
    /// The largest alignment of any type, in bytes. Padding between members is shorter.
    static constexpr i32 kMaxAlignment = 16;

    struct StructByte {
        i64 base_offset;  ///< the byte's offset from the base
        u32 load;
        i64 load_offset;  ///< the load's offset from the base
    };
    using AddressBase = std::pair<u32, std::string>;

    void group_into_structs(std::vector<StructByte>& bytes, bool is_certain) {
        std::sort(bytes.begin(), bytes.end(), [](const StructByte& a, const StructByte& b) {
            return a.base_offset < b.base_offset;
        });
        for (std::size_t first = 0, next = 1; first < bytes.size(); first = next++) {
            while (next < bytes.size() &&
                   bytes[next].base_offset - bytes[next - 1].base_offset <= kMaxAlignment)
                ++next;
            widen_to_struct(first, next, bytes, is_certain);
        }
    }

    const Instruction& instruction_at(u32 at) const {
        return definitions_.analyzed_function().body[at];
    }
    static u32 count_loaded_bytes(const Instruction& i) {
        return element_bytes(i) * static_cast<u32>(list_elements(value_operand(i)).size());
    }

    /// Reports whether a loop advances both addresses by the number of bytes that it copies, as
    /// memcpy does.
    bool is_copy_loop(const Instruction& load, const Address& source, const Address& target) const {
        if (source.base_register == kNone || target.base_register == kNone) return false;
        const i64 step = definitions_.loop_increment(source.base_register);
        return step != 0 && step == definitions_.loop_increment(target.base_register) &&
               step <= 8 && step == i64{count_loaded_bytes(load)};
    }

    void widen_to_struct(std::size_t first, std::size_t last, const std::vector<StructByte>& bytes,
                         bool is_certain) {
        const bool has_several_loads =
            std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                        bytes.begin() + static_cast<std::ptrdiff_t>(last),
                        [&](const StructByte& b) { return b.load != bytes[first].load; });
        if (!has_several_loads) return;
        for (std::size_t k = first; k < last; ++k) {
            LoadUse& use = result_.loads[bytes[k].load];
            if (use.is_certainly_used && !is_certain) continue;
            use.struct_begin =
                std::min(use.struct_begin,
                         static_cast<i32>(bytes[first].base_offset - bytes[k].load_offset));
            use.struct_end = std::max(use.struct_end, static_cast<i32>(bytes[last - 1].base_offset +
                                                                       1 - bytes[k].load_offset));
        }
    }

    const RegisterDefinitions& definitions_;
    DemandedBytes& result_;
    /// The copied bytes, grouped by source base, target base, and distance between source and
    /// target.
    std::map<std::tuple<AddressBase, AddressBase, i64>, std::vector<StructByte>> copied_bytes_;
    std::map<AddressBase, std::vector<StructByte>> loaded_bytes_;  ///< by base: the loaded bytes
};

void find_copies(const RegisterDefinitions& definitions, u32 at, ByteOrigins& origins,
                 StructParts& struct_parts, std::vector<CopiedBytes>& copies) {
    const Instruction& i = definitions.analyzed_function().body[at];
    const u32 size = element_bytes(i);
    const std::vector<Operand> elements = list_elements(value_operand(i));
    for (u32 to_byte = 0; to_byte < size * elements.size(); ++to_byte) {
        const Operand& element = elements[to_byte / size];
        if (!element.is_register() || element.is_negated || to_byte % size >= 8) continue;
        const ByteOrigin origin = origins.find_origin(element.reg, to_byte % size);
        if (origin.load == kNone) continue;
        struct_parts.record_copy(origin.load, origin.byte, at, to_byte);
        if (origin.kind != ByteOrigin::Kind::copied_byte) continue;
        CopiedBytes* last_copy = copies.empty() ? nullptr : &copies.back();
        if (last_copy && last_copy->load == origin.load &&
            last_copy->from_byte + last_copy->byte_count == origin.byte &&
            last_copy->to_byte + last_copy->byte_count == to_byte)
            ++last_copy->byte_count;
        else
            copies.push_back({origin.load, origin.byte, to_byte, 1});
    }
}

/// Reports whether the function may call itself. A deeper call may then repeat a load before the
/// store that uses its bytes.
bool may_be_recursive(const ptx::Function& function) {
    return !function.is_entry &&
           any_of(function.body, [](const Instruction& i) { return i.opcode == "call"; });
}

}  // namespace

DemandedBytes find_demanded_bytes(const ptx::Function& function) {
    DemandedBytes result;
    const RegisterDefinitions definitions(function);
    const LoadUses uses(definitions);
    for (u32 at = 0; at < function.body.size(); ++at) {
        const Instruction& i = function.body[at];
        if (!is_load(i) || !is_initialisation_tracked(i)) continue;
        result.loads[at] = uses.find_use(at);
    }
    ByteOrigins origins(definitions);
    StructParts struct_parts(definitions, result);
    struct_parts.record_loaded_bytes();
    for (u32 at = 0; at < function.body.size(); ++at)
        if (is_store(function.body[at]))
            find_copies(definitions, at, origins, struct_parts, result.stores[at]);
    struct_parts.find_structs();
    if (may_be_recursive(function)) result.stores.clear();
    return result;
}

}  // namespace coalesce::simulator
