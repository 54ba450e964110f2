#include "grader/class/submissions.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "examiner/course/exercise.h"
#include "examiner/safe_text.h"
#include "grader/class/platform_names.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxStudents = 20000;

std::string path_text(const TreeItem& item) {
    return escape_line(joined(item.path, "/"));
}

// Reports whether an item has the file name that the exercise requires.
bool is_named_after_exercise(const TreeItem& item, const std::string& exercise) {
    const std::string& file_name = item.path.back();
    std::string number = step_number(exercise);
    if (file_name == exercise + ".cu" || file_name == number + ".cu") return true;
    if (file_name != "kernel.cu" || item.path.size() < 2) return false;
    const std::string& folder = item.path[item.path.size() - 2];
    return folder == exercise || folder == number;
}

// Lists the files of a submission without a kernel. The list is part of the message to the student.
std::string list_found_files(const FileTree& tree) {
    std::vector<std::string> names;
    for (const TreeItem& item : tree.items) {
        if (item.kind != TreeItem::Kind::ignored) names.push_back(path_text(item));
    }
    const std::string text =
        joined(std::array{join_up_to(names, 5), describe_ignored_files(tree)}, ", ");
    return text.empty() ? ": the submission is empty." : "; the submission contains: " + text + ".";
}

// Returns the items that may be the student's kernel. A student may submit a copy of the whole
// course, which also contains solutions/03_tiled/kernel.cu. Therefore, files in exercises/ are
// preferred, and files in solutions/ are ignored.
std::vector<const TreeItem*> find_kernel_candidates(const FileTree& tree,
                                                    const std::string& exercise,
                                                    bool is_only_exercise) {
    std::vector<const TreeItem*> named_files, files_in_exercises, kernel_files;
    for (const TreeItem& item : tree.items) {
        const auto is_in_folder = [&](const char* folder) {
            return std::find(item.path.begin(), item.path.end() - 1, folder) != item.path.end() - 1;
        };
        if (is_in_folder("solutions") || is_in_folder("steps")) continue;
        if (is_named_after_exercise(item, exercise)) named_files.push_back(&item);
        if (is_named_after_exercise(item, exercise) && is_in_folder("exercises"))
            files_in_exercises.push_back(&item);
        if (item.path.back().ends_with(".cu")) kernel_files.push_back(&item);
    }
    if (!files_in_exercises.empty()) return files_in_exercises;
    if (named_files.empty() && is_only_exercise) return kernel_files;
    return named_files;
}

Submission find_file(const FileTree& tree, const std::string& exercise, bool is_only_exercise) {
    if (!tree.problem.empty()) return {exercise, "", tree.problem, tree.details};
    for (const TreeItem& item : tree.items) {
        if (item.kind != TreeItem::Kind::hostile) continue;
        return {exercise, "", "archive-hostile",
                "The archive contains a path that points outside the archive: " + path_text(item)};
    }
    std::vector<const TreeItem*> candidates =
        find_kernel_candidates(tree, exercise, is_only_exercise);
    if (candidates.empty()) {
        return {
            exercise, "", "no-file",
            "There is no " + exercise + "/kernel.cu in the submission" + list_found_files(tree)};
    }
    for (const TreeItem* candidate : candidates) {
        bool has_same_content =
            candidate->kind == candidates[0]->kind && candidate->bytes == candidates[0]->bytes;
        if (has_same_content &&
            !(candidate != candidates[0] && candidate->path == candidates[0]->path))
            continue;
        return {exercise, "", "two-files",
                "Two files match this exercise: " + path_text(*candidates[0]) + " and " +
                    path_text(*candidate)};
    }
    switch (candidates[0]->kind) {
        case TreeItem::Kind::hostile:
        case TreeItem::Kind::special:
            return {exercise, "", "not-a-file",
                    path_text(*candidates[0]) + " is a link or a device, not a file."};
        case TreeItem::Kind::too_large:
            return {exercise, "", "file-too-large", path_text(*candidates[0]) + " is too large."};
        case TreeItem::Kind::ignored:
        case TreeItem::Kind::file: break;
    }
    return {exercise, candidates[0]->bytes, "", describe_ignored_files(tree)};
}

// Reads a submission that is a single file: an archive or a kernel.
FileTree read_file_tree(const std::string& name, const std::string& bytes) {
    if (is_archive_name(name)) return read_archive(bytes);
    FileTree tree;
    tree.items.push_back({{name}, TreeItem::Kind::file, bytes});
    return tree;
}

