// exercise_steps -- tests that the recorded steps of a kernel match what the kernel does.
//
//     exercise_steps 03_tiled               the solution and every wrong kernel of the exercise
//     exercise_steps --every 4 03_tiled     the solution and every fourth wrong kernel
//     exercise_steps --spoil 03_tiled       deliberately changes one recorded value; must fail
//
// Values    A printf is added after every declaration of a scalar, on the same line. The program
//           itself then prints the values of its variables, for one thread of the block. The
//           recorded steps of the unchanged kernel must have the same values, in the same order.
// Moments   If a check reports an access of the recorded block, the moment must be a step of the
//           reported line in which the thread accesses memory. If an element is wrong, the moment
//           must be the last step that stores to that element.
// Again     A second recording of the kernel must be identical to the first.
// Right     The solution must be correct without optimization, too.
//
// Exit code: 0 if all kernels pass, 1 if one does not, 2 if a kernel could not be examined.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "examiner/block_steps.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/skeleton.h"
#include "sample.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path solutions = COALESCE_REPOSITORY "/solutions";
/// The lane of the first warp whose variables are compared. In most kernels, this lane's row
/// differs from its column.
constexpr int kLane = 5;

/// Maps each variable, identified by its name and the line that declares it, to its values after
/// each execution of that line.
using Values = std::map<std::pair<int, std::string>, std::vector<std::string>>;

BlockSteps record(const std::string& text, const Exercise& exercise, const StepsRequest& request,
                  std::string* printed = nullptr) {
    LocalRunner runner({.keeps_variables = true});
    const BlockSteps steps =
        record_steps(make_source(text, exercise.file()), exercise, runner, request);
    bool is_cut = false;
    const std::string output = runner.take_output(is_cut);
    if (printed) *printed = output;
    return steps;
}

// ---- values that the program prints ----

bool is_printed(const json& variable) {
    const std::string kind = variable.at("kind");
    return kind == "int" || kind == "uint" || kind == "float";
}

/// Returns the kernel with a printf after each line that declares one of the recorded scalars.
std::string add_printf(const std::string& text, const json& steps) {
    static const std::regex declaration(R"(^\s+(const )?[A-Za-z_][\w:<>]* (\w+) = .*;\s*(//.*)?$)");
    std::vector<std::string> lines = lines_of(text);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        std::smatch match;
        if (!std::regex_match(lines[k], match, declaration) || match[3].matched ||
            lines[k].find('{') != std::string::npos)
            continue;
        const std::string name = match[2];
        for (const json& variable : steps.at("variables")) {
            if (variable.at("name") != name || variable.at("lines").at(0) != k + 1 ||
                !is_printed(variable))
                continue;
            const bool is_real = variable.at("kind") == "float";
            lines[k] +=
                " if (blockIdx.x + blockIdx.y + blockIdx.z == 0 && threadIdx.x + blockDim.x"
                " * (threadIdx.y + blockDim.y * threadIdx.z) == " +
                std::to_string(kLane) + ") printf(\"@" + std::to_string(k + 1) + " " + name +
                (is_real ? " %.9g" : " %lld") + "\\n\", " + (is_real ? "(double)" : "(long long)") +
                name + ");";
            break;
        }
    }
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

/// Returns the values that a kernel with added printfs has printed. Lines with values begin with @.
Values printed_values(const std::string& output) {
    Values values;
    for (const std::string& line : lines_of(output)) {
        std::istringstream words(line);
        char at = 0;
        int number = 0;
        std::string name, value;
        if (words >> at >> number >> name >> value && at == '@')
            values[{number, name}].push_back(value);
    }
    return values;
}

// ---- values in the recorded steps ----

std::string to_text(const json& value) {
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    // printf does not print the bits of a NaN, so all NaNs compare equal.
    if (text.starts_with("nan")) return "nan";
    if (!value.is_number_float()) return text;
    char number[40];
    std::snprintf(number, sizeof number, "%.9g", value.get<double>());
    return number;
}

/// Returns the position of a lane's value in a list that has one value for each lane in `mask`.
std::size_t place_in(std::uint32_t mask, int lane) {
    return static_cast<std::size_t>(__builtin_popcount(mask & ((1u << lane) - 1)));
}

