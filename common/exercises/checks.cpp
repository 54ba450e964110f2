#define DOCTEST_CONFIG_IMPLEMENT
#include "exercises/checks.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "exercises/mutants.h"
#include "exercises/text_file.h"
#include "harness/device.h"
#include "harness/errors.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;

const fs::path repository = COALESCE_REPOSITORY;

// How many files were examined, and how many could not be: a program that examined nothing must not
// look like one whose kernel passed.
int examined = 0, not_examined = 0;

std::string from_environment(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

Request request_of(const Lesson& lesson, const char* file) {
    Request request;
    request.kernel = lesson.kernel;
    request.produces = lesson.produces;
    request.rows_multiple = lesson.rows_multiple;
    request.cols_multiple = lesson.cols_multiple;
    request.shapes = lesson.shapes;
    request.block_order = lesson.block_order;
    request.counted = lesson.counted;
    request.limits.solution = repository / "solutions" / lesson.name / file;
    request.cache = from_environment("COALESCE_CACHE", "");
    return request;
}

Request request_of_kernel(const Lesson& lesson) {
    Request request = request_of(lesson, "kernel.cu");
    Limits limits = lesson.limits;
    limits.solution = request.limits.solution;
    request.limits = limits;
    return request;
}

Request request_of_hunt(const Lesson& lesson) {
    Request request = request_of(lesson, "hunt.cu");
    if (!lesson.hunt_shapes.empty()) request.shapes = lesson.hunt_shapes;
    return request;
}

// As messages name a file: as it stands in the repository, wherever that was cloned to.
std::string shown(const fs::path& file) {
    fs::path inside = fs::absolute(file).lexically_normal().lexically_relative(repository);
    return inside.empty() || *inside.begin() == ".." ? file.string() : inside.string();
}

void write_if_asked(const Examination& found) {
    std::string verdict = from_environment("COALESCE_VERDICT", "");
    try {
        if (!verdict.empty()) write_verdict(verdict, found);
    } catch (const UsageError& error) {
        ++not_examined;  // nobody learns of it
        FAIL_CHECK(std::string(error.what()));
    }
}

void check_file(const Lesson& lesson, const char* file, Request request) {
    fs::path usual = repository / "exercises" / lesson.name / file;
    fs::path given = from_environment("COALESCE_KERNEL", usual.string());
    request.shown_as = shown(given);
    Examination found = examine(given, request);
    ++(found.outcome == Examination::Outcome::not_examined ? not_examined : examined);
    std::puts(found.text().c_str());
    write_if_asked(found);
    CHECK_MESSAGE(found.passed(), found.failure_id());
}

// ---- proofs ----

Examination examine_text(const std::string& text, const std::string& name, const Request& request) {
    ++examined;
    return examine(source_of_text(text, name), request);
}

void expect_failure(const std::string& what, const std::string& text, const Request& request,
                    const std::string& failure) {
    CAPTURE(what);
    Examination found = examine_text(text, what, request);
    CHECK_MESSAGE(found.failure_id() == failure, found.text());
}

void expect_pass(const std::string& what, const std::string& text, const Request& request) {
    CAPTURE(what);
    Examination found = examine_text(text, what, request);
    CHECK_MESSAGE(found.passed(), found.text());
}

void prove_kernel(const fs::path& solutions, const Mutants& expected, const Request& request) {
    Skeleton skeleton = skeleton_of(text_of(solutions / "kernel.cu"), "kernel.cu");
    expect_pass("the solution", skeleton.solved(), request);
    expect_failure("the skeleton", skeleton.blank(), request, expected.blank_failure);
    for (const Mutant& mutant : expected.mutants) {
        std::string wrong = applied(mutant, skeleton.solved());
        expect_failure("mutant: " + mutant.name, wrong, request, mutant.failure);
    }
}

void prove_hunt(const fs::path& solutions, const Mutants& expected, const Request& request) {
    Skeleton hunt = skeleton_of(text_of(solutions / "hunt.cu"), "hunt.cu");
    expect_pass("the mended hunt", hunt.solved(), request);
    expect_failure("the hunt", hunt.blank(), request, expected.hunt_failure);

    Request at_first = request;
    at_first.shapes = {request.shapes.front()};
    Examination found = examine_text(hunt.blank(), "the hunt at the first shape", at_first);
    REQUIRE(found.shapes.size() >= 1);
    CHECK_MESSAGE(found.shapes[0].passed == expected.hunt_is_right_at_first, found.text());
}

}  // namespace

void check_kernel(const Lesson& lesson) {
    check_file(lesson, "kernel.cu", request_of_kernel(lesson));
}

void check_hunt(const Lesson& lesson) {
    check_file(lesson, "hunt.cu", request_of_hunt(lesson));
}

void prove(const Lesson& lesson) {
    // A real GPU counts nothing, and what reads outside may stop it.
    REQUIRE_MESSAGE(simulator::is_loaded(),
                    "proofs are for the simulated GPU: COALESCE_DEVICE=sim");
    fs::path solutions = repository / "solutions" / lesson.name;
    Mutants expected = read_mutants(solutions / "mutants.toml");
    prove_kernel(solutions, expected, request_of_kernel(lesson));
    prove_hunt(solutions, expected, request_of_hunt(lesson));
}

namespace {

DeviceChoice choice_of(const std::string& name) {
    if (name == "sim") return DeviceChoice::simulator;
    if (name == "gpu") return DeviceChoice::gpu;
    if (name == "auto") return DeviceChoice::automatic;
    throw UsageError("COALESCE_DEVICE=" + name + " is none of sim, gpu, auto");
}

int run(int argc, char** argv) {
    doctest::Context context(argc, argv);
    context.setOption("no-intro", true);
    Device device = choose_device(choice_of(from_environment("COALESCE_DEVICE", "sim")), argv);
    std::puts(device.first_line().c_str());
    int result = context.run();
    if (context.shouldExit()) return result;  // --help, --list-test-cases ...
    if (not_examined > 0) return 2;
    if (examined == 0) {
        std::fputs("Nothing was examined: no test case has that name (--list-test-cases).\n",
                   stderr);
        return 2;
    }
    return result;
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        return coalesce::exercises::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
