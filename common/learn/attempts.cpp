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

void describe(auto& codec, StoredAttempts& noted) {
    int format = kAttemptsFormat;
    codec("format", format);
    if (format > kAttemptsFormat) throw NewerFormatError();
    codec("attempts", noted.attempts);
}

std::vector<Attempt> parse_attempts(const std::string& text) {
    return codec::read<StoredAttempts>(text).attempts;
}

// Adds an attempt. If the same source was tried before, the new attempt replaces the earlier one,
// but keeps its number and time.
void add(std::vector<Attempt>& all, Attempt attempt) {
    auto same = std::ranges::find(all, attempt.hash, &Attempt::hash);
    attempt.number = all.empty() ? 1 : all.back().number + 1;
    if (same == all.end()) same = all.insert(all.end(), attempt);
    attempt.number = same->number;
    attempt.made_at = same->made_at;
    *same = attempt;
}

// Reports whether `one` is faster than `other`. Every measured time ranks above every predicted
// time, and attempts without a time rank last.
bool is_better(const Attempt& one, const Attempt& other) {
    if (one.measured_ms.has_value() != other.measured_ms.has_value())
        return one.measured_ms.has_value();
    if (one.measured_ms) return *one.measured_ms < *other.measured_ms;
    if (one.ms.has_value() != other.ms.has_value()) return one.ms.has_value();
    return one.ms && *one.ms < *other.ms;
}

// Returns the change of the predicted time since the previous attempt, such as "-33 %".
std::string change_of(const Attempt& attempt, const std::vector<Attempt>& attempts) {
    const Attempt* before = nullptr;
    for (auto& one : attempts) {
        if (one.number < attempt.number && (!before || one.number > before->number)) before = &one;
    }
    if (!before || !before->ms || !attempt.ms) return "";
    const double percent = std::round(100 * (*attempt.ms / *before->ms - 1));
    return percent == 0 ? "0 %" : format("%+.0f %%", percent);
}

std::string row_of(const Attempt& attempt, const std::string& change, const std::string& name,
                   bool is_measured) {
    const auto ms = [](std::optional<double> value, const char* more) {
        return value ? format("%.4f", *value) + more : kMissingValue;
    };
    const auto percent = [&](double part) {
        return attempt.ms ? format("%.0f %%", 100 * part) : kMissingValue;
    };
    const std::string number = attempt.number > 0 ? std::to_string(attempt.number) : "";
    std::string text = format(
        "%4s%10s%8s%9s%9s%7s%7s", number.c_str(),
        ms(attempt.ms, attempt.is_uncertain ? "?" : "").c_str(),
        percent(attempt.error_band).c_str(), percent(attempt.fraction_of_copy).c_str(),
        change.c_str(), format_figure(attempt.load).c_str(), format_figure(attempt.store).c_str());
    if (is_measured) text += format("%9s", ms(attempt.measured_ms, "").c_str());
    return text + "  " + name + "\n";
}

// Shortens "2026-01-31T12:00:00Z" to "01-31 12:00".
std::string short_time(const std::string& at) {
    if (at.size() < 16) return at;
    return at.substr(5, 5) + " " + at.substr(11, 5);
}

}  // namespace

RelativeSpeed compare_speed(const Predicted& yours, const Predicted& other) {
    const double band = std::max(yours.error_band, other.error_band);
    if (yours.ms > other.ms * (1 + band)) return RelativeSpeed::slower;
    return yours.ms < other.ms * (1 - band) ? RelativeSpeed::faster : RelativeSpeed::level;
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
        const Json counted = counters_to_json(*counters);
        attempt.load = per_request(counted, "load");
        attempt.store = per_request(counted, "store");
    }
    return attempt;
}

Attempts::Attempts(const std::function<void(const std::string&)>& warn)
    : file_(learners_folder(), "beat.json", warn) {}

std::vector<Attempt> Attempts::read() {
    std::vector<Attempt> all;
    file_.read([&](const std::string& text) { all = parse_attempts(text); });
    return all;
}

std::vector<Attempt> Attempts::note(Attempt attempt, const std::string& text) {
    const fs::path copy = copy_path(attempt);
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    // Write the copy before the list, so that every attempt in the list has its source even if this
    // process is killed.
    if (read_if_exists(copy) != text) error = write_atomically(copy, text, {.should_sync = true});
    if (error) {
        throw UsageError("the attempt was not stored: " + copy.string() + " cannot be written (" +
                         error.message() + ")");
    }
    std::vector<Attempt> all;
    file_.update([&](const std::string& known) { all = parse_attempts(known); },
                 [&] {
                     add(all, attempt);
                     return codec::write(StoredAttempts{all}, true) + "\n";
                 });
    return all;
}

fs::path Attempts::copy_path(const Attempt& attempt) {
    return learners_folder() / "copies" / "beat" / (attempt.hash + ".cu");
}

std::string format_attempts(const std::vector<Attempt>& attempts, const Attempt* other,
                            const std::string& name) {
    std::vector<Attempt> sorted = attempts;
    if (other != nullptr) sorted.push_back(*other);
    std::ranges::stable_sort(sorted, is_better);
    const bool is_measured =
        std::ranges::any_of(sorted, [](auto& one) { return one.measured_ms.has_value(); });
    std::string text = "                  predicted            sectors/request\n";
    text += "   #        ms  within  of copy   change   load  store";
    text += is_measured ? " measured  when\n" : "  when\n";
    for (const Attempt& one : sorted) {
        const bool is_other = one.number == 0;
        text += row_of(one, is_other ? "" : change_of(one, attempts),
                       is_other ? name : short_time(one.made_at), is_measured);
    }
    return text;
}

}  // namespace coalesce::learn
