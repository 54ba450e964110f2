// Merges neighbouring loads and stores into accesses of up to 16 bytes.
//
// Idea   A copy of a float4 consists of four loads of 4 bytes, the first of which is aligned to 16
//        bytes. LLVM's back end merges them by the following rules, which determine the number of
//        requests:
//        1. Accesses of the same kind, space and size whose addresses differ by constants form a
//           chain.
//        2. Loads move up to the first load of the chain, and stores move down to the last store,
//           unless an instruction in between may access the same bytes. In that case, the chain is
//           cut.
//        3. The chain is cut at gaps, except for gaps of one or two elements between loads.
//        4. The chain is split into pieces, from its beginning. A piece is the longest one whose
//           first access is aligned to the size of the piece. Loads may be extended to a power of
//           two.
// Watch  By rules 3 and 4, a piece may load bytes that the program did not request. As the piece is
//        aligned to its size, these bytes are in the same sector as the bytes that the program did
//        request.
#include <algorithm>
#include <bit>
#include <map>

#include "page/ir_to_ptx/aliases.h"
#include "page/ir_to_ptx/elements.h"
#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

constexpr u64 kMaxBytes = 16;

struct ChainedAccess {
    Instruction* instruction;  ///< nullptr for an element that only fills a gap
    i64 offset;
    std::size_t position;  ///< position in the block
};
using Chain = std::vector<ChainedAccess>;

const Type& accessed_type(const Instruction& i) {
    return i.op == Op::store ? *i.operands[0]->type : *i.type;
}
Value* accessed_pointer(const Instruction& i) {
    return i.op == Op::store ? i.operands[1] : i.operands[0];
}
u32 pointer_alignment(const Instruction& i) {
    return i.align ? i.align : abi_alignment(accessed_type(i));
}

bool is_candidate(const Instruction& i) {
    if (i.op != Op::load && i.op != Op::store) return false;
    if (i.has_flag(flag::is_volatile) || i.has_flag(flag::is_atomic) ||
        i.ordering != Ordering::none)
        return false;
    const Type& type = accessed_type(i);
    const Type& scalar = element_of(type);
    if (scalar.is_aggregate() ||
        (type.has_kind(Type::Kind::vector) && scalar.has_kind(Type::Kind::pointer)))
        return false;
    if (scalar.has_kind(Type::Kind::integer) &&
        (scalar.bits % 8 != 0 || !std::has_single_bit(scalar.bits)))
        return false;
    return store_size(type) <= kMaxBytes / 2;
}

class BlockVectoriser {
public:
    BlockVectoriser(Module& module, Function& function, Block& block)
        : module_(module), function_(function), block_(block) {}

    void run() {
        // Divide the block at instructions that may not return, so that no access moves across
        // them.
        std::vector<std::size_t> bounds{0};
        for (std::size_t k = 0; k < block_.instructions.size(); ++k)
            if (!always_continues(*block_.instructions[k])) bounds.push_back(k);
        bounds.push_back(block_.instructions.size());
        for (std::size_t k = 0; k + 1 < bounds.size(); ++k)
            for (const Chain& chain : chains_between(bounds[k], bounds[k + 1]))
                merge_where_possible(chain);
        for (const Chain& chain : merged_chains_) merge(chain);
    }

private:
    // ---- 1: chains ----

    struct ChainStart {
        Linear address;
        Space space;
        Op op;
        u64 scalar_bytes;
        Chain chain;
    };

    std::vector<Chain> chains_between(std::size_t begin, std::size_t end) const {
        std::vector<ChainStart> leaders;
        for (std::size_t k = begin; k < end; ++k) {
            Instruction* i = block_.instructions[k];
            if (!is_candidate(*i)) continue;
            const Access access = find_access(*i);
            const u64 bytes = store_size(element_of(accessed_type(*i)));
            const auto leader =
                std::find_if(leaders.begin(), leaders.end(), [&](const ChainStart& l) {
                    return l.op == i->op && l.space == access.space && l.scalar_bytes == bytes &&
                           l.address.differs_by_constant(access.address);
                });
            if (leader == leaders.end())
                leaders.push_back(
                    {access.address, access.space, i->op, bytes, {{i, access.address.offset, k}}});
            else
                leader->chain.push_back({i, access.address.offset, k});
        }
        std::vector<Chain> chains;
        for (ChainStart& leader : leaders)
            if (leader.chain.size() > 1) chains.push_back(std::move(leader.chain));
        return chains;
    }

