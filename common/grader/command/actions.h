/// \file
/// The functions that implement the grader's subcommands. Each function takes the parsed command
/// line, and returns an exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/class/assignment.h"
#include "grader/class/gradebook.h"
#include "grader/class/plan.h"

namespace coalesce::grader {

struct CommandOptions {
    std::filesystem::path folder;  ///< folder that contains the assignments
    std::string assignment_name;   ///< name of the assignment, or empty if there is only one
    NewAssignment new_assignment_request;
    RunRequest run_request;  ///< for `run`: the run's parameters
    JudgingProcesses processes;
    /// the requested tier of the sandbox, or empty for the strongest one that works
    std::optional<Tier> tier;
    bool should_time_on_gpu = false;  ///< for `run`: whether to measure GPU times
    char** argv = nullptr;            ///< the command line
    bool prints_json = false;         ///< for `one`: whether to print the verdict as JSON
    std::string exercise;
    std::filesystem::path file;    ///< for `one`, `student`, `container`, `time`: the file
    std::string student;           ///< for `show`, `set`: the student's name
    std::optional<double> points;  ///< for `set`: the points, or empty to keep the judge's points
    bool should_restore_points = false;  ///< for `set`: whether to restore the judge's points
    std::string reason;                  ///< for `set`: the reason
    std::string format;                  ///< for `export`, `student`: the format
    std::filesystem::path destination;   ///< destination of an export, or empty for stdout
    std::filesystem::path
        names_file;            ///< for `export`: a CSV file of the names in Moodle or Canvas
    LateRule late_rule;        ///< for `export`: the deduction for late days
    PlanRequest plan_request;  ///< for `plan`: the plan's parameters
    std::filesystem::path plan_folder;  ///< for `chunk`, `status`, `merge`: the plan's folder
    int chunk_number = 0;               ///< for `chunk`: the number of the chunk, counted from 1
    std::filesystem::path work_folder;  ///< for `worker`: the work folder
    std::filesystem::path assignment_path;  ///< for `worker`: the assignment's folder
};

/// Returns the folder in which assignments are stored by default.
std::filesystem::path assignments_folder();

int create_assignment(const CommandOptions& options);
int run_verification(const CommandOptions& options);
int grade_submissions(const CommandOptions& options);
int judge_one_file(const CommandOptions& options);
int judge_student_submission(const CommandOptions& options);
int judge_in_container(const CommandOptions& options);
int show_student(const CommandOptions& options);
int set_points(const CommandOptions& options);
int export_results(const CommandOptions& options);
int write_plan(const CommandOptions& options);
int judge_planned_chunk(const CommandOptions& options);
int print_plan_status(const CommandOptions& options);
int merge_planned_results(const CommandOptions& options);
int print_doctor_report(const CommandOptions& options);
int run_judging_worker(const CommandOptions& options);
int time_gpu_kernel(const CommandOptions& options);

}  // namespace coalesce::grader
