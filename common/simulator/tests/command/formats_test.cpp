// Tests the files that simulate writes for CI systems and editors. Each file must contain the parts
// that the published schema of its format requires.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "base/text.h"
#include "simulator/tests/command/command_run.h"
#include "simulator/tests/command/json_schema.h"

using namespace coalesce::tests;
using Json = nlohmann::ordered_json;

namespace {

/// Returns a description of the first problem in a SARIF log, or "" if the log is valid.
std::string find_sarif_problem(const Json& log) {
    if (log.value("version", "") != "2.1.0") return "the version is not 2.1.0";
    if (!log.contains("runs") || !log["runs"].is_array()) return "there are no runs";
    for (const Json& run : log["runs"]) {
        const Json::json_pointer driver("/tool/driver");
        if (!run.contains(driver) || !run.at(driver).contains("name")) return "no name of the tool";
        std::set<std::string> rules;
        for (const Json& rule : run.at(driver)["rules"])
            if (!rules.insert(rule["id"]).second) return "a rule is listed twice";
        for (const Json& result : run["results"]) {
            if (!result.contains(Json::json_pointer("/message/text"))) return "no message";
            if (!rules.contains(result["ruleId"])) return "an unknown rule";
            for (const Json& location : result.value("locations", Json::array())) {
                const Json& place = location.at("physicalLocation");
                if (has(place["artifactLocation"]["uri"], " ")) return "not a URI";
                if (place["region"]["startLine"] < 1) return "not a line";
            }
        }
    }
    return "";
}

/// Returns a description of the first XML element that is not nested correctly, or "" if there is
/// none.
std::string find_xml_problem(const std::string& text) {
    static const std::regex tag("<(/?)([a-zA-Z]+)((?: [a-zA-Z]+=\"[^\"<>]*\")*)(/?)>");
    std::vector<std::string> open;
    std::string rest = text.substr(text.find("?>") + 2);
    for (std::smatch found; std::regex_search(rest, found, tag); rest = found.suffix()) {
        if (found.prefix().str().find('<') != std::string::npos) return "a stray <";
        if (found[1].length() == 0 && found[4].length() == 0) open.push_back(found[2]);
        if (found[1].length() == 0) continue;
        if (open.empty() || open.back() != found[2].str()) return "closes " + found[2].str();
        open.pop_back();
    }
    return open.empty() ? "" : "does not close " + open.back();
}

std::size_t attribute(const std::string& text, const std::string& name) {
    std::smatch found;
    const std::regex pattern("<testsuites[^>]* " + name + "=\"(\\d+)\"");
    REQUIRE(std::regex_search(text, found, pattern));
    return std::stoul(found[1]);
}

/// Returns a description of the first problem in a JUnit file, or "" if the file is valid.
std::string find_junit_problem(const std::string& text) {
    if (!text.starts_with("<?xml ")) return "does not begin as XML does";
    if (const std::string problem = find_xml_problem(text); !problem.empty()) return problem;
    for (const auto& [count, element] :
         {std::pair{"tests", "<testcase "}, {"failures", "<failure "}, {"errors", "<error "}})
        if (attribute(text, count) != coalesce::occurrences(text, element))
            return std::string("the number of ") + count;
    return "";
}

}  // namespace

TEST_CASE("--json has the format that the schema describes") {
    std::ifstream file(SCHEMA);
    const Json schema = Json::parse(file);
    for (const auto& words : {std::vector<std::string>{kProgram},
                              {kProgram, "report"},
                              {kProgram, "collide"},
                              {kProgram, "unsupported"},
                              {kProgram, "abort"}}) {
        const Outcome got = run(words, {"--time", "H200"});
        REQUIRE(got.report.is_object());
        CHECK(find_violation(schema, got.report) == "");
    }
    Json report = run({kProgram, "report"}).report;
    report["kernels"][0].erase("name");
    CHECK(find_violation(schema, report) == "/kernels/0: has no name");
    report = run({kProgram, "report"}).report;
    report["reports"][0]["line"] = "12";
    CHECK(find_violation(schema, report) == "/reports/0/line: is not of type integer");
    report["reports"][0]["line"] = 12;
    report["undocumented"] = 1;
    CHECK(find_violation(schema, report) == ": may not have undocumented");
}

TEST_CASE("--sarif writes a valid SARIF log of the reports") {
    const ScratchFile file;
    run({kProgram, "collide"}, {"--sarif", file.path});
    Json log = Json::parse(file.content());
    CHECK(find_sarif_problem(log) == "");
    REQUIRE(log["runs"][0]["results"].size() == 1);
    const Json result = log["runs"][0]["results"][0];
    CHECK(result["ruleId"] == "globalrace/write-after-write");
    CHECK(result["level"] == "error");
    const Json& place = result["locations"][0]["physicalLocation"];
    CHECK(has(place["artifactLocation"]["uri"], "endings.cu"));
    CHECK(place["region"]["startLine"] > 10);
    CHECK(result.contains("relatedLocations"));
    log["runs"][0]["tool"]["driver"]["rules"].clear();
    CHECK(find_sarif_problem(log) == "an unknown rule");

    run({kProgram}, {"--sarif", file.path});
    log = Json::parse(file.content());
    CHECK(find_sarif_problem(log) == "");
    CHECK(log["runs"][0]["results"].empty());
}

