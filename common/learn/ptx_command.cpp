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
                              const AssembledKernels& assembled) {
    ShownKernel shown_kernel{
        .kernel = kernel,
        .listing = make_listing(code.ptx, kernel.entry, code.path_in_ptx, kernel.line),
        .registers_source = assembled.tool_name};
    if (const auto register_count = assembled.registers.find(kernel.entry);
        register_count != assembled.registers.end()) {
        shown_kernel.registers = register_count->second;
    } else if (kernel.launch) {
        shown_kernel.registers = kernel.launch->registers;
        shown_kernel.registers_source = "estimated";
    }
    if (!kernel.launch) return shown_kernel;
    const timing::Gpu& gpu = timing::find_gpu(kernel.launch->gpu);
    shown_kernel.max_warps = gpu.max_warps;
    shown_kernel.occupancy = compute_occupancy(*kernel.launch, shown_kernel.registers, gpu);
    return shown_kernel;
}

std::string format_row(const char* name, const std::string& value) {
    return format("  %-18s ", name) + value + "\n";
}

std::string format_head(const LaunchedCode& code, const ShownKernel& shown_kernel,
                        const Style& style) {
    std::string text = style.paint_strong(kernel_name(shown_kernel.kernel.entry)) + " of " +
                       code.heading + "\n" +
                       format_count(shown_kernel.listing.instructions, "PTX instruction") +
                       ", by " + code.compiler + "\n\n";
    if (shown_kernel.registers > 0) {
        text += format_row("registers", std::to_string(shown_kernel.registers) + " per thread (" +
                                            shown_kernel.registers_source +
                                            (shown_kernel.registers_source == "estimated"
                                                 ? ", because ptxas was not found)"
                                                 : ")"));
    }
    if (!shown_kernel.occupancy) {
        return text + wrap("The number of blocks that fit on a multiprocessor is unknown: " +
                               code.why_not_launched + ".",
                           "  ");
    }
    const timing::Prediction& launch = *shown_kernel.kernel.launch;
    const timing::Occupancy& occupancy = *shown_kernel.occupancy;
    const auto number = [](int count) { return std::to_string(count); };
    text += format_row("shared memory", number(launch.shared_bytes) + " bytes per block");
    text += format_row("threads", format_count(occupancy.warps, "warp") + " per block");
    text += format_row("multiprocessor", format_count(occupancy.blocks, "block") + ", " +
                                             number(occupancy.blocks * occupancy.warps) + " of " +
                                             number(shown_kernel.max_warps) + " warps at a time (" +
                                             launch.gpu + ")");
    text += format_row("limited by", timing::phrase_for(occupancy.limiting_resource));
    if (occupancy.is_uncertain && shown_kernel.registers_source == "estimated") {
        text += wrap(
            "The number of registers is an estimate. With a few more or fewer registers, the "
            "number of blocks would be different.",
            "  ");
    }
    return text;
}

Json kernel_to_json(const LaunchedCode& code, const ShownKernel& shown_kernel) {
    Json lines = Json::array();
    const std::vector<std::string> source = lines_of(code.source);
    for (auto& [number, instructions] : shown_kernel.listing.lines) {
        Json instruction_list = Json::array();
        for (auto& instruction : instructions)
            instruction_list.push_back(
                {{"place", instruction.position}, {"text", instruction.text}});
        const auto line_index = static_cast<size_t>(number);
        lines.push_back(
            {{"line", number},
             {"source",
              line_index >= 1 && line_index <= source.size() ? source[line_index - 1] : ""},
             {"ptx", instruction_list}});
    }
    Json json = {{"kernel", kernel_name(shown_kernel.kernel.entry)},
                 {"entry", shown_kernel.kernel.entry},
                 {"instructions", shown_kernel.listing.instructions},
                 {"registers", shown_kernel.registers},
                 {"registers_by", shown_kernel.registers_source}};
    if (shown_kernel.occupancy) {
        const timing::Prediction& launch = *shown_kernel.kernel.launch;
        json["gpu"] = launch.gpu;
        json["shared_bytes"] = launch.shared_bytes;
        json["warps_of_block"] = shown_kernel.occupancy->warps;
        json["resident_blocks"] = shown_kernel.occupancy->blocks;
        json["limited_by"] = dashed_name(shown_kernel.occupancy->limiting_resource);
    } else {
        json["not_launched"] = code.why_not_launched;
    }
    json["lines"] = lines;
    return json;
}

void validate_arguments(const PtxArguments& arguments) {
    const bool is_learners = arguments.is_learner_file || !arguments.file.empty();
    if (arguments.is_learner_file && !arguments.file.empty()) {
        throw UsageError(
            "--mine shows your file for the exercise, and --file shows another file; use only one "
            "of them");
    }
    if (is_learners && !arguments.variant.empty()) {
        throw UsageError(
            "--variant shows a kernel of the lesson, and --mine and --file show your own kernel; "
            "use only one of them");
    }
    if (arguments.is_sass && !arguments.json.empty()) {
        throw UsageError(
            "--json writes the PTX, and --sass shows machine code; use only one of them");
    }
    require_file(arguments.file);
    if (!arguments.json.empty()) check_writable(arguments.json);
}

// Returns the step to which `word` refers. The step need not have an exercise.
const course::Step& find_step_of(Session& session, const std::string& word) {
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

bool may_show_kernel(Session& session, const PtxArguments& arguments) {
    if (arguments.is_learner_file || !arguments.file.empty()) return true;
    const course::Step& step = find_step_of(session, arguments.exercise);
    if (!is_solution(step, arguments.variant)) return true;
    const std::string command = "ptx " + step.number();
    const std::string variant_option =
        arguments.variant.empty() ? "" : " --variant " + arguments.variant;
    return may_see_solution(session, {&step}, arguments.is_confirmed,
                            {command + variant_option, "./learn " + command + " --mine"});
}

LaunchedCode load_code(Session& session, const PtxArguments& arguments, char** argv) {
    if (!arguments.is_learner_file && arguments.file.empty()) {
        return load_variant_code(find_step_of(session, arguments.exercise), arguments.variant);
    }
    const LearnerExercise exercise = session.exercise(arguments.exercise, false);
    choose_device(DeviceChoice::simulator, argv);
    return load_file_code(exercise, arguments.file);
}

}  // namespace

int ptx(Session& session, const PtxArguments& arguments, char** argv) {
    validate_arguments(arguments);
    if (!may_show_kernel(session, arguments)) return 1;
    const LaunchedCode code = load_code(session, arguments, argv);
    if (code.failure.kind != FailureKind::none) {
        std::cout << terminal_text(code.failure);
        return 1;
    }
    Json kernels = Json::array();
    const AssembledKernels assembled = learn::assemble_ptx(code.ptx);
    std::string text;
    for (auto& kernel : code.kernels) {
        const ShownKernel shown_kernel = make_shown_kernel(code, kernel, assembled);
        text += (text.empty() ? "" : "\n") + format_head(code, shown_kernel, session.style) + "\n";
        text += arguments.is_sass
                    ? disassemble(code.ptx, kernel.entry)
                    : text_of(shown_kernel.listing, code.source, session.style.columns);
        kernels.push_back(kernel_to_json(code, shown_kernel));
    }
    if (!arguments.json.empty()) {
        write_file(arguments.json, json_text(Json{{"format", 1},
                                                  {"of", code.heading},
                                                  {"file", code.file},
                                                  {"compiler", code.compiler},
                                                  {"kernels", kernels}}));
    }
    std::cout << text;
    return 0;
}

}  // namespace coalesce::learn
