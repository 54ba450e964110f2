// Reads the records of the course. Anything unexpected, such as an unknown key, a step that builds
// on a later step, or a kernel without expectations, is an error. Otherwise a typo could cause a
// test to be skipped.

#include "examiner/course/course.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "examiner/course/read_exercise.h"
#include "examiner/course/read_hints.h"
#include "examiner/course/strict_toml.h"

namespace coalesce::course {
namespace {

void read_expectations(const StrictToml& reader, const toml::table& table, Variant& variant) {
    const toml::node* node = table.get("expect");
    if (node == nullptr) {
        if (variant.kernel.empty()) return;
        reader.fail(variant.line, "variant \"" + variant.name +
                                      "\" has a kernel but no `expect`; add expect = { load = 4, "
                                      "store = 4 } with the costs that the kernel must have");
    }
    if (variant.kernel.empty()) {
        reader.fail(*node, "variant \"" + variant.name +
                               "\" has `expect`, but no kernel; name the kernel with `kernel`, or "
                               "remove `expect`");
    }
    const toml::table* counters = node->as_table();
    if (counters == nullptr || counters->empty()) {
        reader.fail(*node, "`expect` must be a table: { load = 4, store = 4 }");
    }
    reader.allow_keys(*counters,
                      {std::begin(kCounterNamesToExpect), std::end(kCounterNamesToExpect)},
                      "`expect`");
    for (auto& [key, value] : *counters) {
        auto number = value.value<double>();
        if (!number || !(*number > 0)) {
            reader.fail(value, "`" + std::string(key.str()) +
                                   "` must be a number above 0: sectors or wavefronts per request");
        }
        variant.expected_costs[std::string(key.str())] = *number;
    }
}

Variant read_variant(const StrictToml& reader, const toml::table& table, const Step& step) {
    std::string table_name = "a variant of " + step.name;
    Variant variant;
    variant.line = StrictToml::line_of(table);
    reader.allow_keys(table, {"name", "kernel", "expect", "multiples"}, table_name);
    variant.name = reader.text(table, "name", table_name);
    if (variant.name.empty())
        reader.fail(variant.line, table_name + " has an empty name; name the variant");
    if (step.find(variant.name) != nullptr) {
        reader.fail(variant.line, step.name + " has two variants \"" + variant.name +
                                      "\"; rename one variant, here and in its main.cu");
    }
    if (table.contains("kernel")) variant.kernel = reader.text(table, "kernel", table_name);
    read_expectations(reader, table, variant);
    read_multiples(reader, table, variant);
    return variant;
}

int read_points(const StrictToml& reader, const toml::table& table, const std::string& table_name) {
    return static_cast<int>(reader.integer(table, "points", table_name, 1, 1000));
}

double read_tolerance(const StrictToml& reader, const toml::table& table) {
    constexpr double max_tolerance = 0.25;
    const toml::node* node = table.get("within");
    if (node == nullptr) return kRoundingTolerance;
    double relative_error = node->value<double>().value_or(0);
    if (relative_error > kRoundingTolerance && relative_error <= max_tolerance)
        return relative_error;
    reader.fail(*node, "`within`, the tolerance of an answer, must be above 0.02 and at most 0.25");
}

// The smallest tolerance allowed for a question about a predicted time, because the time model
// itself is off by about 8 %.
constexpr double kMinTimeTolerance = 0.1;

std::vector<Prediction> read_predictions(const StrictToml& reader, const toml::table& table,
                                         const std::string& table_name) {
    std::vector<Prediction> predictions;
    if (!table.contains("prediction")) return predictions;
    for (auto& node : reader.tables(table, "prediction", "[[prediction]] of " + table_name)) {
        const toml::table& entry = *node.as_table();
        std::string name = "a prediction of " + table_name;
        reader.allow_keys(entry, {"counter", "question", "within"}, name);
        Prediction prediction = {reader.text(entry, "counter", name),
                                 reader.text(entry, "question", name),
                                 read_tolerance(reader, entry)};
        const int line = StrictToml::line_of(*entry.get("counter"));
        const bool is_speed_question = prediction.counter == kCopyPercentQuestion;
        if (!is_speed_question &&
            std::ranges::count(kCounterNamesToExpect, prediction.counter) == 0) {
            reader.fail(line, "`counter` must be load, store, shared_load, shared_store or " +
                                  std::string(kCopyPercentQuestion) + ", not \"" +
                                  prediction.counter + "\"");
        }
        if (is_speed_question && prediction.tolerance < kMinTimeTolerance) {
            reader.fail(line,
                        "predicted times are off by several percent; set `within` to 0.1 or more");
        }
        for (auto& other_prediction : predictions) {
            if (other_prediction.counter != prediction.counter) continue;
            reader.fail(entry, table_name + " has two predictions for " + other_prediction.counter +
                                   "; remove one");
        }
        predictions.push_back(prediction);
    }
    return predictions;
}

// Reads the exercise of a step from its exercise.toml, except for the bug hunt.
Exercise read_exercise(const StrictToml& reader, const toml::table& table, const std::string& step,
                       const Exercise& default_exercise) {
    std::set<std::string_view> known_keys(std::begin(kRequirementKeys), std::end(kRequirementKeys));
    known_keys.insert({"points", "hint", "prediction", "hunt"});
    reader.allow_keys(table, known_keys, "the exercise of " + step);
    Exercise exercise = default_exercise;
    exercise.name = step;
    exercise.points = read_points(reader, table, "the exercise of " + step);
    read_requirements(reader, table, exercise);
    if (exercise.shapes.empty()) {
        reader.fail(1,
                    "the exercise of " + step + " has no `shapes`; add shapes = [[64, 64], ...]");
    }
    exercise.hints = read_hints(reader, table, FirstHint::is_general, step);
    exercise.predictions = read_predictions(reader, table, step);
    return exercise;
}

// Reads the bug hunt. A hunt requires the same result and allows the same costs as the exercise,
// but may define its own shapes and block order.
Exercise read_hunt(const StrictToml& reader, const toml::table& table,
                   const Exercise& base_exercise) {
    const toml::table& entry = reader.section(table, "hunt", base_exercise.name);
    const std::string name = "the bug hunt of " + base_exercise.name;
    reader.allow_keys(
        entry, {"points", "shapes", "block_order", "question", "picture", "api", "line"}, name);
    Exercise hunt = base_exercise;
    hunt.is_hunt = true;
    if (!base_exercise.elements)
        hunt.limits = {.copies_in_flight = base_exercise.limits.copies_in_flight};
    hunt.predictions = {};
    const int line = StrictToml::line_of(entry);
    hunt.points = read_points(reader, entry, name);
    if (entry.contains("shapes") && !base_exercise.elements) {
        hunt.shapes = reader.shapes(entry, "shapes", name);
        check_shapes(reader, line, hunt, hunt.shapes);
    }
    read_block_order(reader, entry, hunt);
    Hint hint;
    hint.line = line;
    read_levels(reader, entry, true, name, hint);
    hunt.hints = {hint};
    return hunt;
}

// Reads an exercise whose task is defined element by element, except for the bug hunt. `extra_keys`
// contains the keys that the exercise may have in addition to those of the task. `reference` is
// null if reference.cu is missing.
Exercise read_element_exercise(const StrictToml& reader, const toml::table& table,
                               const CourseText* reference, const std::string& name,
                               const std::set<std::string_view>& extra_keys) {
    std::set<std::string_view> known_keys(std::begin(kElementKeys), std::end(kElementKeys));
    known_keys.insert(extra_keys.begin(), extra_keys.end());
    reader.allow_keys(table, known_keys, "the exercise " + name);
    Exercise exercise{.name = name};
    read_elements(reader, table, exercise);
    const std::string file = "solutions/" + name + "/reference.cu";
    if (reference == nullptr) {
        reader.fail(1, name + " has no " + file + "; write __device__ " +
                           exercise.elements->reference_name(
                               exercise.kernel, *exercise.elements->outputs().front()) +
                           "(...), which returns one element of the output");
    }
    exercise.elements->reference = reference->text;
    exercise.elements->reference_file = file;
    exercise.hints = read_hints(reader, table, FirstHint::is_general, name);
    return exercise;
}

// Reads an exercise beyond the transpose. `reference` is null if reference.cu is missing.
Step read_beyond_exercise(const CourseText& record, const CourseText* reference,
                          const std::string& name) {
    const StrictToml reader(record.file);
    const toml::table table = reader.parse(record.text);
    Exercise exercise =
        read_element_exercise(reader, table, reference, name, {"title", "points", "hint", "hunt"});
    exercise.points = table.contains("points") ? read_points(reader, table, name) : 10;
    Step step{.name = name, .title = reader.text(table, "title", "the exercise " + name)};
    step.exercise = exercise;
    if (table.contains("hunt")) step.hunt = read_hunt(reader, table, exercise);
    return step;
}

bool is_step_name(const std::string& name) {
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return name.size() >= 4 && digit(name[0]) && digit(name[1]) && name[2] == '_';
}

/// The texts of one lesson. `exercise` is null if the lesson has no exercise, as in a handout
/// without solutions/. `reference` is null unless the exercise's task is defined element by
/// element.
struct LessonTexts {
    std::string name;  ///< name of the lesson's folders
    const CourseText* lesson = nullptr;
    const CourseText* exercise = nullptr;
    const CourseText* reference = nullptr;
};

// Reads a lesson's exercise with a task that is defined element by element.
Exercise read_element_lesson(const StrictToml& reader, const toml::table& table,
                             const LessonTexts& texts) {
    Exercise exercise = read_element_exercise(reader, table, texts.reference, texts.name,
                                              {"points", "hint", "prediction", "hunt"});
    exercise.points = read_points(reader, table, "the exercise of " + texts.name);
    exercise.predictions = read_predictions(reader, table, texts.name);
    const auto is_speed_question = [](const Prediction& prediction) {
        return prediction.counter == kCopyPercentQuestion;
    };
    if (std::ranges::any_of(exercise.predictions, is_speed_question)) {
        reader.fail(*table.get("prediction"),
                    "times are predicted only for kernels that move a "
                    "matrix; ask for a counter");
    }
    return exercise;
}

Step read_step(const LessonTexts& texts, const Exercise& default_exercise, const Course& course) {
    const StrictToml reader(texts.lesson->file);
    const toml::table table = reader.parse(texts.lesson->text);
    Step step{.name = texts.name};
    reader.allow_keys(table, {"title", "builds_on", "variant"}, step.name);
    step.title = reader.text(table, "title", step.name);
    step.builds_on = reader.text(table, "builds_on", step.name);
    if (step.builds_on.empty() != course.steps.empty() ||
        (!step.builds_on.empty() && course.find(step.builds_on) == nullptr)) {
        reader.fail(*table.get("builds_on"),
                    step.name + " builds on \"" + step.builds_on +
                        "\"; name an earlier step (only the first step has \"\")");
    }
    for (auto& variant : reader.tables(table, "variant", "[[variant]] of " + step.name)) {
        step.variants.push_back(read_variant(reader, *variant.as_table(), step));
    }
    if (texts.exercise != nullptr) {
        const StrictToml toml_reader(texts.exercise->file);
        const toml::table record = toml_reader.parse(texts.exercise->text);
        const bool has_elements = record.contains("sizes");
        if (texts.reference != nullptr && !has_elements) {
            toml_reader.fail(
                1, "the task of " + step.name +
                       " moves a matrix, so nothing uses its reference.cu; remove that file, "
                       "or add `sizes` and `arguments`");
        }
        step.exercise = has_elements
                            ? read_element_lesson(toml_reader, record, texts)
                            : read_exercise(toml_reader, record, step.name, default_exercise);
        if (record.contains("hunt")) step.hunt = read_hunt(toml_reader, record, *step.exercise);
    }
    return step;
}

// Reads the lesson that precedes the first step. Its exercise is a whole program.
Step read_program(const LessonTexts& texts) {
    const StrictToml reader(texts.lesson->file);
    const toml::table table = reader.parse(texts.lesson->text);
    reader.allow_keys(table, {"title", "whole_program"}, texts.name);
    Step program{.name = texts.name, .title = reader.text(table, "title", texts.name)};
    if (texts.exercise == nullptr) return program;
    const StrictToml toml_reader(texts.exercise->file);
    const toml::table record = toml_reader.parse(texts.exercise->text);
    toml_reader.allow_keys(record, {"points", "shapes", "hint"}, "the exercise of " + texts.name);
    Exercise exercise{.name = program.name, .is_program = true};
    exercise.points = read_points(toml_reader, record, program.name);
    exercise.shapes = toml_reader.shapes(record, "shapes", program.name);
    exercise.hints = read_hints(toml_reader, record, FirstHint::is_general, program.name);
    for (const Shape shape : exercise.shapes) {
        if (shape.rows == 1) continue;
        toml_reader.fail(*record.get("shapes"),
                         "a shape of " + program.name +
                             " must have one row, and as many columns as elements: [1, 1000]");
    }
    program.exercise = exercise;
    return program;
}

bool is_whole_program(const CourseText& lesson) {
    const StrictToml reader(lesson.file);
    const toml::table table = reader.parse(lesson.text);
    return table.contains("whole_program") && reader.boolean(table, "whole_program", lesson.file);
}

/// Returns the text whose file name ends with `name`, or nullptr.
const CourseText* find_course_text(const std::vector<CourseText>& texts, const std::string& name) {
    const auto position = std::ranges::find_if(
        texts, [&](const CourseText& text) { return text.file.ends_with(name); });
    return position == texts.end() ? nullptr : &*position;
}

/// Groups the texts by lesson, ordered by the lessons' numbers.
std::vector<LessonTexts> collect_lessons(const std::vector<CourseText>& texts) {
    constexpr std::string_view kSolutionsPath = "steps/", kBehind = "/lesson.toml";
    std::vector<LessonTexts> lessons;
    for (const CourseText& text : texts) {
        const std::size_t begin = text.file.rfind(kSolutionsPath);
        if (begin == std::string::npos || !text.file.ends_with(kBehind)) continue;
        const std::size_t name_begin = begin + kSolutionsPath.size();
        const std::string name =
            text.file.substr(name_begin, text.file.size() - kBehind.size() - name_begin);
        lessons.push_back({name, &text,
                           find_course_text(texts, "solutions/" + name + "/exercise.toml"),
                           find_course_text(texts, "solutions/" + name + "/reference.cu")});
    }
    std::sort(lessons.begin(), lessons.end(),
              [](const LessonTexts& a, const LessonTexts& b) { return a.name < b.name; });
    return lessons;
}

/// Reads the exercises beyond the transpose, ordered by name.
void read_beyond_exercises(const std::vector<CourseText>& texts, Course& course) {
    const std::string path_prefix = "solutions/" + std::string(kBeyondPrefix),
                      path_suffix = "/exercise.toml";
    for (const CourseText& text : texts) {
        const std::size_t begin = text.file.rfind(path_prefix);
        if (begin == std::string::npos || !text.file.ends_with(path_suffix)) continue;
        const std::size_t name_begin = begin + path_prefix.size() - kBeyondPrefix.size();
        const std::string name =
            text.file.substr(name_begin, text.file.size() - path_suffix.size() - name_begin);
        const CourseText* reference =
            find_course_text(texts, "solutions/" + name + "/reference.cu");
        course.beyond_exercises.push_back(read_beyond_exercise(text, reference, name));
    }
    std::sort(course.beyond_exercises.begin(), course.beyond_exercises.end(),
              [](const Step& a, const Step& b) { return a.name < b.name; });
}

void read_lesson(const LessonTexts& texts, const Exercise& default_exercise, Course& course) {
    const StrictToml reader(texts.lesson->file);
    if (!is_step_name(texts.name)) {
        reader.fail(
            1, "the name of a lesson's folder must begin with two digits, like 02_naive; rename " +
                   texts.name);
    }
    if (is_whole_program(*texts.lesson)) {
        if (course.program || !course.steps.empty()) {
            reader.fail(1, texts.name +
                               " is a whole program, and whole programs come before the steps; "
                               "give the folder a lower number");
        }
        course.program = read_program(texts);
        return;
    }
    const Step step = read_step(texts, default_exercise, course);
    const auto same_step = std::ranges::find_if(
        course.steps, [&](const Step& other_step) { return other_step.number() == step.number(); });
    if (same_step != course.steps.end()) {
        reader.fail(1, same_step->name + " has the same number; rename one of the two");
    }
    course.steps.push_back(step);
}

}  // namespace

std::string program_file(const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "program.cu") ? "program.cu" : "main.cu";
}

