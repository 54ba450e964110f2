#include "grader/class/export.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "grader/class/zip.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// The parts of the course that the grader's build needs.
constexpr const char* kCoursePaths[] = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "common", "course.toml",
    "docs",           "exercises",         "learn",   "solutions", "steps"};

void pack_file(const fs::path& file, const std::string& name, std::vector<ZipEntry>& files) {
    unsigned mode =
        (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none ? 0755 : 0644;
    files.push_back({name, read_file(file), mode});
}

void pack_path(const fs::path& source, const std::string& archive_name,
               std::vector<ZipEntry>& files) {
    if (fs::is_regular_file(source)) return pack_file(source, archive_name, files);
    if (!fs::is_directory(source)) return;
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source)) {
        if (entry.is_regular_file() && !entry.is_symlink()) paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    for (const fs::path& file : paths) {
        pack_file(file, archive_name + "/" + fs::relative(file, source).generic_string(), files);
    }
}

// Packs the assignment without its submissions and results.
void pack_assignment(const Assignment& assignment, const std::string& archive_name,
                     std::vector<ZipEntry>& files) {
    pack_path(assignment.folder / "handout", archive_name + "/handout", files);
    for (const char* part : {"assignment.toml", "hidden.toml", "key", "solutions"}) {
        pack_path(assignment.teacher_folder() / part, archive_name + "/teacher/" + part, files);
    }
    for (ZipEntry& file : files) {
        if (file.name.ends_with("/teacher/key") || file.name.ends_with("/hidden.toml")) {
            file.mode = 0600;
        }
    }
}

// Writes the assignment without its secrets: with public shapes in place of the hidden ones, a
// different key, and no solutions.
void write_public_assignment(const Assignment& assignment, const fs::path& destination) {
    const fs::path teacher = destination / assignment.name / "teacher";
    make_folder(teacher);
    write_atomically(teacher / "assignment.toml",
                     read_file(assignment.teacher_folder() / "assignment.toml"));
    Assignment public_assignment = assignment;
    for (AssignedExercise& exercise : public_assignment.exercises) {
        exercise.hidden_shapes = {exercise.shapes.front()};
        make_folder(teacher / "solutions" / exercise.name);
        write_atomically(teacher / "solutions" / exercise.name / "kernel.cu", "");
    }
    write_atomically(teacher / "hidden.toml", hidden_text(public_assignment));
    write_atomically(teacher / "key", sha256_hex("published: " + assignment.name) + "\n", 0600);
}

// Writes files into a folder.
void write_files(const std::vector<ZipEntry>& files, const fs::path& folder) {
    for (const ZipEntry& file : files) {
        make_folder((folder / file.name).parent_path());
        write_atomically(folder / file.name, file.bytes, file.mode);
    }
}

// Returns config.json for Submitty, with a test case for each exercise. The points of a test case
// are whole numbers.
std::string submitty_config(const Assignment& assignment) {
    nlohmann::ordered_json tests = nlohmann::ordered_json::array();
    long total_points = 0;
    for (const AssignedExercise& exercise : assignment.exercises) {
        const long points = std::lround(exercise.possible_points.total());
        total_points += points;
        tests.push_back({{"title", exercise.name},
                         {"command", "true"},
                         {"points", points},
                         {"validation",
                          {{{"method", "custom_validator"},
                            {"command", "python3 grader.py --exercise " + exercise.name},
                            {"actual_file", "STDOUT.txt"}}}}});
    }
    const nlohmann::ordered_json config = {{"autograding_method", "docker"},
                                           {"grading_parameters", {{"AUTO_POINTS", total_points}}},
                                           {"testcases", tests}};
    return config.dump(4) + "\n";
}

}  // namespace

std::string fill_platform_template(const std::string& file,
                                   const std::map<std::string, std::string>& placeholders) {
    const std::string text = read_file(course_folder() / "common/grader/platforms" / file);
    std::string filled_text;
    std::size_t copied_end = 0;
    for (std::size_t placeholder_begin = text.find('@'); placeholder_begin != text.npos;
         placeholder_begin = text.find('@', placeholder_begin + 1)) {
        std::size_t placeholder_end =
            text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", placeholder_begin + 1);
        if (placeholder_end == text.npos || text[placeholder_end] != '@' ||
            placeholder_end == placeholder_begin + 1)
            continue;
        auto value = placeholders.find(
            text.substr(placeholder_begin + 1, placeholder_end - placeholder_begin - 1));
        if (value == placeholders.end()) {
            throw InfrastructureError(
                "common/grader/platforms/" + file + " contains the placeholder " +
                text.substr(placeholder_begin, placeholder_end + 1 - placeholder_begin) +
                ", which has no value");
        }
        filled_text += text.substr(copied_end, placeholder_begin - copied_end) + value->second;
        copied_end = placeholder_end + 1;
        placeholder_begin = placeholder_end;
    }
    return filled_text + text.substr(copied_end);
}

std::string quote_for_shell(const std::string& text) {
    std::string quoted = "'";
    for (char letter : text)
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return quoted + "'";
}

void export_platform(const Assignment& assignment, const std::string& platform,
                     const fs::path& destination) {
    const auto fill_template = [&](const std::string& file) {
        return fill_platform_template(file, {{"NAME", assignment.name}});
    };
    if (platform == "gradescope") {
        std::vector<ZipEntry> files = {
            {"setup.sh", fill_template("gradescope/setup.sh"), 0755},
            {"run_autograder", fill_template("gradescope/run_autograder"), 0755}};
        pack_assignment(assignment, "assignments/" + assignment.name, files);
        for (const char* part : kCoursePaths) {
            pack_path(course_folder() / part, std::string("course/") + part, files);
        }
        // Ubuntu 22.04 has no package for toml++, so add its headers to the archive. Each file
        // states its MIT licence.
        pack_path(fs::path(COALESCE_TOMLPLUSPLUS) / "toml++", "headers/toml++", files);
        // Only the owner may read the archive, because it contains the secret key.
        return write_atomically(destination, create_zip(files), 0600);
    }
    if (platform == "github")
        return write_atomically(destination, fill_template("github/grade.yml"));
    if (fs::exists(destination) && !fs::is_directory(destination))
        throw UsageError(destination.string() + " is not a folder");
    make_folder(destination);
    if (platform == "classroom50") {
        write_atomically(destination / "autograder.py", fill_template("classroom50/autograder.py"),
                         0755);
        return write_public_assignment(assignment, destination / "assignments");
    }
    std::vector<ZipEntry> files;
    pack_assignment(assignment, "assignments/" + assignment.name, files);
    if (platform == "prairielearn") {
        files.push_back({"run.py", fill_template("prairielearn/run.py"), 0755});
        write_files(files, destination / "tests");
        write_atomically(destination / "info.json", fill_template("prairielearn/info.json"));
    } else if (platform == "autolab") {
        files.push_back({"driver.py", fill_template("autolab/driver.py"), 0755});
        write_atomically(destination / "autograde.tar", create_tar(files), 0600);
        write_atomically(destination / "autograde-Makefile",
                         fill_template("autolab/autograde-Makefile"));
    } else {
        files.push_back({"grader.py", fill_template("submitty/grader.py"), 0755});
        write_files(files, destination / "custom_validation_code");
        write_atomically(destination / "config.json", submitty_config(assignment));
    }
}

}  // namespace coalesce::grader
