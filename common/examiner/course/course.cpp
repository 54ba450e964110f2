// Reads course.toml. Whatever could be a slip of the pen (an unknown key, a step that builds on a
// later one, a kernel without expectations) is an error here, so that no test can miss it.

#include "examiner/course/course.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "examiner/course/read_exercise.h"
#include "examiner/course/strict_toml.h"

namespace coalesce::course {
namespace {

void read_expectations(const StrictToml& reader, const toml::table& table, Variant& variant) {
    const toml::node* node = table.get("expect");
    if (node == nullptr) {
        if (variant.kernel.empty()) return;
        reader.fail(variant.line, "variant \"" + variant.name +
                                      "\" has a kernel but no `expect`; add expect = { load = 4, "
                                      "store = 4 } with what it must cost");
    }
    if (variant.kernel.empty()) {
        reader.fail(*node, "variant \"" + variant.name +
                               "\" expects counters of no kernel; name it with "
                               "`kernel`, or remove `expect`");
    }
    const toml::table* counters = node->as_table();
    if (counters == nullptr || counters->empty()) {
        reader.fail(*node, "`expect` must be a table: { load = 4, store = 4 }");
    }
    reader.allow_keys(*counters, {std::begin(kExpectable), std::end(kExpectable)}, "`expect`");
    for (auto& [key, value] : *counters) {
        auto number = value.value<double>();
        if (!number || !(*number > 0)) {
            reader.fail(value, "`" + std::string(key.str()) +
                                   "` must be a number above 0: sectors or wavefronts per request");
        }
        variant.expect[std::string(key.str())] = *number;
    }
}

Variant read_variant(const StrictToml& reader, const toml::table& table, const Step& step) {
    std::string where = "a variant of " + step.name;
    Variant variant;
    variant.line = StrictToml::line_of(table);
    reader.allow_keys(table, {"name", "kernel", "expect", "multiples"}, where);
    variant.name = reader.text(table, "name", where);
    if (variant.name.empty()) reader.fail(variant.line, where + " has an empty name; give it one");
    if (step.find(variant.name) != nullptr) {
        reader.fail(variant.line, step.name + " has two variants \"" + variant.name +
                                      "\"; rename one, here and in its main.cu");
    }
    if (table.contains("kernel")) variant.kernel = reader.text(table, "kernel", where);
    read_expectations(reader, table, variant);
    read_multiples(reader, table, variant);
    return variant;
}

int read_points(const StrictToml& reader, const toml::table& table, const std::string& where) {
    return static_cast<int>(reader.whole(table, "points", where, 1, 1000));
}

// The levels that a hint has; without line breaks at their ends.
void read_levels(const StrictToml& reader, const toml::table& table, bool all,
                 const std::string& where, Hint& hint) {
    bool any = false;
    for (size_t i = 0; i < kHintLevels.size(); ++i) {
        if (!all && !table.contains(kHintLevels[i])) continue;
        std::string text = reader.text(table, kHintLevels[i], where);
        text.erase(text.find_last_not_of(" \n") + 1);
        if (text.empty()) {
            reader.fail(*table.get(kHintLevels[i]),
                        std::string("`") + kHintLevels[i] + "` is empty; write it, or remove it");
        }
        hint.levels[i] = text;
        any = true;
    }
    if (!any) {
        reader.fail(hint.line, where + " says nothing; give it a question, picture, api or line");
    }
}

std::vector<std::string> read_failures(const StrictToml& reader, const toml::table& table) {
    std::vector<std::string> failures;
    const toml::node* node = table.get("failures");
    const toml::array* names = node == nullptr ? nullptr : node->as_array();
    for (size_t i = 0; names != nullptr && i < names->size(); ++i) {
        failures.push_back((*names)[i].value_exact<std::string>().value_or(""));
    }
    if (failures.empty() || std::ranges::count(failures, "") > 0) {
        reader.fail(node == nullptr ? StrictToml::line_of(table) : StrictToml::line_of(*node),
                    "a hint that is not for all needs failures = [\"no-bounds-check\", ...]");
    }
    return failures;
}

// The hints of `table`, a "step" or the "program": the first has all levels and no failures. Those of the
// whole course, "", are all for failures.
std::vector<Hint> read_hints(const StrictToml& reader, const toml::table& table,
                             const std::string& parent, const std::string& where) {
    const bool first_is_for_all = !parent.empty();
    const std::string header =
        first_is_for_all ? "[[" + parent + ".hint]] of " + where : "[[hint]]";
    std::vector<Hint> hints;
    if (!table.contains("hint") && !first_is_for_all) return hints;
    std::set<std::string> known;
    for (auto& node : reader.tables(table, "hint", header)) {
        const toml::table& entry = *node.as_table();
        bool for_all = first_is_for_all && hints.empty();
        Hint hint;
        hint.line = StrictToml::line_of(entry);
        std::string name = "a hint of " + where;
        reader.allow_keys(entry, {"failures", "question", "picture", "api", "line"}, name);
        if (for_all && entry.contains("failures")) {
            reader.fail(hint.line,
                        "the first hint of " + where + " is for all; remove its failures");
        }
        if (!for_all) hint.failures = read_failures(reader, entry);
        for (auto& failure : hint.failures) {
            if (known.insert(failure).second) continue;
            reader.fail(hint.line, where + " has two hints for " + failure + "; remove one");
        }
        read_levels(reader, entry, for_all, name, hint);
        hints.push_back(hint);
    }
    return hints;
}

double read_within(const StrictToml& reader, const toml::table& table) {
    constexpr double MOST = 0.25;
    const toml::node* node = table.get("within");
    if (node == nullptr) return kRounding;
    double within = node->value<double>().value_or(0);
    if (within > kRounding && within <= MOST) return within;
    reader.fail(*node, "`within` is how far an answer may be off, above 0.02 and up to 0.25");
}

// The model of time is off by about 8 % itself.
constexpr double kLeastOfTimes = 0.1;

std::vector<Prediction> read_predictions(const StrictToml& reader, const toml::table& table,
                                         const std::string& where) {
    std::vector<Prediction> predictions;
    if (!table.contains("prediction")) return predictions;
    for (auto& node : reader.tables(table, "prediction", "[[step.prediction]] of " + where)) {
        const toml::table& entry = *node.as_table();
        std::string name = "a prediction of " + where;
        reader.allow_keys(entry, {"counter", "question", "within"}, name);
        Prediction prediction = {reader.text(entry, "counter", name),
                                 reader.text(entry, "question", name), read_within(reader, entry)};
        const int line = StrictToml::line_of(*entry.get("counter"));
        const bool is_time = prediction.counter == kOfCopy;
        if (!is_time && std::ranges::count(kExpectable, prediction.counter) == 0) {
            reader.fail(line, "`counter` is load, store, shared_load, shared_store or " +
                                  std::string(kOfCopy) + ", not \"" + prediction.counter + "\"");
        }
        if (is_time && prediction.within < kLeastOfTimes) {
            reader.fail(line, "no time is predicted to some percent: give `within`, 0.1 or more");
        }
        for (auto& other : predictions) {
            if (other.counter != prediction.counter) continue;
            reader.fail(entry, where + " asks twice for " + other.counter + "; remove one");
        }
        predictions.push_back(prediction);
    }
    return predictions;
}

// The exercise of a step: its own table, and the hints and predictions beside it.
Exercise read_exercise(const StrictToml& reader, const toml::table& table, const std::string& step,
                       const Exercise& usual) {
    const toml::table& asked = reader.section(table, "exercise", step);
    std::set<std::string_view> known(std::begin(kAsked), std::end(kAsked));
    known.insert("points");
    reader.allow_keys(asked, known, "the exercise of " + step);
    Exercise exercise = usual;
    exercise.name = step;
    exercise.line = StrictToml::line_of(asked);
    exercise.points = read_points(reader, asked, "the exercise of " + step);
    read_asked(reader, asked, exercise);
    if (exercise.shapes.empty()) {
        reader.fail(exercise.line,
                    "the exercise of " + step + " has no `shapes`; add shapes = [[64, 64], ...]");
    }
    exercise.hints = read_hints(reader, table, "step", step);
    exercise.predictions = read_predictions(reader, table, step);
    return exercise;
}

// The bug hunt asks for the same result. It may cost what the fixed one costs, and may be tried on
// shapes of its own, and with other orders of blocks.
Exercise read_hunt(const StrictToml& reader, const toml::table& table, const Exercise& of) {
    const toml::table& entry = reader.section(table, "hunt", of.name);
    const std::string name = "the bug hunt of " + of.name;
    reader.allow_keys(
        entry, {"points", "shapes", "block_order", "question", "picture", "api", "line"}, name);
    Exercise hunt = of;
    hunt.is_hunt = true;
    hunt.limits = {};
    hunt.predictions = {};
    hunt.line = StrictToml::line_of(entry);
    hunt.points = read_points(reader, entry, name);
    if (entry.contains("shapes")) {
        hunt.shapes = reader.shapes(entry, "shapes", name);
        check_shapes(reader, hunt.line, hunt, hunt.shapes);
    }
    read_block_order(reader, entry, hunt);
    Hint hint;
    hint.line = hunt.line;
    read_levels(reader, entry, true, name, hint);
    hunt.hints = {hint};
    return hunt;
}

void read_what_is_asked(const StrictToml& reader, const toml::table& table, const Exercise& usual,
                        Step& step) {
    if (table.contains("exercise")) {
        step.exercise = read_exercise(reader, table, step.name, usual);
        if (table.contains("hunt")) step.hunt = read_hunt(reader, table, *step.exercise);
        return;
    }
    for (const char* key : {"hint", "prediction", "hunt"}) {
        if (!table.contains(key)) continue;
        reader.fail(*table.get(key),
                    step.name + " has no exercise to go with this; add [step.exercise] to it");
    }
}

bool is_step_name(const std::string& name) {
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return name.size() >= 4 && digit(name[0]) && digit(name[1]) && name[2] == '_';
}

// What every lesson has. `where` is "a step" or "the program".
Step read_lesson(const StrictToml& reader, const toml::table& table, const std::string& where) {
    Step lesson;
    lesson.line = StrictToml::line_of(table);
    lesson.name = reader.text(table, "name", where);
    if (!is_step_name(lesson.name)) {
        reader.fail(lesson.line, where +
                                     " is named like 02_naive, two digits first, but this one \"" +
                                     lesson.name + "\"; rename it and its folder in steps/");
    }
    lesson.title = reader.text(table, "title", lesson.name);
    return lesson;
}

Step read_step(const StrictToml& reader, const toml::table& table, const Exercise& usual,
               const Course& earlier) {
    reader.allow_keys(
        table, {"name", "title", "builds_on", "variant", "exercise", "hint", "prediction", "hunt"},
        "a step");
    Step step = read_lesson(reader, table, "a step");
    if (!earlier.steps.empty() && step.number() <= earlier.steps.back().number()) {
        reader.fail(step.line, step.name + " stands after " + earlier.steps.back().name +
                                   "; put the steps in the order of their numbers");
    }
    step.builds_on = reader.text(table, "builds_on", step.name);
    if (step.builds_on.empty() != earlier.steps.empty() ||
        (!step.builds_on.empty() && earlier.find(step.builds_on) == nullptr)) {
        reader.fail(step.line, step.name + " builds on \"" + step.builds_on +
                                   "\"; name an earlier step (nothing, \"\", for the first alone)");
    }
    for (auto& variant : reader.tables(table, "variant", "[[step.variant]] of " + step.name)) {
        step.variants.push_back(read_variant(reader, *variant.as_table(), step));
    }
    read_what_is_asked(reader, table, usual, step);
    return step;
}

// The lesson before the steps.
Step read_program(const StrictToml& reader, const toml::table& table) {
    reader.allow_keys(table, {"name", "title", "points", "shapes", "hint"}, "[program]");
    Step program = read_lesson(reader, table, "the program");
    Exercise exercise{.name = program.name, .is_program = true, .line = program.line};
    exercise.points = read_points(reader, table, program.name);
    exercise.shapes = reader.shapes(table, "shapes", program.name);
    exercise.hints = read_hints(reader, table, "program", program.name);
    for (const Shape shape : exercise.shapes) {
        if (shape.rows == 1) continue;
        reader.fail(program.line, program.name + " takes so many elements: [1, 1000]");
    }
    program.exercise = exercise;
    return program;
}

void read_steps(const StrictToml& reader, const toml::table& table, const Exercise& usual,
                Course& course) {
    for (auto& step : reader.tables(table, "step", "[[step]]")) {
        course.steps.push_back(read_step(reader, *step.as_table(), usual, course));
    }
    if (course.program && course.program->number() >= course.steps.front().number()) {
        reader.fail(course.program->line, course.program->name + " comes before the steps, but " +
                                              course.steps.front().name +
                                              " has no higher number; give it one");
    }
}

Course course_of(const StrictToml& reader, const toml::table& table) {
    reader.allow_keys(table, {"program", "step", "hint", "hidden"}, "the course");
    Course course;
    course.hints = read_hints(reader, table, "", "the course");
    // What the course says of hidden shapes is for every exercise that does not say it itself.
    Exercise usual{.name = "every step"};
    toml::table of_all;
    if (const toml::node* hidden = table.get("hidden")) of_all.insert("hidden", *hidden);
    read_asked(reader, of_all, usual);
    if (table.contains("program")) {
        course.program = read_program(reader, reader.section(table, "program", "the course"));
    }
    read_steps(reader, table, usual, course);
    return course;
}

}  // namespace

const Variant* Step::find(const std::string& variant) const {
    auto found = std::ranges::find(variants, variant, &Variant::name);
    return found == variants.end() ? nullptr : &*found;
}

const Step* Course::find(const std::string& name_or_number) const {
    auto found = std::ranges::find_if(
        steps, [&](const Step& step) { return means(name_or_number, step.name); });
    return found == steps.end() ? nullptr : &*found;
}

const Step* Course::lesson(const std::string& name_or_number) const {
    if (program && means(name_or_number, program->name)) return &*program;
    return find(name_or_number);
}

Hint Course::hint_for(const Exercise& exercise, const std::string& failure) const {
    Hint chosen;
    if (!exercise.hints.empty()) chosen = exercise.hints.front();
    if (exercise.is_hunt) return chosen;
    auto names_it = [&](const Hint& hint) {
        return std::ranges::count(hint.failures, failure) > 0;
    };
    for (auto* list : {&exercise.hints, &hints}) {
        auto found = std::ranges::find_if(*list, names_it);
        if (found == list->end()) continue;
        chosen.failures = found->failures;
        for (size_t i = 0; i < kHintLevels.size(); ++i) {
            if (!found->levels[i].empty()) chosen.levels[i] = found->levels[i];
        }
        break;
    }
    return chosen;
}

Course read_course(const std::filesystem::path& file) {
    const StrictToml reader(file.string());
    return course_of(reader, reader.parse());
}

Course course_of_text(std::string_view text, const std::string& name) {
    const StrictToml reader(name);
    return course_of(reader, reader.parse(text));
}

}  // namespace coalesce::course
