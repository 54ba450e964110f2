/// \file
/// The functions that implement the subcommands. Each is called with the parsed command line, and
/// returns an exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/class/assignment.h"
#include "grader/class/gradebook.h"
#include "grader/class/plan.h"

namespace coalesce::grader {

struct CommandOptions {
    std::filesystem::path folder;  ///< folder of the assignments
    std::string name;              ///< name of the assignment, or empty if there is only one
    NewAssignment new_assignment_request;
    RunRequest run;  ///< for `run`: the run's parameters
    JudgingProcesses processes;
    std::optional<Tier> tier;  ///< the requested sandbox, or empty for the strongest available one
    bool gpu = false;          ///< for `run`: whether to measure GPU times
    char** argv = nullptr;     ///< the command line
    bool json = false;         ///< for `one`: whether to print the verdict as JSON
    std::string exercise;
    std::filesystem::path file;    ///< for `one`, `student`, `container`, `time`: the file
    std::string student;           ///< for `show`, `set`: the student's name
    std::optional<double> points;  ///< for `set`: the points, or empty to keep the judge's points
    bool wants_judged = false;     ///< for `set`: whether to restore the judge's points
    std::string reason;            ///< for `set`: the reason
    std::string format;            ///< for `export`, `student`: the format
    std::filesystem::path to;      ///< destination of an export, or empty for stdout
    std::filesystem::path names;   ///< for `export`: a CSV file of the names in Moodle or Canvas
    LateRule late;                 ///< for `export`: the deduction for late days
    PlanRequest plan_request;      ///< for `plan`: the plan's parameters
    std::filesystem::path plan;    ///< for `chunk`, `status`, `merge`: the plan's folder
    int chunk = 0;                 ///< for `chunk`: index of the chunk, counted from 1
    std::filesystem::path work;    ///< for `worker`: the work folder
    std::filesystem::path assignment;  ///< for `worker`: the assignment's folder
};

/// Returns the folder in which assignments are stored by default.
std::filesystem::path assignments_folder();

int new_assignment(const CommandOptions& words);
int verify(const CommandOptions& words);
int run(const CommandOptions& words);
int judge_one_file(const CommandOptions& words);
int student(const CommandOptions& words);
int container(const CommandOptions& words);
int show(const CommandOptions& words);
int set_points(const CommandOptions& words);
int export_results(const CommandOptions& words);
int plan(const CommandOptions& words);
int chunk(const CommandOptions& words);
int status(const CommandOptions& words);
int merge(const CommandOptions& words);
int doctor_report(const CommandOptions& words);
int worker(const CommandOptions& words);
int time(const CommandOptions& words);

}  // namespace coalesce::grader
