#include "simulator/ptxas/register_assignment.h"

#include <algorithm>
#include <tuple>

namespace coalesce::simulator {
namespace {

constexpr u32 kStackPointer = 1;
/// The registers that, according to the calling convention, a call of an unknown function may
/// overwrite: the first 16 except the stack pointer, and the return address.
constexpr u32 kCallClobberedRegisters[] = {0,  2,  3,  4,  5,  6,  7,  8, 9,
                                           10, 11, 12, 13, 14, 15, 20, 21};
/// The number of registers to choose from. It exceeds the hardware's limit, so that values that
/// ptxas would spill also get a register.
constexpr u32 kRegisterCount = 512;
/// Limits for moving a value to an odd register to make room for a pair. A value stays in its
/// register if it is live for more than kLongLifetime instructions, and if at most
/// kMaxWordsForLongLifetimes words are live at the same time.
constexpr u32 kLongLifetime = 42, kMaxWordsForLongLifetimes = 16;

bool begins_earlier(const Span& a, const Span& b) {
    return a.begin < b.begin;
}

/// Reports whether a load or store may still need to read the value at `position`, where another
/// value is written.
bool may_still_be_read(const Span& span, u32 position) {
    return position < (position == span.end ? span.read_by_others_until : span.read_until);
}

/// The ranges in which one register is occupied.
class OccupiedRanges {
public:
    enum class Availability { free, still_read, taken };

    Availability check_availability(const std::vector<Span>& wanted_spans) const {
        Availability availability = Availability::free;
        for (const Span& span : wanted_spans) {
            const auto next_span =
                std::lower_bound(spans_.begin(), spans_.end(), span, begins_earlier);
            if (next_span != spans_.end()) {
                if (next_span->begin < span.end) return Availability::taken;
                if (may_still_be_read(span, next_span->begin))
                    availability = Availability::still_read;
            }
            if (next_span == spans_.begin()) continue;
            const Span& previous_span = *(next_span - 1);
            if (previous_span.end > span.begin) return Availability::taken;
            if (may_still_be_read(previous_span, span.begin))
                availability = Availability::still_read;
        }
        return availability;
    }
    void occupy_spans(const std::vector<Span>& spans) {
        for (const Span& span : spans) {
            auto insert_position = spans_.insert(
                std::lower_bound(spans_.begin(), spans_.end(), span, begins_earlier), span);
            // The late reads of an earlier value may end after the late reads of this value.
            for (; insert_position != spans_.end(); ++insert_position) {
                if (insert_position == spans_.begin()) continue;
                insert_position->read_until =
                    std::max(insert_position->read_until, (insert_position - 1)->read_until);
                insert_position->read_by_others_until = std::max(
                    insert_position->read_by_others_until, (insert_position - 1)->read_until);
                if (insert_position->begin >= span.read_until &&
                    insert_position->begin > span.begin)
                    break;
            }
        }
    }

private:
    std::vector<Span> spans_;  ///< in ascending order
};

/// Returns a key that sorts instructions in program order. The copies of an unrolled iteration
/// follow one another.
std::tuple<u32, u32, u32> written_order_key(const MachineInstruction& i) {
    return {i.loop == kNone ? i.source : i.loop, i.iteration, i.source};
}

class RegisterAssigner {
public:
    RegisterAssigner(const MachineCode& code, const Lifetimes& lifetimes, RegisterLimits limits)
        : code_(code),
          lifetimes_(lifetimes),
          limits_(limits),
          registers_of_values_(code.values.size()),
          parity_preference_(code.values.size(), 0),
          read_together_(code.values.size()),
          vector_of_value_(code.values.size(), kNone),
          is_long_lived_(code.values.size(), false),
          is_texel_value_(code.values.size(), false),
          occupied_ranges_(kRegisterCount) {
        for (u32 k = 0; k < code.consecutive_values.size(); ++k)
            for (u32 v : code.consecutive_values[k]) vector_of_value_[v] = k;
        if (count_max_live_words() <= kMaxWordsForLongLifetimes) find_long_lived_values();
        for (const MachineInstruction* i : lifetimes.instructions_in_order) {
            find_values_read_together(*i);
            if (!i->reads_texels) continue;
            for (u32 v : i->reads) is_texel_value_[v] = true;
            for (u32 v : i->writes) is_texel_value_[v] = true;
        }
    }

