#include "proof/public_programs/record.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/enum_names.h"
#include "base/errors.h"
#include "proof/json_text.h"

namespace coalesce::proof {
namespace {

constexpr std::size_t kOutcomes = static_cast<std::size_t>(last_of(Outcome{})) + 1;

/// In the order of the enumeration.
constexpr std::array<const char*, kOutcomes> kWords = {
    "ran, and verified itself",
    "ran to its end",
    "ran; the report is a bug of the program",
    "ran; fails by itself",
    "too slow",
    "needs another library",
    "needs what is not simulated",
    "needs input that is not there",
    "does not build",
    "false alarm",
    "wrong result",
    "crash",
};

const char* words_of(Outcome outcome) {
    return kWords.at(static_cast<std::size_t>(outcome));
}

bool runs(Outcome outcome) {
    return outcome <= Outcome::own_error;
}

/// Whether a program belongs to those that compile, have what they read, and need no closed library.
bool could_run(Outcome outcome) {
    using enum Outcome;
    return outcome != needs_library && outcome != needs_input && outcome != not_built;
}

Outcome outcome_named(const std::string& name, const std::string& row) {
    for (std::size_t i = 0; i < kOutcomes; ++i) {
        const auto outcome = static_cast<Outcome>(i);
        if (dashed_name(outcome) == name) return outcome;
    }
    throw UsageError(row + ": unknown outcome " + name);
}

PublicProgram read_program(const Json& json) {
    static const std::set<std::string> known = {"repository", "commit",  "file",
                                                "arguments",  "outcome", "detail"};
    PublicProgram program{json.at("repository"),       json.at("commit"), json.at("file"),
                          json.value("arguments", ""), Outcome::ran,      json.value("detail", "")};
    const std::string row = program.repository + ": " + program.file;
    for (const auto& [key, value] : json.items()) {
        if (!known.contains(key)) throw UsageError(row + ": unknown key " + key);
    }
    program.outcome = outcome_named(json.at("outcome"), row);
    const bool speaks_for_itself =
        program.outcome == Outcome::verified || program.outcome == Outcome::ran;
    if (!speaks_for_itself && program.detail.empty())
        throw UsageError(row + ": `detail` must say what is missing, or what was found");
    return program;
}

std::string address_of(const PublicProgram& program) {
    return "https://github.com/" + program.repository + "/tree/" + program.commit;
}

/// A bar would begin another cell.
std::string in_cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, "\\");
    return text;
}

std::string row_of(const PublicProgram& program) {
    std::string file = "`" + program.file + "`";
    if (!program.arguments.empty()) file += " with `" + program.arguments + "`";
    return "| " + in_cell(file) + " | " + words_of(program.outcome) + " | " +
           in_cell(program.detail) + " |\n";
}

}  // namespace

PublicPrograms read_public_programs(const std::string& text) {
    try {
        const Json json = Json::parse(text);
        PublicPrograms all{json.at("simulator"), json.at("how"), {}};
        std::set<std::string> seen;
        for (const Json& row : json.at("programs")) {
            all.programs.push_back(read_program(row));
            const PublicProgram& last = all.programs.back();
            if (!seen.insert(last.repository + "/" + last.file).second)
                throw UsageError(last.repository + ": " + last.file + " is there twice");
        }
        return all;
    } catch (const Json::exception& error) {
        throw UsageError(std::string("the results of public programs: ") + error.what());
    }
}

std::string totals_table(const PublicPrograms& all) {
    std::array<std::size_t, kOutcomes> counts{};
    for (const PublicProgram& program : all.programs)
        ++counts.at(static_cast<std::size_t>(program.outcome));
    std::string text = "| outcome | programs |\n|---|--:|\n";
    std::size_t ran = 0, possible = 0;
    for (std::size_t i = 0; i < kOutcomes; ++i) {
        text += std::string("| ") + kWords[i] + " | " + std::to_string(counts[i]) + " |\n";
        if (runs(static_cast<Outcome>(i))) ran += counts[i];
        if (could_run(static_cast<Outcome>(i))) possible += counts[i];
    }
    text += "| **all** | **" + std::to_string(all.programs.size()) + "** |\n\n";
    return text + std::to_string(possible) +
           " of them compile, have their input, and need no other library; " + std::to_string(ran) +
           " of these ran to their end.\n";
}

std::string programs_tables(const PublicPrograms& all) {
    std::map<std::string, std::vector<PublicProgram>> by_repository;
    for (const PublicProgram& program : all.programs)
        by_repository[program.repository].push_back(program);
    std::string text;
    for (auto& [name, programs] : by_repository) {
        std::sort(programs.begin(), programs.end(),
                  [](const auto& a, const auto& b) { return a.file < b.file; });
        text += "### [" + name + "](" + address_of(programs.front()) + ")\n\n";
        text += "| program | outcome | what is missing, or was found |\n|---|---|---|\n";
        for (const PublicProgram& program : programs) text += row_of(program);
        text += "\n";
    }
    return text;
}

}  // namespace coalesce::proof
