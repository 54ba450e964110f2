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

void read_levels(const StrictToml& reader, const toml::table& table, bool all,
                 const std::string& where, Hint& hint) {
    bool any = false;
    for (size_t i = 0; i < kHintLevels.size(); ++i) {
        if (!all && !table.contains(kHintLevels[i])) continue;
        std::string text = reader.text(table, kHintLevels[i], where);
        text.erase(text.find_last_not_of(" \n") + 1);
        if (text.empty()) {
            reader.fail(*table.get(kHintLevels[i]), std::string("`") + kHintLevels[i] +
                                                        "` is empty; write its text, or remove it");
        }
        hint.levels[i] = text;
        any = true;
    }
    if (!any) {
        reader.fail(hint.line, where + " has no text; add a question, picture, api or line");
    }
}

std::vector<Hint> read_hints(const StrictToml& reader, const toml::table& table, FirstHint first,
                             const std::string& where) {
    const bool first_is_for_all = first == FirstHint::is_general;
    const std::string header = "[[hint]] of " + where;
    std::vector<Hint> hints;
    const bool is_optional = !first_is_for_all || table.contains("sizes");
    if (!table.contains("hint") && is_optional) return hints;
    std::set<std::string> known;
    for (auto& node : reader.tables(table, "hint", header)) {
        const toml::table& entry = *node.as_table();
        bool for_all = first_is_for_all && hints.empty();
        Hint hint;
        hint.line = StrictToml::line_of(entry);
        std::string name = "a hint of " + where;
        reader.allow_keys(entry, {"failures", "question", "picture", "api", "line"}, name);
        if (for_all && entry.contains("failures")) {
            reader.fail(hint.line, "the first hint of " + where +
                                       " must apply to all failures; remove its `failures`");
        }
        if (!for_all) hint.failures = read_failures(reader, entry);
        for (auto& failure : hint.failures) {
            if (known.insert(failure).second) continue;
            reader.fail(hint.line, where + " has two hints for " + failure + "; remove one");
        }
        read_levels(reader, entry, for_all, name, hint);
        hints.push_back(hint);
    }
    return hints;
}

}  // namespace coalesce::course
