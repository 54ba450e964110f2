#include "examiner/exercises/tree.h"

#include <algorithm>
#include <set>

#include "base/child.h"
#include "base/files.h"
#include "examiner/exercises/mutants.h"
#include "examiner/failure.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;
using Faults = std::vector<std::string>;

// The maximum number of lines that the fix of a bug hunt may change. A larger change would be a new
// kernel rather than a fix.
constexpr int kMaxFixLines = 12;

const std::string kProgram = "program.cu";

std::set<std::string> entries(const fs::path& folder) {
    std::set<std::string> names;
    if (!fs::is_directory(folder)) return names;
    for (auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
}

void compare_entries(const std::string& folder, const std::set<std::string>& existing_files,
                     const std::set<std::string>& expected_files, Faults& faults) {
    for (const std::string& name : expected_files) {
        if (!existing_files.contains(name)) faults.push_back(folder + "/" + name + " is missing");
    }
    for (const std::string& name : existing_files) {
        // ./learn beat creates the folder beat/ for the kernel with which the learner tries to beat
        // the solution.
        bool is_shared_file = name == "CMakeLists.txt" || name == "checks.cpp" ||
                              name == "exercise.h" || name == "beat";
        if (!expected_files.contains(name) && !(folder == "exercises" && is_shared_file)) {
            faults.push_back(folder + "/" + name + " belongs to no exercise; remove the file");
        }
    }
}

std::string read_committed_file(const ExerciseTree& tree, const std::string& path) {
    constexpr double git_timeout_seconds = 60;
    const ProcessResult git_result = run_child(
        {"git", "-C", tree.root().string(), "show", "HEAD:./" + path}, git_timeout_seconds);
    return git_result.exit_code == 0 ? git_result.output : "";
}

void find_unexpected_files(const ExerciseTree& tree, Faults& faults) {
    std::set<std::string> steps = entries(tree.root() / "steps");
    // The exercises beyond the transpose have no lesson.
    for (const std::string& name : tree.names()) {
        if (is_beyond(name)) steps.insert(name);
    }
    compare_entries("solutions", entries(tree.root() / "solutions"), steps, faults);
    compare_entries("exercises", entries(tree.root() / "exercises"), steps, faults);
    for (const std::string& name : tree.names()) {
        std::string solution = "solutions/" + name, exercise = "exercises/" + name;
        const std::vector<std::string> file_names = tree.files(name);
        std::set<std::string> expected_names(file_names.begin(), file_names.end());
        compare_entries(exercise, entries(tree.root() / exercise), expected_names, faults);
        expected_names.insert({"exercise.toml", "right", "wrong"});
        if (!is_beyond(name)) expected_names.insert("mutants.toml");
        // The course rejects a reference that no task uses.
        const bool has_reference = fs::exists(tree.root() / solution / "reference.cu");
        if (is_beyond(name) || has_reference) expected_names.insert("reference.cu");
        compare_entries(solution, entries(tree.root() / solution), expected_names, faults);
    }
}

// Checks the skeleton in the repository. If a learner has edited the file, checks the committed
// version instead.
void check_skeleton(const ExerciseTree& tree, const std::string& name, const std::string& file,
                    Faults& faults) {
    std::string path = "exercises/" + name + "/" + file;
    Skeleton expected_skeleton = tree.skeleton(name, file);
    std::string text = read_file(tree.root() / path);
    if (text != expected_skeleton.blank_text() &&
        read_committed_file(tree, path) == expected_skeleton.blank_text())
        text = expected_skeleton.blank_text();
    std::string difference =
        find_unmarked_difference(text, read_file(tree.root() / "solutions" / name / file));
    if (!difference.empty()) {
        faults.push_back(path + " is not the skeleton of solutions/" + name + "/" + file + ": " +
                         difference +
                         "; run `exercises generate` (ignore this if you have committed your "
                         "own solution)");
    } else if (text != expected_skeleton.blank_text()) {
        faults.push_back(
            path + " differs from the text that `exercises generate` writes; run this command");
    }
    for (auto& fault : find_header_faults(name, expected_skeleton, file == "hunt.cu")) {
        faults.push_back("solutions/" + name + "/" + file + ": " + fault);
    }
}

void check_kernel_of_step(const ExerciseTree& tree, const std::string& name, Faults& faults) {
    std::string step = "steps/" + name + "/main.cu";
    const std::string text = read_file(tree.root() / step);
    auto step_lines =
        extract_kernel_lines(text.substr(std::min(text.find("//! [kernel]"), text.size())));
    auto solution_lines = extract_kernel_lines(tree.skeleton(name, "kernel.cu").solved_text());
    if (step_lines.empty())
        faults.push_back(step + ": no kernel found between //! [kernel] markers");
    for (std::size_t i = 0; i < std::max(step_lines.size(), solution_lines.size()); ++i) {
        std::string step_text = i < step_lines.size() ? step_lines[i] : "(nothing more)";
        std::string solution_text =
            i < solution_lines.size() ? solution_lines[i] : "(nothing more)";
        if (step_text == solution_text) continue;
        faults.push_back("solutions/" + name + "/kernel.cu has \"" + solution_text + "\", but " +
                         step + " has \"" + step_text +
                         "\"; both must be the same kernel, which the step marks with [kernel]");
        return;
    }
}

void check_hunt(const ExerciseTree& tree, const std::string& name, const Mutants& expected_mutants,
                Faults& faults) {
    const bool has_hunt = std::ranges::count(tree.files(name), "hunt.cu") > 0;
    if (has_hunt == expected_mutants.hunt_failure.empty()) {
        faults.push_back("solutions/" + name +
                         "/mutants.toml: [hunt] is allowed only where there is a hunt.cu");
    }
    if (!has_hunt) return;
    int lines_to_fix = tree.skeleton(name, "hunt.cu").lines_to_write();
    if (lines_to_fix > kMaxFixLines) {
        faults.push_back("solutions/" + name + "/hunt.cu: fixing the bug takes " +
                         std::to_string(lines_to_fix) + " lines; choose a smaller bug");
    }
}

void check_mutants(const ExerciseTree& tree, const std::string& name, Faults& faults) {
    std::string path = "solutions/" + name + "/mutants.toml";
    Mutants mutants_read = read_mutants(tree.root() / path);
    const Skeleton hunt_skeleton = tree.skeleton(name, tree.files(name).front());
    std::vector<std::string> ids = all_failure_ids();
    auto check_id = [&](const std::string& id) {
        if (std::ranges::count(ids, id) == 0) {
            faults.push_back(path + ": no failure is called \"" + id +
                             "\"; examiner/failure.h lists the names");
        }
    };
    check_id(mutants_read.blank_failure);
    check_id(mutants_read.blank_failure_by_clang);
    for (const Mutant& mutant : mutants_read.mutants) {
        check_id(mutant.failure);
        if (apply_mutant(mutant, hunt_skeleton.solved_text()) == hunt_skeleton.blank_text()) {
            faults.push_back(path + ": mutant \"" + mutant.name + "\" is the skeleton itself");
        }
    }
    if (!mutants_read.hunt_failure.empty()) check_id(mutants_read.hunt_failure);
    check_hunt(tree, name, mutants_read, faults);
}

}  // namespace

