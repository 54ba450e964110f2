#include "learn/reset.h"

#include <ctime>
#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// A name that is free, with the time in it.
fs::path name_for_copy(const Work& exercise) {
    std::time_t now = std::time(nullptr);
    std::tm parts = {};
    localtime_r(&now, &parts);
    char time[32];
    std::strftime(time, sizeof time, "%Y%m%d-%H%M%S", &parts);
    fs::path folder = learners_folder() / "copies" / exercise.step->name;
    std::string stem = exercise.file().stem().string() + "-" + time;
    fs::path name = folder / (stem + ".cu");
    for (int number = 2; fs::exists(fs::symlink_status(name)); ++number) {
        name = folder / (stem + "-" + std::to_string(number) + ".cu");
    }
    return name;
}

// Copies first, so that nothing is lost whatever comes after.
void keep_copy(const Work& exercise) {
    fs::path copy = name_for_copy(exercise), file = exercise.file();
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    if (!error) fs::copy_file(file, copy, error);
    if (error) {
        throw UsageError(exercise.relative_file().string() +
                         " is left as it is: no copy of it can be kept in " +
                         copy.parent_path().string() + " (" + error.message() + ")");
    }
    std::cout << "What was in it is kept: " << copy.lexically_relative(repository()).string()
              << "\n";
}

}  // namespace

int reset(const Work& exercise) {
    fs::path file = exercise.file();
    std::string skeleton = exercise.skeleton();
    if (read_if_there(file) == skeleton) {
        std::cout << exercise.relative_file().string() << " is already as it was at first.\n";
        return 0;
    }
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (fs::is_regular_file(file, error)) {
        keep_copy(exercise);
    } else if (fs::exists(fs::symlink_status(file, error))) {
        throw UsageError(file.string() + " is not an ordinary file; move it away, then try again");
    }
    write_file(file, skeleton);
    std::cout << exercise.relative_file().string() << " is as it was at first.\n"
              << "Next: ./learn watch " << exercise.step->number() << "\n";
    return 0;
}

}  // namespace coalesce::learn
