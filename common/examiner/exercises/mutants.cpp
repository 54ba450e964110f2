#include "examiner/exercises/mutants.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "examiner/course/strict_toml.h"

namespace coalesce::exercises {
namespace {

using course::StrictToml;

Mutant read_mutant(const StrictToml& reader, const toml::table& table) {
    reader.allow_keys(table, {"name", "replace", "with", "failure"}, "a mutant");
    return {.name = reader.text(table, "name", "a mutant"),
            .replace = reader.text(table, "replace", "a mutant"),
            .replacement = reader.text(table, "with", "a mutant"),
            .failure = reader.text(table, "failure", "a mutant"),
            .line = StrictToml::line_of(table)};
}

void read_hunt(const StrictToml& reader, const toml::table& table, Mutants& mutants_read) {
    reader.allow_keys(table, {"failure", "first_shape"}, "[hunt]");
    mutants_read.hunt_failure = reader.text(table, "failure", "[hunt]");
    std::string first = reader.text(table, "first_shape", "[hunt]");
    if (first != "right" && first != "wrong") {
        reader.fail(StrictToml::line_of(table), "`first_shape` must be \"right\" or \"wrong\"");
    }
    mutants_read.passes_unmodified_hunt = first == "right";
}

}  // namespace

Mutants read_mutants(const std::filesystem::path& file) {
    StrictToml reader(file.string());
    toml::table record = reader.parse();
    reader.allow_keys(record, {"blank", "hunt", "mutant"}, "the file");
    Mutants mutants_read;
    const toml::table& blank_table = reader.section(record, "blank", "the file");
    reader.allow_keys(blank_table, {"failure", "failure_by_clang"}, "[blank]");
    mutants_read.blank_failure = reader.text(blank_table, "failure", "[blank]");
    const char* clang_key =
        blank_table.contains("failure_by_clang") ? "failure_by_clang" : "failure";
    mutants_read.blank_failure_by_clang = reader.text(blank_table, clang_key, "[blank]");
    if (record.contains("hunt"))
        read_hunt(reader, reader.section(record, "hunt", "the file"), mutants_read);
    const toml::array* mutants = record["mutant"].as_array();
    if (mutants == nullptr || !mutants->is_array_of_tables() || mutants->size() < kMinMutants) {
        reader.fail(1, "there are fewer than " + std::to_string(kMinMutants) +
                           " mutants; add [[mutant]] with mistakes that learners make");
    }
    std::set<std::string> names;
    for (auto& node : *mutants) {
        Mutant mutant = read_mutant(reader, *node.as_table());
        if (!names.insert(mutant.name).second) {
            reader.fail(mutant.line,
                        "two mutants are called \"" + mutant.name + "\"; rename one mutant");
        }
        mutants_read.mutants.push_back(std::move(mutant));
    }
    return mutants_read;
}

std::string apply_mutant(const Mutant& mutant, const std::string& solution) {
    auto fail = [&](const std::string& message) {
        throw UsageError("mutants.toml:" + std::to_string(mutant.line) + ": mutant \"" +
                         mutant.name + "\": " + message);
    };
    std::size_t position = solution.find(mutant.replace);
    if (mutant.replace.empty() || position == std::string::npos) {
        fail("the text of `replace` does not occur in the solution; copy the text from there");
    }
    if (solution.find(mutant.replace, position + 1) != std::string::npos) {
        fail("the text of `replace` occurs twice in the solution; make the text longer");
    }
    if (mutant.replacement == mutant.replace) fail("`with` changes nothing");
    return std::string(solution).replace(position, mutant.replace.size(), mutant.replacement);
}

}  // namespace coalesce::exercises
