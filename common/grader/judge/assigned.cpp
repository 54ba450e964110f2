#include "base/files.h"
#include "course/course.h"
#include "exercises/skeleton.h"
#include "grader/judge/judge.h"

namespace coalesce::grader {

std::vector<Assigned> course_exercises(const std::filesystem::path& repository) {
    std::vector<Assigned> all;
    for (const course::Step& step : course::read_course(repository / "course.toml").steps) {
        if (!step.exercise) continue;
        Assigned exercise{*step.exercise};
        const std::filesystem::path file = repository / "solutions" / step.name / "kernel.cu";
        exercise.solution = exercises::skeleton_of(read_file(file), file.string()).solved();
        all.push_back(std::move(exercise));
    }
    return all;
}

}  // namespace coalesce::grader
