// Compiles a lesson with the command that CMake recorded in compile_commands.json, changed to write
// PTX instead of an object file. The lesson's own program names its kernels and reports their
// launches.
#include "learn/launched_code.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/kernel_name.h"
#include "base/text.h"
#include "examiner/cache.h"
#include "examiner/compiled_from.h"
#include "examiner/predicted_launch.h"
#include "examiner/runner.h"
#include "examiner/source_lines.h"
#include "learn/json_file.h"
#include "learn/paths.h"
#include "learn/ptx_listing.h"
#include "timing/prediction_codec.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

constexpr double kCompileSeconds = 120;

fs::path cache_folder() {
    return learners_folder() / "cache";
}

// ---- the command that compiles a lesson ----

struct CompileCommand {
    fs::path folder, source;
    std::vector<std::string> words;
};

// Splits a command line into words. CMake quotes and escapes words that contain spaces.
std::vector<std::string> split_command_line(const std::string& line) {
    std::vector<std::string> words;
    bool is_quoted = false, is_new = true;
    for (size_t index = 0; index < line.size(); ++index) {
        if (line[index] == '"') {
            is_quoted = !is_quoted;
            continue;
        }
        if (line[index] == ' ' && !is_quoted) {
            is_new = true;
            continue;
        }
        if (line[index] == '\\' && index + 1 < line.size()) ++index;
        if (is_new) words.emplace_back();
        is_new = false;
        words.back() += line[index];
    }
    return words;
}

CompileCommand find_compile_command(const course::Step& step) {
    const fs::path file = programs_folder().parent_path() / "compile_commands.json";
    const std::string next_action = "; ./learn build writes this file";
    if (!fs::exists(file)) throw UsageError("there is no " + file.string() + next_action);
    const std::string object_folder = "/" + step.name + ".dir/";
    for (const Json& compile_entry : read_json(file)) {
        const std::string command = compile_entry.value("command", ""),
                          source = compile_entry.value("file", "");
        if (!source.ends_with("/steps/" + step.name + "/main.cu")) continue;
        // The lesson's file is also compiled into other programs. Find the command for the lesson's
        // own program.
        if (command.find(object_folder) == command.npos) continue;
        return {compile_entry.value("directory", ""), source, split_command_line(command)};
    }
    throw UsageError(file.string() + " has no command that compiles " + step.name + "" +
                     next_action);
}

// Changes a compiler command so that it writes PTX instead of machine code.
std::vector<std::string> to_ptx_command(const std::vector<std::string>& words,
                                        const fs::path& ptx) {
    std::vector<std::string> ptx_command;
    bool has_virtual = false;
    for (size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        if (word == "-c") continue;
        if (word == "-o") {
            ++k;
            continue;
        }
        const bool is_target = word.starts_with("--generate-code=");
        const bool is_virtual = word.find("code=[compute_") != word.npos;
        if (is_target && (!is_virtual || has_virtual)) continue;
        has_virtual = has_virtual || is_target;
        ptx_command.push_back(is_target ? word.substr(0, word.find(']') + 1) : word);
    }
    ptx_command.insert(ptx_command.end(), {"-ptx", "-o", ptx.string()});
    return ptx_command;
}

std::string compile_step(const course::Step& step, const CompileCommand& command,
                         const std::string& source) {
    std::error_code error;
    const auto build_time = fs::last_write_time(program_path(step.name), error);
    // The key contains the time at which the program was built. That time represents all other
    // inputs of the compiler.
    std::ostringstream cache_key;
    cache_key << (error ? 0 : build_time.time_since_epoch().count()) << "\n";
    for (auto& word : command.words) cache_key << word << "\n";
    cache_key << source;
    const Cache cache(cache_folder());
    if (auto cached_ptx = cache.find("ptx-of-step", cache_key.str())) return *cached_ptx;

    const TemporaryFolder folder;
    const fs::path file = folder / "main.ptx";
    const ProcessResult compiler_result =
        run_child(to_ptx_command(command.words, file), kCompileSeconds, {}, command.folder);
    const std::string ptx = read_if_exists(file).value_or("");
    if (compiler_result.exit_code != 0 || ptx.empty()) {
        throw std::runtime_error("steps/" + step.name + "/main.cu does not compile:\n" +
                                 compiler_result.output);
    }
    cache.save_cached("ptx-of-step", cache_key.str(), ptx);
    return ptx;
}

// Returns the name of the compiler, along with its version if the PTX states it, such as "nvcc
// 13.0.88".
std::string find_compiler_name(const std::string& ptx, const std::string& program) {
    const std::string name = fs::path(program).filename().string();
    const std::string release_prefix = "Cuda compilation tools, release", version_prefix = ", V";
    size_t position = ptx.find(release_prefix);
    if (position != ptx.npos) position = ptx.find(version_prefix, position);
    if (position == ptx.npos) return name;
    position += version_prefix.size();
    return name + " " +
           ptx.substr(position, ptx.find_first_not_of("0123456789.", position) - position);
}

// ---- its launches ----