    u32 assign_all() {
        std::vector<const MachineInstruction*> in_written_order = lifetimes_.instructions_in_order;
        std::stable_sort(in_written_order.begin(), in_written_order.end(), [](auto* a, auto* b) {
            return written_order_key(*a) < written_order_key(*b);
        });
        for (u32 n = 0; n < lifetimes_.instructions_in_order.size(); ++n)
            if (lifetimes_.instructions_in_order[n]->follows_calling_convention)
                occupy_convention_registers(n);
        struct AssignmentPass {
            u32 first_register;
            bool is_for_texels = true;
        };
        for (const AssignmentPass pass :
             {AssignmentPass{4, false}, AssignmentPass{2, false}, AssignmentPass{2},
              AssignmentPass{1}, AssignmentPass{0}}) {
            is_for_texels_ = pass.is_for_texels;
            for (const MachineInstruction* i : in_written_order) {
                // The result of an instruction without sources (a special register or constant)
                // gets its register when another instruction reads the result. A computed pair gets
                // its registers before the pair from which it is computed.
                if (pass.first_register > 1 && !i->reads.empty())
                    for (u32 v : i->writes) assign_value(v, pass.first_register);
                for (u32 v : i->reads) assign_value(v, pass.first_register);
                if (i->reads.empty()) continue;
                for (u32 v : i->writes) assign_value(v, pass.first_register);
            }
        }
        for (const MachineInstruction* i : in_written_order)
            for (u32 v : i->writes) {
                assign_value(v, 1);
                assign_value(v, 0);
            }
        for (u32 n = 0; n < lifetimes_.instructions_in_order.size(); ++n)
            occupy_internal_registers(*lifetimes_.instructions_in_order[n], n);
        return register_count_;
    }

private:
    bool is_single(u32 value) const { return code_.values[value].words == 1; }
    bool is_pair(u32 value) const {
        return code_.values[value].words > 1 && !code_.values[value].is_loose;
    }

    u32 count_max_live_words() const {
        std::vector<i64> word_changes(2 * lifetimes_.instructions_in_order.size() + 1, 0);
        for (u32 v = 0; v < lifetimes_.spans_of_values.size(); ++v)
            for (const Span& span : lifetimes_.spans_of_values[v]) {
                word_changes[span.begin] += code_.values[v].words;
                word_changes[span.end] -= code_.values[v].words;
            }
        i64 words = 0, max_words = 0;
        for (const i64 c : word_changes) max_words = std::max(max_words, words += c);
        return static_cast<u32>(max_words);
    }
    void find_long_lived_values() {
        for (u32 v = 0; v < lifetimes_.spans_of_values.size(); ++v)
            for (const Span& span : lifetimes_.spans_of_values[v])
                if (span.end - span.begin > 2 * kLongLifetime) is_long_lived_[v] = true;
    }

    void find_values_read_together(const MachineInstruction& i) {
        for (u32 a : i.reads) {
            if (!is_single(a) || code_.values[a].is_half_register) continue;
            for (u32 b : i.reads) {
                if (is_pair(b) && !i.reads_texels && !is_long_lived_[a]) --parity_preference_[a];
                if (a != b && is_single(b)) read_together_[a].push_back(b);
            }
        }
    }

