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

void read_hunt(const StrictToml& reader, const toml::table& table, Mutants& read) {
    reader.allow_keys(table, {"failure", "first_shape"}, "[hunt]");
    read.hunt_failure = reader.text(table, "failure", "[hunt]");
    std::string first = reader.text(table, "first_shape", "[hunt]");
    if (first != "right" && first != "wrong") {
        reader.fail(StrictToml::line_of(table), "`first_shape` must be \"right\" or \"wrong\"");
    }
    read.hunt_passes_unmodified = first == "right";
}

}  // namespace

Mutants read_mutants(const std::filesystem::path& file) {
    StrictToml reader(file.string());
    toml::table whole = reader.parse();
    reader.allow_keys(whole, {"blank", "hunt", "mutant"}, "the file");
    Mutants read;
    const toml::table& blank = reader.section(whole, "blank", "the file");
    reader.allow_keys(blank, {"failure", "failure_by_clang"}, "[blank]");
    read.blank_failure = reader.text(blank, "failure", "[blank]");
    const char* by_clang = blank.contains("failure_by_clang") ? "failure_by_clang" : "failure";
    read.blank_failure_by_clang = reader.text(blank, by_clang, "[blank]");
    if (whole.contains("hunt")) read_hunt(reader, reader.section(whole, "hunt", "the file"), read);
    const toml::array* mutants = whole["mutant"].as_array();
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
        read.mutants.push_back(std::move(mutant));
    }
    return read;
}

std::string apply_mutant(const Mutant& mutant, const std::string& solution) {
    auto fail = [&](const std::string& what) {
        throw UsageError("mutants.toml:" + std::to_string(mutant.line) + ": mutant \"" +
                         mutant.name + "\": " + what);
    };
    std::size_t place = solution.find(mutant.replace);
    if (mutant.replace.empty() || place == std::string::npos) {
        fail("the text of `replace` does not occur in the solution; copy the text from there");
    }
    if (solution.find(mutant.replace, place + 1) != std::string::npos) {
        fail("the text of `replace` occurs twice in the solution; make the text longer");
    }
    if (mutant.replacement == mutant.replace) fail("`with` changes nothing");
    return std::string(solution).replace(place, mutant.replace.size(), mutant.replacement);
}

}  // namespace coalesce::exercises