ExerciseTree::ExerciseTree(fs::path root) : root_(std::move(root)) {
    if (!fs::is_directory(root_ / "solutions")) {
        throw UsageError(root_.string() +
                         " has no folder solutions/; name the repository with --root");
    }
    for (const std::string& name : entries(root_ / "solutions")) names_.push_back(name);
    if (names_.empty()) throw UsageError("solutions/ is empty; there is nothing to generate");
}

std::vector<std::string> ExerciseTree::files(const std::string& name) const {
    if (fs::exists(root_ / "solutions" / name / kProgram)) return {kProgram};
    const bool has_hunt = !is_beyond(name) || fs::exists(root_ / "solutions" / name / "hunt.cu");
    return has_hunt ? std::vector<std::string>{"kernel.cu", "hunt.cu"}
                    : std::vector<std::string>{"kernel.cu"};
}

Skeleton ExerciseTree::skeleton(const std::string& name, const std::string& file) const {
    std::string path = "solutions/" + name + "/" + file;
    return parse_skeleton(read_file(root_ / path), path);
}

std::vector<std::string> ExerciseTree::generate() const {
    std::vector<std::string> changed_files;
    for (const std::string& name : names_) {
        for (const std::string& file : files(name)) {
            std::string path = "exercises/" + name + "/" + file;
            std::string blank_text = skeleton(name, file).blank_text();
            if (fs::exists(root_ / path) && read_file(root_ / path) == blank_text) continue;
            fs::create_directories((root_ / path).parent_path());
            write_file(root_ / path, blank_text);
            changed_files.push_back(path);
        }
    }
    return changed_files;
}

std::vector<std::string> ExerciseTree::faults() const {
    Faults faults;
    find_unexpected_files(*this, faults);
    for (const std::string& name : names_) {
        try {
            for (const std::string& file : files(name)) check_skeleton(*this, name, file, faults);
            if (is_beyond(name)) continue;
            // The exercise of the lesson with a whole program has a different task from the
            // lesson's own program, so there is nothing to compare.
            if (files(name).front() != kProgram) check_kernel_of_step(*this, name, faults);
            check_mutants(*this, name, faults);
        } catch (const UsageError& error) {
            faults.push_back(error.what());
        }
    }
    return faults;
}

Faults ExerciseTree::find_faults_in_hints() const {
    const course::Course course = course::read_course(root_);
    Faults faults = find_hint_faults(course);
    for (const std::string& name : names_) {
        if (is_beyond(name)) continue;
        Mutants expected_mutants = read_mutants(root_ / "solutions" / name / "mutants.toml");
        std::set<std::string> provoked_failures = {expected_mutants.blank_failure};
        for (const Mutant& mutant : expected_mutants.mutants)
            provoked_failures.insert(mutant.failure);
        provoked_failures.erase("nothing-written");  // the general hints cover this failure
        for (const std::string& id : failures_without_hint(course, name, provoked_failures)) {
            faults.push_back("solutions/" + name + "/exercise.toml has no hint for \"" + id +
                             "\", a failure that its mutants cause; add a [[hint]]");
        }
    }
    return faults;
}

std::vector<std::string> ExerciseTree::list_edited_files() const {
    std::vector<std::string> paths;
    for (const std::string& name : names_) {
        for (const std::string& file : files(name)) {
            std::string path = "exercises/" + name + "/" + file;
            std::string text = read_file(root_ / path),
                        blank_text = skeleton(name, file).blank_text();
            if (text != blank_text && read_committed_file(*this, path) == blank_text)
                paths.push_back(path);
        }
    }
    return paths;
}

}  // namespace coalesce::exercises
