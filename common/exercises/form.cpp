// What the files of an exercise look like: their headers, their kernels, the hints about them.
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#include <algorithm>
#include <regex>
#include <sstream>

#include "exercises/tree.h"
#include "kernel/failure.h"

namespace coalesce::exercises {
namespace {

using Faults = std::vector<std::string>;
using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// The comment at the head.
std::string head_of(const std::string& text) {
    std::string head;
    for (const std::string& line : lines_of(text)) {
        if (!line.starts_with("//")) break;
        head += line + "\n";
    }
    return head;
}

void expect(const std::string& head, const std::string& wanted, Faults& faults) {
    if (("\n" + head).find("\n" + wanted) == std::string::npos) {
        faults.push_back("its head has no line that begins \"" + wanted + "\"; add it");
    }
}

std::string without_comment(const std::string& line) {
    std::string code = line.substr(0, line.find("//"));
    code.erase(code.find_last_not_of(' ') + 1);
    return code;
}

toml::table read(const std::filesystem::path& course) {
    try {
        return toml::parse_file(course.string());
    } catch (const toml::parse_error& error) {
        throw ExerciseError(course.string() + ":" + std::to_string(error.source().begin.line) +
                            ": " + std::string(error.description()) + "; mend this line");
    }
}

// The failures that the hints of a step, or of the whole course, name.
std::vector<const toml::node*> hinted(const toml::table& table) {
    std::vector<const toml::node*> nodes;
    const toml::array* hints = table["hint"].as_array();
    for (std::size_t i = 0; hints && i < hints->size(); ++i) {
        const toml::array* failures = (*hints)[i].as_table()->at_path("failures").as_array();
        for (std::size_t j = 0; failures && j < failures->size(); ++j) {
            nodes.push_back(&(*failures)[j]);
        }
    }
    return nodes;
}

std::vector<const toml::table*> steps_of(const toml::table& course) {
    std::vector<const toml::table*> tables;
    const toml::array* steps = course["step"].as_array();
    for (std::size_t i = 0; steps && i < steps->size(); ++i)
        tables.push_back((*steps)[i].as_table());
    return tables;
}

void check_names(const toml::table& table, Faults& faults) {
    static const std::vector<std::string> ids = all_failure_ids();
    for (const toml::node* node : hinted(table)) {
        std::string id = node->value_or<std::string>("");
        if (std::ranges::count(ids, id) > 0) continue;
        faults.push_back("course.toml:" + std::to_string(node->source().begin.line) +
                         ": a hint for \"" + id +
                         "\", but nothing is ever called so; kernel/failure.h has the names");
    }
}

}  // namespace

Faults header_faults(const std::string& name, const Skeleton& skeleton) {
    Faults faults;
    std::string head = head_of(skeleton.blank()), number = name.substr(0, 2);
    expect(head, "// Exercise " + name + " -- ", faults);
    for (const char* label : {"// Given   ", "// Write   "}) expect(head, label, faults);
    expect(head, "// Check   ./learn check " + number + "          Stuck?   ./learn hint " + number,
           faults);
    int lines = skeleton.lines_to_write();
    std::string count = "(" + std::to_string(lines) + (lines == 1 ? " line)" : " lines)");
    if (head.find(count) == std::string::npos) {
        faults.push_back("its head must say how many lines there are to write: " + count);
    }
    return faults;
}

Faults hunt_header_faults(const std::string& name, const Skeleton& hunt) {
    Faults faults;
    std::string head = head_of(hunt.blank());
    expect(head, "// Bug hunt " + name + " -- ", faults);
    for (const char* label : {"// Seen    ", "// Mend    "}) expect(head, label, faults);
    expect(head, "// Check   ./learn check " + name.substr(0, 2) + " --hunt", faults);
    return faults;
}

std::vector<std::string> bare_kernel(const std::string& text) {
    static const std::regex head(R"(__global__ void \w+\()");
    Lines kernel;
    for (const std::string& line : lines_of(text)) {
        std::string code = without_comment(line);
        if (kernel.empty() && !code.starts_with("__global__")) continue;
        if (kernel.empty()) code = std::regex_replace(code, head, "__global__ void kernel(");
        if (!code.empty()) kernel.push_back(code);
        if (code == "}") return kernel;
    }
    return {};
}

Faults hint_faults(const std::filesystem::path& course) {
    Faults faults;
    toml::table whole = read(course);
    check_names(whole, faults);
    for (const toml::table* step : steps_of(whole)) {
        check_names(*step, faults);
        const toml::array* hints = (*step)["hint"].as_array();
        bool is_for_everybody =
            hints && !hints->empty() && !(*hints)[0].as_table()->contains("failures");
        if (is_for_everybody) continue;
        faults.push_back("course.toml:" + std::to_string(step->source().begin.line) +
                         ": the first [[step.hint]] of this step must be for everybody, without "
                         "`failures`; add it");
    }
    return faults;
}

std::vector<std::string> failures_without_hint(const std::filesystem::path& course,
                                               const std::string& step,
                                               const std::set<std::string>& failures) {
    std::set<std::string> left = failures;
    toml::table whole = read(course);
    for (const toml::node* node : hinted(whole)) left.erase(node->value_or<std::string>(""));
    for (const toml::table* table : steps_of(whole)) {
        if ((*table)["name"].value_or<std::string>("") != step) continue;
        for (const toml::node* node : hinted(*table)) left.erase(node->value_or<std::string>(""));
    }
    return {left.begin(), left.end()};
}

}  // namespace coalesce::exercises
