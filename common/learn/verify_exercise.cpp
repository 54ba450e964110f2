#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>

#include "base/errors.h"
#include "base/files.h"
#include "examiner/course/course.h"
#include "examiner/examine.h"
#include "examiner/exercises/automatic_mutants.h"
#include "examiner/exercises/skeleton.h"
#include "examiner/render.h"
#include "harness/device.h"
#include "harness/text.h"
#include "learn/own_exercise.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

/// Verifies one exercise, including its solution and its mutants.
class ExerciseVerification {
public:
    ExerciseVerification(fs::path root, const course::Step& step)
        : root_(std::move(root)), step_(step), solution_(root_ / "solutions" / step.name) {}

    int run(bool has_mutants) {
        const std::string marked = read_file(solution_ / "kernel.cu");
        const exercises::Skeleton skeleton =
            exercises::parse_skeleton(marked, "solutions/" + step_.name + "/kernel.cu");
        solved_ = skeleton.solved_text();
        const Verdict verdict = examine_text(*step_.exercise, solved_, "the solution");
        if (!verdict.passed()) {
            print_result("the solution", "does not pass", true);
            std::cout << "\n" << terminal_text(verdict);
            return 1;
        }
        print_result("the solution", "passes on " + format_count(verdict.shapes.size(), "shape"));
        write_skeleton("kernel.cu", skeleton.blank_text());
        expect_failure(*step_.exercise, skeleton.blank_text(), "the skeleton");
        verify_hunt();
        verify_folder("right");
        verify_folder("wrong");
        if (has_mutants) try_mutants();
        propose_limits(verdict);
        std::cout << "\n"
                  << (faults_ == 0 ? step_.name + " is sound. ./learn check " + step_.name +
                                         " shows the exercise as a learner sees it.\n"
                                   : format_count(faults_, "thing") + " to correct.\n");
        return faults_ == 0 ? 0 : 1;
    }

private:
    void print_result(const std::string& kernel_name, const std::string& result_text,
                      bool is_fault = false) {
        faults_ += is_fault;
        std::cout << format("%-34s%s\n", kernel_name.c_str(),
                            ((is_fault ? "!  " : "") + result_text).c_str())
                  << std::flush;
    }

    /// Prints that a kernel passes, or how, why and on which line it fails. `is_fault` marks the
    /// verdict as a fault of the exercise.
    void print_verdict(const std::string& kernel_name, const Verdict& verdict, bool is_fault) {
        if (verdict.passed()) return print_result(kernel_name, "passes", is_fault);
        print_result(kernel_name, "is " + verdict.failure_id(), is_fault);
        const Failure& failure = verdict.failures.front();
        const std::string line =
            failure.place.line > 0 ? "line " + std::to_string(failure.place.line) + ": " : "";
        std::cout << wrap(line + failure.headline, "    ");
    }

    Verdict examine_text(const Exercise& exercise, const std::string& text,
                         const std::string& name) {
        LocalRunner runner({.cache = cache_.path});
        return examine(
            make_source(text, name), exercise, runner,
            {.solution = make_source(solved_, "solutions/" + step_.name + "/kernel.cu")});
    }

    void write_skeleton(const std::string& file, const std::string& text) {
        const fs::path path = root_ / "exercises" / step_.name / file;
        if (read_if_exists(path) == text) return;
        fs::create_directories(path.parent_path());
        write_file(path, text);
        print_result("exercises/" + step_.name + "/" + file, "written again");
    }

    void expect_failure(const Exercise& exercise, const std::string& text,
                        const std::string& kernel_name) {
        const Verdict verdict = examine_text(exercise, text, kernel_name);
        if (verdict.outcome == Verdict::Outcome::failed) {
            print_result(kernel_name, "fails: " + verdict.failure_id());
        } else {
            print_result(kernel_name,
                         verdict.passed() ? "passes, so learners would have nothing to write"
                                          : verdict.failures.front().headline,
                         true);
        }
    }

    void verify_hunt() {
        const std::optional<std::string> marked = read_if_exists(solution_ / "hunt.cu");
        if (!marked && !step_.hunt) return;
        if (!marked) return print_result("the bug hunt", "has no hunt.cu beside kernel.cu", true);
        if (!step_.hunt) return print_result("hunt.cu", "needs [hunt] in exercise.toml", true);
        const exercises::Skeleton hunt =
            exercises::parse_skeleton(*marked, "solutions/" + step_.name + "/hunt.cu");
        write_skeleton("hunt.cu", hunt.blank_text());
        const Verdict verdict = examine_text(*step_.hunt, hunt.solved_text(), "hunt.cu");
        print_verdict("the fixed bug hunt", verdict, !verdict.passed());
        expect_failure(*step_.hunt, hunt.blank_text(), "the bug hunt");
    }

