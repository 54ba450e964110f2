/// \file
/// What each command does; the command line has been read. They return exit codes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/class/assignment.h"
#include "grader/class/gradebook.h"
#include "grader/class/plan.h"

namespace coalesce::grader {

/// All words that any command takes.
struct Words {
    std::filesystem::path folder;      ///< where assignments are
    std::string name;                  ///< of the assignment; "": the only one there is
    NewAssignment made;                ///< `assignment new`
    RunRequest run;                    ///< `run`
    JudgingProcesses processes;        ///< who judges
    std::optional<Tier> tier;          ///< the sandbox that is wanted; nothing: the best here
    bool gpu = false;                  ///< `run`: times too
    char** argv = nullptr;             ///< the command line as it came
    bool json = false;                 ///< `one`: the verdict as JSON
    std::string exercise;              ///< `one`
    std::filesystem::path file;        ///< `one`, `student`, `time`
    std::string student;               ///< `show`
    std::string format;                ///< `export`, `student`
    std::filesystem::path to;          ///< where an export goes; "": stdout
    std::filesystem::path names;       ///< `export`: who is who, for Moodle and Canvas
    LateRule late;                     ///< `export`
    PlanRequest planned;               ///< `plan`
    std::filesystem::path plan;        ///< `chunk`, `status`, `merge`: the plan's folder
    int chunk = 0;                     ///< `chunk`: which
    std::filesystem::path work;        ///< `worker`
    std::filesystem::path assignment;  ///< `worker`: the assignment's folder
};

/// Where assignments are unless another folder is named.
std::filesystem::path assignments_folder();

int new_assignment(const Words& words);
int verify(const Words& words);
int run(const Words& words);
int one(const Words& words);
int student(const Words& words);
int show(const Words& words);
int export_results(const Words& words);
int plan(const Words& words);
int chunk(const Words& words);
int status(const Words& words);
int merge(const Words& words);
int doctor_report(const Words& words);
int worker(const Words& words);
int time(const Words& words);

}  // namespace coalesce::grader
