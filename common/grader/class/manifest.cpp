#include "grader/class/manifest.h"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

constexpr int FORMAT = 1;
constexpr int LARGEST_SIDE = 1 << 14;

// Reads strictly: an unknown key is a slip of the pen, and a wrong grade for a whole class.
class Reader {
public:
    explicit Reader(const fs::path& file) : file(file.string()) {}

    [[noreturn]] void fail(const toml::node* node, const std::string& what) const {
        int line = node == nullptr ? 1 : std::max(1, static_cast<int>(node->source().begin.line));
        throw Usage(file + ":" + std::to_string(line) + ": " + what);
    }

    toml::table parse() const {
        try {
            return toml::parse(read_file(file), file);
        } catch (const toml::parse_error& error) {
            throw Usage(file + ":" + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description()) + "; mend this line");
        }
    }

    void allow_keys(const toml::table& table, const std::set<std::string_view>& known) const {
        for (auto& [key, value] : table) {
            if (known.contains(key.str())) continue;
            fail(&value,
                 "unknown key `" + std::string(key.str()) + "`; mend its name, or remove it");
        }
    }

    std::string text(const toml::table& table, const char* key) const {
        auto value = table[key].value_exact<std::string>();
        if (!value) fail(&table, missing(key, "\"...\""));
        return *value;
    }

    std::int64_t whole(const toml::table& table, const char* key, std::int64_t least,
                       std::int64_t most) const {
        auto value = table[key].value_exact<std::int64_t>();
        if (!value) fail(&table, missing(key, "a whole number"));
        if (*value < least || *value > most) {
            fail(table.get(key), std::string("`") + key + "` must be from " +
                                     std::to_string(least) + " to " + std::to_string(most));
        }
        return *value;
    }

    // A number that is not negative; `otherwise` when it is not there.
    double number(const toml::table& table, const char* key, double otherwise) const {
        const toml::node* node = table.get(key);
        if (node == nullptr) return otherwise;
        auto value = node->value<double>();
        if (!node->is_number() || !value || !(*value >= 0) || *value > 1e6) {
            fail(node, std::string("`") + key + "` must be a number from 0 to a million");
        }
        return *value;
    }

    const toml::table& section(const toml::table& table, const char* key) const {
        const toml::table* found = table[key].as_table();
        if (found == nullptr) fail(&table, missing(key, "{ ... }"));
        return *found;
    }

    std::vector<std::string> texts(const toml::table& table, const char* key) const {
        const toml::array* list = table[key].as_array();
        if (list == nullptr) fail(&table, missing(key, "[...]"));
        std::vector<std::string> all;
        for (const toml::node& node : *list) {
            auto value = node.value_exact<std::string>();
            if (!value) fail(&node, std::string("`") + key + "` is a list of texts");
            all.push_back(*value);
        }
        return all;
    }

    Shape shape(const toml::node* node, const char* key) const {
        const toml::array* pair = node == nullptr ? nullptr : node->as_array();
        if (pair == nullptr || pair->size() != 2) {
            fail(node, std::string("`") + key + "`: a shape is [rows, cols]");
        }
        int sides[2];
        for (int i = 0; i < 2; ++i) {
            auto value = (*pair)[static_cast<std::size_t>(i)].value_exact<std::int64_t>();
            if (!value || *value < 1 || *value > LARGEST_SIDE) {
                fail(node, std::string("`") + key + "`: rows and cols are from 1 to " +
                               std::to_string(LARGEST_SIDE));
            }
            sides[i] = static_cast<int>(*value);
        }
        return {sides[0], sides[1]};
    }

    std::vector<Shape> shapes(const toml::table& table, const char* key) const {
        const toml::array* list = table[key].as_array();
        if (list == nullptr || list->empty()) fail(&table, missing(key, "[[64, 64], ...]"));
        std::vector<Shape> all;
        for (const toml::node& node : *list) all.push_back(shape(&node, key));
        return all;
    }

    const toml::array& exercises(const toml::table& table) const {
        const toml::array* list = table["exercise"].as_array();
        if (list == nullptr || list->empty()) fail(&table, "there is no [[exercise]]; add one");
        return *list;
    }

