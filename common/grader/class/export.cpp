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
constexpr const char* kCourseParts[] = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "common", "course.toml",
    "docs",           "exercises",         "learn",   "solutions", "steps"};

void pack_file(const fs::path& file, const std::string& name, std::vector<ZipEntry>& files) {
    unsigned mode =
        (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none ? 0755 : 0644;
    files.push_back({name, read_file(file), mode});
}

void pack_all(const fs::path& from, const std::string& as, std::vector<ZipEntry>& files) {
    if (fs::is_regular_file(from)) return pack_file(from, as, files);
    if (!fs::is_directory(from)) return;
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
        if (entry.is_regular_file() && !entry.is_symlink()) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    for (const fs::path& file : found) {
        pack_file(file, as + "/" + fs::relative(file, from).generic_string(), files);
    }
}

// Packs the assignment without its submissions and results.
void pack_assignment(const Assignment& assignment, const std::string& as,
                     std::vector<ZipEntry>& files) {
    pack_all(assignment.folder / "handout", as + "/handout", files);
    for (const char* part : {"assignment.toml", "hidden.toml", "key", "solutions"}) {
        pack_all(assignment.teacher() / part, as + "/teacher/" + part, files);
    }
    for (ZipEntry& file : files) {
        if (file.name.ends_with("/teacher/key") || file.name.ends_with("/hidden.toml")) {
            file.mode = 0600;
        }
    }
}

// Writes the assignment without its secrets: with public shapes in place of the hidden ones, a
// different key, and no solutions.
void write_published(const Assignment& assignment, const fs::path& to) {
    const fs::path teacher = to / assignment.name / "teacher";
    make_folder(teacher);
    write_atomically(teacher / "assignment.toml",
                     read_file(assignment.teacher() / "assignment.toml"));
    Assignment published = assignment;
    for (Assigned& exercise : published.exercises) {
        exercise.hidden_shapes = {exercise.shapes.front()};
        make_folder(teacher / "solutions" / exercise.name);
        write_atomically(teacher / "solutions" / exercise.name / "kernel.cu", "");
    }
    write_atomically(teacher / "hidden.toml", hidden_text(published));
    write_atomically(teacher / "key", sha256_hex("published: " + assignment.name) + "\n", 0600);
}

// Writes files into a folder.
void write_files(const std::vector<ZipEntry>& files, const fs::path& folder) {
    for (const ZipEntry& file : files) {
        make_folder((folder / file.name).parent_path());
        write_atomically(folder / file.name, file.bytes, file.mode);
    }
}

// Returns config.json for Submitty, with a test case for each exercise. The points of a test case are
// whole numbers.
std::string submitty_config(const Assignment& assignment) {
    nlohmann::ordered_json tests = nlohmann::ordered_json::array();
    long sum = 0;
    for (const Assigned& exercise : assignment.exercises) {
        const long points = std::lround(exercise.possible.total());
        sum += points;
        tests.push_back({{"title", exercise.name},
                         {"command", "true"},
                         {"points", points},
                         {"validation",
                          {{{"method", "custom_validator"},
                            {"command", "python3 grader.py --exercise " + exercise.name},
                            {"actual_file", "STDOUT.txt"}}}}});
    }
    const nlohmann::ordered_json all = {{"autograding_method", "docker"},
                                        {"grading_parameters", {{"AUTO_POINTS", sum}}},
                                        {"testcases", tests}};
    return all.dump(4) + "\n";
}

}  // namespace

std::string platform_file(const std::string& file,
                          const std::map<std::string, std::string>& words) {
    const std::string text = read_file(repository() / "common/grader/platforms" / file);
    std::string filled;
    std::size_t done = 0;
    for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
        std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1);
        if (end == text.npos || text[end] != '@' || end == at + 1) continue;
        auto word = words.find(text.substr(at + 1, end - at - 1));
        if (word == words.end()) {
            throw InfrastructureError("common/grader/platforms/" + file +
                                      " contains the placeholder " + text.substr(at, end + 1 - at) +
                                      ", which has no value");
        }
        filled += text.substr(done, at - done) + word->second;
        done = end + 1;
        at = end;
    }
    return filled + text.substr(done);
}

std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

void export_platform(const Assignment& assignment, const std::string& platform,
                     const fs::path& to) {
    const auto filled = [&](const std::string& file) {
        return platform_file(file, {{"NAME", assignment.name}});
    };
    if (platform == "gradescope") {
        std::vector<ZipEntry> files = {
            {"setup.sh", filled("gradescope/setup.sh"), 0755},
            {"run_autograder", filled("gradescope/run_autograder"), 0755}};
        pack_assignment(assignment, "assignments/" + assignment.name, files);
        for (const char* part : kCourseParts) {
            pack_all(repository() / part, std::string("course/") + part, files);
        }
        // Ubuntu 22.04 has no package for toml++, so add its headers to the archive. Each file
        // states its MIT licence.
        pack_all(fs::path(COALESCE_TOMLPLUSPLUS) / "toml++", "headers/toml++", files);
        // Only the owner may read the archive, because it contains the secret key.
        return write_atomically(to, create_zip(files), 0600);
    }
    if (platform == "github") return write_atomically(to, filled("github/grade.yml"));
    if (fs::exists(to) && !fs::is_directory(to)) throw UsageError(to.string() + " is not a folder");
    make_folder(to);
    if (platform == "classroom50") {
        write_atomically(to / "autograder.py", filled("classroom50/autograder.py"), 0755);
        return write_published(assignment, to / "assignments");
    }
    std::vector<ZipEntry> files;
    pack_assignment(assignment, "assignments/" + assignment.name, files);
    if (platform == "prairielearn") {
        files.push_back({"run.py", filled("prairielearn/run.py"), 0755});
        write_files(files, to / "tests");
        write_atomically(to / "info.json", filled("prairielearn/info.json"));
    } else if (platform == "autolab") {
        files.push_back({"driver.py", filled("autolab/driver.py"), 0755});
        write_atomically(to / "autograde.tar", create_tar(files), 0600);
        write_atomically(to / "autograde-Makefile", filled("autolab/autograde-Makefile"));
    } else {
        files.push_back({"grader.py", filled("submitty/grader.py"), 0755});
        write_files(files, to / "custom_validation_code");
        write_atomically(to / "config.json", submitty_config(assignment));
    }
}

}  // namespace coalesce::grader
