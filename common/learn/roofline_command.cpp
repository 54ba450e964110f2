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
    std::string names;
    for (const timing::Gpu& gpu : timing::known_gpus()) {
        if (gpu.name == name) return gpu;
        names += "\n  " + gpu.name;
    }
    throw UsageError("no GPU is called \"" + name + "\"; the known GPUs are:" + names);
}

/// Returns the kernel and the solution as points of the roofline plot. `verdict` must have
/// counters.
std::vector<RooflinePoint> points_of(const Verdict& verdict) {
    std::vector<RooflinePoint> points = {point_of("yours", *verdict.counters)};
    if (verdict.solution_counters) {
        points.push_back(point_of("solution", *verdict.solution_counters));
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
        points.push_back(point_of(result.at("variant"), counters));
    }
    if (points.empty()) {
        throw UsageError("docs/results has no counters of " + exercise.name() +
                         "; name a lesson that has a program with several variants");
    }
    return points;
}

/// Prints the roofline, or writes it to the SVG file.
int show(const Roofline& drawn, const std::string& svg) {
    if (svg.empty()) {
        std::cout << roofline_text(drawn) << "\n" << explain_roofline(drawn);
        return 0;
    }
    write_file(svg, roofline_svg(drawn));
    std::cout << svg << " contains the picture; open it in a web browser.\n";
    return 0;
}

}  // namespace

int roofline(const LearnerExercise& exercise, const RooflineArguments& words, char** argv) {
    if (exercise.is_program()) {
        throw UsageError(exercise.name() +
                         " is a whole program, but a roofline can be drawn only for a kernel");
    }
    Roofline drawn = roofline_for(find_gpu_by_name(words.gpu));
    if (!words.svg.empty()) check_writable(words.svg);
    if (words.draws_lesson) {
        drawn.points = points_of_lesson(exercise);
        return show(drawn, words.svg);
    }
    choose_device(DeviceChoice::simulator, argv);
    LocalRunner runner({.cache = learners_folder() / "cache"});
    const std::string solution =
        "solutions/" + exercise.name() + "/" + exercise.requirements().file();
    const Verdict verdict = examine(exercise.source(words.file), exercise.requirements(), runner,
                                    {.solution = read_source(repository() / solution, solution)});
    if (!verdict.counters) {
        std::cout << terminal_text(verdict)
                  << "\nA roofline can be drawn only for a kernel whose result is correct.\n";
        return 1;
    }
    drawn.points = points_of(verdict);
    return show(drawn, words.svg);
}

}  // namespace coalesce::learn