// Adds an item to a student's tree. For an archive, adds its contents instead.
void add_item(TreeItem item, FileTree& tree) {
    if (item.kind == TreeItem::Kind::too_large && is_archive_name(item.path.back())) {
        return tree.refuse("archive-too-large", path_text(item) + " is too large.");
    }
    if (item.kind != TreeItem::Kind::file || !is_archive_name(item.path.back())) {
        return tree.items.push_back(std::move(item));
    }
    FileTree inner_tree = read_archive(item.bytes);
    if (!inner_tree.problem.empty()) tree.refuse(inner_tree.problem, inner_tree.details);
    std::ranges::move(inner_tree.items, std::back_inserter(tree.items));
}

// Reads a student's folder, including archives in it.
FileTree read_folder_tree(const fs::path& folder) {
    FileTree folder_tree = read_folder(folder, {.includes_archives = true}), tree;
    tree.problem = folder_tree.problem;
    tree.details = folder_tree.details;
    for (TreeItem& item : folder_tree.items) add_item(std::move(item), tree);
    return tree;
}

std::string student_name_from_file(const std::string& name) {
    if (is_archive_name(name)) return strip_archive_extension(name);
    return name.ends_with(".cu") ? name.substr(0, name.size() - 3) : name;
}

// The files of one student that have been collected so far.
struct GatheredStudent {
    FileTree tree;
    bool has_folder = false, has_file = false;
    std::string platform_name = "";  // see Entry::platform_name
};

// Groups the contents of the class's folder or archive by student.
class StudentGatherer {
public:
    void add(TreeItem item) {
        if (const auto name = parse_platform_name(item.path.front())) {
            students_[name->student].platform_name = item.path.front();
            item.path.front() = name->student;
            // If there are no folders, the item's name consists of the student's name and the name
            // that the student gave the file.
            if (item.path.size() == 1 && !name->file.empty()) item.path.push_back(name->file);
        }
        std::string student_name = item.path.front();
        if (item.path.size() > 1) {
            item.path.erase(item.path.begin());
            students_[student_name].has_folder = true;
            add_item(std::move(item), students_[student_name].tree);
        } else if (item.kind == TreeItem::Kind::file) {
            if (!is_submission_file(student_name)) return;
            add_file(student_name, read_file_tree(student_name, item.bytes));
        } else if (is_submission_file(student_name) || item.kind == TreeItem::Kind::special) {
            FileTree tree;
            bool is_too_large = item.kind == TreeItem::Kind::too_large;
            tree.refuse(is_too_large ? "archive-too-large" : "not-a-file",
                        is_too_large ? "The file is too large."
                                     : "The submission is a link or a device, not a file.");
            add_file(student_name, std::move(tree));
        }
    }

    // Adds a folder, which may be empty.
    void add_folder(const std::string& name, FileTree tree) {
        const auto platform_details = parse_platform_name(name);
        GatheredStudent& student = students_[platform_details ? platform_details->student : name];
        if (platform_details) student.platform_name = name;
        student.has_folder = true;
        // Moodle creates two folders for a student: one for files, and one for text.
        if (!tree.problem.empty()) student.tree.refuse(tree.problem, tree.details);
        std::ranges::move(tree.items, std::back_inserter(student.tree.items));
    }

    std::vector<Student> collect_students(const std::vector<std::string>& exercises) {
        std::vector<Student> students;
        for (auto& [name, gathered_student] : students_) {
            if (gathered_student.has_folder && gathered_student.has_file) {
                gathered_student.tree.refuse("two-submissions",
                                             "There are two submissions with this name.");
            }
            students.push_back({name, find_files(gathered_student.tree, exercises),
                                gathered_student.platform_name});
        }
        return students;
    }

    void add_file(const std::string& file, FileTree tree) {
        GatheredStudent& student = students_[student_name_from_file(file)];
        if (student.has_file) {
            tree.refuse("two-submissions", "There are two submissions with this name.");
        }
        student.has_file = true;
        student.tree = std::move(tree);
    }

    // Reports whether a file is a submission. The folder may also contain other files, such as a
    // list of names and a teacher's notes.
    static bool is_submission_file(const std::string& name) {
        return name[0] != '.' && (is_archive_name(name) || name.ends_with(".cu"));
    }

private:
    std::map<std::string, GatheredStudent> students_;
};