const Variant* Step::find(const std::string& variant) const {
    auto position = std::ranges::find(variants, variant, &Variant::name);
    return position == variants.end() ? nullptr : &*position;
}

const Step* Course::find(const std::string& name_or_number) const {
    auto position = std::ranges::find_if(
        steps, [&](const Step& step) { return names_step(name_or_number, step.name); });
    return position == steps.end() ? nullptr : &*position;
}

const Step* Course::lesson(const std::string& name_or_number) const {
    if (program && names_step(name_or_number, program->name)) return &*program;
    const auto position = std::ranges::find_if(
        beyond_exercises, [&](const Step& step) { return names_step(name_or_number, step.name); });
    return position == beyond_exercises.end() ? find(name_or_number) : &*position;
}

Hint Course::hint_for(const Exercise& exercise, const std::string& failure) const {
    Hint best_hint;
    if (!exercise.hints.empty()) best_hint = exercise.hints.front();
    if (exercise.is_hunt) return best_hint;
    auto has_name = [&](const Hint& hint) {
        return std::ranges::count(hint.failures, failure) > 0;
    };
    for (auto* list : {&exercise.hints, &hints}) {
        auto position = std::ranges::find_if(*list, has_name);
        if (position == list->end()) continue;
        best_hint.failures = position->failures;
        for (size_t i = 0; i < kHintLevels.size(); ++i) {
            if (!position->levels[i].empty()) best_hint.levels[i] = position->levels[i];
        }
        break;
    }
    return best_hint;
}

