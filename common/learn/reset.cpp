#include "learn/commands.h"

#include <iostream>

#include "base/clock.h"
#include "base/errors.h"
#include "base/files.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Returns an unused file name that contains the current time.
fs::path choose_copy_name(const fs::path& file, const std::string& name_of_folder) {
    fs::path folder = learners_folder() / "copies" / name_of_folder;
    std::string stem = file.stem().string() + local_time("-%Y%m%d-%H%M%S");
    fs::path name = folder / (stem + ".cu");
    for (int number = 2; fs::exists(fs::symlink_status(name)); ++number) {
        name = folder / (stem + "-" + std::to_string(number) + ".cu");
    }
    return name;
}

// Copies the learner's file. Must be called before anything is changed, so that the learner's work
// is not lost if a later step fails.
void save_copy(const fs::path& relative_file, const std::string& name) {
    fs::path copy = choose_copy_name(relative_file, name), file = repository() / relative_file;
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    if (!error) fs::copy_file(file, copy, error);
    if (error) {
        throw UsageError(relative_file.string() +
                         " was not changed, because it cannot be copied to " +
                         copy.parent_path().string() + " (" + error.message() + ")");
    }
    std::cout << "Your version was saved as " << copy.lexically_relative(repository()).string()
              << "\n";
}

}  // namespace

bool replace_file(const fs::path& relative_file, const std::string& name, const std::string& text) {
    fs::path file = repository() / relative_file;
    if (read_if_exists(file) == text) return false;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (fs::is_regular_file(file, error)) {
        save_copy(relative_file, name);
    } else if (fs::exists(fs::symlink_status(file, error))) {
        throw UsageError(file.string() + " is not an ordinary file; move it away, then try again");
    }
    write_file(file, text);
    return true;
}

int reset(const LearnerExercise& exercise) {
    const std::string file = exercise.relative_file().string();
    if (!replace_file(exercise.relative_file(), exercise.step->name, exercise.skeleton())) {
        std::cout << file << " already has its original text.\n";
        return 0;
    }
    std::cout << file << " has its original text again.\n"
              << "Next: ./learn watch " << exercise.step->number() << "\n";
    return 0;
}

}  // namespace coalesce::learn
