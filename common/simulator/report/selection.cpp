// See selection.h.
#include "simulator/report/selection.h"

#include <regex.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "simulator/base/options.h"

namespace coalesce::simulator {

namespace {

/// The keys of a suppression, in the order in which they appear in its text form.
constexpr SuppressionKey kSuppressionKeys[] = {{"check", &Suppression::check},
                                               {"kind", &Suppression::kind},
                                               {"kernel", &Suppression::kernel},
                                               {"file", &Suppression::file},
                                               {"source", &Suppression::source}};

/// The regular expression of `simulate --kernel`, or null if there is none.
const regex_t* kernel_expression() {
    // The expression is never freed, because the report at exit is written after the destructors of
    // static objects have run.
    static const regex_t* const instance = []() -> regex_t* {
        const std::string& text = options().kernel_expression;
        if (text.empty()) return nullptr;
        auto* const new_expression = new regex_t;
        // `simulate` has already rejected an invalid expression.
        return regcomp(new_expression, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0 ? new_expression
                                                                                    : nullptr;
    }();
    return instance;
}

/// Returns the part of `text` before `end`, and removes this part and `end` from `text`.
std::string_view take_until(std::string_view& text, char end) {
    const std::size_t size = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    return part;
}

}  // namespace

std::span<const SuppressionKey> suppression_keys() {
    return kSuppressionKeys;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
    std::size_t position = 0, pattern_position = 0, last_star = pattern.npos, retry_position = 0;
    while (position < text.size()) {
        if (pattern_position < pattern.size() && pattern[pattern_position] == '*') {
            last_star = pattern_position++;
            retry_position = position;
        } else if (pattern_position < pattern.size() &&
                   pattern[pattern_position] == text[position]) {
            ++position, ++pattern_position;
        } else if (last_star != pattern.npos) {  // let the last star stand for one more character
            pattern_position = last_star + 1;
            position = ++retry_position;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', pattern_position) == pattern.npos;
}

bool matches_path(std::string_view path, std::string_view pattern) {
    return matches_pattern(path, pattern) || matches_pattern(path, "*/" + std::string(pattern));
}

std::string source_line(const Place& place) {
    std::ifstream in(place.file);
    std::string line;
    for (u32 number = 0; number < place.line && std::getline(in, line); ++number) {
    }
    return in && place.line != 0 ? trimmed(line) : "";
}

std::string suppressions_to_text(const std::vector<Suppression>& suppressions) {
    std::string text;
    for (const Suppression& suppression : suppressions) {
        for (const auto& [name, member] : kSuppressionKeys) {
            // Replace tabs and line breaks in a value by `*`, because tabs separate values and line
            // breaks separate suppressions.
            std::string value = suppression.*member;
            std::replace_if(
                value.begin(), value.end(), [](char c) { return c == '\t' || c == '\n'; }, '*');
            text += value + '\t';
        }
        text += '\n';
    }
    return text;
}

std::vector<Suppression> suppressions_from_text(std::string_view text) {
    std::vector<Suppression> suppressions;
    while (!text.empty()) {
        std::string_view line = take_until(text, '\n');
        Suppression suppression;
        for (const auto& [name, member] : kSuppressionKeys)
            suppression.*member = take_until(line, '\t');
        suppressions.push_back(suppression);
    }
    return suppressions;
}

bool matches_suppression(const Suppression& suppression, const Report& report) {
    const auto matches_if_given = [](const std::string& text, const std::string& pattern) {
        return pattern.empty() || matches_pattern(text, pattern);
    };
    return matches_if_given(report.check, suppression.check) &&
           matches_if_given(report.kind, suppression.kind) &&
           matches_if_given(report.kernel, suppression.kernel) &&
           (suppression.file.empty() || matches_path(report.where.file, suppression.file)) &&
           (suppression.source.empty() ||
            matches_pattern(source_line(report.where), suppression.source));
}

bool is_selected_kernel(const std::string& name) {
    const regex_t* expression = kernel_expression();
    return !expression || regexec(expression, name.c_str(), 0, nullptr, 0) == 0;
}

bool is_about_missing_work(std::string_view check, std::string_view kind) {
    return check == "execution" && (kind == "unsupported" || kind == "out of host memory");
}

bool is_suppressed(const Report& report) {
    static const std::vector<Suppression>& file_suppressions =
        *new std::vector<Suppression>(suppressions_from_text(options().suppression_rules));
    if (is_about_missing_work(report.check, report.kind)) return false;
    if (!report.kernel.empty() && !is_selected_kernel(report.kernel)) return true;
    return std::any_of(
        file_suppressions.begin(), file_suppressions.end(),
        [&](const Suppression& suppression) { return matches_suppression(suppression, report); });
}

}  // namespace coalesce::simulator
