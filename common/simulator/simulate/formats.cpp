// See formats.h.
#include "simulator/simulate/formats.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

std::string make_one_sentence(const Finding& finding) {
    return finding.title() + ". " + finding.message;
}

/// Returns an identifier for a rule, such as "racecheck/read-after-write".
std::string rule_id(const Finding& finding) {
    std::string id = finding.rule + "/" + finding.kind;
    std::replace(id.begin(), id.end(), ' ', '-');
    return id;
}

/// Returns a path as a URI. Relative paths remain relative, so that the program that reads the file
/// can resolve them in the repository.
std::string make_uri(const std::string& path) {
    constexpr std::string_view kUnreserved = "-._~/+";
    std::string uri;
    for (const char c : path) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) ||
                              kUnreserved.find(c) != std::string_view::npos;
        char escape_code[8];
        std::snprintf(escape_code, sizeof escape_code, "%%%02X", static_cast<unsigned char>(c));
        uri += is_plain ? std::string(1, c) : escape_code;
    }
    return path.starts_with("/") ? "file://" + uri : uri;
}

Json make_location(const std::string& file, unsigned line) {
    Json location{{"artifactLocation", {{"uri", make_uri(file)}}}};
    if (line != 0) location["region"] = {{"startLine", line}};
    return {{"physicalLocation", location}};
}

Json make_result(const Finding& finding) {
    Json result{{"ruleId", rule_id(finding)},
                {"level", finding.is_warning ? "warning" : "error"},
                {"message", {{"text", make_one_sentence(finding)}}}};
    if (!finding.file.empty())
        result["locations"] = Json::array({make_location(finding.file, finding.line)});
    if (!finding.other_file.empty()) {
        Json other_location = make_location(finding.other_file, finding.other_line);
        other_location["id"] = 1;
        other_location["message"] = {{"text", "the other access"}};
        result["relatedLocations"] = Json::array({other_location});
    }
    return result;
}

/// Escapes text for a GitHub Actions command. In a property, more characters must be escaped than
/// in a message.
std::string escape_command(const std::string& text, bool is_property) {
    const std::map<char, const char*> always_escaped{{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}};
    const std::map<char, const char*> escaped_in_property{{':', "%3A"}, {',', "%2C"}};
    std::string out;
    for (const char c : text) {
        if (const auto replacement = always_escaped.find(c); replacement != always_escaped.end())
            out += replacement->second;
        else if (const auto property_replacement = escaped_in_property.find(c);
                 is_property && property_replacement != escaped_in_property.end())
            out += property_replacement->second;
        else
            out += c;
    }
    return out;
}

/// Returns the XML element for one test case. In JUnit's terms, findings about missing work are
/// errors, and all other findings are failures.
std::string junit_case(const std::string& name, const std::string& program,
                       const std::vector<const Finding*>& findings) {
    std::string text = "  <testcase classname=\"" + escaped(program) + "\" name=\"" +
                       escaped(name) + "\" time=\"0\"";
    if (findings.empty()) return text + "/>\n";
    text += ">\n";
    // JUnit readers expect at most one error or failure in a test case, so all findings share one
    // element.
    const bool is_error = findings.front()->is_missing_work;
    const char* element = is_error ? "error" : "failure";
    text += std::string("    <") + element + " type=\"" + escaped(rule_id(*findings.front())) +
            "\" message=\"" + escaped(findings.front()->title()) + "\">";
    for (const Finding* finding : findings)
        text += escaped(format_place(finding->file, finding->line) + " " +
                        make_one_sentence(*finding)) +
                "\n";
    return text + "</" + element + ">\n  </testcase>\n";
}

}  // namespace

std::string to_sarif(const std::vector<Finding>& findings, const std::string& version) {
    Json rules = Json::array(), results = Json::array();
    std::set<std::string> known_rules;
    for (const Finding& finding : findings) {
        if (known_rules.insert(rule_id(finding)).second)
            rules.push_back({{"id", rule_id(finding)},
                             {"shortDescription", {{"text", finding.rule + ": " + finding.kind}}}});
        results.push_back(make_result(finding));
    }
    const Json driver{{"name", "simulate"}, {"version", version}, {"rules", rules}};
    const Json run{
        {"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}};
    const Json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                     {"version", "2.1.0"},
                     {"runs", Json::array({run})}};
    return sarif.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_junit(const std::vector<Finding>& findings, const Json& run,
                     const std::string& program) {
    std::vector<std::string> names;
    for (const Json& kernel : run["kernels"]) names.push_back(kernel["name"]);
    std::map<std::string, std::vector<const Finding*>> by_name;
    const std::string program_case_name = "the rest of the program";
    for (const Finding& finding : findings) {
        if (finding.is_warning) continue;  // JUnit has no warnings
        const bool is_of_kernel =
            std::find(names.begin(), names.end(), finding.kernel) != names.end();
        by_name[is_of_kernel ? finding.kernel : program_case_name].push_back(&finding);
    }
    names.push_back(program_case_name);
    std::string test_cases;
    std::size_t failure_count = 0, error_count = 0;
    for (const std::string& name : names) {
        std::vector<const Finding*>& kernel_findings = by_name[name];
        std::stable_partition(kernel_findings.begin(), kernel_findings.end(),
                              [](const Finding* finding) { return finding->is_missing_work; });
        if (!kernel_findings.empty())
            ++(kernel_findings.front()->is_missing_work ? error_count : failure_count);
        test_cases += junit_case(name, program, kernel_findings);
    }
    const std::string count_attributes = " tests=\"" + std::to_string(names.size()) +
                                         "\" failures=\"" + std::to_string(failure_count) +
                                         "\" errors=\"" + std::to_string(error_count) + "\"";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + count_attributes +
           ">\n <testsuite name=\"simulate\"" + count_attributes + " time=\"0\">\n" + test_cases +
           " </testsuite>\n</testsuites>\n";
}

std::string to_github_annotations(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += finding.is_warning ? "::warning " : "::error ";
        if (!finding.file.empty())
            text += "file=" + escape_command(finding.file, true) +
                    ",line=" + std::to_string(std::max(1u, finding.line)) + ",";
        text += "title=" + escape_command(finding.title(), true) +
                "::" + escape_command(finding.message, false) + "\n";
    }
    return text;
}

std::string to_compiler_messages(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        const std::string location =
            finding.file.empty()
                ? "simulate: "
                : finding.file + ":" + std::to_string(std::max(1u, finding.line)) + ":1: ";
        text += location + (finding.is_warning ? "warning: " : "error: ") +
                make_one_sentence(finding) + " [" + rule_id(finding) + "]\n";
    }
    return text;
}

}  // namespace coalesce::simulator
