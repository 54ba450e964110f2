#include "examiner/rules.h"

#include <algorithm>
#include <set>

#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Access;

/// Explains stores that change nothing because they store the old contents of `out`.
void explain_loads_of_output(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Trial unchecked_trial = evidence.launch_without_checks(trial.shape, kFirstWarp);
    const auto is_output_load = [&](const Access& access) {
        if (access.is_shared || access.is_store || access.active == 0) return false;
        const std::uint64_t address = access.active_addresses().front();
        return address >= unchecked_trial.out_address &&
               address < unchecked_trial.out_address + 4 * unchecked_trial.elements();
    };
    const auto load = std::find_if(unchecked_trial.accesses.begin(), unchecked_trial.accesses.end(),
                                   is_output_load);
    if (load == unchecked_trial.accesses.end()) return;
    failure.kind = FailureKind::uninitialised_read;
    failure.fault = Fault::none;
    failure.headline =
        "this reads from `out`, which has no result yet, and stores its old contents again.";
    failure.place.line = load->line;
    failure.advice = "Read from `in`, which holds the input.";
}

/// Returns a store to shared memory that leaves gaps in the bytes that a lane later loads with a
/// single access of `bytes_read` bytes. Returns null if there is none.
const Access* find_store_with_gaps(const std::vector<Access>& accesses, unsigned bytes_read) {
    constexpr unsigned kAccessWordBytes = 4;
    const auto is_store = [](const Access& any_access) {
        return any_access.is_shared && any_access.is_store;
    };
    std::set<std::uint64_t> words;
    for (const Access& access : accesses) {
        if (!is_store(access)) continue;
        for (const std::uint64_t begin : access.active_addresses()) {
            for (unsigned at = 0; at < access.bytes_per_lane; at += kAccessWordBytes) {
                words.insert((begin + at) / kAccessWordBytes);
            }
        }
    }
    for (const Access& access : accesses) {
        bool has_gap = false;
        if (!is_store(access) || access.bytes_per_lane >= bytes_read) continue;
        for (const std::uint64_t begin : access.active_addresses()) {
            for (unsigned at = 0; at < bytes_read; at += kAccessWordBytes) {
                has_gap |=
                    !words.contains((begin / bytes_read * bytes_read + at) / kAccessWordBytes);
            }
        }
        if (has_gap) return &access;
    }
    return nullptr;
}

/// Explains asynchronous copies that move only a part of each vector. Returns false if there are
/// none.
bool explain_short_copy(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Trial unchecked_trial = evidence.launch_without_checks(trial.shape, kFirstWarp);
    if (unchecked_trial.counters.copy_waits == 0) return false;
    unsigned bytes_read = 0;
    for (const Access& access : unchecked_trial.accesses) {
        if (access.is_shared && !access.is_store)
            bytes_read = std::max(bytes_read, access.bytes_per_lane);
    }
    const Access* copy = find_store_with_gaps(unchecked_trial.accesses, bytes_read);
    if (!copy) return false;
    failure.kind = FailureKind::copy_too_short;
    failure.fault = Fault::none;
    failure.headline = "each copy moves " + std::to_string(copy->bytes_per_lane) +
                       " bytes, but each later read takes " + std::to_string(bytes_read) +
                       " bytes: the bytes between two copies never arrive.";
    failure.place.line = copy->line;
    failure.advice =
        "Copy as many bytes at a time as each read takes: the last argument of "
        "__pipeline_memcpy_async may be 4, 8 or 16.";
    return true;
}

/// Returns the headline with the known cause at its end, in place of a guess.
std::string replace_guess(const std::string& headline, const std::string& cause) {
    std::size_t end = headline.size();
    for (const char* guess_begin : {". A component", ". A loop", ". Is one scalar"}) {
        end = std::min(end, headline.find(guess_begin));
    }
    return headline.substr(0, end) + ". " + cause;
}

/// Explains asynchronous copies that fill the end of each vector with zeros. Their fourth argument
/// is the number of these bytes. Returns false if there are no such copies.
bool explain_zero_fill(Failure& failure, const Evidence& evidence) {
    static const TextPattern copy(R"(__pipeline_memcpy_async\s*\()");
    const std::string code = code_for_search(evidence.source.text);
    for (const TextMatch& match : find_matches(code, copy)) {
        int commas = 0;
        const std::size_t opening_position = match_end(match) - 1,
                          end = find_closing_bracket(code, opening_position);
        for (std::size_t at = opening_position + 1; at < end; ++at) {
            if (code[at] == '(' || code[at] == '[' || code[at] == '{')
                at = find_closing_bracket(code, at);
            else
                commas += code[at] == ',';
        }
        if (commas < 3) continue;
        failure.kind = FailureKind::copy_too_short;
        failure.fault = Fault::none;
        failure.headline = replace_guess(
            failure.headline, "The copy fills the last bytes of each vector with zeros.");
        failure.place.line = line_of_match(code, match);
        failure.advice =
            "Omit the fourth argument of __pipeline_memcpy_async: it is the number of bytes "
            "that are set to 0 instead of being copied.";
        return true;
    }
    return false;
}

/// Explains a vector that is used although one of its components was never set. Returns false if
/// there is none.
bool explain_unset_component(Failure& failure, const Evidence& evidence) {
    const Declaration component = find_component_never_set(evidence.source.text);
    if (component.line == 0) return false;
    failure.fault = Fault::component_lost;
    failure.headline = replace_guess(failure.headline, "`" + component.name + "` is never set.");
    failure.advice = "Give `" + component.name + "` its value before the whole vector is used.";
    return true;
}

void explain_repeated_component(Failure& failure, const Evidence& evidence) {
    const int line = find_line_with_repeated_component(evidence.source.text);
    if (line == 0) return;
    failure.place.line = line;
    failure.advice =
        "Compare this line with the lines around it: does each line use a different component?";
}

/// Explains a cast to a vector type that should convert the address, but converts the value.
void explain_cast(Failure& failure, const Evidence& evidence) {
    const Declaration cast = find_cast_of_value(evidence.source.text);
    if (cast.line == 0) return;
    failure.headline = replace_guess(
        failure.headline, "One float is cast to " + cast.name +
                              ": this sets only .x, and sets the other components to 0.");
    failure.place.line = cast.line;
    failure.advice = "Cast the address, not the value: reinterpret_cast<const " + cast.name +
                     "&>(in[i]) reads in[i] and the elements after it.";
}

}  // namespace

void explain_values(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Fault fault = failure.fault;
    if (fault == Fault::nothing_written && !evidence.exercise.task().in_place) {
        explain_loads_of_output(failure, trial, evidence);
    }
    if (has_trait(fault, trait::may_be_unset_component) &&
        explain_unset_component(failure, evidence))
        return;
    if (fault == Fault::component_lost && !explain_short_copy(failure, trial, evidence) &&
        !explain_zero_fill(failure, evidence)) {
        explain_cast(failure, evidence);
    }
    if (fault == Fault::neighbour_repeated) explain_repeated_component(failure, evidence);
}

}  // namespace coalesce
