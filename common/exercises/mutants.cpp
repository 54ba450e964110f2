#include "exercises/mutants.h"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#include <algorithm>
#include <set>
#include <string_view>

namespace coalesce::exercises {
namespace {

// Reads tables strictly: an unknown key is a slip of the pen, and would prove nothing.
class Reader {
public:
    explicit Reader(std::string file) : file(std::move(file)) {}

    [[noreturn]] void fail(int line, const std::string& what) const {
        throw ExerciseError(file + ":" + std::to_string(line) + ": " + what);
    }

    static int line_of(const toml::node& node) {
        return std::max(1, static_cast<int>(node.source().begin.line));
    }

    void allow_keys(const toml::table& table, const std::set<std::string_view>& known) const {
        for (auto& [key, value] : table) {
            if (!known.contains(key.str())) {
                fail(line_of(value),
                     "unknown key `" + std::string(key.str()) + "`; mend its name, or remove it");
            }
        }
    }

    std::string text(const toml::table& table, const char* key) const {
        auto value = table[key].value_exact<std::string>();
        if (!value)
            fail(line_of(table), std::string("no `") + key + "`; add " + key + " = \"...\"");
        return *value;
    }

    const toml::table& section(const toml::table& whole, const char* name) const {
        const toml::table* table = whole[name].as_table();
        if (table == nullptr) fail(1, std::string("no [") + name + "]; add it");
        return *table;
    }

private:
    std::string file;
};

Mutant read_mutant(const Reader& reader, const toml::table& table) {
    reader.allow_keys(table, {"name", "replace", "with", "failure"});
    return {.name = reader.text(table, "name"),
            .replace = reader.text(table, "replace"),
            .with = reader.text(table, "with"),
            .failure = reader.text(table, "failure"),
            .line = Reader::line_of(table)};
}

void read_hunt(const Reader& reader, const toml::table& table, Mutants& read) {
    reader.allow_keys(table, {"failure", "first_shape"});
    read.hunt_failure = reader.text(table, "failure");
    std::string first = reader.text(table, "first_shape");
    if (first != "right" && first != "wrong") {
        reader.fail(Reader::line_of(table), "`first_shape` is \"right\" or \"wrong\"");
    }
    read.hunt_is_right_at_first = first == "right";
}

toml::table parse(const std::filesystem::path& file) {
    try {
        return toml::parse_file(file.string());
    } catch (const toml::parse_error& error) {
        throw ExerciseError(file.string() + ":" + std::to_string(error.source().begin.line) + ": " +
                            std::string(error.description()) + "; mend this line");
    }
}

}  // namespace

Mutants read_mutants(const std::filesystem::path& file) {
    Reader reader(file.string());
    toml::table whole = parse(file);
    reader.allow_keys(whole, {"blank", "hunt", "mutant"});
    Mutants read;
    const toml::table& blank = reader.section(whole, "blank");
    reader.allow_keys(blank, {"failure"});
    read.blank_failure = reader.text(blank, "failure");
    read_hunt(reader, reader.section(whole, "hunt"), read);
    const toml::array* mutants = whole["mutant"].as_array();
    if (mutants == nullptr || !mutants->is_array_of_tables() || mutants->size() < fewest_mutants) {
        reader.fail(1, "fewer than " + std::to_string(fewest_mutants) +
                           " mutants; add [[mutant]] with mistakes that learners make");
    }
    std::set<std::string> names;
    for (auto& node : *mutants) {
        Mutant mutant = read_mutant(reader, *node.as_table());
        if (!names.insert(mutant.name).second) {
            reader.fail(mutant.line, "a second mutant \"" + mutant.name + "\"; rename one");
        }
        read.mutants.push_back(std::move(mutant));
    }
    return read;
}

std::string applied(const Mutant& mutant, const std::string& solution) {
    auto fail = [&](const std::string& what) {
        throw ExerciseError("mutants.toml:" + std::to_string(mutant.line) + ": mutant \"" +
                            mutant.name + "\": " + what);
    };
    std::size_t place = solution.find(mutant.replace);
    if (mutant.replace.empty() || place == std::string::npos) {
        fail("the text of `replace` does not occur in the solution; copy it from there");
    }
    if (solution.find(mutant.replace, place + 1) != std::string::npos) {
        fail("the text of `replace` occurs twice in the solution; make it longer");
    }
    if (mutant.with == mutant.replace) fail("`with` changes nothing");
    return std::string(solution).replace(place, mutant.replace.size(), mutant.with);
}

}  // namespace coalesce::exercises
