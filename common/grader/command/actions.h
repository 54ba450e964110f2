/// \file
/// What each command does; the command line has been read. They return exit codes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::grader {

/// All words that any command takes.
struct Words {
    std::filesystem::path folder;        ///< where assignments are
    std::string name;                    ///< of the assignment; "": the only one there is
    std::vector<std::string> exercises;  ///< of a new assignment
    std::vector<double> points;          ///< likewise
    std::string title;                   ///< likewise
    std::filesystem::path submissions;   ///< of a class
    int jobs = 0;                        ///< 0: one for each processor
    bool resume = false;                 ///< the last run
    bool again = false;                  ///< what has a result too
    bool no_sandbox = false;             ///< for development
    bool quiet = false;                  ///< no progress
    bool gpu = false;                    ///< `run`: times too
    char** argv = nullptr;               ///< the command line as it came
    bool json = false;                   ///< `one`: the verdict as JSON
    std::string exercise;                ///< `one`
    std::filesystem::path file;          ///< `one`, `student`
    std::string student;                 ///< `show`
    std::string format;                  ///< `export`, `student`
    std::filesystem::path to;            ///< where an export goes; "": stdout
    std::filesystem::path names;         ///< `export`: who is who, for Moodle and Canvas
    double late_percent = 0;             ///< `export`: taken off for each day
    double late_free = 0;                ///< `export`: days that cost nothing
    std::string tier;                    ///< `worker`, `plan`
    std::filesystem::path plan;          ///< `chunk`, `status`, `merge`: the plan's folder
    int chunk = 0;                       ///< `chunk`: which; `plan`: how many
    double seconds = 30;                 ///< `plan`: of each chunk
    std::filesystem::path work;          ///< `worker`
    std::filesystem::path assignment;    ///< `worker`: the assignment's folder
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
