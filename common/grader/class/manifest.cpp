#include "grader/class/manifest.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/child.h"
#include "base/enum_names.h"
#include "base/strict_toml.h"
#include "base/text.h"
#include "examiner/course/course.h"
#include "examiner/course/read_exercise.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

using course::StrictToml;

constexpr int kManifestFormat = 2;

// Calls `visit` with the name, the value and the maximum of each resource.
template <class ResourcesOrConst, class Visit>
void for_each_resource(ResourcesOrConst& resources, const Visit& visit) {
    visit("compile_seconds", resources.compile_seconds, 60);
    visit("launch_seconds", resources.launch_seconds, 60);
    visit("compile_mb", resources.compile_mb, 65536);
    visit("launch_mb", resources.launch_mb, 65536);
    visit("source_kb", resources.source_kb, 1024);
    visit("ptx_kb", resources.ptx_kb, 65536);
    visit("shared_bytes", resources.shared_bytes, 1 << 20);
    visit("local_bytes", resources.local_bytes, 1 << 24);
}

Resources read_resources(const StrictToml& reader, const toml::table& table) {
    const std::string context = "`resources`";
    Resources resources;
    std::set<std::string_view> known_keys;
    for_each_resource(resources, [&](const char* key, auto&, int) { known_keys.insert(key); });
    reader.allow_keys(table, known_keys, context);
    for_each_resource(resources, [&]<class Value>(const char* key, Value& value, int max_value) {
        value = static_cast<Value>(reader.integer(table, key, context, 1, max_value));
    });
    return resources;
}

Points read_points(const StrictToml& reader, const toml::table& table) {
    const Points points = course::read_numbers(reader, table, kPoints, "`points`");
    if (points.total() <= 0) {
        reader.fail(StrictToml::line_of(table),
                    "`points` is empty; give points for `correct`, `clean` or `counters`");
    }
    return points;
}

// Reads an exercise: takes the course's exercise and applies the manifest's changes to it.
AssignedExercise read_assigned(const StrictToml& reader, const toml::table& table,
                               const course::Course& course) {
    const std::string context = "an exercise";
    std::set<std::string_view> known_keys(std::begin(course::kRequirementKeys),
                                          std::end(course::kRequirementKeys));
    known_keys.erase("hidden");
    known_keys.insert({"name", "points", "allow", "resources"});
    const std::string name = reader.text(table, "name", context);
    const course::Step* step = course.lesson(name);
    // A task that is defined element by element has its own record, and cannot be changed in the
    // manifest.
    const bool has_elements = step != nullptr && step->exercise && step->exercise->elements;
    if (has_elements || is_beyond(name)) known_keys = {"name", "points", "allow", "resources"};
    reader.allow_keys(table, known_keys, context);
    if (course.program && course.lesson(name) == &*course.program) {
        reader.fail(StrictToml::line_of(table),
                    "\"" + name +
                        "\" is a whole program, and the grader does not run students' host code; "
                        "remove this exercise");
    }
    if (step == nullptr || !step->exercise || step->name != name) {
        reader.fail(StrictToml::line_of(table), "the course has no exercise \"" + name +
                                                    "\"; correct the name, or remove the exercise");
    }
    AssignedExercise exercise{*step->exercise};
    if (!exercise.elements) course::read_requirements(reader, table, exercise);
    exercise.possible_points = read_points(reader, reader.section(table, "points", name));
    exercise.allow = reader.strings(table, "allow", name);
    exercise.resources = read_resources(reader, reader.section(table, "resources", name));
    return exercise;
}

CountedAttempt read_attempts(const StrictToml& reader, const toml::table& document) {
    const toml::node* node = document.get("attempts");
    if (node == nullptr) return CountedAttempt::last;
    const std::string name = reader.text(document, "attempts", "the assignment");
    for (const CountedAttempt attempt :
         {CountedAttempt::last, CountedAttempt::best, CountedAttempt::first}) {
        if (dashed_name(attempt) == name) return attempt;
    }
    reader.fail(StrictToml::line_of(*node), "`attempts` must be \"last\", \"best\" or \"first\"");
}