/// Returns the values of the lane's variables after each step of the lines that declare them.
Values recorded_values(const json& steps) {
    Values values;
    std::map<std::size_t, std::string> now;
    for (const json& step : steps.at("steps")) {
        if (step.at("warp") != 0) continue;
        for (const json& change : step.value("set", json::array())) {
            const std::uint32_t lanes = change.at(1);
            if (!(lanes >> kLane & 1)) continue;
            const json& value = change.at(2 + place_in(lanes, kLane));
            if (value.is_null())
                now.erase(change.at(0));
            else
                now[change.at(0)] = to_text(value);
        }
        if (!(step.at("active").get<std::uint32_t>() >> kLane & 1)) continue;
        for (const auto& [variable, value] : now) {
            const json& what = steps.at("variables").at(variable);
            if (what.at("lines").at(0) == step.at("line") &&
                what.at("function") == step.at("function"))
                values[{step.at("line"), what.at("name")}].push_back(value);
        }
    }
    return values;
}

/// Returns a description of the first difference, or "". Both lists of values may be truncated at a
/// limit. Incomplete steps may lack a variable.
std::string compare(const Values& printed, const Values& recorded, bool is_complete,
                    std::size_t& compared) {
    for (const auto& [place, values] : printed) {
        const std::string name = place.second + " in line " + std::to_string(place.first);
        const auto found = recorded.find(place);
        if (found == recorded.end()) {
            if (!is_complete) continue;
            return "the steps do not have " + name;
        }
        const std::size_t count = std::min(values.size(), found->second.size());
        for (std::size_t k = 0; k < count; ++k, ++compared) {
            const std::string of_program = values[k].starts_with("-nan") ? "nan" : values[k];
            if (of_program != found->second[k])
                return name + " is " + of_program + ", recorded " + found->second[k];
        }
    }
    return "";
}

// ---- moments ----

/// Reports whether a step contains an access by the thread.
bool accesses(const json& step, int thread) {
    for (const json& access : step.value("accesses", json::array()))
        if (step.at("warp") == thread / 32 &&
            access.at("lanes").get<std::uint32_t>() >> thread % 32 & 1)
            return true;
    return false;
}

bool has_asynchronous_access(const json& step) {
    return std::ranges::any_of(step.value("accesses", json::array()), [](const json& access) {
        return access.value("asynchronous", false);
    });
}

std::string check_moments(const json& steps) {
    for (const json& moment : steps.at("moments")) {
        const json& step = steps.at("steps").at(moment.at("step").get<std::size_t>());
        const std::string check = moment.at("check");
        // An uninitialized value is reported when it is used, but the report names the line that
        // loaded it.
        const bool is_access = check == "memcheck" || check == "racecheck" || check == "globalrace";
        if (check == "result" && step.value("accesses", json::array()).empty())
            return "the moment of the wrong element stores nothing";
        if (!is_access) continue;
        const bool is_line = step.at("line") == moment.at("line") ||
                             step.at("line") == moment.value("other_line", 0);
        if (!is_line)
            return check + " is in line " + moment.at("line").dump() + ", its moment in " +
                   step.at("line").dump();
        // A bulk copy is not an access by a thread. It moves more than a thread's 16 bytes, or its
        // step contains asynchronous accesses.
        static const std::regex bytes(R"(^(?:Reads|Writes) (\d{1,6}) bytes)");
        const std::string message = moment.at("message");
        std::smatch found;
        const bool is_copy = std::regex_search(message, found, bytes) &&
                             (std::stoi(found[1]) > 16 || has_asynchronous_access(step));
        // A bulk copy, an atomic or an mbarrier that is invalid ends the launch before its access.
        const bool is_refused = message.starts_with("Changes atomically") ||
                                message.find("bulk copy") != std::string::npos;
        if (step.at("line") == moment.at("line") && !is_copy && !is_refused &&
            !accesses(step, moment.at("thread")))
            return "the thread of " + check + " accesses nothing at its moment";
    }
    return "";
}