TEST_CASE("--junit writes a test for each kernel, and a failure for each report") {
    const ScratchFile file;
    run({kProgram, "collide"}, {"--junit", file.path});
    std::string text = file.content();
    CHECK(find_junit_problem(text) == "");
    CHECK(attribute(text, "tests") == 3);  // one per kernel, one for the rest of the program
    CHECK(attribute(text, "failures") == 1);
    CHECK(has(text, "type=\"globalrace/write-after-write\""));
    CHECK(find_junit_problem(text.replace(text.find("</testcase>"), 11, "")) != "");

    run({kProgram, "unsupported"}, {"--junit", file.path});
    CHECK(find_junit_problem(file.content()) == "");
    CHECK(attribute(file.content(), "errors") == 1);
    run({kProgram}, {"--junit", file.path});
    CHECK(find_junit_problem(file.content()) == "");
    CHECK(attribute(file.content(), "failures") == 0);
}

TEST_CASE("--annotations prints reports as GitHub annotations or in the form of compiler errors") {
    const std::string github = run({kProgram, "collide"}, {"--annotations", "github"}).out;
    CHECK(std::regex_search(
        github, std::regex("\n::error file=[^,\n]*endings.cu,line=\\d+,title=globalrace%3A write "
                           "after write in collide::[^\n]+\n")));
    const std::string compiler = run({kProgram, "collide"}, {"--annotations", "compiler"}).out;
    CHECK(std::regex_search(
        compiler, std::regex("\n[^\n:]*endings.cu:\\d+:1: error: globalrace: write after "
                             "write in collide\\. [^\n]+ \\[globalrace/write-after-write\\]\n")));
    CHECK_FALSE(has(run({kProgram}, {"--annotations", "github"}).out, "::error"));
}

TEST_CASE("--markdown writes a summary with tables") {
    const ScratchFile file, base;
    std::ofstream(base.path) << run({PROGRAMS "/sum_before"}).report;
    run({PROGRAMS "/sum_after"}, {"--compare", base.path, "--markdown", file.path});
    const std::string text = file.content();
    CHECK(has(text, "| `sum` | sectors | 1,024 | 4,608 | **+350.0 %** |"));
    CHECK(has(text, "loads: 4 -> 32 sectors per request, +3,584"));
    // Every row of a table must have as many cells as its header.
    std::size_t cells = 0;
    for (const std::string& line : coalesce::lines_of(text)) {
        const std::size_t bars = line.starts_with("|") ? coalesce::occurrences(line, "|") : 0;
        if (cells != 0 && bars != 0) CHECK(bars == cells);
        cells = bars;
    }
    run({PROGRAMS "/sum_before"}, {"--markdown", file.path});
    CHECK(has(file.content(), "No reports, and no cost exceeds its limit."));
}

TEST_CASE("--trace writes the steps of one block") {
    const ScratchFile file;
    REQUIRE(run({kProgram, "report"}, {"--trace", file.path}).exit_code != 99);
    const Json trace = Json::parse(file.content());
    CHECK(trace["version"] == 1);
    CHECK(trace["has_variables"] == false);
    CHECK(trace["block"] == Json{96, 1, 1});
    CHECK(trace["is_complete"] == true);
    // The last warp stores past the end of the array.
    REQUIRE(trace["moments"].size() == 1);
    const Json& moment = trace["moments"][0];
    CHECK(moment["check"] == "memcheck");
    const Json& step = trace["steps"].at(moment["step"].get<std::size_t>());
    CHECK(step["warp"] == 2);
    CHECK(step["accesses"][0]["kind"] == "store");
    CHECK(step["accesses"][0]["offsets"][0] == 64 * 4);
}

#ifdef HAS_STATIC_PROGRAM
TEST_CASE("--trace writes the variables of a program that is built for a debugger") {
    const ScratchFile file;
    REQUIRE(run({kProgram + "_debug"}, {"--trace", file.path}).exit_code == 0);
    const Json trace = Json::parse(file.content());
    CHECK(trace["has_variables"] == true);
    const Json& variables = trace["variables"];
    const auto i = std::find_if(variables.begin(), variables.end(),
                                [](const Json& one) { return one["name"] == "i"; });
    REQUIRE(i != variables.end());
    std::vector<int> values(96);
    for (const Json& step : trace["steps"]) {
        for (const Json& change : step.value("set", Json::array())) {
            if (change[0] != i - variables.begin()) continue;
            CHECK(change[1] == 0xffffffff);
            for (std::size_t lane = 0; lane < 32; ++lane)
                values.at(step["warp"].get<std::size_t>() * 32 + lane) = change[2 + lane];
        }
    }
    for (int k = 0; k < 96; ++k) CHECK(values[static_cast<std::size_t>(k)] == k);
    // The lanes of the last warp do not store.
    const Json& last = trace["steps"].back();
    CHECK(last["warp"] == 2);
    CHECK_FALSE(last.contains("accesses"));
}
#endif
