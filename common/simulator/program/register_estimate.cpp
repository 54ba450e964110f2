#include "program/register_estimate.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "execute/device.h"
#include "program/lifetimes.h"
#include "program/list_schedule.h"
#include "program/machine_code.h"
#include "program/register_assignment.h"

namespace coalesce::sim {
namespace {

constexpr u32 kMost = 255, kLeast = 4;
/// Added by ptxas to what the code names.
constexpr u32 kAdded = 2;
/// With up to so many, all threads of a multiprocessor can run.
constexpr u32 kForAllThreads = 32;
/// So many does ptxas save by other means, to stay at those.
constexpr u32 kSaved = 2;
/// With the instructions as they were written, so many remain for what those means need.
constexpr u32 kToSpare = 2;
/// Words alive from which on instructions stay in the order in which they were written.
constexpr u32 kWordsMost = 24;
/// A kernel with a call needs those that the convention for calls keeps.
constexpr u32 kForCalls = 24;

/// What ptxas makes of a function, except for the order of its instructions.
class Compiled {
public:
    explicit Compiled(const ptx::Function& function) : Compiled(function, ControlFlow(function)) {}

    /// With instructions as they were written from where so many words are alive.
    u32 registers(u32 words_most) const {
        std::vector<std::vector<u32>> orders;
        for (std::size_t p = 0; p < code_.pieces.size(); ++p)
            orders.push_back(list_schedule(straight_code(p), words_most));
        const Lifetimes lifetimes = find_lifetimes(code_, alive_, orders);
        return assign_registers(code_, lifetimes, calls_routine() ? 0 : kForAllThreads - kAdded) +
               kAdded;
    }

private:
    Compiled(const ptx::Function& function, const ControlFlow& flow)
        : code_(machine_code(function, flow,
                             classify(function, function.is_entry, Liveness(function, flow)))),
          alive_(code_) {}

    /// A division or a root whose routine has registers of its own: ptxas minds no banks then.
    bool calls_routine() const {
        return std::any_of(code_.pieces.begin(), code_.pieces.end(), [](const MachinePiece& piece) {
            return std::any_of(piece.code.begin(), piece.code.end(),
                               [](const auto& i) { return i.is_fixed && i.words_inside > 0; });
        });
    }

    /// The piece with numbers of its own for the values that it mentions.
    StraightCode straight_code(std::size_t p) const {
        StraightCode straight;
        straight.code = code_.pieces[p].code;
        const AliveBetweenPieces::Bits begin = alive_.at_begin(p), end = alive_.at_end(p);
        for (u32 v : alive_.values_in(end)) straight.words_through += code_.values[v].words;
        std::map<u32, u32> numbers;
        const auto renumber = [&](u32& value) {
            const auto [known, is_new] =
                numbers.try_emplace(value, static_cast<u32>(straight.words.size()));
            if (is_new) {
                const u32 words = code_.values[value].words;
                straight.words.push_back(words);
                straight.from_before.push_back(alive_.has(begin, value));
                straight.wanted_behind.push_back(alive_.has(end, value));
                if (straight.wanted_behind.back()) straight.words_through -= words;
            }
            value = known->second;
        };
        for (MachineInstruction& i : straight.code) {
            for (u32& v : i.reads) renumber(v);
            for (u32& v : i.writes) renumber(v);
        }
        return straight;
    }

    const MachineCode code_;
    const AliveBetweenPieces alive_;
};

/// The functions with a body that calls by name lead to, each once.
class Called {
public:
    Called(const ptx::Module& module, const ptx::Function& kernel) : module_(module) {
        look_at(kernel);
    }

    const std::set<const ptx::Function*>& functions() const { return functions_; }
    /// There are calls that cannot be replaced by the body of what is called: it is not known, or calls itself.
    bool stays_a_call() const { return stays_a_call_; }

private:
    void look_at(const ptx::Function& function) {
        open_.push_back(&function);
        for (const ptx::Instruction& i : function.body) {
            if (i.opcode != "call") continue;
            const ptx::Function* target = target_of(i);
            if (!target || !target->has_body ||
                std::find(open_.begin(), open_.end(), target) != open_.end())
                stays_a_call_ = true;
            else if (functions_.insert(target).second)
                look_at(*target);
        }
        open_.pop_back();
    }
    const ptx::Function* target_of(const ptx::Instruction& call) const {
        for (const ptx::Operand& operand : call.operands) {
            const auto found = module_.functions.find(operand.name);
            if (operand.kind == ptx::Operand::Kind::symbol && found != module_.functions.end())
                return found->second.get();
        }
        return nullptr;
    }

    const ptx::Module& module_;
    std::set<const ptx::Function*> functions_;
    std::vector<const ptx::Function*> open_;  ///< those that lead to the one at hand
    bool stays_a_call_ = false;
};

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
    const Called called(module, kernel);
    std::list<Compiled> functions;
    functions.emplace_back(kernel);
    for (const ptx::Function* function : called.functions()) functions.emplace_back(*function);
    const auto needed = [&](u32 words_most) {
        u32 most = called.stays_a_call() ? kForCalls : kLeast;
        for (const Compiled& f : functions) most = std::max(most, f.registers(words_most));
        return most;
    };
    u32 registers = needed(kWordsMost);
    // ptxas goes to some length to stay at that where it does not know the size of a block.
    const bool knows_threads = kernel.max_threads[0] || kernel.required_threads[0];
    const bool is_over = !knows_threads && registers > kForAllThreads;
    if (is_over && (registers <= kForAllThreads + kSaved || needed(0) + kToSpare <= kForAllThreads))
        registers = kForAllThreads;
    return std::min(registers, allowed(kernel));
}

}  // namespace coalesce::sim