/// Returns the steps without the addresses and the PTX. Addresses differ between launches in a
/// process, and NVRTC generates new names for header functions each time it compiles.
json without_addresses(json steps) {
    steps.erase("functions");
    steps.erase("ptx");
    for (json& array : steps["arrays"]) array.erase("address");
    for (json& moment : steps["moments"]) moment.erase("message");
    for (json& step : steps["steps"]) {
        json kept = json::array();
        for (const json& change : step.value("set", json::array())) {
            const json& variable = steps["variables"].at(change.at(0).get<std::size_t>());
            // Omit pointers, and variables of header functions, which may contain addresses
            // converted to integers.
            if (variable.at("kind") != "pointer" && variable.at("function") == 0)
                kept.push_back(change);
        }
        step["set"] = kept;
    }
    return steps;
}

// ---- a kernel ----

struct Counts {
    std::size_t kernels = 0, values = 0, moments = 0, failed = 0;
};

/// Changes one of the recorded values that are compared.
void spoil(json& steps) {
    for (json& step : steps.at("steps")) {
        if (step.at("warp") != 0) continue;
        for (json& change : step["set"]) {
            const std::uint32_t lanes = change.at(1);
            const json& variable = steps.at("variables").at(change.at(0).get<std::size_t>());
            if (!(lanes >> kLane & 1) || variable.at("kind") != "int" ||
                variable.at("lines").at(0) != step.at("line"))
                continue;
            json& value = change.at(2 + place_in(lanes, kLane));
            if (value.is_null()) continue;
            value = value.get<long long>() + 1;
            if (variable.at("name") == "row" || variable.at("name") == "col") return;
        }
    }
}

std::string examine(const std::string& text, const Exercise& exercise, bool is_solution,
                    bool spoils, Counts& counts) {
    const BlockSteps found = record(text, exercise, {});
    if (is_solution && !found.is_ok()) return "the solution has no steps";
    if (is_solution && !found.mistake.empty()) return "the solution is wrong: " + found.mistake;
    if (!found.is_ok()) return "";  // the kernel does not compile, or is not launched
    const json of_mistake = json::parse(found.json);
    counts.moments += of_mistake.at("moments").size();
    if (std::string wrong = check_moments(of_mistake); !wrong.empty()) return wrong;

    const StepsRequest first{.shape = found.shape, .block = 0};
    const BlockSteps recorded = record(text, exercise, first);
    json steps = json::parse(recorded.json);
    if (without_addresses(steps) !=
        without_addresses(json::parse(record(text, exercise, first).json)))
        return "the steps differ from run to run";
    std::string printed;
    const BlockSteps with_printf = record(add_printf(text, steps), exercise, first, &printed);
    if (!with_printf.is_ok()) return "";  // a declaration has no braces
    if (spoils) spoil(steps);
    return compare(printed_values(printed), recorded_values(steps),
                   steps.at("is_complete").get<bool>(), counts.values);
}

int run(int argc, char** argv) {
    LocalRunner::prepare_process();
    choose_device_from_environment(argv);
    std::vector<std::string> words(argv + 1, argv + argc);
    const bool spoils = !words.empty() && words[0] == "--spoil";
    if (spoils) words.erase(words.begin());
    Sample sample = sample_of(words);
    if (words.size() != 1) throw UsageError("an exercise is needed");
    const Exercise& exercise = require_exercise(words[0]);
    std::vector<fs::path> files;
    if (!spoils)
        for (const auto& entry : fs::directory_iterator(solutions / words[0] / "wrong"))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::erase_if(files, [&](const fs::path&) { return !sample.takes_next(); });
    files.insert(files.begin(), solutions / words[0] / exercise.file());

    Counts counts;
    for (const fs::path& file : files) {
        const std::string text = read_file(file);
        if (text.find("\n// of: the bug hunt") != text.npos) continue;
        const bool is_solution = file == files.front();
        const std::string kernel =
            is_solution ? parse_skeleton(text, file.filename()).solved_text() : text;
        const std::string wrong = examine(kernel, exercise, is_solution, spoils, counts);
        ++counts.kernels;
        if (wrong.empty()) continue;
        ++counts.failed;
        std::printf("%s: %s\n", file.filename().c_str(), wrong.c_str());
    }
    std::printf("%s: %zu kernels, %zu values, %zu moments, %zu not as they should be\n",
                words[0].c_str(), counts.kernels, counts.values, counts.moments, counts.failed);
    if (counts.values == 0) std::printf("%s: no value was compared\n", words[0].c_str());
    return counts.failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        return coalesce::exercises::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 2;
}
