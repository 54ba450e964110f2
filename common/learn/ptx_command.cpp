#include "learn/commands.h"

#include <cmath>
#include <iostream>

#include "base/enum_names.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/kernel_name.h"
#include "base/text.h"
#include "examiner/render.h"
#include "harness/device.h"
#include "harness/text.h"
#include "learn/json_file.h"
#include "learn/launched_code.h"
#include "learn/machine_code.h"
#include "learn/paths.h"
#include "learn/ptx_listing.h"
#include "learn/solution_shown.h"
#include "timing/predict.h"
#include "timing/words.h"

namespace coalesce::learn {
namespace {

// A kernel, and the information that the command prints about it.
struct ShownKernel {
    LaunchedKernel kernel;
    PtxListing listing;
    int registers = 0;                  // registers per thread; 0 if unknown
    std::string registers_source = "";  // such as "ptxas for sm_90" or "estimated"
    int max_warps = 0;                  // maximum number of warps that fit on a multiprocessor
    std::optional<timing::Occupancy> occupancy = {};
};

// Computes the occupancy from the number of registers that ptxas assigned. The prediction used an
// estimate of this number.
timing::Occupancy compute_occupancy(const timing::Prediction& launch, int registers,
                                    const timing::Gpu& gpu) {
    timing::Recording recording;
    recording.threads = static_cast<std::uint32_t>(32 * launch.warps_per_block);
    recording.registers = static_cast<std::uint32_t>(registers);
    recording.shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes);
    recording.blocks = static_cast<std::uint64_t>(
        std::llround(launch.rounds * launch.resident_blocks * gpu.multiprocessors));
    return timing::compute_occupancy(recording, gpu);
}

ShownKernel make_shown_kernel(const LaunchedCode& code, const LaunchedKernel& kernel,
                              const Assembled& assembled) {
    ShownKernel shown{
        .kernel = kernel,
        .listing = make_listing(code.ptx, kernel.entry, code.path_in_ptx, kernel.line),
        .registers_source = assembled.tool_name};
    if (const auto known = assembled.registers.find(kernel.entry);
        known != assembled.registers.end()) {
        shown.registers = known->second;
    } else if (kernel.launch) {
        shown.registers = kernel.launch->registers;
        shown.registers_source = "estimated";
    }
    if (!kernel.launch) return shown;
    const timing::Gpu& gpu = timing::gpu_named(kernel.launch->gpu);
    shown.max_warps = gpu.warps;
    shown.occupancy = compute_occupancy(*kernel.launch, shown.registers, gpu);
    return shown;
}

std::string row(const char* name, const std::string& value) {
    return format("  %-18s ", name) + value + "\n";
}

std::string head_of(const LaunchedCode& code, const ShownKernel& shown, const Style& style) {
    std::string text = style.paint_strong(kernel_name(shown.kernel.entry)) + " of " + code.what +
                       "\n" + format_count(shown.listing.instructions, "PTX instruction") +
                       ", by " + code.compiler + "\n\n";
    if (shown.registers > 0) {
        text += row(
            "registers",
            std::to_string(shown.registers) + " per thread (" + shown.registers_source +
                (shown.registers_source == "estimated" ? ", because ptxas was not found)" : ")"));
    }
    if (!shown.occupancy) {
        return text + wrap("The number of blocks that fit on a multiprocessor is unknown: " +
                               code.why_not_launched + ".",
                           "  ");
    }
    const timing::Prediction& launch = *shown.kernel.launch;
    const timing::Occupancy& occupancy = *shown.occupancy;
    const auto number = [](int count) { return std::to_string(count); };
    text += row("shared memory", number(launch.shared_bytes) + " bytes per block");
    text += row("threads", format_count(occupancy.warps, "warp") + " per block");
    text += row("multiprocessor", format_count(occupancy.blocks, "block") + ", " +
                                      number(occupancy.blocks * occupancy.warps) + " of " +
                                      number(shown.max_warps) + " warps at a time (" + launch.gpu +
                                      ")");
    text += row("limited by", timing::phrase_for(occupancy.limited_by));
    if (occupancy.is_uncertain && shown.registers_source == "estimated") {
        text += wrap(
            "The number of registers is an estimate. With a few more or fewer registers, the "
            "number of blocks would be different.",
            "  ");
    }
    return text;
}

Json as_json(const LaunchedCode& code, const ShownKernel& shown) {
    Json lines = Json::array();
    const std::vector<std::string> source = lines_of(code.source);
    for (auto& [number, instructions] : shown.listing.lines) {
        Json list = Json::array();
        for (auto& one : instructions)
            list.push_back({{"place", one.position}, {"text", one.text}});
        const auto at = static_cast<size_t>(number);
        lines.push_back({{"line", number},
                         {"source", at >= 1 && at <= source.size() ? source[at - 1] : ""},
                         {"ptx", list}});
    }
    Json json = {{"kernel", kernel_name(shown.kernel.entry)},
                 {"entry", shown.kernel.entry},
                 {"instructions", shown.listing.instructions},
                 {"registers", shown.registers},
                 {"registers_by", shown.registers_source}};
    if (shown.occupancy) {
        const timing::Prediction& launch = *shown.kernel.launch;
        json["gpu"] = launch.gpu;
        json["shared_bytes"] = launch.shared_bytes;
        json["warps_of_block"] = shown.occupancy->warps;
        json["resident_blocks"] = shown.occupancy->blocks;
        json["limited_by"] = dashed_name(shown.occupancy->limited_by);
    } else {
        json["not_launched"] = code.why_not_launched;
    }
    json["lines"] = lines;
    return json;
}

void validate_arguments(const PtxArguments& words) {
    const bool is_learners = words.is_learner_file || !words.file.empty();
    if (words.is_learner_file && !words.file.empty()) {
        throw UsageError(
            "--mine shows your file for the exercise, and --file shows another file; use only one "
            "of them");
    }
    if (is_learners && !words.variant.empty()) {
        throw UsageError(
            "--variant shows a kernel of the lesson, and --mine and --file show your own kernel; "
            "use only one of them");
    }
    if (words.is_sass && !words.json.empty()) {
        throw UsageError(
            "--json writes the PTX, and --sass shows machine code; use only one of them");
    }
    require_file(words.file);
    if (!words.json.empty()) check_writable(words.json);
}

// Returns the step to which `word` refers. The step need not have an exercise.
const course::Step& step_of(Session& session, const std::string& word) {
    if (word.empty()) return *session.exercise("", false).step;
    if (const course::Step* step = session.course.find(word)) return *step;
    throw UsageError("there is no step \"" + word + "\"; ./learn list shows all steps");
}

// Reports whether a variant solves the exercise. The learner may see variants that are not
// solutions at any time.
bool is_solution(const course::Step& step, const std::string& name) {
    const course::Variant* variant = name.empty() ? &step.variants.front() : step.find(name);
    if (!step.exercise || !variant || variant->kernel.empty()) return false;
    return extract_step_kernel(step.name).find(" " + variant->kernel + "(") != std::string::npos;
}

bool may_show(Session& session, const PtxArguments& words) {
    if (words.is_learner_file || !words.file.empty()) return true;
    const course::Step& step = step_of(session, words.exercise);
    if (!is_solution(step, words.variant)) return true;
    const std::string command = "ptx " + step.number();
    const std::string of = words.variant.empty() ? "" : " --variant " + words.variant;
    return may_see_solution(session, {&step}, words.is_confirmed,
                            {command + of, "./learn " + command + " --mine"});
}

LaunchedCode load_code(Session& session, const PtxArguments& words, char** argv) {
    if (!words.is_learner_file && words.file.empty()) {
        return load_variant_code(step_of(session, words.exercise), words.variant);
    }
    const LearnerExercise exercise = session.exercise(words.exercise, false);
    choose_device(DeviceChoice::simulator, argv);
    return load_file_code(exercise, words.file);
}

}  // namespace

int ptx(Session& session, const PtxArguments& words, char** argv) {
    validate_arguments(words);
    if (!may_show(session, words)) return 1;
    const LaunchedCode code = load_code(session, words, argv);
    if (code.failure.kind != FailureKind::none) {
        std::cout << terminal_text(code.failure);
        return 1;
    }
    Json kernels = Json::array();
    const Assembled assembled = learn::assemble_ptx(code.ptx);
    std::string text;
    for (auto& kernel : code.kernels) {
        const ShownKernel shown = make_shown_kernel(code, kernel, assembled);
        text += (text.empty() ? "" : "\n") + head_of(code, shown, session.style) + "\n";
        text += words.is_sass ? disassemble(code.ptx, kernel.entry)
                              : text_of(shown.listing, code.source, session.style.columns);
        kernels.push_back(as_json(code, shown));
    }
    if (!words.json.empty()) {
        write_file(words.json, json_text(Json{{"format", 1},
                                              {"of", code.what},
                                              {"file", code.file},
                                              {"compiler", code.compiler},
                                              {"kernels", kernels}}));
    }
    std::cout << text;
    return 0;
}

}  // namespace coalesce::learn
