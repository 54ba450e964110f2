#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "examiner/examine.h"
#include "examiner/render.h"
#include "harness/device.h"
#include "learn/commands.h"
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

}  // namespace

int roofline(const LearnerExercise& exercise, const RooflineArguments& words, char** argv) {
    if (exercise.is_program()) {
        throw UsageError(exercise.name() +
                         " is a whole program, but a roofline can be drawn only for a kernel");
    }
    Roofline drawn = roofline_for(find_gpu_by_name(words.gpu));
    choose_device(DeviceChoice::simulator, argv);
    if (!words.svg.empty()) check_writable(words.svg);
    LocalRunner runner({.cache = learners_folder() / "cache"});
    const std::string solution =
        "solutions/" + exercise.name() + "/" + exercise.requirements().file();
    const Verdict verdict = examine(exercise.source(words.file), exercise.requirements(), runner,
                                    {.solution = read_source(repository() / solution, solution)});
    if (!verdict.counters) {
        std::cout << terminal_text(verdict)
                  << "\nA roofline can be drawn only for a kernel whose result is right.\n";
        return 1;
    }
    drawn.points = points_of(verdict);
    if (!words.svg.empty()) {
        write_file(words.svg, roofline_svg(drawn));
        std::cout << words.svg << " contains the picture; open it in a web browser.\n";
        return 0;
    }
    std::cout << roofline_text(drawn) << "\n" << explain_roofline(drawn);
    return 0;
}

}  // namespace coalesce::learn