void read_manifest(const fs::path& file, const course::Course& course, Assignment& assignment) {
    const StrictToml reader(file.string());
    const toml::table document = reader.parse();
    const std::string context = "the assignment";
    reader.allow_keys(document, {"format", "title", "epoch", "attempts", "exercise"}, context);
    if (reader.integer(document, "format", context, 0, 1000) != kManifestFormat) {
        reader.fail(
            StrictToml::line_of(*document.get("format")),
            "this grader reads format 2; use the version of the grader that wrote this file");
    }
    assignment.title = reader.text(document, "title", context);
    assignment.epoch = static_cast<int>(reader.integer(document, "epoch", context, 1, 1000000));
    assignment.counted_attempt = read_attempts(reader, document);
    for (const toml::node& node : reader.tables(document, "exercise", "[[exercise]]")) {
        AssignedExercise exercise = read_assigned(reader, *node.as_table(), course);
        if (assignment.find(exercise.name) != nullptr) {
            reader.fail(StrictToml::line_of(node),
                        exercise.name + " occurs twice; remove one of the two");
        }
        assignment.exercises.push_back(std::move(exercise));
    }
}

// Reads the hidden shapes of an exercise beyond the transpose.
void read_hidden_sizes(const StrictToml& reader, const toml::table& table,
                       AssignedExercise& exercise) {
    const ElementTask& task = *exercise.elements;
    exercise.hidden_shapes = course::read_element_shapes(reader, table, task, exercise.name);
    for (const Shape shape : exercise.hidden_shapes) {
        course::check_element_shape(reader, *table.get("shapes"), task, shape);
    }
    const toml::node* counted_node = table.get("counted");
    if (counted_node == nullptr) return;
    exercise.hidden_counted_shape =
        course::read_element_shape(reader, *counted_node, "counted", task);
    course::check_element_shape(reader, *counted_node, task, exercise.hidden_counted_shape);
}

void read_hidden(const fs::path& file, Assignment& assignment) {
    const StrictToml reader(file.string());
    const toml::table document = reader.parse();
    reader.allow_keys(document, {"exercise"}, "the file");
    for (const toml::node& node : reader.tables(document, "exercise", "[[exercise]]")) {
        const toml::table& table = *node.as_table();
        const int line = StrictToml::line_of(node);
        reader.allow_keys(table, {"name", "shapes", "counted"}, "an exercise");
        const std::string name = reader.text(table, "name", "an exercise");
        auto exercise = std::ranges::find(assignment.exercises, name, &AssignedExercise::name);
        if (exercise == assignment.exercises.end()) {
            reader.fail(line,
                        "assignment.toml has no exercise " + name + "; remove the exercise here");
        }
        if (exercise->elements) {
            read_hidden_sizes(reader, table, *exercise);
            continue;
        }
        exercise->hidden_shapes = reader.shapes(table, "shapes", name);
        course::check_shapes(reader, line, *exercise, exercise->hidden_shapes);
        if (!table.contains("counted")) continue;
        exercise->hidden_counted_shape = reader.shape(*table.get("counted"), "counted");
        course::check_shapes(reader, line, *exercise, {exercise->hidden_counted_shape});
    }
    for (const AssignedExercise& exercise : assignment.exercises) {
        if (exercise.hidden_shapes.empty()) {
            reader.fail(1, "there are no hidden shapes for " + exercise.name + "; add some");
        }
    }
}

std::string read_key(const fs::path& file) {
    std::error_code error;
    auto permissions = fs::status(file, error).permissions();
    if (!error &&
        (permissions & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none) {
        throw UsageError(file.string() +
                         " can be read by other users: run chmod 600 on it; if students may have "
                         "seen it, make a new assignment");
    }
    std::string text = read_file(file);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (text.size() != 64 || !is_hex) {
        throw UsageError(
            file.string() +
            " does not contain a key of 64 hexadecimal digits; restore the file from your backup");
    }
    return text;
}

// Returns the TOML text of an exercise's grading settings: points, permissions, resources.
std::string grading_text(const AssignedExercise& exercise) {
    const auto format_points = [&](const auto& named_points) {
        return named_points.first +
               (" = " + to_toml(exercise.possible_points.*named_points.second));
    };
    std::vector<std::string> resources;
    for_each_resource(exercise.resources, [&](const char* key, auto value, int) {
        resources.push_back(key + (" = " + std::to_string(value)));
    });
    return "points = { " + joined(kPoints, ", ", format_points) + " }\nallow = [" +
           joined(exercise.allow, ", ", toml_string) + "]\nresources = { " +
           joined(resources, ", ") + " }\n";
}

}  // namespace

const AssignedExercise* Assignment::find(const std::string& name_or_number) const {
    for (const AssignedExercise& exercise : exercises) {
        if (exercise.has_name(name_or_number)) return &exercise;
    }
    return nullptr;
}