    void merge_where_possible(const Chain& chain) {
        for (const Chain& movable : cut_by_aliases(chain))
            for (const Chain& contiguous : cut_by_gaps(movable))
                for (Chain& aligned : cut_by_alignment(contiguous))
                    merged_chains_.push_back(std::move(aligned));
    }

    // ---- 2: instructions between the accesses of a chain ----

    bool can_move(const ChainedAccess& link, const ChainedAccess& to, const Chain& chain) const {
        const Instruction& i = *link.instruction;
        if (i.has_flag(flag::invariant)) return true;
        const Access access = find_access(i);
        const auto [low, high] = std::minmax(link.position, to.position);
        for (std::size_t k = low; k <= high; ++k) {
            const Instruction& other_instruction = *block_.instructions[k];
            if (&other_instruction == &i) continue;
            const auto chained_access = std::find_if(
                chain.begin(), chain.end(),
                [&](const ChainedAccess& l) { return l.instruction == &other_instruction; });
            if (chained_access != chain.end()) {
                const i64 bytes = static_cast<i64>(store_size(accessed_type(other_instruction)));
                const bool overlaps = chained_access->offset < link.offset + access.bytes &&
                                      link.offset < chained_access->offset + bytes;
                if (i.op == Op::store && overlaps) return false;
                continue;
            }
            if (may_change(other_instruction, access, i.op == Op::store)) return false;
        }
        return true;
    }

    std::vector<Chain> cut_by_aliases(const Chain& chain) const {
        Chain order_by_dependencies = chain;
        if (chain.front().instruction->op == Op::store)
            std::reverse(order_by_dependencies.begin(), order_by_dependencies.end());
        std::vector<Chain> cut_chains{{order_by_dependencies.front()}};
        for (std::size_t k = 1; k < order_by_dependencies.size(); ++k) {
            if (can_move(order_by_dependencies[k], cut_chains.back().front(), chain))
                cut_chains.back().push_back(order_by_dependencies[k]);
            else
                cut_chains.push_back({order_by_dependencies[k]});
        }
        return cut_chains;
    }

    // ---- 3: gaps ----

    static u64 count_bytes(const ChainedAccess& link) {
        return store_size(accessed_type(*link.instruction));
    }

    std::vector<Chain> cut_by_gaps(Chain chain) const {
        std::stable_sort(
            chain.begin(), chain.end(),
            [](const ChainedAccess& a, const ChainedAccess& b) { return a.offset < b.offset; });
        const bool may_fill = chain.front().instruction->op == Op::load;
        std::vector<Chain> cut_chains{{chain.front()}};
        for (std::size_t k = 1; k < chain.size(); ++k) {
            const ChainedAccess &previous = chain[k - 1], &link = chain[k];
            const i64 bytes = static_cast<i64>(count_bytes(previous)),
                      end = previous.offset + bytes, gap = link.offset - end;
            const bool is_fillable = may_fill && bytes == static_cast<i64>(count_bytes(link)) &&
                                     !accessed_type(*link.instruction).has_kind(Type::Kind::vector);
            const bool leaves_two_words = gap == 2 * bytes && cut_chains.back().size() % 4 == 1;
            if (is_fillable && (gap == bytes || leaves_two_words)) {
                for (i64 filler_offset = end; filler_offset < link.offset; filler_offset += bytes)
                    cut_chains.back().push_back({nullptr, filler_offset, link.position});
            } else if (gap != 0) {
                cut_chains.push_back({});
            }
            cut_chains.back().push_back(link);
        }
        return cut_chains;
    }

    // ---- 4: alignment ----

