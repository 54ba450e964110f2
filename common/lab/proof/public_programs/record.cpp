#include "lab/proof/public_programs/record.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/errors.h"
#include "lab/proof/json_text.h"

namespace coalesce::proof {
namespace {

/// The first two say all; of the others `detail` says why, or what is missing. The last three are not to happen.
constexpr Outcome kOutcomes[] = {
    {"verified", "ran, and verified itself", true},  // said that its results are right
    {"ran", "ran to its end", true},                 // does not check itself
    {"bug-found", "ran; the report is a bug of the program", true},  // the report is true
    {"own-error", "ran; fails by itself", true},                     // says so itself, as on a GPU
    {"slow", "too slow"},                                            // was ended at the limit
    {"needs-library", "needs another library", false, false},        // a closed one, or graphics
    {"needs-feature", "needs what is not simulated"},
    {"needs-input", "needs input that is not there", false, false},  // a file or arguments
    {"not-built", "does not build", false, false},                   // with CUDA 13, or not alone
    {"false-alarm", "false alarm"},
    {"wrong", "wrong result"},
    {"crash", "crash"},
};

const Outcome* outcome_named(const std::string& name, const std::string& row) {
    const auto* const found = std::ranges::find(kOutcomes, name, &Outcome::name);
    if (found == std::end(kOutcomes)) throw UsageError(row + ": unknown outcome " + name);
    return found;
}

PublicProgram read_program(const Json& json) {
    static const std::set<std::string> known = {"repository", "commit",  "file",
                                                "arguments",  "outcome", "detail"};
    PublicProgram program{json.at("repository"),       json.at("commit"), json.at("file"),
                          json.value("arguments", ""), nullptr,           json.value("detail", "")};
    const std::string row = program.repository + ": " + program.file;
    for (const auto& [key, value] : json.items()) {
        if (!known.contains(key)) throw UsageError(row + ": unknown key " + key);
    }
    const std::string outcome = json.at("outcome");
    program.outcome = outcome_named(outcome, row);
    const bool speaks_for_itself = outcome == "verified" || outcome == "ran";
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
    return "| " + in_cell(file) + " | " + program.outcome->words + " | " + in_cell(program.detail) +
           " |\n";
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
    std::string text = "| outcome | programs |\n|---|--:|\n";
    std::size_t ran = 0, possible = 0;
    for (const Outcome& outcome : kOutcomes) {
        const auto count = static_cast<std::size_t>(
            std::ranges::count(all.programs, &outcome, &PublicProgram::outcome));
        text += std::string("| ") + outcome.words + " | " + std::to_string(count) + " |\n";
        if (outcome.runs) ran += count;
        if (outcome.could_run) possible += count;
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