private:
    static std::string missing(const char* key, const char* what) {
        return std::string("no `") + key + "` of the right kind; add " + key + " = " + what;
    }

    std::string file;
};

void read_costs(const Reader& reader, const toml::table& table, coalesce::Limits& costs) {
    reader.allow_keys(table, {"load", "store", "shared_load", "shared_store", "elements_per_thread",
                              "elements_per_block"});
    costs.load = reader.number(table, "load", 0);
    costs.store = reader.number(table, "store", 0);
    costs.shared_load = reader.number(table, "shared_load", 0);
    costs.shared_store = reader.number(table, "shared_store", 0);
    costs.elements_per_thread = reader.number(table, "elements_per_thread", 0);
    costs.elements_per_block = reader.number(table, "elements_per_block", 0);
}

void read_limits(const Reader& reader, const toml::table& table, JudgeLimits& limits) {
    reader.allow_keys(table, {"compile_seconds", "launch_seconds", "compile_mb", "launch_mb",
                              "source_kb", "ptx_kb", "shared_bytes", "local_bytes"});
    limits.compile_seconds = static_cast<int>(reader.whole(table, "compile_seconds", 1, 60));
    limits.launch_seconds = static_cast<int>(reader.whole(table, "launch_seconds", 1, 60));
    const auto size = [&](const char* key, std::int64_t most) {
        return static_cast<std::size_t>(reader.whole(table, key, 1, most));
    };
    limits.compile_mb = size("compile_mb", 65536);
    limits.launch_mb = size("launch_mb", 65536);
    limits.source_kb = size("source_kb", 1024);
    limits.ptx_kb = size("ptx_kb", 65536);
    limits.shared_bytes = size("shared_bytes", 1 << 20);
    limits.local_bytes = size("local_bytes", 1 << 24);
}

Exercise read_exercise(const Reader& reader, const toml::table& table) {
    reader.allow_keys(table, {"name", "kernel", "produces", "multiples", "public_shapes", "counted",
                              "costs", "block_order", "points", "allow", "limits"});
    Exercise exercise;
    exercise.name = reader.text(table, "name");
    exercise.kernel = reader.text(table, "kernel");
    exercise.produces = reader.text(table, "produces");
    Shape multiples = reader.shape(table.get("multiples"), "multiples");
    exercise.rows_multiple = multiples.rows;
    exercise.cols_multiple = multiples.cols;
    exercise.public_shapes = reader.shapes(table, "public_shapes");
    exercise.counted = reader.shape(table.get("counted"), "counted");
    read_costs(reader, reader.section(table, "costs"), exercise.costs);
    exercise.block_order = reader.text(table, "block_order");
    const toml::table& points = reader.section(table, "points");
    reader.allow_keys(points, {"correct", "clean", "counters"});
    exercise.points = {reader.number(points, "correct", 0), reader.number(points, "clean", 0),
                       reader.number(points, "counters", 0)};
    if (exercise.points.total() <= 0) reader.fail(&points, "`points` gives nothing; give some");
    exercise.allow = reader.texts(table, "allow");
    read_limits(reader, reader.section(table, "limits"), exercise.limits);
    return exercise;
}

void check_multiples(const Reader& reader, const toml::node& node, const Exercise& exercise,
                     const std::vector<Shape>& shapes) {
    for (Shape shape : shapes) {
        if (shape.rows % exercise.rows_multiple == 0 && shape.cols % exercise.cols_multiple == 0) {
            continue;
        }
        reader.fail(&node, exercise.name + " takes multiples of " +
                               std::to_string(exercise.rows_multiple) + " x " +
                               std::to_string(exercise.cols_multiple) + ", and [" +
                               std::to_string(shape.rows) + ", " + std::to_string(shape.cols) +
                               "] is none");
    }
}

