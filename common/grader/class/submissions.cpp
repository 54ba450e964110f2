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

std::string path_text(const Item& item) {
    return escape_line(joined(item.path, "/"));
}

// Reports whether an item has the file name that the exercise requires.
bool is_named_after_exercise(const Item& item, const std::string& exercise) {
    const std::string& last = item.path.back();
    std::string number = step_number(exercise);
    if (last == exercise + ".cu" || last == number + ".cu") return true;
    if (last != "kernel.cu" || item.path.size() < 2) return false;
    const std::string& folder = item.path[item.path.size() - 2];
    return folder == exercise || folder == number;
}

// Lists the files of a submission without a kernel. The list is part of the message to the student.
std::string list_found_files(const Tree& tree) {
    std::vector<std::string> names;
    for (const Item& item : tree.items) {
        if (item.kind != Item::Kind::ignored) names.push_back(path_text(item));
    }
    const std::string text =
        joined(std::array{join_up_to(names, 5), describe_ignored_files(tree)}, ", ");
    return text.empty() ? ": the submission is empty." : "; the submission contains: " + text + ".";
}

// Returns the items that may be the student's kernel. A student may submit a copy of the whole
// course, which also contains solutions/03_tiled/kernel.cu. Therefore, files in exercises/ are
// preferred, and files in solutions/ are ignored.
std::vector<const Item*> find_kernel_candidates(const Tree& tree, const std::string& exercise,
                                                bool is_only_one) {
    std::vector<const Item*> named, in_exercises, kernels;
    for (const Item& item : tree.items) {
        const auto lies_in = [&](const char* folder) {
            return std::find(item.path.begin(), item.path.end() - 1, folder) != item.path.end() - 1;
        };
        if (lies_in("solutions") || lies_in("steps")) continue;
        if (is_named_after_exercise(item, exercise)) named.push_back(&item);
        if (is_named_after_exercise(item, exercise) && lies_in("exercises"))
            in_exercises.push_back(&item);
        if (item.path.back().ends_with(".cu")) kernels.push_back(&item);
    }
    if (!in_exercises.empty()) return in_exercises;
    if (named.empty() && is_only_one) return kernels;
    return named;
}

Submission find_file(const Tree& tree, const std::string& exercise, bool is_only_one) {
    if (!tree.problem.empty()) return {exercise, "", tree.problem, tree.details};
    for (const Item& item : tree.items) {
        if (item.kind != Item::Kind::hostile) continue;
        return {exercise, "", "archive-hostile",
                "The archive contains a path that points outside the archive: " + path_text(item)};
    }
    std::vector<const Item*> found = find_kernel_candidates(tree, exercise, is_only_one);
    if (found.empty()) {
        return {
            exercise, "", "no-file",
            "There is no " + exercise + "/kernel.cu in the submission" + list_found_files(tree)};
    }
    for (const Item* other : found) {
        bool is_same = other->kind == found[0]->kind && other->bytes == found[0]->bytes;
        if (is_same && !(other != found[0] && other->path == found[0]->path)) continue;
        return {
            exercise, "", "two-files",
            "Two files match this exercise: " + path_text(*found[0]) + " and " + path_text(*other)};
    }
    switch (found[0]->kind) {
        case Item::Kind::hostile:
        case Item::Kind::special:
            return {exercise, "", "not-a-file",
                    path_text(*found[0]) + " is a link or a device, not a file."};
        case Item::Kind::too_large:
            return {exercise, "", "file-too-large", path_text(*found[0]) + " is too large."};
        case Item::Kind::ignored:
        case Item::Kind::file: break;
    }
    return {exercise, found[0]->bytes, "", describe_ignored_files(tree)};
}

// Reads a submission that is a single file: an archive or a kernel.
Tree read_file_tree(const std::string& name, const std::string& bytes) {
    if (is_archive_name(name)) return read_archive(bytes);
    Tree tree;
    tree.items.push_back({{name}, Item::Kind::file, bytes});
    return tree;
}

// Adds an item to a student's tree. For an archive, adds its contents instead.
void add_item(Item item, Tree& tree) {
    if (item.kind == Item::Kind::too_large && is_archive_name(item.path.back())) {
        return tree.refuse("archive-too-large", path_text(item) + " is too large.");
    }
    if (item.kind != Item::Kind::file || !is_archive_name(item.path.back())) {
        return tree.items.push_back(std::move(item));
    }
    Tree inner = read_archive(item.bytes);
    if (!inner.problem.empty()) tree.refuse(inner.problem, inner.details);
    std::ranges::move(inner.items, std::back_inserter(tree.items));
}

// Reads a student's folder, including archives in it.
Tree read_folder_tree(const fs::path& folder) {
    Tree found = read_folder(folder, {.has_archives = true}), tree;
    tree.problem = found.problem;
    tree.details = found.details;
    for (Item& item : found.items) add_item(std::move(item), tree);
    return tree;
}

std::string student_name_from_file(const std::string& name) {
    if (is_archive_name(name)) return strip_archive_extension(name);
    return name.ends_with(".cu") ? name.substr(0, name.size() - 3) : name;
}

// The files of one student that have been collected so far.
struct GatheredStudent {
    Tree tree;
    bool has_folder = false, has_file = false;
    std::string platform_name = "";  // see Entry::platform_name
};

