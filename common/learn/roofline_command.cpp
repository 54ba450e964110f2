#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "examiner/examine.h"
#include "examiner/render.h"
#include "harness/counters_json.h"
#include "harness/device.h"
#include "learn/commands.h"
#include "learn/json_file.h"
#include "learn/paths.h"
#include "learn/roofline.h"

namespace coalesce::learn {
namespace {

const timing::Gpu& find_gpu_by_name(const std::string& name) {
    std::string gpu_names;
    for (const timing::Gpu& gpu : timing::known_gpus()) {
        if (gpu.name == name) return gpu;
        gpu_names += "\n  " + gpu.name;
    }
    throw UsageError("no GPU is called \"" + name + "\"; the known GPUs are:" + gpu_names);
}

/// Returns the kernel and the solution as points of the roofline plot. `verdict` must have
/// counters.
std::vector<RooflinePoint> read_points(const Verdict& verdict) {
    std::vector<RooflinePoint> points = {make_point("yours", *verdict.counters)};
    if (verdict.solution_counters) {
        points.push_back(make_point("solution", *verdict.solution_counters));
    }
    return points;
}

/// Returns those variants of the lesson that have counters in docs/results, as points of the plot.
std::vector<RooflinePoint> points_of_lesson(const LearnerExercise& exercise) {
    std::vector<RooflinePoint> points;
    const Json run = read_json(repository() / "docs/results/simulated.json");
    for (const Json& result : run.at("results")) {
        if (result.at("step") != exercise.step->name || !result.contains("counters")) continue;
        Counters counters;
        codec::decode(result.at("counters"), counters, "counters");
        points.push_back(make_point(result.at("variant"), counters));
    }
    if (points.empty()) {
        throw UsageError("docs/results has no counters of " + exercise.name() +
                         "; name a lesson that has a program with several variants");
    }
    return points;
}

/// Prints the roofline, or writes it to the SVG file.
int show_roofline(const Roofline& chart, const std::string& svg) {
    if (svg.empty()) {
        std::cout << roofline_text(chart) << "\n" << explain_roofline(chart);
        return 0;
    }
    write_file(svg, roofline_svg(chart));
    std::cout << svg << " contains the picture; open it in a web browser.\n";
    return 0;
}

}  // namespace

int roofline(const LearnerExercise& exercise, const RooflineArguments& arguments, char** argv) {
    if (exercise.is_program()) {
        throw UsageError(exercise.name() +
                         " is a whole program, but a roofline can be drawn only for a kernel");
    }
    Roofline chart = make_roofline(find_gpu_by_name(arguments.gpu));
    if (!arguments.svg.empty()) check_writable(arguments.svg);
    if (arguments.draws_lesson) {
        chart.points = points_of_lesson(exercise);
        return show_roofline(chart, arguments.svg);
    }
    choose_device(DeviceChoice::simulator, argv);
    LocalRunner runner({.cache = learners_folder() / "cache"});
    const std::string solution =
        "solutions/" + exercise.name() + "/" + exercise.requirements().file();
    const Verdict verdict =
        examine(exercise.source(arguments.file), exercise.requirements(), runner,
                {.solution = read_source(repository() / solution, solution)});
    if (!verdict.counters) {
        std::cout << terminal_text(verdict)
                  << "\nA roofline can be drawn only for a kernel whose result is correct.\n";
        return 1;
    }
    chart.points = read_points(verdict);
    return show_roofline(chart, arguments.svg);
}

}  // namespace coalesce::learn
