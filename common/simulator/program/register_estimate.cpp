#include "program/register_estimate.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "execute/device.h"
#include "program/list_schedule.h"
#include "program/machine_code.h"

namespace coalesce::sim {
namespace {

constexpr u32 kNone = ~0u;
constexpr u32 kMost = 255, kLeast = 4;
/// Of every kernel: the stack pointer, and two that ptxas adds to what its code names.
constexpr u32 kReserved = 3;
/// With up to so many, all threads of a multiprocessor can run.
constexpr u32 kForAllThreads = 32;
/// A kernel that calls what ptxas does not see needs those that the convention for calls keeps.
constexpr u32 kForCalls = 24;
/// Cycles for which a load or a store still reads its sources.
constexpr u32 kReading = 2;

using Bits = std::vector<u64>;

/// Which values each piece gets from before and leaves for later. Only those that some piece reads before
/// it writes them have a bit.
class AliveBetweenPieces {
public:
    explicit AliveBetweenPieces(const MachineCode& code) : code_(code) {
        number_.assign(code.words.size(), kNone);
        for (const MachinePiece& piece : code.pieces) look_at(piece, [&](u32 v) { number(v); });
        const Bits none((values_.size() + 63) / 64, 0);
        begin_.assign(code.pieces.size(), none);
        overwritten_ = begin_;
        for (std::size_t p = 0; p < begin_.size(); ++p) {
            look_at(code.pieces[p], [&](u32 v) { set(begin_[p], number_[v]); });
            for (const MachineInstruction& i : code.pieces[p].code)
                for (u32 v : i.writes)
                    if (!i.is_guarded && number_[v] != kNone) set(overwritten_[p], number_[v]);
        }
        follow();
    }

    Bits at_begin(std::size_t p) const { return begin_[p]; }
    Bits at_end(std::size_t p) const {
        Bits alive((values_.size() + 63) / 64, 0);
        for (u32 next : code_.pieces[p].next)
            for (std::size_t k = 0; k < alive.size(); ++k) alive[k] |= begin_[next][k];
        return alive;
    }
    bool has(const Bits& bits, u32 value) const {
        return number_[value] != kNone && bits[number_[value] / 64] >> (number_[value] % 64) & 1;
    }
    u32 words_in(const Bits& bits) const {
        u32 words = 0;
        for (std::size_t k = 0; k < bits.size(); ++k)
            for (u64 rest = bits[k]; rest; rest &= rest - 1)
                words += code_.words[values_[64 * k + static_cast<u32>(std::countr_zero(rest))]];
        return words;
    }

private:
    /// Tells of each value that the piece reads before it writes it for all lanes.
    template <class Tell>
    void look_at(const MachinePiece& piece, Tell tell) const {
        std::set<u32> written;
        for (const MachineInstruction& i : piece.code) {
            for (u32 v : i.reads)
                if (!written.contains(v)) tell(v);
            if (i.is_guarded) continue;
            written.insert(i.writes.begin(), i.writes.end());
        }
    }
    void number(u32 value) {
        if (number_[value] != kNone) return;
        number_[value] = static_cast<u32>(values_.size());
        values_.push_back(value);
    }
    static void set(Bits& bits, u32 k) { bits[k / 64] |= u64{1} << (k % 64); }
    void follow() {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t p = begin_.size(); p-- > 0;) {
                const Bits end = at_end(p);
                for (std::size_t k = 0; k < end.size(); ++k) {
                    const u64 more = end[k] & ~overwritten_[p][k] & ~begin_[p][k];
                    begin_[p][k] |= more;
                    changed |= more != 0;
                }
            }
        }
    }

    const MachineCode& code_;
    std::vector<u32> number_, values_;
    std::vector<Bits> begin_, overwritten_;
};

/// The piece with numbers of its own for the values that it mentions.
StraightCode straight_code(const MachineCode& code, const AliveBetweenPieces& alive,
                           std::size_t p) {
    StraightCode straight;
    straight.code = code.pieces[p].code;
    const Bits begin = alive.at_begin(p), end = alive.at_end(p);
    straight.words_through = alive.words_in(end);
    std::map<u32, u32> numbers;
    const auto renumber = [&](u32& value) {
        const auto [known, is_new] =
            numbers.try_emplace(value, static_cast<u32>(straight.words.size()));
        if (is_new) {
            straight.words.push_back(code.words[value]);
            straight.from_before.push_back(alive.has(begin, value));
            straight.wanted_behind.push_back(alive.has(end, value));
            if (straight.wanted_behind.back()) straight.words_through -= code.words[value];
        }
        value = known->second;
    };
    for (MachineInstruction& i : straight.code) {
        for (u32& v : i.reads) renumber(v);
        for (u32& v : i.writes) renumber(v);
    }
    return straight;
}