    /// Returns the identifiers that follow "// expect: ".
    static std::vector<std::string> parse_expected_failures(const std::string& text) {
        static const std::regex line("// expect: ([^\n]*)"), word("[a-z][a-z-]*");
        std::smatch expect_match;
        std::vector<std::string> ids;
        if (!std::regex_search(text, expect_match, line)) return ids;
        const std::string id_list = expect_match[1];
        for (std::sregex_iterator id_match(id_list.begin(), id_list.end(), word), end;
             id_match != end; ++id_match) {
            ids.push_back(id_match->str());
        }
        return ids;
    }

    void verify_folder(const std::string& folder) {
        std::vector<fs::path> files;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(solution_ / folder, error)) {
            files.push_back(entry.path());
        }
        std::ranges::sort(files);
        int expected_count = 0;
        for (const fs::path& file : files) {
            const std::string text = read_file(file);
            const Verdict verdict = examine_text(*step_.exercise, text, file.filename());
            const std::vector<std::string> ids = parse_expected_failures(text);
            const bool is_expected = ids.empty()
                                         ? verdict.passed() == (folder == "right")
                                         : std::ranges::count(ids, verdict.failure_id()) > 0;
            expected_count += is_expected;
            if (is_expected) continue;
            print_verdict(folder + "/" + file.filename().string(), verdict, true);
        }
        if (!files.empty()) {
            print_result(folder + "/", std::to_string(expected_count) + " of " +
                                           format_count(files.size(), "kernel") + " as expected");
        }
    }

    void try_mutants() {
        std::map<std::string, int> count_by_failure;
        int mutant_count = 0, missed_count = 0;
        for (const exercises::AutomaticMutant& mutant : exercises::make_mutants(solved_)) {
            const Verdict verdict = examine_text(*step_.exercise, mutant.text, "a mutant");
            const std::string id = verdict.failure_id();
            if (id == "does-not-compile") continue;
            ++mutant_count;
            if (!verdict.passed()) {
                ++count_by_failure[id];
                continue;
            }
            ++missed_count;
            std::cout << "  line " << mutant.line << " " << mutant.description << ": passes\n";
        }
        print_result("mistakes planted in the solution",
                     std::to_string(mutant_count - missed_count) + " of " +
                         std::to_string(mutant_count) + " found");
        for (const auto& [id, count] : count_by_failure)
            std::cout << format("  %3d %s\n", count, id.c_str());
        if (missed_count > 0) {
            std::cout << wrap(
                "A kernel that passes despite the change may be correct. If it is not, add to "
                "exercise.toml a shape on which the kernel fails.");
        }
    }

    static void propose_limits(const Verdict& verdict) {
        if (!verdict.counters) return;
        const Counters& counters = *verdict.counters;
        std::string limits;
        const auto add = [&](const char* name, std::uint64_t requests, std::uint64_t cost) {
            if (requests == 0) return;
            limits += format("%s = %.3g, ", name,
                             static_cast<double>(cost) / static_cast<double>(requests));
        };
        add("load", counters.load_requests, counters.load_sectors);
        add("store", counters.store_requests, counters.store_sectors);
        add("shared_load", counters.shared_load_requests, counters.shared_load_wavefronts);
        add("shared_store", counters.shared_store_requests, counters.shared_store_wavefronts);
        std::cout << "\nTo limit the costs to those of the solution at "
                  << verdict.shape_name(verdict.counted_shape) << ", write:\n  limits = { "
                  << limits << "of_solution = 1.05 }\n";
    }

    fs::path root_;
    const course::Step& step_;
    fs::path solution_;
    std::string solved_;
    const TemporaryFolder cache_;
    int faults_ = 0;
};

}  // namespace

int verify_exercise_in(const std::string& root, const VerifyExerciseArguments& options) {
    const course::Course course = course::read_course(root);
    const course::Step* step = course.lesson(options.name);
    if (step == nullptr || !is_beyond(step->name)) {
        throw UsageError("there is no exercise x_" + options.name +
                         " in solutions/; ./learn exercise new " + options.name + " makes it");
    }
    return ExerciseVerification(root, *step).run(options.has_mutants);
}

int verify_exercise(const VerifyExerciseArguments& options, char** argv) {
    LocalRunner::prepare_process();
    choose_device(DeviceChoice::simulator, argv);
    return verify_exercise_in(repository(), options);
}

}  // namespace coalesce::learn
