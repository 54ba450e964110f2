// Tests --lints, and the tasks that --write-vscode writes.
#include <doctest/doctest.h>

#include <regex>

#include "base/text.h"
#include "simulator/tests/command/command_run.h"

using namespace coalesce::tests;
using Json = nlohmann::ordered_json;

namespace {

/// Returns the numbers of the lines in lints.cu that end in `// lint ID`.
std::vector<std::string> marked_lines(const std::string& id) {
    std::vector<std::string> numbers;
    int number = 0;
    for (const std::string& line : coalesce::lines_of(coalesce::read_file(LINTS_SOURCE))) {
        ++number;
        if (line.ends_with("// lint " + id)) numbers.push_back(std::to_string(number));
    }
    return numbers;
}
std::string marked_line(const std::string& id) {
    return marked_lines(id).at(0);
}

/// Returns the lints of a kernel in lints.cu, each in the form "id:line".
std::string lints_in(const std::string& kernel) {
    const std::string text =
        run({PROGRAMS "/lints", kernel}, {"--quiet", "--lints", "--annotations", "compiler"}).out;
    static const std::regex lint(R"(lints\.cu:(\d+):1: warning: .* \[lint/([a-z-]+)\])");
    std::string found;
    for (std::sregex_iterator at(text.begin(), text.end(), lint), end; at != end; ++at)
        found += (found.empty() ? "" : " ") + (*at)[2].str() + ":" + (*at)[1].str();
    return found;
}

}  // namespace

TEST_CASE("--lints reports the line that wastes time") {
    CHECK(lints_in("transposed_store") == "uncoalesced-store:" + marked_line("uncoalesced-store"));
    CHECK(lints_in("transposed_load") == "uncoalesced-load:" + marked_line("uncoalesced-load"));
    CHECK(lints_in("unpadded_tile") == "bank-conflict:" + marked_line("bank-conflict"));
    CHECK(lints_in("copy") == "");
}

TEST_CASE("--lints reports idle lanes, local memory and low occupancy") {
    CHECK(lints_in("uneven_turns") == "divergent-loop:" + marked_line("divergent-loop"));
    CHECK(has(lints_in("indexed_array"), "spill:" + marked_lines("spill").at(0)));
    CHECK(has(lints_in("oversized_tile"), "unused-shared:" + marked_line("unused-shared")));
    CHECK(has(lints_in("few_blocks"), "low-occupancy:" + marked_line("low-occupancy")));
#ifdef HAS_STATIC_PROGRAM  // nvcc writes launch bounds as ptxas reads them
    CHECK(has(lints_in("few_registers"), "spill:" + marked_lines("spill").at(1)));
#endif
}

TEST_CASE("a comment suppresses a lint") {
    CHECK(lints_in("allowed_store") == "");
    CHECK(lints_in("allowed_few_blocks") == "");
}

TEST_CASE("--json contains the lints") {
    const Json lints = run({PROGRAMS "/lints", "transposed_store"}, {"--lints"}).report["lints"];
    REQUIRE(lints.size() == 1);
    CHECK(lints[0]["id"] == "uncoalesced-store");
    CHECK(lints[0]["kernel"] == "transposed_store");
    CHECK(lints[0]["line"] == std::stoi(marked_line("uncoalesced-store")));
    CHECK(lints[0]["ms"] > 0);
    CHECK(lints[0]["ms"] < lints[0]["kernel_ms"]);
}

TEST_CASE("a lint states its cost, but does not fail the gate") {
    const ScratchFile sarif;
    const Outcome got =
        run({PROGRAMS "/lints", "transposed_store"}, {"--lints", "--gate", "--sarif", sarif.path});
    CHECK(got.exit_code == 0);
    CHECK(std::regex_search(
        unbroken(got.err),
        std::regex(R"(lint: uncoalesced-store in transposed_store.* 32 sectors per store.*)"
                   R"(Predicted cost: [0-9.]+ of [0-9.]+ ms\.)")));
    const Json result = Json::parse(sarif.content())["runs"][0]["results"][0];
    CHECK(result["ruleId"] == "lint/uncoalesced-store");
    CHECK(result["level"] == "warning");
    CHECK(has(run({PROGRAMS "/lints", "copy"}, {"--lints"}).err, "no lints"));
}

TEST_CASE("--write-vscode writes tasks whose problem matcher recognizes lints") {
    char pattern[] = "/tmp/coalesce-vscode-XXXXXX";
    const std::filesystem::path folder = mkdtemp(pattern);
    const std::string command = "cd " + folder.string() + " && " SIMULATE " --write-vscode " +
                                kProgram + " collide >out 2>&1";
    CHECK(std::system(command.c_str()) == 0);
    const Json tasks = Json::parse(coalesce::read_file(folder / ".vscode/tasks.json"));
    const Json& task = tasks["tasks"][0];
    CHECK(task["command"] == "simulate");
    CHECK(task["args"].back() == "collide");

    // The problem matcher must match the output of the task.
    std::vector<std::string> options = task["args"];
    options.resize(options.size() - 2);
    const std::string printed = run({kProgram, "collide"}, options).out;
    const Json& matcher = task["problemMatcher"]["pattern"];
    const std::regex expression(matcher["regexp"].get<std::string>());
    std::size_t matches = 0;
    for (const std::string& line : coalesce::lines_of(printed)) {
        std::smatch found;
        if (!std::regex_match(line, found, expression)) continue;
        ++matches;
        CHECK(has(found[matcher["file"]], "endings.cu"));
        CHECK(found[matcher["severity"]] == "error");
        CHECK(found[matcher["code"]] == "globalrace/write-after-write");
    }
    CHECK(matches == 1);

    // An existing file is not overwritten.
    CHECK(std::system(command.c_str()) != 0);
    CHECK(has(coalesce::read_file(folder / "out"), "tasks.json already exists; add these tasks"));
    std::filesystem::remove_all(folder);
}