/// How many words are alive at each place of a piece in its new order. Goes over it from its end.
class WordsAlive {
public:
    WordsAlive(const StraightCode& straight, const std::vector<Scheduled>& order)
        : straight_(straight),
          order_(order),
          change_(order.size() + 2, 0),
          end_(straight.words.size(), kNone) {
        const u32 count = static_cast<u32>(order.size());
        for (u32 v = 0; v < end_.size(); ++v)
            if (straight.wanted_behind[v]) end_[v] = count + 1;
        for (u32 k = count; k-- > 0;) step_over(k);
        for (u32 v = 0; v < end_.size(); ++v) close(v, 0);
    }

    u32 most() const {
        int now = static_cast<int>(straight_.words_through), most = now;
        for (int change : change_) most = std::max(most, now += change);
        return static_cast<u32>(most);
    }

private:
    void step_over(u32 k) {
        const MachineInstruction& i = straight_.code[order_[k].instruction];
        for (u32 v : i.writes) {
            if (end_[v] == kNone) end_[v] = k + 1;  // nobody wants it
            if (!i.is_guarded) close(v, k);
        }
        u32 freed = k;  // what it writes may take the place of what it reads
        while (i.reads_late && freed + 1 < order_.size() &&
               order_[freed + 1].cycle < order_[k].cycle + kReading)
            ++freed;
        if (i.words_inside) {
            change_[k] += static_cast<int>(i.words_inside);
            change_[k + 1] -= static_cast<int>(i.words_inside);
            freed = std::max(freed, k + 1);
        }
        for (u32 v : i.reads)
            if (end_[v] == kNone || end_[v] < freed) end_[v] = freed;
    }
    /// The value has been alive since the instruction at `begin`.
    void close(u32 v, u32 begin) {
        if (end_[v] == kNone) return;
        change_[begin] += static_cast<int>(straight_.words[v]);
        change_[end_[v]] -= static_cast<int>(straight_.words[v]);
        end_[v] = kNone;
    }

    const StraightCode& straight_;
    const std::vector<Scheduled>& order_;
    std::vector<int> change_;  ///< of the words alive, by place
    std::vector<u32> end_;     ///< by value: where it stops being alive, while it is known
};

u32 words_alive(const ptx::Function& function) {
    const ControlFlow flow(function);
    const Liveness liveness(function, flow);
    const Registers registers = classify(function, function.is_entry, liveness);
    const MachineCode code = machine_code(function, flow, registers);
    const AliveBetweenPieces alive(code);
    u32 most = 0;
    for (std::size_t p = 0; p < code.pieces.size(); ++p) {
        const StraightCode straight = straight_code(code, alive, p);
        most = std::max(most, WordsAlive(straight, list_schedule(straight)).most());
    }
    return most;
}

/// What is lost because pairs begin at even registers and because ptxas does not pack tightly. Medians of
/// the course's kernels and the simulator's tests.
u32 lost_in_packing(u32 words) {
    if (words < 7) return words == 0 ? 1 : 2;
    return words < 10 ? 1 : words < 15 ? 3 : 2;
}

/// The functions with a body that a call by name leads to, each once; whether there are other calls.
bool find_called(const ptx::Module& module, const ptx::Function& function,
                 std::set<const ptx::Function*>& called) {
    bool others = false;
    for (const ptx::Instruction& i : function.body) {
        if (i.opcode != "call") continue;
        const ptx::Function* target = nullptr;
        for (const ptx::Operand& operand : i.operands) {
            const auto found = module.functions.find(operand.name);
            if (operand.kind == ptx::Operand::Kind::symbol && found != module.functions.end())
                target = found->second.get();
        }
        if (!target || !target->has_body)
            others = true;
        else if (called.insert(target).second)
            others |= find_called(module, *target, called);
    }
    return others;
}

/// The directives of the kernel's launch allow no more.
u32 allowed(const ptx::Function& kernel) {
    u32 most = kernel.max_registers ? std::min(kernel.max_registers, kMost) : kMost;
    const u32* shape = kernel.required_threads[0] ? kernel.required_threads : kernel.max_threads;
    const u64 threads = u64{shape[0]} * shape[1] * shape[2];
    if (threads == 0) return most;
    const u64 warps = (threads + kLanes - 1) / kLanes * std::max(kernel.min_blocks, 1u);
    const u64 each = DeviceModel::registers_per_multiprocessor / (warps * kLanes) / 8 * 8;
    return static_cast<u32>(std::clamp<u64>(each, kLeast, most));
}

}  // namespace

u32 estimate_registers(const ptx::Module& module, const ptx::Function& kernel) {
    std::set<const ptx::Function*> called;
    const bool calls_others = find_called(module, kernel, called);
    u32 words = words_alive(kernel);
    for (const ptx::Function* function : called) words = std::max(words, words_alive(*function));
    u32 registers = std::max(words + kReserved + lost_in_packing(words), kLeast);
    if (calls_others) registers = std::max(registers, kForCalls);
    // ptxas goes to some length to stay at that where it does not know the size of a block.
    const bool knows_threads = kernel.max_threads[0] || kernel.required_threads[0];
    if (!knows_threads && registers > kForAllThreads && registers <= kForAllThreads + 4)
        registers = kForAllThreads;
    return std::min(registers, allowed(kernel));
}

}  // namespace coalesce::sim
