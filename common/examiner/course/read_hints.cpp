#include "examiner/course/read_hints.h"

#include <algorithm>
#include <set>

namespace coalesce::course {
namespace {

std::vector<std::string> read_failures(const StrictToml& reader, const toml::table& table) {
    std::vector<std::string> failures;
    const toml::node* node = table.get("failures");
    const toml::array* names = node == nullptr ? nullptr : node->as_array();
    for (size_t i = 0; names != nullptr && i < names->size(); ++i) {
        failures.push_back((*names)[i].value_exact<std::string>().value_or(""));
    }
    if (failures.empty() || std::ranges::count(failures, "") > 0) {
        reader.fail(node == nullptr ? StrictToml::line_of(table) : StrictToml::line_of(*node),
                    "this hint must list its failures: failures = [\"no-bounds-check\", ...]");
    }
    return failures;
}

}  // namespace

void read_levels(const StrictToml& reader, const toml::table& table, bool applies_to_all,
                 const std::string& table_name, Hint& hint) {
    bool has_any_level = false;
    for (size_t i = 0; i < kHintLevels.size(); ++i) {
        if (!applies_to_all && !table.contains(kHintLevels[i])) continue;
        std::string text = reader.text(table, kHintLevels[i], table_name);
        text.erase(text.find_last_not_of(" \n") + 1);
        if (text.empty()) {
            reader.fail(*table.get(kHintLevels[i]), std::string("`") + kHintLevels[i] +
                                                        "` is empty; write its text, or remove it");
        }
        hint.levels[i] = text;
        has_any_level = true;
    }
    if (!has_any_level) {
        reader.fail(hint.line, table_name + " has no text; add a question, picture, api or line");
    }
}

std::vector<Hint> read_hints(const StrictToml& reader, const toml::table& table,
                             FirstHint hint_mode, const std::string& table_name) {
    const bool first_applies_to_all = hint_mode == FirstHint::is_general;
    const std::string header = "[[hint]] of " + table_name;
    std::vector<Hint> hints;
    const bool is_optional = !first_applies_to_all || table.contains("sizes");
    if (!table.contains("hint") && is_optional) return hints;
    std::set<std::string> known_failures;
    for (auto& node : reader.tables(table, "hint", header)) {
        const toml::table& entry = *node.as_table();
        bool applies_to_all = first_applies_to_all && hints.empty();
        Hint hint;
        hint.line = StrictToml::line_of(entry);
        std::string name = "a hint of " + table_name;
        reader.allow_keys(entry, {"failures", "question", "picture", "api", "line"}, name);
        if (applies_to_all && entry.contains("failures")) {
            reader.fail(hint.line, "the first hint of " + table_name +
                                       " must apply to all failures; remove its `failures`");
        }
        if (!applies_to_all) hint.failures = read_failures(reader, entry);
        for (auto& failure : hint.failures) {
            if (known_failures.insert(failure).second) continue;
            reader.fail(hint.line, table_name + " has two hints for " + failure + "; remove one");
        }
        read_levels(reader, entry, applies_to_all, name, hint);
        hints.push_back(hint);
    }
    return hints;
}

}  // namespace coalesce::course
