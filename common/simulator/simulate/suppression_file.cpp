// See suppression_file.h.
#include "simulator/simulate/suppression_file.h"

#include <filesystem>
#include <set>
#include <string_view>

#include "base/strict_toml.h"

namespace coalesce::simulator {

namespace {

Suppression suppression_of(const Json& report) {
    Suppression one{.check = report["check"], .kind = report["kind"], .kernel = report["kernel"]};
    const std::string file = report["file"];
    if (file.empty()) return one;
    one.file = std::filesystem::path(file).filename().string();
    one.source = source_line({file, report["line"].get<u32>()});
    return one;
}

}  // namespace

std::vector<Suppression> read_suppressions(const std::string& file) {
    const StrictToml<SuppressionError> reader(file);
    const toml::table root = reader.parse();
    reader.allow_keys(root, {"suppress"}, "a file of suppressions");
    std::vector<Suppression> all;
    if (root.empty()) return all;
    std::set<std::string_view> keys;
    for (const auto& [name, member] : suppression_keys()) keys.insert(name);
    for (const toml::node& node : reader.tables(root, "suppress", "[[suppress]]")) {
        const toml::table& table = *node.as_table();
        reader.allow_keys(table, keys, "a suppression");
        // A suppression without any member would hide every mistake.
        if (table.empty())
            reader.fail(table, "this suppression matches every report; add a `check`");
        Suppression one;
        for (const auto& [name, member] : suppression_keys())
            if (table.contains(name)) one.*member = reader.text(table, name, "a suppression");
        all.push_back(one);
    }
    return all;
}

std::string suppressions_of(const Json& run) {
    std::string text =
        "# Reports that `simulate --suppress` leaves out, written by `simulate\n"
        "# --write-suppressions`. A report is left out if all keys of a table match it: `file` is\n"
        "# the end of its path, `source` the text of its line, and * stands for any text. A key\n"
        "# that is missing matches everything.\n";
    for (const Json& report : run["reports"]) {
        const Suppression one = suppression_of(report);
        text += "\n[[suppress]]\n";
        for (const auto& [name, member] : suppression_keys())
            if (!(one.*member).empty())
                text += std::string(name) + " = " + toml_string(one.*member) + "\n";
    }
    return text;
}

}  // namespace coalesce::simulator
