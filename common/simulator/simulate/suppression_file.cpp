// See suppression_file.h.
#include "simulator/simulate/suppression_file.h"

#include <filesystem>
#include <set>
#include <string_view>

#include "base/strict_toml.h"

namespace coalesce::simulator {

namespace {

Suppression make_suppression(const Json& report) {
    Suppression suppression{
        .check = report["check"], .kind = report["kind"], .kernel = report["kernel"]};
    const std::string file = report["file"];
    if (file.empty()) return suppression;
    suppression.file = std::filesystem::path(file).filename().string();
    suppression.source = source_line({file, report["line"].get<u32>()});
    return suppression;
}

}  // namespace

std::vector<Suppression> read_suppressions(const std::string& file) {
    const StrictToml<SuppressionError> reader(file);
    const toml::table root = reader.parse();
    reader.allow_keys(root, {"suppress"}, "a file of suppressions");
    std::vector<Suppression> suppressions;
    if (root.empty()) return suppressions;
    std::set<std::string_view> keys;
    for (const auto& [name, member] : suppression_keys()) keys.insert(name);
    for (const toml::node& node : reader.tables(root, "suppress", "[[suppress]]")) {
        const toml::table& table = *node.as_table();
        reader.allow_keys(table, keys, "a suppression");
        // A suppression without any member would hide every mistake.
        if (table.empty())
            reader.fail(table, "this suppression matches every report; add a `check`");
        Suppression suppression;
        for (const auto& [name, member] : suppression_keys())
            if (table.contains(name))
                suppression.*member = reader.text(table, name, "a suppression");
        suppressions.push_back(suppression);
    }
    return suppressions;
}

std::string make_suppressions_text(const Json& run) {
    std::string text =
        "# Reports that `simulate --suppress` leaves out, written by `simulate\n"
        "# --write-suppressions`. A report is left out if all keys of a table match it: `file` is\n"
        "# the end of its path, `source` the text of its line, and * stands for any text. A key\n"
        "# that is missing matches everything.\n";
    for (const Json& report : run["reports"]) {
        const Suppression suppression = make_suppression(report);
        text += "\n[[suppress]]\n";
        for (const auto& [name, member] : suppression_keys())
            if (!(suppression.*member).empty())
                text += std::string(name) + " = " + toml_string(suppression.*member) + "\n";
    }
    return text;
}

}  // namespace coalesce::simulator
