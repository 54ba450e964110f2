#include "grader/class/export.h"

#include <sys/stat.h>

#include <algorithm>

#include "grader/class/zip.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// What is needed to build the grader.
constexpr const char* COURSE_PARTS[] = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "common", "course.toml",
    "docs",           "exercises",         "learn",   "solutions", "steps"};

void pack(const fs::path& file, const std::string& name, std::vector<Packed>& files) {
    unsigned mode =
        (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none ? 0755 : 0644;
    files.push_back({name, read_file(file), mode});
}

void pack_all(const fs::path& from, const std::string& as, std::vector<Packed>& files) {
    if (fs::is_regular_file(from)) return pack(from, as, files);
    if (!fs::is_directory(from)) return;
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
        if (entry.is_regular_file() && !entry.is_symlink()) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    for (const fs::path& file : found) {
        pack(file, as + "/" + fs::relative(file, from).generic_string(), files);
    }
}

// The assignment without what was handed in and judged.
void pack_assignment(const Assignment& assignment, const std::string& as,
                     std::vector<Packed>& files) {
    pack_all(assignment.folder / "handout", as + "/handout", files);
    for (const char* part : {"assignment.toml", "hidden.toml", "key", "solutions"}) {
        pack_all(assignment.teacher() / part, as + "/teacher/" + part, files);
    }
    for (Packed& file : files) {
        if (file.name.ends_with("/teacher/key") || file.name.ends_with("/hidden.toml")) {
            file.mode = 0600;
        }
    }
}

std::string gradescope_setup() {
    return R"(#!/bin/sh
# Gradescope runs this once, when the image is made. It needs nvcc of CUDA 13: begin with an image
# that has it, or install NVIDIA's packages cuda-nvcc-13-0, cuda-cudart-dev-13-0, cuda-nvrtc-dev-13-0
# and libcublas-dev-13-0 here, as NVIDIA's installation guide says for this system.
set -eu
cd /autograder/source/course
chmod +x learn
apt-get update
apt-get install -y --no-install-recommends bubblewrap libseccomp-dev libsqlite3-dev libarchive-dev
./learn build
./learn grade doctor
)";
}

std::string gradescope_run(const std::string& name) {
    return R"(#!/bin/sh
# Gradescope runs this for each submission. When the grader cannot work it ends with an error and
# writes nothing: Gradescope then shows a failed autograder, and no zero.
set -eu
chmod 600 /autograder/source/assignments/)" +
           name + R"(/teacher/key
exec /autograder/source/course/build/bin/grade student /autograder/submission \
    --folder /autograder/source/assignments --assignment )" +
           name + R"( \
    --format gradescope --to /autograder/results/results.json
)";
}

std::string classroom50_script(const std::string& name) {
    return R"(#!/usr/bin/env python3
"""Grades the working folder, and writes result.json for Classroom 50.

COALESCE_GRADE is the course's build/bin/grade; COALESCE_ASSIGNMENTS the folder with the assignment.
Keep both where students cannot read: they hold the key. When the grader cannot work this ends with
an error and writes nothing, so that nobody gets a zero.
"""

import os
import pathlib
import subprocess
import sys

ASSIGNMENT = ")" +
           name +
           R"("
HERE = pathlib.Path(__file__).resolve().parent


def main():
    grade = os.environ.get("COALESCE_GRADE", "grade")
    folder = os.environ.get("COALESCE_ASSIGNMENTS", str(HERE / "assignments"))
    submission = sys.argv[1] if len(sys.argv) > 1 else "."
    command = [grade, "student", submission, "--folder", folder, "--assignment", ASSIGNMENT]
    return subprocess.call(command + ["--format", "classroom50", "--to", "result.json"])


if __name__ == "__main__":
    sys.exit(main())
)";
}

}  // namespace

void export_platform(const Assignment& assignment, const std::string& platform, const fs::path& to,
                     const fs::path& repository) {
    if (platform == "gradescope") {
        std::vector<Packed> files = {{"setup.sh", gradescope_setup(), 0755},
                                     {"run_autograder", gradescope_run(assignment.name), 0755}};
        pack_assignment(assignment, "assignments/" + assignment.name, files);
        for (const char* part : COURSE_PARTS) {
            pack_all(repository / part, std::string("course/") + part, files);
        }
        // It holds the key.
        return write_whole(to, zip_of(files), 0600);
    }
    if (fs::exists(to) && !fs::is_directory(to)) throw Usage(to.string() + " is no folder");
    make_folder(to);
    write_whole(to / "autograder.py", classroom50_script(assignment.name), 0755);
}

}  // namespace coalesce::grader