    /// Assigns registers to a value that has no registers yet, if the value belongs to a group of
    /// at least `first_register` words.
    void assign_value(u32 value, u32 first_register) {
        const MachineValue& machine_value = code_.values[value];
        if (!registers_of_values_[value].empty() || machine_value.words == 0) return;
        const auto extended = code_.extended_values.find(value);
        if (extended != code_.extended_values.end() &&
            registers_of_values_[extended->second].empty()) {
            if (first_register <= machine_value.words) assign_extended(value, extended->second);
        } else if (vector_of_value_[value] != kNone) {
            assign_together(code_.consecutive_values[vector_of_value_[value]], first_register);
        } else if (!machine_value.is_loose) {
            assign_together({value}, first_register);
        } else if (first_register == 0) {
            for (u32 w = 0; w < machine_value.words; ++w)
                assign_register(value, choose_register({value}, 1));
        }
    }
    /// Assigns a pair whose lower half shares its register with another value. Both registers are
    /// occupied while either value is live.
    void assign_extended(u32 pair, u32 lower_half) {
        std::vector<Span> pair_spans =
            merge_spans(lifetimes_.spans_of_values[pair], lifetimes_.spans_of_values[lower_half]);
        // A value loaded into the lower half must not overwrite its own address.
        for (Span& span : pair_spans) span.begin -= span.begin % 2;
        u32 chosen_register = kNone;
        for (u32 r = kStackPointer + 1; r + 2 <= kRegisterCount; r += 2) {
            const OccupiedRanges::Availability availability =
                std::max(occupied_ranges_[r].check_availability(pair_spans),
                         occupied_ranges_[r + 1].check_availability(pair_spans));
            if (availability == OccupiedRanges::Availability::taken) continue;
            if (chosen_register == kNone || (availability == OccupiedRanges::Availability::free &&
                                             r + 2 <= limits_.late_read_limit))
                chosen_register = r;
            if (availability == OccupiedRanges::Availability::free || r >= limits_.late_read_limit)
                break;
        }
        if (chosen_register == kNone) chosen_register = kStackPointer + 1;  // no register is free
        occupied_ranges_[chosen_register].occupy_spans(pair_spans);
        occupied_ranges_[chosen_register + 1].occupy_spans(pair_spans);
        registers_of_values_[pair] = {chosen_register, chosen_register + 1};
        registers_of_values_[lower_half] = {chosen_register};
        register_count_ = std::max(register_count_, chosen_register + 2);
    }
    static std::vector<Span> merge_spans(std::vector<Span> spans,
                                         const std::vector<Span>& added_spans) {
        spans.insert(spans.end(), added_spans.begin(), added_spans.end());
        std::sort(spans.begin(), spans.end(), begins_earlier);
        std::vector<Span> result;
        for (const Span& span : spans) {
            if (result.empty() || span.begin > result.back().end) {
                result.push_back(span);
                continue;
            }
            Span& last_span = result.back();
            last_span.end = std::max(last_span.end, span.end);
            last_span.read_until = std::max(last_span.read_until, span.read_until);
            last_span.read_by_others_until =
                std::max(last_span.read_by_others_until, span.read_by_others_until);
        }
        return result;
    }
    void assign_together(const std::vector<u32>& values, u32 first_register) {
        u32 words = 0;
        for (u32 v : values) words += code_.values[v].words;
        if (words < first_register) return;
        // Texel vectors and their coordinates are assigned after all other values.
        if (!is_for_texels_ && words > 1 && is_texel_value_[values[0]]) return;
        u32 at = choose_register(values, words);
        for (u32 v : values)
            for (u32 w = 0; w < code_.values[v].words; ++w) assign_register(v, at++);
        if (words > 1) return;
        for (u32 p : read_together_[values[0]]) parity_preference_[p] += at % 2 == 0 ? 1 : -1;
    }
    void assign_register(u32 value, u32 r) {
        registers_of_values_[value].push_back(r);
        occupied_ranges_[r].occupy_spans(lifetimes_.spans_of_values[value]);
        register_count_ = std::max(register_count_, r + 1);
    }

