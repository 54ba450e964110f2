#include "examiner/exercises/examined.h"

#include "base/child.h"
#include "base/errors.h"
#include "examiner/course/course.h"
#include "examiner/examine.h"
#include "examiner/exercises/skeleton.h"
#include "examiner/program/examine_program.h"
#include "examiner/ptx_rules/ptx_rules.h"

namespace coalesce::exercises {

namespace fs = std::filesystem;
namespace {

/// A runner that also rejects kernels whose PTX the grader would reject.
class GradedRunner : public LocalRunner {
public:
    using LocalRunner::LocalRunner;

    Compiled compile(const Source& source, const Signature& kernel) override {
        Compiled compiled = LocalRunner::compile(source, kernel);
        if (!compiled.is_ok()) return compiled;
        compiled.failure = inspect_ptx(compiled.ptx, compiled.entry, {}, kernel);
        if (!compiled.is_ok()) compiled.failure.place.file = source.name;
        return compiled;
    }
};

}  // namespace

fs::path repository() {
    return environment_variable_or("COALESCE_COURSE", COALESCE_REPOSITORY);
}

const Exercise& require_exercise(const std::string& name) {
    static const course::Course course = course::read_course(repository());
    if (course.program && name == course.program->name) return *course.program->exercise;
    for (const auto* steps : {&course.steps, &course.beyond_exercises}) {
        for (const course::Step& step : *steps) {
            if (step.exercise && name == step.name) return *step.exercise;
            if (step.hunt && name == step.name + " hunt") return *step.hunt;
        }
    }
    throw UsageError("the course has no exercise " + name);
}

Device choose_device_from_environment(char** argv) {
    LocalRunner::prepare_process();
    const std::string name = environment_variable_or("COALESCE_DEVICE", "sim");
    if (name == "sim") return choose_device(DeviceChoice::simulator, argv);
    if (name == "gpu") return choose_device(DeviceChoice::gpu, argv);
    if (name == "auto") return choose_device(DeviceChoice::automatic, argv);
    throw UsageError("COALESCE_DEVICE must be sim, gpu or auto, not " + name);
}

Verdict examine_source(const Exercise& exercise, const Source& source, const fs::path& cache) {
    if (exercise.is_program) return examine_program(source, exercise);
    const fs::path solution = repository() / "solutions" / exercise.name / exercise.file();
    ExamineOptions options{.solution = read_source(solution)};
    // A matrix with partial tiles shows costs that occur only at the edges.
    const Shape ragged_shape = exercise.round_up_shape(255, 257);
    if (!exercise.elements && exercise.accepts(ragged_shape) &&
        ragged_shape != exercise.counted_shape)
        options.ragged_counted_shape = ragged_shape;
    if (!environment_variable_or("COALESCE_AS_GRADED", "").empty()) {
        GradedRunner runner({.cache = cache});
        return examine(source, exercise, runner, options);
    }
    LocalRunner runner({.cache = cache});
    return examine(source, exercise, runner, options);
}

}  // namespace coalesce::exercises