// Returns the launches for which the lesson's own program predicts times. If there are none, sets
// `failure_reason`.
std::vector<timing::Prediction> predict_launches_of_step(const course::Step& step,
                                                         const std::string& variant,
                                                         std::string& failure_reason) {
    const fs::path program = require_built(program_path(step.name));
    const TemporaryFolder folder;
    const fs::path file = folder / "run.json";
    const ProcessResult program_result =
        run_child({program.string(), "--device", "sim", "--bench", "--variant", variant, "--time",
                   "--at", "4096", "--json", file.string()},
                  kCompileSeconds);
    if (!fs::exists(file))
        throw std::runtime_error(program.string() + " failed:\n" + program_result.output);
    const Json run_json = read_json(file);
    const Json& result = run_json.at("results").at(0);
    failure_reason = result.value("not_predicted", result.value("skipped", ""));
    if (!result.contains("predicted")) return {};
    std::vector<timing::Prediction> launches;
    codec::decode(result.at("predicted").at("launches"), launches, "launches");
    return launches;
}

// Returns the kernels in this file that were launched, without duplicates. If no kernel was
// launched, returns the kernels called `base_name`.
std::vector<LaunchedKernel> list_launched_kernels(const LaunchedCode& code,
                                                  const std::vector<timing::Prediction>& launches,
                                                  const std::string& base_name) {
    std::vector<LaunchedKernel> kernels;
    const auto add_kernel = [&](const std::string& entry, const timing::Prediction* launch) {
        const bool is_listed = std::ranges::count(kernels, entry, &LaunchedKernel::entry) > 0;
        if (is_listed) return;
        const std::string name = kernel_name(entry);
        kernels.push_back(
            {entry, find_kernel_line(code.source, name.substr(0, name.find('<'))), {}});
        if (launch != nullptr) kernels.back().launch = *launch;
    };
    const std::vector<std::string> entries = find_entries(code.ptx);
    for (auto& launch : launches) {
        const auto entry = std::ranges::find(entries, launch.kernel, kernel_name);
        if (entry != entries.end()) add_kernel(*entry, &launch);
    }
    if (!kernels.empty()) return kernels;
    for (auto& entry : entries) {
        const std::string name = kernel_name(entry);
        if (name.substr(0, name.find('<')) == base_name) add_kernel(entry, nullptr);
    }
    return kernels;
}

const course::Variant& find_variant(const course::Step& step, const std::string& name) {
    if (name.empty()) return step.variants.front();
    if (const course::Variant* known_variant = step.find(name)) return *known_variant;
    throw UsageError(step.name + " has no variant \"" + name + "\"; the variants are " +
                     coalesce::joined(step.variants, ", ", &course::Variant::name));
}

}  // namespace

LaunchedCode load_variant_code(const course::Step& step, const std::string& name) {
    const course::Variant& variant = find_variant(step, name);
    if (variant.kernel.empty()) {
        throw UsageError(variant.name + " of " + step.name +
                         " is host code, which has no PTX; ./learn list " + step.number() +
                         " shows the kernels");
    }
    const CompileCommand command = find_compile_command(step);
    LaunchedCode code;
    code.heading = step.name + ", variant " + variant.name;
    code.file = code.path_in_ptx = "steps/" + step.name + "/main.cu";
    code.source = read_file(command.source);
    code.ptx = compile_step(step, command, code.source);
    code.compiler = find_compiler_name(code.ptx, command.words.front());
    const auto launches = predict_launches_of_step(step, variant.name, code.why_not_launched);
    code.kernels = list_launched_kernels(code, launches, variant.kernel);
    if (code.kernels.empty()) {
        throw std::runtime_error("the PTX of " + code.file + " has no kernel " + variant.kernel +
                                 "; ./learn build brings the programs up to date");
    }
    return code;
}

LaunchedCode load_file_code(const LearnerExercise& exercise, const std::string& file) {
    const Source source = exercise.source(file);
    LocalRunner runner({.cache = cache_folder()});
    const Exercise& exercise_data = exercise.requirements();
    const Compiled compiled_kernel = runner.compile(source, Signature(exercise_data));
    LaunchedCode code;
    code.heading = exercise.name() + ", " + source.name;
    code.file = source.name;
    code.source = source.text;
    code.path_in_ptx = "learner/kernel.cu";
    code.failure = compiled_kernel.failure;
    if (!compiled_kernel.is_ok()) return code;
    code.ptx = compiled_kernel.ptx;
    code.compiler = compiled_kernel.compiler;
    code.kernels.push_back(
        {compiled_kernel.entry, find_kernel_line(source.text, exercise_data.kernel), {}});
    if (exercise.has_element_task()) {
        code.why_not_launched = "times are predicted for matrices only";
        return code;
    }
    const Shape shape = predicted_shape(exercise_data);
    if (const auto prediction = runner.predict(compiled_kernel, exercise_data.task(), shape)) {
        code.kernels.front().launch = prediction->longest();
    } else {
        code.why_not_launched = "the kernel cannot be launched at " + shape.name() +
                                ", or its time cannot be predicted";
    }
    bool is_cut = false;
    runner.take_output(is_cut);  // discard the output of the kernel
    return code;
}

}  // namespace coalesce::learn