void read_manifest(const fs::path& file, Assignment& assignment) {
    Reader reader(file);
    toml::table whole = reader.parse();
    reader.allow_keys(whole, {"format", "title", "epoch", "exercise"});
    if (reader.whole(whole, "format", 0, 1000) != FORMAT) {
        reader.fail(whole.get("format"),
                    "this grader reads format 1; use the version that wrote it");
    }
    assignment.title = reader.text(whole, "title");
    assignment.epoch = static_cast<int>(reader.whole(whole, "epoch", 1, 1000000));
    for (const toml::node& node : reader.exercises(whole)) {
        if (!node.is_table()) reader.fail(&node, "an exercise is a [[exercise]]");
        Exercise exercise = read_exercise(reader, *node.as_table());
        if (assignment.find(exercise.name) != nullptr) {
            reader.fail(&node, exercise.name + " is there twice; remove one");
        }
        check_multiples(reader, node, exercise, exercise.public_shapes);
        check_multiples(reader, node, exercise, {exercise.counted});
        assignment.exercises.push_back(std::move(exercise));
    }
}

void read_hidden(const fs::path& file, Assignment& assignment) {
    Reader reader(file);
    toml::table whole = reader.parse();
    reader.allow_keys(whole, {"exercise"});
    for (const toml::node& node : reader.exercises(whole)) {
        if (!node.is_table()) reader.fail(&node, "an exercise is a [[exercise]]");
        const toml::table& table = *node.as_table();
        reader.allow_keys(table, {"name", "shapes"});
        std::string name = reader.text(table, "name");
        auto exercise = std::ranges::find(assignment.exercises, name, &Exercise::name);
        if (exercise == assignment.exercises.end()) {
            reader.fail(&node, "assignment.toml has no exercise " + name + "; remove it here");
        }
        exercise->hidden_shapes = reader.shapes(table, "shapes");
        check_multiples(reader, node, *exercise, exercise->hidden_shapes);
    }
    for (const Exercise& exercise : assignment.exercises) {
        if (exercise.hidden_shapes.empty()) {
            reader.fail(nullptr, "no hidden shapes for " + exercise.name + "; add some");
        }
    }
}

std::string read_key(const fs::path& file) {
    std::error_code error;
    auto rights = fs::status(file, error).permissions();
    if (!error && (rights & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none) {
        throw Usage(file.string() +
                    " can be read by others: chmod 600 it; if students may have seen "
                    "it, make a new assignment");
    }
    std::string text = read_file(file);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (text.size() != 64 || !is_hex) {
        throw Usage(file.string() + " is no key: 64 hexadecimal digits; take it from your backup");
    }
    return text;
}

// The shortest digits that give the same number again.
std::string digits(double number) {
    char buffer[32];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return {buffer, end};
}

std::string text_of(Shape shape) {
    return "[" + std::to_string(shape.rows) + ", " + std::to_string(shape.cols) + "]";
}

std::string text_of(const std::vector<Shape>& shapes) {
    std::string text;
    for (Shape shape : shapes) text += (text.empty() ? "" : ", ") + text_of(shape);
    return "[" + text + "]";
}

// Names of ours: nothing in them needs more than this.
std::string quoted(const std::string& text) {
    std::string quoted = "\"";
    for (char letter : text) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter == '\n' ? ' ' : letter;
    }
    return quoted + "\"";
}

std::string costs_text(const coalesce::Limits& costs) {
    std::string text;
    const auto add = [&](const char* name, double value) {
        if (value > 0)
            text += (text.empty() ? "" : ", ") + std::string(name) + " = " + digits(value);
    };
    add("load", costs.load);
    add("store", costs.store);
    add("shared_load", costs.shared_load);
    add("shared_store", costs.shared_store);
    add("elements_per_thread", costs.elements_per_thread);
    add("elements_per_block", costs.elements_per_block);
    return "{ " + text + " }";
}

std::string limits_text(const JudgeLimits& limits) {
    return "{ compile_seconds = " + std::to_string(limits.compile_seconds) +
           ", launch_seconds = " + std::to_string(limits.launch_seconds) +
           ", compile_mb = " + std::to_string(limits.compile_mb) +
           ", launch_mb = " + std::to_string(limits.launch_mb) +
           ", source_kb = " + std::to_string(limits.source_kb) +
           ", ptx_kb = " + std::to_string(limits.ptx_kb) +
           ", shared_bytes = " + std::to_string(limits.shared_bytes) +
           ", local_bytes = " + std::to_string(limits.local_bytes) + " }";
}

