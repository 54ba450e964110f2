#include "learn/state.h"

#include <algorithm>

#include "base/clock.h"
#include "base/codec.h"
#include "learn/work.h"

namespace coalesce::learn {
namespace {

// The version of the file format. Increase it only for a change that makes the file unreadable for
// older versions of ./learn.
constexpr int kStateFormat = 2;

}  // namespace

int Record::count_used_hints() const {
    int used_levels = 0;
    for (auto& [failure, levels] : hints) used_levels += levels;
    return used_levels;
}

const Guess* Record::guess(const std::string& counter) const {
    auto found_guess = std::ranges::find(guesses, counter, &Guess::counter);
    return found_guess == guesses.end() ? nullptr : &*found_guess;
}
Guess* Record::guess(const std::string& counter) {
    return const_cast<Guess*>(static_cast<const Record&>(*this).guess(counter));
}

const char* name_of(Status status) {
    switch (status) {
        case Status::untouched: return "not begun";
        case Status::not_yet: return "not yet";
        case Status::stale: return "stale";
        case Status::done: return "done";
    }
    return "";
}

Status status_of(const Record& record, const std::optional<std::string>& text) {
    if (record.passed_hash.empty()) {
        return record.check_count == 0 ? Status::untouched : Status::not_yet;
    }
    return text && hash_source(*text) == record.passed_hash ? Status::done : Status::stale;
}

const Record& State::record(const std::string& name) const {
    static const Record empty_record;
    auto found_record = records.find(name);
    return found_record == records.end() ? empty_record : found_record->second;
}

void describe(auto& codec, Guess& guess) {
    fields(codec, "counter", guess.counter, "said", guess.answered, "fact", guess.actual);
    if (codec.has("within")) codec("within", guess.tolerance);
    if (codec.has("label")) codec("label", guess.label);
}

void describe(auto& codec, Record& record) {
    fields(codec, "checks", record.check_count, "passed_hash", record.passed_hash, "passed_at",
           record.passed_at, "last_hash", record.last_hash, "last_failure", record.last_failure,
           "hints", record.hints, "guesses", record.guesses, "solution_seen", record.solution_seen,
           "best_counters", record.best_counters, "best_measured", record.best_measured);
    if (codec.has("predicted")) codec("predicted", record.predicted);
}

void describe(auto& codec, State& state) {
    int format = kStateFormat;
    codec("format", format);
    if (format > kStateFormat) throw NewerFormatError();
    fields(codec, "has_begun", state.has_begun, "current", state.current_exercise, "exercises",
           state.records);
}

std::string to_json(const State& state) {
    return codec::write(state, true) + "\n";
}

State state_from_json(const std::string& json) {
    return codec::read<State>(json);
}

Progress::Progress(std::filesystem::path folder, std::function<void(const std::string&)> warn)
    : file_(std::move(folder), "state.json", std::move(warn)) {}

State Progress::read() {
    State state;
    file_.read([&](const std::string& text) { state = state_from_json(text); });
    return state;
}

State Progress::update(const std::function<void(State&)>& change) {
    State state;
    file_.update([&](const std::string& text) { state = state_from_json(text); },
                 [&] {
                     change(state);
                     return to_json(state);
                 });
    return state;
}

std::string time_now() {
    return utc_time("%Y-%m-%dT%H:%M:%SZ");
}

}  // namespace coalesce::learn
