#include "learn/attempts.h"

#include <algorithm>
#include <cmath>

#include "base/codec.h"
#include "base/errors.h"
#include "base/files.h"
#include "harness/counters_json.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "learn/paths.h"
#include "learn/state.h"

namespace coalesce::learn {

void describe(auto& codec, Attempt& attempt) {
    fields(codec, "number", attempt.number, "at", attempt.made_at, "hash", attempt.hash, "ms",
           attempt.ms, "of_copy", attempt.fraction_of_copy, "error_band", attempt.error_band, "gpu",
           attempt.gpu, "is_doubtful", attempt.is_uncertain, "load", attempt.load, "store",
           attempt.store, "measured_ms", attempt.measured_ms);
}

namespace {

namespace fs = std::filesystem;

const std::string kMissingValue = "-";

// The version of the file format. Increase it only if older commands cannot read the new format.
constexpr int kAttemptsFormat = 1;

struct StoredAttempts {
    std::vector<Attempt> attempts;
};

void describe(auto& codec, StoredAttempts& stored) {
    int format = kAttemptsFormat;
    codec("format", format);
    if (format > kAttemptsFormat) throw NewerFormatError();
    codec("attempts", stored.attempts);
}

std::vector<Attempt> parse_attempts(const std::string& text) {
    return codec::read<StoredAttempts>(text).attempts;
}

// Adds an attempt. If the same source was tried before, the new attempt replaces the earlier one,
// but keeps its number and time.
void add(std::vector<Attempt>& stored_attempts, Attempt attempt) {
    auto same_attempt = std::ranges::find(stored_attempts, attempt.hash, &Attempt::hash);
    attempt.number = stored_attempts.empty() ? 1 : stored_attempts.back().number + 1;
    if (same_attempt == stored_attempts.end())
        same_attempt = stored_attempts.insert(stored_attempts.end(), attempt);
    attempt.number = same_attempt->number;
    attempt.made_at = same_attempt->made_at;
    *same_attempt = attempt;
}

// Reports whether `a` ranks above `b`, because it is faster. Every measured time ranks above every
// predicted time, and attempts without a time rank last.
bool is_better(const Attempt& a, const Attempt& b) {
    if (a.measured_ms.has_value() != b.measured_ms.has_value()) return a.measured_ms.has_value();
    if (a.measured_ms) return *a.measured_ms < *b.measured_ms;
    if (a.ms.has_value() != b.ms.has_value()) return a.ms.has_value();
    return a.ms && *a.ms < *b.ms;
}

// Returns the change of the predicted time since the previous attempt, such as "-33 %".
std::string format_change(const Attempt& attempt, const std::vector<Attempt>& attempts) {
    const Attempt* previous_attempt = nullptr;
    for (auto& candidate : attempts) {
        if (candidate.number < attempt.number &&
            (!previous_attempt || candidate.number > previous_attempt->number))
            previous_attempt = &candidate;
    }
    if (!previous_attempt || !previous_attempt->ms || !attempt.ms) return "";
    const double change_percent = std::round(100 * (*attempt.ms / *previous_attempt->ms - 1));
    return change_percent == 0 ? "0 %" : format("%+.0f %%", change_percent);
}

std::string format_row(const Attempt& attempt, const std::string& change_text,
                       const std::string& name, bool is_measured) {
    const auto format_ms = [](std::optional<double> value, const char* suffix) {
        return value ? format("%.4f", *value) + suffix : kMissingValue;
    };
    const auto format_percent = [&](double fraction) {
        return attempt.ms ? format("%.0f %%", 100 * fraction) : kMissingValue;
    };
    const std::string number_text = attempt.number > 0 ? std::to_string(attempt.number) : "";
    std::string text =
        format("%4s%10s%8s%9s%9s%7s%7s", number_text.c_str(),
               format_ms(attempt.ms, attempt.is_uncertain ? "?" : "").c_str(),
               format_percent(attempt.error_band).c_str(),
               format_percent(attempt.fraction_of_copy).c_str(), change_text.c_str(),
               format_figure(attempt.load).c_str(), format_figure(attempt.store).c_str());
    if (is_measured) text += format("%9s", format_ms(attempt.measured_ms, "").c_str());
    return text + "  " + name + "\n";
}

// Shortens "2026-01-31T12:00:00Z" to "01-31 12:00".
std::string short_time(const std::string& time_text) {
    if (time_text.size() < 16) return time_text;
    return time_text.substr(5, 5) + " " + time_text.substr(11, 5);
}

}  // namespace

RelativeSpeed compare_speed(const Predicted& prediction, const Predicted& reference) {
    const double error_band = std::max(prediction.error_band, reference.error_band);
    if (prediction.ms > reference.ms * (1 + error_band)) return RelativeSpeed::slower;
    return prediction.ms < reference.ms * (1 - error_band) ? RelativeSpeed::faster
                                                           : RelativeSpeed::level;
}

Attempt make_attempt(const Verdict& verdict, const std::optional<Predicted>& predicted,
                     const std::optional<Counters>& counters) {
    Attempt attempt;
    attempt.made_at = time_now();
    attempt.hash = verdict.source_hash;
    if (predicted) {
        attempt.ms = predicted->ms;
        attempt.fraction_of_copy = predicted->fraction_of_copy();
        attempt.error_band = predicted->error_band;
        attempt.gpu = predicted->gpu;
        attempt.is_uncertain = !predicted->unknown().empty();
    }
    if (counters) {
        const Json counters_json = counters_to_json(*counters);
        attempt.load = average_per_request(counters_json, "load");
        attempt.store = average_per_request(counters_json, "store");
    }
    return attempt;
}

Attempts::Attempts(const std::function<void(const std::string&)>& warn)
    : file_(learners_folder(), "beat.json", warn) {}

std::vector<Attempt> Attempts::read() {
    std::vector<Attempt> stored_attempts;
    file_.read([&](const std::string& text) { stored_attempts = parse_attempts(text); });
    return stored_attempts;
}

std::vector<Attempt> Attempts::store_attempt(Attempt attempt, const std::string& text) {
    const fs::path copy_file = copy_path(attempt);
    std::error_code error;
    fs::create_directories(copy_file.parent_path(), error);
    // Write the copy before the list, so that every attempt in the list has its source even if this
    // process is killed.
    if (read_if_exists(copy_file) != text)
        error = write_atomically(copy_file, text, {.should_sync = true});
    if (error) {
        throw UsageError("the attempt was not stored: " + copy_file.string() +
                         " cannot be written (" + error.message() + ")");
    }
    std::vector<Attempt> stored_attempts;
    file_.update(
        [&](const std::string& stored_text) { stored_attempts = parse_attempts(stored_text); },
        [&] {
            add(stored_attempts, attempt);
            return codec::write(StoredAttempts{stored_attempts}, true) + "\n";
        });
    return stored_attempts;
}

fs::path Attempts::copy_path(const Attempt& attempt) {
    return learners_folder() / "copies" / "beat" / (attempt.hash + ".cu");
}

std::string format_attempts(const std::vector<Attempt>& attempts, const Attempt* solution_attempt,
                            const std::string& name) {
    std::vector<Attempt> sorted_attempts = attempts;
    if (solution_attempt != nullptr) sorted_attempts.push_back(*solution_attempt);
    std::ranges::stable_sort(sorted_attempts, is_better);
    const bool is_measured = std::ranges::any_of(
        sorted_attempts, [](auto& attempt) { return attempt.measured_ms.has_value(); });
    std::string text = "                  predicted            sectors/request\n";
    text += "   #        ms  within  of copy   change   load  store";
    text += is_measured ? " measured  when\n" : "  when\n";
    for (const Attempt& attempt : sorted_attempts) {
        const bool is_solution = attempt.number == 0;
        text += format_row(attempt, is_solution ? "" : format_change(attempt, attempts),
                           is_solution ? name : short_time(attempt.made_at), is_measured);
    }
    return text;
}

}  // namespace coalesce::learn