std::vector<CourseText> read_course_texts(const std::filesystem::path& root) {
    namespace fs = std::filesystem;
    std::vector<CourseText> texts;
    const auto add = [&](const fs::path& file) {
        if (const auto text = read_if_exists(file)) texts.push_back({file.string(), *text});
    };
    add(root / "course.toml");
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "steps", error)) {
        const std::string name = entry.path().filename();
        add(entry.path() / "lesson.toml");
        add(root / "solutions" / name / "exercise.toml");
        add(root / "solutions" / name / "reference.cu");
    }
    for (const auto& entry : fs::directory_iterator(root / "solutions", error)) {
        if (!is_beyond(entry.path().filename())) continue;
        add(entry.path() / "exercise.toml");
        add(entry.path() / "reference.cu");
    }
    return texts;
}

Course parse_course(const std::vector<CourseText>& texts) {
    const CourseText* common_text = find_course_text(texts, "course.toml");
    if (common_text == nullptr)
        throw CourseError(
            "course.toml cannot be read; check that this is the folder of the course");
    const StrictToml reader(common_text->file);
    const toml::table table = reader.parse(common_text->text);
    reader.allow_keys(table, {"hint", "hidden"}, "the course");
    Course course;
    course.hints = read_hints(reader, table, FirstHint::names_failures, "the course");
    // The hidden shapes in course.toml apply to every exercise that does not list its own.
    Exercise default_exercise{.name = "every step"};
    toml::table defaults;
    if (const toml::node* hidden_rules = table.get("hidden"))
        defaults.insert("hidden", *hidden_rules);
    read_requirements(reader, defaults, default_exercise);
    for (const LessonTexts& lesson : collect_lessons(texts))
        read_lesson(lesson, default_exercise, course);
    if (course.steps.empty()) {
        reader.fail(1, "there is no lesson: no folder in steps/ has a lesson.toml with variants");
    }
    read_beyond_exercises(texts, course);
    return course;
}

Course read_course(const std::filesystem::path& root) {
    if (!std::filesystem::exists(root / "course.toml")) {
        throw CourseError((root / "course.toml").string() + " cannot be read; check the path");
    }
    return parse_course(read_course_texts(root));
}

}  // namespace coalesce::course