Secret Assignment::secret(const AssignedExercise& exercise) const {
    return hmac_sha256(key, "inputs of " + exercise.name + ", epoch " + std::to_string(epoch));
}

double Assignment::points() const {
    double point_sum = 0;
    for (const AssignedExercise& exercise : exercises)
        point_sum += exercise.possible_points.total();
    return point_sum;
}

fs::path course_folder() {
    return fs::absolute(environment_variable_or("COALESCE_COURSE", COALESCE_REPOSITORY))
        .lexically_normal();
}

std::string current_executable() {
    return fs::read_symlink("/proc/self/exe").string();
}

Assignment read_assignment(const fs::path& folder) {
    Assignment assignment{.folder = folder,
                          .name = folder.filename().string(),
                          .title = {},
                          .exercises = {},
                          .key = {}};
    if (!fs::is_directory(assignment.teacher_folder())) {
        throw UsageError("there is no assignment in " + folder.string() +
                         "; ./learn assignment new NAME makes one");
    }
    try {
        const course::Course course = course::read_course(course_folder());
        read_manifest(assignment.teacher_folder() / "assignment.toml", course, assignment);
        read_hidden(assignment.teacher_folder() / "hidden.toml", assignment);
    } catch (const course::CourseError& error) {
        throw UsageError(error.what());
    }
    assignment.key = read_key(assignment.teacher_folder() / "key");
    for (AssignedExercise& exercise : assignment.exercises) {
        exercise.solution =
            read_file(assignment.teacher_folder() / "solutions" / exercise.name / "kernel.cu");
    }
    return assignment;
}

std::string manifest_text(const Assignment& assignment) {
    std::string text =
        "# The exercises and their points. If you change this file, all submissions are graded\n"
        "# again; older results are kept. The shapes, limits and other settings of an exercise "
        "are\n"
        "# those in its exercise.toml. To override one, add its key here: shapes, counted, limits "
        "...\n"
        "# points: `correct` for bit-exact results for every shape, `clean` if the checks of "
        "memory,\n"
        "#   races and barriers report nothing, `counters` for costs within the limits and no\n"
        "#   higher than those of the solution.\n"
        "# allow: further features that kernels may use: \"smid\", \"createpolicy\", \"global\"\n"
        "#   (global variables that kernels change).\n"
        "# epoch: increase it to change all secret inputs.\n"
        "format = 2\ntitle = " +
        toml_string(assignment.title) + "\nepoch = " + std::to_string(assignment.epoch) +
        "\n# If a student hands in several files for an exercise, count the \"last\", the \"best\" "
        "or\n"
        "# the \"first\".\n"
        "attempts = " +
        toml_string(dashed_name(assignment.counted_attempt)) + "\n";
    for (const AssignedExercise& exercise : assignment.exercises) {
        text +=
            "\n[[exercise]]\nname = " + toml_string(exercise.name) + "\n" + grading_text(exercise);
    }
    return text;
}

std::string hidden_text(const Assignment& assignment) {
    std::string text =
        "# Shapes that students do not know: keep this file secret. A kernel must be correct for\n"
        "# all `shapes`. Its costs are also counted at the shape `counted`, unless you leave it "
        "out.\n";
    for (const AssignedExercise& exercise : assignment.exercises) {
        text += "\n[[exercise]]\nname = " + toml_string(exercise.name) +
                "\nshapes = " + to_toml(exercise.hidden_shapes, exercise.size_names().size()) +
                "\n";
        if (exercise.hidden_counted_shape == Shape{0, 0}) continue;
        text +=
            "counted = " + to_toml(exercise.hidden_counted_shape, exercise.size_names().size()) +
            "\n";
    }
    return text;
}

std::string requirements_digest(const AssignedExercise& exercise) {
    const std::size_t sizes = exercise.size_names().size();
    return sha256_of_parts({coalesce::serialize_exercise(exercise), grading_text(exercise),
                            to_toml(exercise.hidden_shapes, sizes),
                            to_toml(exercise.hidden_counted_shape, sizes), exercise.solution});
}

fs::path assignment_folder(const fs::path& folder, const std::string& name) {
    bool is_valid_name = !name.empty() && name.size() <= 64 && name[0] != '.' && name[0] != '-';
    for (char letter : name) {
        is_valid_name = is_valid_name && (std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                                          letter == '-' || letter == '_' || letter == '.');
    }
    if (!is_valid_name) {
        throw UsageError("\"" + name +
                         "\" is not a valid assignment name; use only letters, digits, - and _");
    }
    return folder / name;
}

}  // namespace coalesce::grader