    /// Returns the first register for a group of adjacent values of equal size. If the lowest free
    /// register has a drawback, looks for a better one up to a limit that depends on the drawback.
    u32 choose_register(const std::vector<u32>& values, u32 words) const {
        const u32 step = words >= 3 ? 4 : words >= 2 ? 2 : 1;
        const int preferred_register = words == 1 ? parity_preference_[values[0]] : 0;
        u32 lowest_register = kNone, search_limit = limits_.late_read_limit;
        for (u32 r = 0; r + words <= kRegisterCount; r += step) {
            const OccupiedRanges::Availability availability = check_availability(values, r, words);
            if (availability == OccupiedRanges::Availability::taken) continue;
            const bool is_odd = r % 2 == 1;
            const bool has_space = availability == OccupiedRanges::Availability::free &&
                                   (preferred_register == 0 || is_odd == (preferred_register < 0));
            if (has_space && (lowest_register == kNone || r + words <= search_limit)) return r;
            if (lowest_register == kNone && availability == OccupiedRanges::Availability::free)
                search_limit = limits_.bank_conflict_limit;
            lowest_register = std::min(lowest_register, r);
            if (r >= search_limit) break;
        }
        return lowest_register == kNone ? 0 : lowest_register;
    }
    OccupiedRanges::Availability check_availability(const std::vector<u32>& values, u32 r,
                                                    u32 words) const {
        OccupiedRanges::Availability availability = OccupiedRanges::Availability::free;
        const u32 words_per_value = words / static_cast<u32>(values.size());
        for (u32 w = 0; w < words && availability != OccupiedRanges::Availability::taken; ++w, ++r)
            availability =
                r == kStackPointer
                    ? OccupiedRanges::Availability::taken
                    : std::max(availability,
                               occupied_ranges_[r].check_availability(
                                   lifetimes_.spans_of_values[values[w / words_per_value]]));
        return availability;
    }

    void occupy_convention_registers(u32 n) {
        for (u32 r : kCallClobberedRegisters) {
            occupied_ranges_[r].occupy_spans(span_of_instruction(n));
            register_count_ = std::max(register_count_, r + 1);
        }
    }
    static std::vector<Span> span_of_instruction(u32 n) { return {{2 * n, 2 * n + 2, 0, 0}}; }
    /// Occupies the registers that an instruction needs in addition to its sources and results.
    void occupy_internal_registers(const MachineInstruction& i, u32 n) {
        u32 odd_words = 0;
        for (u32 r = 3; odd_words < i.odd_internal_words && r < limits_.bank_conflict_limit; r += 2)
            odd_words += occupy_if_free(r, n);
        u32 words = odd_words;
        for (u32 r = 0; words < i.internal_words && r < kRegisterCount; ++r)
            words += r != kStackPointer && occupy_if_free(r, n);
    }
    bool occupy_if_free(u32 r, u32 n) {
        const std::vector<Span> spans_there = span_of_instruction(n);
        if (occupied_ranges_[r].check_availability(spans_there) ==
            OccupiedRanges::Availability::taken)
            return false;
        occupied_ranges_[r].occupy_spans(spans_there);
        register_count_ = std::max(register_count_, r + 1);
        return true;
    }

    const MachineCode& code_;
    const Lifetimes& lifetimes_;
    const RegisterLimits limits_;
    std::vector<std::vector<u32>>
        registers_of_values_;  ///< for each value, the registers of its words
    std::vector<int>
        parity_preference_;  ///< preferred bank of a value: even if positive, odd if negative
    std::vector<std::vector<u32>> read_together_;  ///< for each value, the values read with it
    std::vector<u32> vector_of_value_;  ///< for each value, its index in consecutive_values
    std::vector<bool> is_long_lived_;   ///< true if the value lives long, and may be in either bank
    std::vector<bool> is_texel_value_;  ///< true for texels and their coordinates
    bool is_for_texels_ = false;        ///< true in the pass that assigns texels
    std::vector<OccupiedRanges>
        occupied_ranges_;  ///< for each register, the ranges in which it is occupied
    u32 register_count_ = kStackPointer + 1;
};

}  // namespace

u32 assign_registers(const MachineCode& code, const Lifetimes& lifetimes, RegisterLimits limits) {
    return RegisterAssigner(code, lifetimes, limits).assign_all();
}

}  // namespace coalesce::simulator