std::string exercise_text(const Exercise& exercise) {
    std::string allowed;
    for (const std::string& word : exercise.allow) {
        allowed += (allowed.empty() ? "" : ", ") + quoted(word);
    }
    const Points& points = exercise.points;
    return "[[exercise]]\nname = " + quoted(exercise.name) +
           "\nkernel = " + quoted(exercise.kernel) + "\nproduces = " + quoted(exercise.produces) +
           "\nmultiples = " + text_of(Shape{exercise.rows_multiple, exercise.cols_multiple}) +
           "\npublic_shapes = " + text_of(exercise.public_shapes) +
           "\ncounted = " + text_of(exercise.counted) + "\ncosts = " + costs_text(exercise.costs) +
           "\nblock_order = " + quoted(exercise.block_order) +
           "\npoints = { correct = " + digits(points.correct) +
           ", clean = " + digits(points.clean) + ", counters = " + digits(points.counters) +
           " }\nallow = [" + allowed + "]\nlimits = " + limits_text(exercise.limits) + "\n";
}

}  // namespace

const Exercise* Assignment::find(const std::string& wanted) const {
    for (const Exercise& exercise : exercises) {
        std::string number = exercise.name.substr(0, 2);
        if (exercise.name == wanted || number == wanted || number == "0" + wanted) return &exercise;
    }
    return nullptr;
}

Secret Assignment::secret(const Exercise& exercise) const {
    return hmac_sha256(key, "inputs of " + exercise.name + ", epoch " + std::to_string(epoch));
}

double Assignment::points() const {
    double sum = 0;
    for (const Exercise& exercise : exercises) sum += exercise.points.total();
    return sum;
}

Assignment read_assignment(const fs::path& folder) {
    Assignment assignment{.folder = folder,
                          .name = folder.filename().string(),
                          .title = {},
                          .exercises = {},
                          .key = {}};
    if (!fs::is_directory(assignment.teacher())) {
        throw Usage("there is no assignment in " + folder.string() +
                    "; ./learn assignment new NAME makes one");
    }
    read_manifest(assignment.teacher() / "assignment.toml", assignment);
    read_hidden(assignment.teacher() / "hidden.toml", assignment);
    assignment.key = read_key(assignment.teacher() / "key");
    for (Exercise& exercise : assignment.exercises) {
        exercise.solution =
            read_file(assignment.teacher() / "solutions" / exercise.name / "kernel.cu");
    }
    return assignment;
}

std::string manifest_text(const Assignment& assignment) {
    std::string text =
        "# What is asked, and what it is worth. Any change here grades anew; older results stay.\n"
        "# points: `correct` for right bits on every shape, `clean` for not a word from the checks "
        "of\n"
        "# memory, races and barriers, `counters` for costing no more than `costs` and the "
        "solution.\n"
        "# costs are sectors and wavefronts a request. allow: \"printf\", \"malloc\", \"clock\", "
        "\"smid\",\n"
        "# \"createpolicy\", \"global\". epoch: count it up, and every secret input is another.\n"
        "format = 1\ntitle = " +
        quoted(assignment.title) + "\nepoch = " + std::to_string(assignment.epoch) + "\n";
    for (const Exercise& exercise : assignment.exercises) text += "\n" + exercise_text(exercise);
    return text;
}

std::string hidden_text(const Assignment& assignment) {
    std::string text = "# Shapes that students do not know: keep this file to yourself.\n";
    for (const Exercise& exercise : assignment.exercises) {
        text += "\n[[exercise]]\nname = " + quoted(exercise.name) +
                "\nshapes = " + text_of(exercise.hidden_shapes) + "\n";
    }
    return text;
}

std::string digest_of(const Exercise& exercise) {
    return sha256_of_parts(
        {exercise_text(exercise), text_of(exercise.hidden_shapes), exercise.solution});
}

fs::path assignment_folder(const fs::path& folder, const std::string& name) {
    bool is_plain = !name.empty() && name.size() <= 64 && name[0] != '.' && name[0] != '-';
    for (char letter : name) {
        is_plain = is_plain && (std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                                letter == '-' || letter == '_' || letter == '.');
    }
    if (!is_plain) {
        throw Usage("\"" + name + "\" is no name for an assignment: letters, digits, - and _ only");
    }
    return folder / name;
}

}  // namespace coalesce::grader