    std::vector<Chain> cut_by_alignment(const Chain& chain) const {
        std::vector<Chain> cut_chains;
        const u64 scalar = store_size(element_of(accessed_type(*chain.front().instruction)));
        const bool is_load = chain.front().instruction->op == Op::load;
        for (std::size_t begin = 0; begin + 1 < chain.size(); ++begin) {
            if (!chain[begin].instruction) continue;
            const u32 align = pointer_alignment(*chain[begin].instruction);
            for (std::size_t end = chain.size(); end > begin + 1; --end) {
                u64 bytes = static_cast<u64>(chain[end - 1].offset - chain[begin].offset) +
                            (chain[end - 1].instruction ? count_bytes(chain[end - 1]) : scalar);
                if (bytes > kMaxBytes) continue;
                const Chain piece(chain.begin() + static_cast<std::ptrdiff_t>(begin),
                                  chain.begin() + static_cast<std::ptrdiff_t>(end));
                if (is_load && !std::has_single_bit(bytes)) {
                    while (!std::has_single_bit(bytes)) bytes += scalar;
                }
                if (bytes > kMaxBytes || align % bytes != 0) continue;
                const auto real_count =
                    std::count_if(piece.begin(), piece.end(),
                                  [](const ChainedAccess& l) { return l.instruction != nullptr; });
                // Merging is not an improvement if the piece has two loads and one of them only
                // fills a gap.
                if (piece.size() > 2 || real_count == 2) cut_chains.push_back(piece);
                begin = end - 1;
                break;
            }
        }
        return cut_chains;
    }

    // ---- the new instruction ----

    /// Returns the type of the elements. If the types differ, returns an integer type of the same
    /// size.
    const Type* element_type(const Chain& chain) {
        const Type* type = &element_of(accessed_type(*chain.front().instruction));
        for (const ChainedAccess& link : chain)
            if (link.instruction && &element_of(accessed_type(*link.instruction)) != type)
                return module_.types.integer(static_cast<u32>(store_size(*type) * 8));
        return type;
    }

    Value* index(u64 number) { return module_.number(module_.types.integer(32), number); }

    Value* convert_bits(Value* value, const Type* type, const Instruction& source,
                        std::vector<Instruction*>& new_instructions) {
        if (value->type == type) return value;
        const Op op = value->type->has_kind(Type::Kind::pointer) ? Op::ptrtoint
                      : type->has_kind(Type::Kind::pointer)      ? Op::inttoptr
                                                                 : Op::bitcast;
        new_instructions.push_back(module_.instruction(op, type, {value}, source));
        return new_instructions.back();
    }

    Value* append_instruction(std::vector<Instruction*>& new_instructions, Op op, const Type* type,
                              std::vector<Value*> operands, const Instruction& source) {
        new_instructions.push_back(module_.instruction(op, type, std::move(operands), source));
        return new_instructions.back();
    }

    std::size_t instruction_position(const Instruction* i) const {
        return static_cast<std::size_t>(
            std::find(block_.instructions.begin(), block_.instructions.end(), i) -
            block_.instructions.begin());
    }

    void insert(std::size_t insert_position, const std::vector<Instruction*>& new_instructions) {
        block_.instructions.insert(
            block_.instructions.begin() + static_cast<std::ptrdiff_t>(insert_position),
            new_instructions.begin(), new_instructions.end());
    }

    void erase(const Chain& chain) {
        std::erase_if(block_.instructions, [&](const Instruction* i) {
            return std::any_of(chain.begin(), chain.end(),
                               [&](const ChainedAccess& l) { return l.instruction == i; });
        });
    }

    void merge(const Chain& chain) {
        if (chain.front().instruction->op == Op::load)
            merge_loads(chain);
        else
            merge_stores(chain);
    }

    /// Moves the instructions that compute a value to a position before `at`.
    void hoist(Value* value, const Instruction* target) {
        Instruction* i = as_instruction(value);
        if (!i || i->parent != &block_ || i->op == Op::phi) return;
        const std::size_t from = instruction_position(i);
        if (from < instruction_position(target)) return;
        for (Value* operand : i->operands) hoist(operand, target);
        block_.instructions.erase(block_.instructions.begin() +
                                  static_cast<std::ptrdiff_t>(instruction_position(i)));
        insert(instruction_position(target), {i});
    }

    const ChainedAccess& first_or_last(const Chain& chain, bool is_last) const {
        const ChainedAccess* outermost = &chain.front();
        for (const ChainedAccess& link : chain) {
            if (!link.instruction) continue;
            if (is_last ? instruction_position(link.instruction) >
                              instruction_position(outermost->instruction)
                        : instruction_position(link.instruction) <
                              instruction_position(outermost->instruction))
                outermost = &link;
        }
        return *outermost;
    }

