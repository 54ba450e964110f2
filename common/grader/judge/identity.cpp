#include "base/files.h"
#include "grader/judge/judge.h"
#include "grader/sandbox/jail.h"
#include "grader/sandbox/places.h"
#include "grader/store/sha256.h"
#include "kernel/compile.h"

namespace coalesce::grader {
namespace {

std::string computed_identity() {
    try {
        // Contents, not times or places: another clone of the same build gives the same.
        return sha256_of_parts({"judge 1", compiler_found(grading_compiler()),
                                read_file("/proc/self/exe"), read_file(jail_program()),
                                read_file(simulator_folder() / "libcudart.so.13")});
    } catch (const std::exception& error) {
        return std::string("nothing can be judged here: ") + error.what();
    }
}

}  // namespace

std::string judge_identity() {
    static const std::string identity = computed_identity();
    return identity;
}

}  // namespace coalesce::grader
