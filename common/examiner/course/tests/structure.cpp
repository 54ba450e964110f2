#include "structure.h"

#include <algorithm>
#include <regex>
#include <set>

#include "base/files.h"
#include "base/text.h"

namespace coalesce::course {
namespace {

namespace fs = std::filesystem;
using Faults = std::vector<std::string>;
using Lines = std::vector<std::string>;

const std::string kMarker = "//! [kernel]";
constexpr size_t kLastLineOfHeader = 15;
// The last line on which a lesson's first kernel may begin, and the maximum number of lines in a
// lesson's file. Both limits keep a lesson to one idea.
constexpr size_t kLastLineOfFirstKernel = 15, kMostLines = 250;

// Returns the word after `label` in the header, or "" if there is none. For "// Next       03_tiled
// turns ..." and the label "Next", the result is "03_tiled".
std::string word_after(const Lines& lines, const std::string& label) {
    std::string start = "// " + label;
    for (size_t i = 0; i < std::min(lines.size(), kLastLineOfHeader); ++i) {
        if (!lines[i].starts_with(start)) continue;
        size_t begin = lines[i].find_first_not_of(' ', start.size());
        if (begin == std::string::npos) return "";
        return lines[i].substr(begin, lines[i].find_first_of(" :.,", begin) - begin);
    }
    return "";
}

void check_header(const Step& step, const Step* next, const Lines& lines, const std::string& file,
                  Faults& faults) {
    std::string first = "// " + step.name + " -- ";
    if (lines.empty() || !lines[0].starts_with(first)) {
        faults.push_back(file + ":1: must begin with \"" + first + "\"");
    }
    for (const char* label : {"Builds on", "Idea", "Watch", "Next"}) {
        if (word_after(lines, label).empty()) {
            faults.push_back(file + ": its header has no line \"// " + label + " ...\"");
        }
    }
    std::string builds_on = step.builds_on.empty() ? "nothing" : step.builds_on;
    if (word_after(lines, "Builds on") != builds_on) {
        faults.push_back(file + ": its header must say that it builds on " + builds_on +
                         ", as its lesson.toml does");
    }
    if (next != nullptr && word_after(lines, "Next") != next->name) {
        faults.push_back(file + ": its header must say that " + next->name + " is next");
    }
}

void check_markers(const Lines& lines, const std::string& file, Faults& faults) {
    if (std::ranges::count(lines, kMarker) != 2) {
        faults.push_back(file + ": the lesson's kernel must stand between two lines \"" + kMarker +
                         "\"");
    }
}

void check_size(const Lines& lines, const std::string& file, Faults& faults) {
    const auto is_kernel = [](const std::string& line) { return line.starts_with("__global__"); };
    const size_t above = std::ranges::find_if(lines, is_kernel) - lines.begin();
    if (above >= kLastLineOfFirstKernel) {
        faults.push_back(file + ": the first kernel begins after line " +
                         std::to_string(kLastLineOfFirstKernel) + "; put it first");
    }
    if (lines.size() > kMostLines) {
        faults.push_back(file + ": has " + std::to_string(lines.size()) + " lines; " +
                         std::to_string(kMostLines) + " are the most: leave one idea in it");
    }
}

std::set<std::string> kernels_in(const Lines& lines) {
    std::string text;
    for (auto& line : lines) text += line.substr(0, line.find("//")) + "\n";
    static const std::regex kernel(
        R"(__global__[^;{]*?\bvoid\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\()");
    std::set<std::string> names;
    for (std::sregex_iterator match(text.begin(), text.end(), kernel), end; match != end; ++match) {
        names.insert((*match)[1]);
    }
    return names;
}

void check_kernels(const Step& step, const Lines& lines, const std::string& file, Faults& faults) {
    std::set<std::string> defined = kernels_in(lines), listed;
    for (auto& variant : step.variants) {
        if (variant.kernel.empty()) continue;
        listed.insert(variant.kernel);
        if (!defined.contains(variant.kernel)) {
            faults.push_back("steps/" + step.name + "/lesson.toml:" + std::to_string(variant.line) +
                             ": " + file + " has no kernel " + variant.kernel);
        }
    }
    for (auto& name : defined) {
        if (!listed.contains(name)) {
            faults.push_back(file + ": no variant in lesson.toml has its kernel " + name);
        }
    }
}

// Checks the source file of a lesson. Returns its lines, or an empty list if it does not exist.
Lines check_lesson(const Step& step, const Step* next, const fs::path& folder,
                   const std::string& file, Faults& faults) {
    const std::string place = "steps/" + step.name + "/";
    for (const std::string& name : {file, std::string("README.md")}) {
        if (!fs::exists(folder / name) || fs::is_empty(folder / name)) {
            faults.push_back(place + name + " is missing or empty");
        }
    }
    if (!fs::exists(folder / file)) return {};
    Lines lines = lines_of(read_if_exists(folder / file).value_or(""));
    check_header(step, next, lines, place + file, faults);
    check_markers(lines, place + file, faults);
    check_size(lines, place + file, faults);
    return lines;
}

void check_step(const Step& step, const Step* next, const fs::path& folder, Faults& faults) {
    std::string place = "steps/" + step.name + "/";
    Lines lines = check_lesson(step, next, folder, "main.cu", faults);
    if (!fs::exists(folder / "main.cu")) return;
    for (auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".h") continue;
        Lines more = lines_of(read_if_exists(entry.path()).value_or(""));
        lines.insert(lines.end(), more.begin(), more.end());
    }
    check_kernels(step, lines, place + "main.cu", faults);
}

}  // namespace

Faults structural_faults(const Course& course, const fs::path& steps) {
    Faults faults;
    if (course.program) {
        check_lesson(*course.program, &course.steps.front(), steps / course.program->name,
                     "program.cu", faults);
    }
    for (size_t i = 0; i < course.steps.size(); ++i) {
        const Step* next = i + 1 < course.steps.size() ? &course.steps[i + 1] : nullptr;
        check_step(course.steps[i], next, steps / course.steps[i].name, faults);
    }
    for (auto& entry : fs::directory_iterator(steps)) {
        std::string name = entry.path().filename();
        bool listed = std::ranges::count(course.steps, name, &Step::name) > 0 ||
                      (course.program && course.program->name == name);
        if (!listed) faults.push_back("steps/" + name + " is no lesson: it has no lesson.toml");
    }
    return faults;
}

}  // namespace coalesce::course