// Groups the contents of the class's folder or archive by student.
class StudentGatherer {
public:
    void add(Item item) {
        if (const auto name = parse_platform_name(item.path.front())) {
            students_[name->student].platform_name = item.path.front();
            item.path.front() = name->student;
            // If there are no folders, the item's name consists of the student's name and the name
            // that the student gave the file.
            if (item.path.size() == 1 && !name->file.empty()) item.path.push_back(name->file);
        }
        std::string first = item.path.front();
        if (item.path.size() > 1) {
            item.path.erase(item.path.begin());
            students_[first].has_folder = true;
            add_item(std::move(item), students_[first].tree);
        } else if (item.kind == Item::Kind::file) {
            if (!is_submission_file(first)) return;
            add_file(first, read_file_tree(first, item.bytes));
        } else if (is_submission_file(first) || item.kind == Item::Kind::special) {
            Tree tree;
            bool is_large = item.kind == Item::Kind::too_large;
            tree.refuse(is_large ? "archive-too-large" : "not-a-file",
                        is_large ? "The file is too large."
                                 : "The submission is a link or a device, not a file.");
            add_file(first, std::move(tree));
        }
    }

    // Adds a folder, which may be empty.
    void add_folder(const std::string& name, Tree tree) {
        const auto known = parse_platform_name(name);
        GatheredStudent& student = students_[known ? known->student : name];
        if (known) student.platform_name = name;
        student.has_folder = true;
        // Moodle creates two folders for a student: one for files, and one for text.
        if (!tree.problem.empty()) student.tree.refuse(tree.problem, tree.details);
        std::ranges::move(tree.items, std::back_inserter(student.tree.items));
    }

    std::vector<Student> collect_students(const std::vector<std::string>& exercises) {
        std::vector<Student> all;
        for (auto& [name, gathered] : students_) {
            if (gathered.has_folder && gathered.has_file) {
                gathered.tree.refuse("two-submissions",
                                     "There are two submissions with this name.");
            }
            all.push_back({name, find_files(gathered.tree, exercises), gathered.platform_name});
        }
        return all;
    }

    void add_file(const std::string& file, Tree tree) {
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
void gather_folder(const fs::path& folder, StudentGatherer& gathering) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        if (name[0] == '.' || name == "__MACOSX") continue;
        if (entry.is_symlink() || entry.is_other()) {
            gathering.add({{name}, Item::Kind::special, ""});
        } else if (entry.is_directory()) {
            gathering.add_folder(name, read_folder_tree(entry.path()));
        } else if (StudentGatherer::is_submission_file(name)) {
            const TreeLimits limits;
            bool is_large = entry.file_size() >
                            (is_archive_name(name) ? limits.archive_bytes : limits.file_bytes);
            gathering.add({{name},
                           is_large ? Item::Kind::too_large : Item::Kind::file,
                           is_large ? "" : read_file(entry.path())});
        }
    }
}

// Reports whether the tree consists of a single top-level folder that contains students (as folders
// or archives) rather than exercises.
bool is_wrapped_class_folder(const Tree& tree, const std::vector<std::string>& exercises) {
    bool has_students = false;
    for (const Item& item : tree.items) {
        if (item.path.size() < 2 || item.path.front() != tree.items.front().path.front())
            return false;
        const std::string& below = item.path[1];
        if (item.path.size() == 2) {
            has_students = has_students || is_archive_name(below);
            continue;
        }
        bool is_exercise = std::ranges::any_of(exercises, [&](const std::string& exercise) {
            return below == exercise || below == step_number(exercise);
        });
        if (is_exercise || below == "exercises") return false;
        has_students = true;
    }
    return has_students;
}

// Reads an archive of the whole class, as learning platforms export it.
void gather_archive(const fs::path& file, const std::vector<std::string>& exercises,
                    StudentGatherer& gathering) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{2} << 30;
    if (fs::file_size(file) > most_bytes) {
        throw UsageError(file.string() +
                         " is larger than 2 GiB. Unpack the archive yourself, and name the folder "
                         "with --submissions");
    }
    Tree tree = read_archive(read_file(file), kClassLimits);
    if (!tree.problem.empty()) {
        throw UsageError(file.string() + ": " + tree.details +
                         " Unpack the archive yourself, and name the folder with --submissions");
    }
    bool is_wrapped = is_wrapped_class_folder(tree, exercises);
    for (Item& item : tree.items) {
        if (is_wrapped) item.path.erase(item.path.begin());
        gathering.add(std::move(item));
    }
}

}  // namespace

std::vector<Submission> find_files(const Tree& tree, const std::vector<std::string>& exercises) {
    std::vector<Submission> handed;
    for (const std::string& exercise : exercises) {
        handed.push_back(find_file(tree, exercise, exercises.size() == 1));
    }
    return handed;
}

Student read_student(const fs::path& submission, const std::string& name,
                     const std::vector<std::string>& exercises) {
    if (!fs::exists(submission)) throw UsageError(submission.string() + " does not exist");
    Tree tree = fs::is_directory(submission)
                    ? read_folder_tree(submission)
                    : read_file_tree(submission.filename().string(), read_file(submission));
    return {name, find_files(tree, exercises)};
}

std::vector<Student> read_class(const fs::path& submissions,
                                const std::vector<std::string>& exercises) {
    StudentGatherer gathering;
    if (fs::is_directory(submissions)) {
        gather_folder(submissions, gathering);
    } else if (is_archive_name(submissions.filename().string())) {
        gather_archive(submissions, exercises, gathering);
    } else {
        throw UsageError(submissions.string() +
                         (fs::exists(submissions) ? " is neither a folder nor a zip or tar archive"
                                                  : " does not exist") +
                         "; name the folder or archive with the submissions");
    }
    std::vector<Student> students = gathering.collect_students(exercises);
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
