// Reads what an exercise asks: from exercise.toml, and from an assignment that asks for something else.
#pragma once

#include <string_view>

#include "examiner/course/exercise.h"
#include "examiner/course/strict_toml.h"

namespace coalesce::course {

/// The keys that `read_asked` knows.
inline constexpr std::string_view kAsked[] = {"kernel",  "produces", "multiples",   "shapes",
                                              "counted", "limits",   "block_order", "hidden"};

/// Reads those keys that are there; what is not stays as it is. Then checks that it fits together.
void read_asked(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// What rows and columns are multiples of, for an exercise or a variant, where it is said.
void read_multiples(const StrictToml& reader, const toml::table& table, auto& task) {
    const toml::node* node = table.get("multiples");
    if (node == nullptr) return;
    const Shape multiples = reader.shape(*node, "multiples");
    task.rows_multiple = multiples.rows;
    task.cols_multiple = multiples.cols;
}

/// Numbers of a table by their names; a structure has them, and what is not there is 0.
template <class Numbers, std::size_t count>
Numbers read_numbers(const StrictToml& reader, const toml::table& table,
                     const std::pair<const char*, double Numbers::*> (&names)[count],
                     const std::string& where) {
    std::set<std::string_view> known;
    for (const auto& [name, member] : names) known.insert(name);
    reader.allow_keys(table, known, where);
    Numbers numbers{};
    for (const auto& [name, member] : names) {
        numbers.*member = table.contains(name) ? reader.number(table, name, where) : 0;
    }
    return numbers;
}

/// The order of blocks that is asked for, where one is.
void read_block_order(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// Refuses shapes that the exercise does not take.
void check_shapes(const StrictToml& reader, int line, const Exercise& exercise,
                  const std::vector<Shape>& shapes);

}  // namespace coalesce::course