    void merge_loads(const Chain& chain) {
        const Instruction& lowest = *chain.front().instruction;
        Instruction* first = first_or_last(chain, false).instruction;
        const Type* element = element_type(chain);
        const u64 scalar = store_size(*element);
        u64 bytes = static_cast<u64>(chain.back().offset - chain.front().offset) +
                    count_bytes(chain.back());
        while (!std::has_single_bit(bytes)) bytes += scalar;
        hoist(accessed_pointer(lowest), first);
        std::vector<Instruction*> new_instructions;
        Value* whole = append_instruction(new_instructions, Op::load,
                                          module_.types.vector(element, bytes / scalar),
                                          {accessed_pointer(lowest)}, *first);
        Instruction& load = *new_instructions.back();
        load.memory_type = load.type;
        load.align = pointer_alignment(lowest);
        load.flags = lowest.flags;
        for (const ChainedAccess& link : chain)
            if (link.instruction) load.flags &= link.instruction->flags;
        for (const ChainedAccess& link : chain) {
            if (!link.instruction) continue;
            const u64 lane = static_cast<u64>(link.offset - chain.front().offset) / scalar;
            replace_uses(function_, link.instruction,
                         extract_loaded_element(whole, lane, *link.instruction, new_instructions));
        }
        insert(instruction_position(first), new_instructions);
        erase(chain);
    }

    /// Returns the value of one of the merged loads, as an element of `whole`.
    Value* extract_loaded_element(Value* whole, u64 lane, const Instruction& of,
                                  std::vector<Instruction*>& new_instructions) {
        const Type& type = accessed_type(of);
        const auto element = [&](u64 k) {
            Value* one = append_instruction(new_instructions, Op::extractelement,
                                            whole->type->element(), {whole, index(k)}, of);
            return convert_bits(one, &element_of(type), of, new_instructions);
        };
        if (!type.has_kind(Type::Kind::vector)) return element(lane);
        Value* value = module_.undefined(&type);
        for (u64 k = 0; k < type.count; ++k) {
            Value* one = element(lane + k);
            value = append_instruction(new_instructions, Op::insertelement, &type,
                                       {value, one, index(k)}, of);
        }
        return value;
    }

    void merge_stores(const Chain& chain) {
        const Instruction& lowest = *chain.front().instruction;
        Instruction* last = first_or_last(chain, true).instruction;
        const Type* element = element_type(chain);
        const u64 scalar = store_size(*element);
        const u64 bytes = static_cast<u64>(chain.back().offset - chain.front().offset) +
                          count_bytes(chain.back());
        const Type* type = module_.types.vector(element, bytes / scalar);
        std::vector<Instruction*> new_instructions;
        Value* whole = module_.undefined(type);
        u64 lane = 0;
        for (const ChainedAccess& link : chain) {
            Value* value = link.instruction->operands[0];
            const u64 count = value->type->has_kind(Type::Kind::vector) ? value->type->count : 1;
            for (u64 k = 0; k < count; ++k) {
                Value* one = value;
                if (value->type->has_kind(Type::Kind::vector))
                    one = append_instruction(new_instructions, Op::extractelement,
                                             value->type->element(), {value, index(k)}, *last);
                one = convert_bits(one, element, *last, new_instructions);
                whole = append_instruction(new_instructions, Op::insertelement, type,
                                           {whole, one, index(lane++)}, *last);
            }
        }
        append_instruction(new_instructions, Op::store, module_.types.nothing(),
                           {whole, accessed_pointer(lowest)}, *last);
        new_instructions.back()->align = pointer_alignment(lowest);
        insert(instruction_position(last) + 1, new_instructions);
        erase(chain);
    }

    Module& module_;
    Function& function_;
    Block& block_;
    std::vector<Chain> merged_chains_;
};

}  // namespace

void vectorise_accesses(Module& module, Function& function) {
    for (Block* block : function.blocks) BlockVectoriser(module, function, *block).run();
}

}  // namespace coalesce::translator
