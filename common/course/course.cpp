// Reads course.toml. Whatever could be a slip of the pen (an unknown key, a step that builds on a
// later one, a kernel without expectations) is an error here, so that no test can miss it.

#include "course/course.h"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace coalesce::course {
namespace {

// The file's name for messages, and the ways to read one value of a table.
class Reader {
public:
    explicit Reader(std::string file) : file(std::move(file)) {}

    [[noreturn]] void fail(int line, const std::string& what) const {
        throw CourseError(file + ":" + std::to_string(line) + ": " + what);
    }

    void allow_keys(const toml::table& table, const std::set<std::string_view>& known,
                    const std::string& where) const {
        for (auto& [key, value] : table) {
            if (known.contains(key.str())) continue;
            std::string all;
            for (auto name : known) all += (all.empty() ? "" : ", ") + std::string(name);
            fail(line_of(key), where + " has no key `" + std::string(key.str()) +
                                   "`; mend its name, or remove it (known: " + all + ")");
        }
    }

    // The text of a key that must be there.
    std::string text(const toml::table& table, const char* key, const std::string& where) const {
        const toml::node* node = table.get(key);
        if (node == nullptr) {
            fail(line_of(table), where + " has no `" + key + "`; add " + key + " = \"...\"");
        }
        auto value = node->value_exact<std::string>();
        if (!value) fail(line_of(*node), std::string("`") + key + "` must be text in quotes");
        return *value;
    }

    const toml::array& tables(const toml::table& table, const char* key,
                              const std::string& header) const {
        const toml::node* node = table.get(key);
        if (node == nullptr || !node->is_array_of_tables()) {
            fail(node == nullptr ? line_of(table) : line_of(*node),
                 "no " + header + " here; add one, a table in double brackets");
        }
        return *node->as_array();
    }