// Reads a folder of submissions. The limits apply to each student separately, so that an oversized
// submission does not affect other students.
void gather_folder(const fs::path& folder, StudentGatherer& gatherer) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        if (name[0] == '.' || name == "__MACOSX") continue;
        if (entry.is_symlink() || entry.is_other()) {
            gatherer.add({{name}, TreeItem::Kind::special, ""});
        } else if (entry.is_directory()) {
            gatherer.add_folder(name, read_folder_tree(entry.path()));
        } else if (StudentGatherer::is_submission_file(name)) {
            const TreeLimits limits;
            bool is_too_large =
                entry.file_size() >
                (is_archive_name(name) ? limits.max_archive_bytes : limits.max_file_bytes);
            gatherer.add({{name},
                          is_too_large ? TreeItem::Kind::too_large : TreeItem::Kind::file,
                          is_too_large ? "" : read_file(entry.path())});
        }
    }
}

// Reports whether the tree consists of a single top-level folder that contains students (as folders
// or archives) rather than exercises.
bool is_wrapped_class_folder(const FileTree& tree, const std::vector<std::string>& exercises) {
    bool has_students = false;
    for (const TreeItem& item : tree.items) {
        if (item.path.size() < 2 || item.path.front() != tree.items.front().path.front())
            return false;
        const std::string& second_component = item.path[1];
        if (item.path.size() == 2) {
            has_students = has_students || is_archive_name(second_component);
            continue;
        }
        bool is_exercise = std::ranges::any_of(exercises, [&](const std::string& exercise) {
            return second_component == exercise || second_component == step_number(exercise);
        });
        if (is_exercise || second_component == "exercises") return false;
        has_students = true;
    }
    return has_students;
}

// Reads an archive of the whole class, as learning platforms export it.
void gather_archive(const fs::path& file, const std::vector<std::string>& exercises,
                    StudentGatherer& gatherer) {
    constexpr std::uintmax_t max_archive_bytes = std::uintmax_t{2} << 30;
    if (fs::file_size(file) > max_archive_bytes) {
        throw UsageError(file.string() +
                         " is larger than 2 GiB. Unpack the archive yourself, and name the folder "
                         "with --submissions");
    }
    FileTree tree = read_archive(read_file(file), kClassLimits);
    if (!tree.problem.empty()) {
        throw UsageError(file.string() + ": " + tree.details +
                         " Unpack the archive yourself, and name the folder with --submissions");
    }
    bool is_wrapped = is_wrapped_class_folder(tree, exercises);
    for (TreeItem& item : tree.items) {
        if (is_wrapped) item.path.erase(item.path.begin());
        gatherer.add(std::move(item));
    }
}

}  // namespace

std::vector<Submission> find_files(const FileTree& tree,
                                   const std::vector<std::string>& exercises) {
    std::vector<Submission> submissions;
    for (const std::string& exercise : exercises) {
        submissions.push_back(find_file(tree, exercise, exercises.size() == 1));
    }
    return submissions;
}

Student read_student(const fs::path& submission, const std::string& name,
                     const std::vector<std::string>& exercises) {
    if (!fs::exists(submission)) throw UsageError(submission.string() + " does not exist");
    FileTree tree = fs::is_directory(submission)
                        ? read_folder_tree(submission)
                        : read_file_tree(submission.filename().string(), read_file(submission));
    return {name, find_files(tree, exercises)};
}

std::vector<Student> read_class(const fs::path& submissions,
                                const std::vector<std::string>& exercises) {
    StudentGatherer gatherer;
    if (fs::is_directory(submissions)) {
        gather_folder(submissions, gatherer);
    } else if (is_archive_name(submissions.filename().string())) {
        gather_archive(submissions, exercises, gatherer);
    } else {
        throw UsageError(submissions.string() +
                         (fs::exists(submissions) ? " is neither a folder nor a zip or tar archive"
                                                  : " does not exist") +
                         "; name the folder or archive with the submissions");
    }
    std::vector<Student> students = gatherer.collect_students(exercises);
    if (students.empty()) {
        throw UsageError(
            submissions.string() +
            " contains no submissions; it should contain a folder or an archive for each student");
    }
    if (students.size() > kMaxStudents) {
        throw UsageError(submissions.string() + " contains " + std::to_string(students.size()) +
                         " submissions; divide them among several folders, and grade each");
    }
    return students;
}

}  // namespace coalesce::grader
