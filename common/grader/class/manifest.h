/// \file
/// An assignment as the teacher keeps it: a folder.
///
///     NAME/handout/       what students get: README.md, exercises/NN_name/kernel.cu
///     NAME/teacher/       what they do not get, for the owner's eyes alone (0700):
///         assignment.toml     the course's exercises that are asked, what is asked in another way,
///                             and the points: edit it freely
///         hidden.toml         the shapes that only the teacher knows
///         key                 64 hexadecimal digits, from which all inputs are derived
///         solutions/NN_name/  kernel.cu, and mutants.toml for `assignment verify`
///         store.sqlite        what was handed in and judged
///         results/            grades.csv and all that is written from the store
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// An assignment, read.
struct Assignment {
    std::filesystem::path folder;     ///< NAME/
    std::string name;                 ///< as its folder is called
    std::string title;                ///< for students
    int epoch = 1;                    ///< counted up for other secret inputs
    std::vector<Assigned> exercises;  ///< hidden shapes and solutions included
    std::string key;                  ///< the key file's digits

    /// Where the teacher's files are.
    std::filesystem::path teacher() const { return folder / "teacher"; }
    /// Where the reports go.
    std::filesystem::path results() const { return teacher() / "results"; }
    /// The store.
    std::filesystem::path store() const { return teacher() / "store.sqlite"; }
    /// The exercise of that name or number, or nullptr.
    const Assigned* find(const std::string& name_or_number) const;
    /// The secret of an exercise: other than that of every other exercise and epoch.
    Secret secret(const Assigned& exercise) const;
    /// All points that there are.
    double points() const;
};

/// The course's folder: the one that COALESCE_COURSE names, or where this program was built.
std::filesystem::path repository();

/// The file of this program, which starts itself for what is done in processes of their own.
std::string own_program();

/// Reads an assignment. Throws UsageError that names file and line and says what to do.
Assignment read_assignment(const std::filesystem::path& folder);

/// assignment.toml of an assignment.
std::string manifest_text(const Assignment& assignment);
/// hidden.toml of an assignment.
std::string hidden_text(const Assignment& assignment);

/// The digest of all that an exercise asks: hidden shapes, points and solution too. Any change in
/// it makes other keys, and so other results beside the older ones.
std::string digest_of(const Assigned& exercise);

/// Where an assignment of that name lies: `folder`/NAME.
std::filesystem::path assignment_folder(const std::filesystem::path& folder,
                                        const std::string& name);

}  // namespace coalesce::grader