    template <typename Node>
    static int line_of(const Node& node) {
        return std::max(1, static_cast<int>(node.source().begin.line));
    }

private:
    std::string file;
};

void read_expectations(const Reader& reader, const toml::table& table, Variant& variant) {
    const toml::node* node = table.get("expect");
    if (node == nullptr) {
        if (variant.kernel.empty()) return;
        reader.fail(variant.line, "variant \"" + variant.name +
                                      "\" has a kernel but no `expect`; add expect = { load = 4, "
                                      "store = 4 } with what it must cost");
    }
    if (variant.kernel.empty()) {
        reader.fail(Reader::line_of(*node), "variant \"" + variant.name +
                                                "\" expects counters of no kernel; name it with "
                                                "`kernel`, or remove `expect`");
    }
    const toml::table* counters = node->as_table();
    if (counters == nullptr || counters->empty()) {
        reader.fail(Reader::line_of(*node), "`expect` must be a table: { load = 4, store = 4 }");
    }
    reader.allow_keys(*counters, {std::begin(EXPECTABLE), std::end(EXPECTABLE)}, "`expect`");
    for (auto& [key, value] : *counters) {
        auto number = value.value<double>();
        if (!number || !(*number > 0)) {
            reader.fail(Reader::line_of(value),
                        "`" + std::string(key.str()) +
                            "` must be a number above 0: sectors or wavefronts a request");
        }
        variant.expect[std::string(key.str())] = *number;
    }
}

void read_multiples(const Reader& reader, const toml::table& table, Variant& variant) {
    const toml::node* node = table.get("multiples");
    if (node == nullptr) return;
    const toml::array* pair = node->as_array();
    auto number = [&](size_t index) -> int64_t {
        if (pair == nullptr || pair->size() != 2) return 0;
        return (*pair)[index].value_exact<int64_t>().value_or(0);
    };
    constexpr int64_t LARGEST = 65536;
    for (size_t index : {0, 1}) {
        if (number(index) < 1 || number(index) > LARGEST) {
            reader.fail(Reader::line_of(*node),
                        "`multiples` must be two whole numbers from 1 on: [rows, cols]");
        }
    }
    variant.rows_multiple = static_cast<int>(number(0));
    variant.cols_multiple = static_cast<int>(number(1));
}

Variant read_variant(const Reader& reader, const toml::table& table, const Step& step) {
    std::string where = "a variant of " + step.name;
    Variant variant;
    variant.line = Reader::line_of(table);
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

// A whole number from 1 on.
int read_points(const Reader& reader, const toml::table& table, const std::string& where) {
    constexpr int64_t MOST = 1000;
    const toml::node* node = table.get("points");
    if (node == nullptr) reader.fail(Reader::line_of(table), where + " has no `points`; add them");
    int64_t points = node->value_exact<int64_t>().value_or(0);
    if (points < 1 || points > MOST) {
        reader.fail(Reader::line_of(*node), "`points` must be a whole number from 1 to 1000");
    }
    return static_cast<int>(points);
}

// The levels that a hint has; without line breaks at their ends.
void read_levels(const Reader& reader, const toml::table& table, bool all, const std::string& where,
                 Hint& hint) {
    bool any = false;
    for (size_t i = 0; i < HINT_LEVELS.size(); ++i) {
        if (!all && !table.contains(HINT_LEVELS[i])) continue;
        std::string text = reader.text(table, HINT_LEVELS[i], where);
        text.erase(text.find_last_not_of(" \n") + 1);
        if (text.empty()) {
            reader.fail(Reader::line_of(*table.get(HINT_LEVELS[i])),
                        std::string("`") + HINT_LEVELS[i] + "` is empty; write it, or remove it");
        }
        hint.levels[i] = text;
        any = true;
    }
    if (!any) {
        reader.fail(hint.line, where + " says nothing; give it a question, picture, api or line");
    }
}

std::vector<std::string> read_failures(const Reader& reader, const toml::table& table) {
    std::vector<std::string> failures;
    const toml::node* node = table.get("failures");
    const toml::array* names = node == nullptr ? nullptr : node->as_array();
    for (size_t i = 0; names != nullptr && i < names->size(); ++i) {
        failures.push_back((*names)[i].value_exact<std::string>().value_or(""));
    }
    if (failures.empty() || std::ranges::count(failures, "") > 0) {
        reader.fail(node == nullptr ? Reader::line_of(table) : Reader::line_of(*node),
                    "a hint that is not for all needs failures = [\"no-bounds-check\", ...]");
    }
    return failures;
}

// The hints of `table`. With `first_is_for_all` the first has all levels and no failures.
std::vector<Hint> read_hints(const Reader& reader, const toml::table& table, bool first_is_for_all,
                             const std::string& where) {
    std::vector<Hint> hints;
    if (!table.contains("hint") && !first_is_for_all) return hints;
    std::set<std::string> known;
    for (auto& node : reader.tables(table, "hint",
                                    first_is_for_all ? "[[step.hint]] of " + where : "[[hint]]")) {
        const toml::table& entry = *node.as_table();
        bool for_all = first_is_for_all && hints.empty();
        Hint hint;
        hint.line = Reader::line_of(entry);
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

double read_within(const Reader& reader, const toml::table& table) {
    constexpr double MOST = 0.25;
    const toml::node* node = table.get("within");
    if (node == nullptr) return ROUNDING;
    double within = node->value<double>().value_or(0);
    if (within > ROUNDING && within <= MOST) return within;
    reader.fail(Reader::line_of(*node),
                "`within` is how far an answer may be off, above 0.02 and up to 0.25");
}

std::vector<Prediction> read_predictions(const Reader& reader, const toml::table& table,
                                         const std::string& where) {
    std::vector<Prediction> predictions;
    if (!table.contains("prediction")) return predictions;
    for (auto& node : reader.tables(table, "prediction", "[[step.prediction]] of " + where)) {
        const toml::table& entry = *node.as_table();
        std::string name = "a prediction of " + where;
        reader.allow_keys(entry, {"counter", "question", "within"}, name);
        Prediction prediction = {reader.text(entry, "counter", name),
                                 reader.text(entry, "question", name), read_within(reader, entry)};
        if (std::ranges::count(EXPECTABLE, prediction.counter) == 0) {
            reader.fail(Reader::line_of(*entry.get("counter")),
                        "`counter` is load, store, shared_load or shared_store, not \"" +
                            prediction.counter + "\"");
        }
        for (auto& other : predictions) {
            if (other.counter != prediction.counter) continue;
            reader.fail(Reader::line_of(entry),
                        where + " asks twice for " + other.counter + "; remove one");
        }
        predictions.push_back(prediction);
    }
    return predictions;
}

std::optional<Hunt> read_hunt(const Reader& reader, const toml::table& table,
                              const std::string& where) {
    const toml::node* node = table.get("hunt");
    if (node == nullptr) return std::nullopt;
    if (!node->is_table())
        reader.fail(Reader::line_of(*node), "`hunt` must be a table, [step.hunt]");
    const toml::table& entry = *node->as_table();
    std::string name = "the bug hunt of " + where;
    reader.allow_keys(entry, {"points", "question", "picture", "api", "line"}, name);
    Hunt hunt;
    hunt.points = read_points(reader, entry, name);
    hunt.hint.line = Reader::line_of(entry);
    read_levels(reader, entry, true, name, hunt.hint);
    return hunt;
}

// What a step has that is of its exercise. A step without points has none.
void read_exercise(const Reader& reader, const toml::table& table, Step& step) {
    if (!table.contains("points")) {
        for (const char* key : {"hint", "prediction", "hunt"}) {
            if (!table.contains(key)) continue;
            reader.fail(Reader::line_of(*table.get(key)),
                        step.name + " has no exercise to go with this; add points = 10 to it");
        }
        return;
    }
    step.points = read_points(reader, table, step.name);
    step.hints = read_hints(reader, table, true, step.name);
    step.predictions = read_predictions(reader, table, step.name);
    step.hunt = read_hunt(reader, table, step.name);
}

bool is_step_name(const std::string& name) {
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return name.size() >= 4 && digit(name[0]) && digit(name[1]) && name[2] == '_';
}

Step read_step(const Reader& reader, const toml::table& table, const Course& earlier) {
    Step step;
    step.line = Reader::line_of(table);
    reader.allow_keys(
        table, {"name", "title", "builds_on", "variant", "points", "hint", "prediction", "hunt"},
        "a step");
    step.name = reader.text(table, "name", "a step");
    if (!is_step_name(step.name)) {
        reader.fail(step.line, "a step is named like 02_naive, two digits first, but this one \"" +
                                   step.name + "\"; rename it and its folder in steps/");
    }
    if (!earlier.steps.empty() && step.number() <= earlier.steps.back().number()) {
        reader.fail(step.line, step.name + " stands after " + earlier.steps.back().name +
                                   "; put the steps in the order of their numbers");
    }
    step.title = reader.text(table, "title", step.name);
    step.builds_on = reader.text(table, "builds_on", step.name);
    if (step.builds_on.empty() != earlier.steps.empty() ||
        (!step.builds_on.empty() && earlier.find(step.builds_on) == nullptr)) {
        reader.fail(step.line, step.name + " builds on \"" + step.builds_on +
                                   "\"; name an earlier step (nothing, \"\", for the first alone)");
    }
    for (auto& variant : reader.tables(table, "variant", "[[step.variant]] of " + step.name)) {
        step.variants.push_back(read_variant(reader, *variant.as_table(), step));
    }
    read_exercise(reader, table, step);
    return step;
}

toml::table parse(const Reader& reader, const std::filesystem::path& file) {
    try {
        return toml::parse_file(file.string());
    } catch (const toml::parse_error& error) {
        int line = static_cast<int>(error.source().begin.line);
        if (line == 0) {
            throw CourseError(file.string() + ": cannot be read; is the path right?");
        }
        reader.fail(line, std::string(error.description()) + "; mend this line");
    }
}

}  // namespace

const Variant* Step::find(const std::string& variant) const {
    auto found = std::ranges::find(variants, variant, &Variant::name);
    return found == variants.end() ? nullptr : &*found;
}

const Step* Course::find(const std::string& name_or_number) const {
    std::string wanted = name_or_number;
    if (wanted.size() == 1) wanted = "0" + wanted;
    auto found = std::ranges::find_if(
        steps, [&](const Step& step) { return step.name == wanted || step.number() == wanted; });
    return found == steps.end() ? nullptr : &*found;
}

Hint Course::hint_for(const Step& step, const std::string& failure) const {
    Hint chosen;
    if (!step.hints.empty()) chosen = step.hints.front();
    auto names_it = [&](const Hint& hint) {
        return std::ranges::count(hint.failures, failure) > 0;
    };
    for (auto* list : {&step.hints, &hints}) {
        auto found = std::ranges::find_if(*list, names_it);
        if (found == list->end()) continue;
        chosen.failures = found->failures;
        for (size_t i = 0; i < HINT_LEVELS.size(); ++i) {
            if (!found->levels[i].empty()) chosen.levels[i] = found->levels[i];
        }
        break;
    }
    return chosen;
}

Course read_course(const std::filesystem::path& file) {
    Reader reader(file.string());
    toml::table table = parse(reader, file);
    reader.allow_keys(table, {"step", "hint"}, "the course");
    Course course;
    course.hints = read_hints(reader, table, false, "the course");
    for (auto& step : reader.tables(table, "step", "[[step]]")) {
        course.steps.push_back(read_step(reader, *step.as_table(), course));
    }
    return course;
}

}  // namespace coalesce::course
