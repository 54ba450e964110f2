// Reads the requirements of an exercise, either from exercise.toml or from an assignment that
// overrides them.
#pragma once

#include <string_view>

#include "examiner/course/exercise.h"
#include "examiner/course/strict_toml.h"

namespace coalesce::course {

/// The keys that `read_requirements` reads from a table.
inline constexpr std::string_view kRequirementKeys[] = {
    "kernel", "produces", "multiples", "shapes", "counted", "limits", "block_order", "hidden"};

/// Reads the requirements in the table into `exercise`, and leaves the exercise's other
/// requirements unchanged. Then checks that the exercise is consistent.
void read_requirements(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// The keys that `read_elements` reads from a table.
inline constexpr std::string_view kElementKeys[] = {"kernel", "sizes",  "arguments", "tolerance",
                                                    "most",   "shapes", "counted",   "limits"};

/// Reads the kernel's name, the shapes, the limits and the task of an exercise that is defined
/// element by element. The caller must add the task's reference, which is in reference.cu.
void read_elements(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// Reads a shape from a list with one value per size of the task.
Shape read_element_shape(const StrictToml& reader, const toml::node& node, const char* key,
                         const ElementTask& task);
/// Reads `shapes`, a list of shapes. Each shape is a list with one value per size of the task.
std::vector<Shape> read_element_shapes(const StrictToml& reader, const toml::table& table,
                                       const ElementTask& task, const std::string& table_name);
/// Throws an error if the task does not allow this shape, for example because a size exceeds its
/// maximum (max_sizes). The error names the line of `node`.
void check_element_shape(const StrictToml& reader, const toml::node& node, const ElementTask& task,
                         Shape shape);

/// Reads the row multiple and the column multiple of an exercise or a variant, if the table
/// contains them.
void read_multiples(const StrictToml& reader, const toml::table& table, auto& task) {
    const toml::node* node = table.get("multiples");
    if (node == nullptr) return;
    const Shape multiples = reader.shape(*node, "multiples");
    task.rows_multiple = multiples.rows;
    task.cols_multiple = multiples.cols;
}

/// Reads numbers from a table into the members of a struct. `names` contains the key of each
/// member. A member becomes 0 if its key is missing.
template <class Numbers, std::size_t count>
Numbers read_numbers(const StrictToml& reader, const toml::table& table,
                     const std::pair<const char*, double Numbers::*> (&names)[count],
                     const std::string& table_name) {
    std::set<std::string_view> known_keys;
    for (const auto& [name, member] : names) known_keys.insert(name);
    reader.allow_keys(table, known_keys, table_name);
    Numbers numbers{};
    for (const auto& [name, member] : names) {
        numbers.*member = table.contains(name) ? reader.number(table, name, table_name) : 0;
    }
    return numbers;
}

/// Reads the required block order, if the table contains it.
void read_block_order(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// Throws an error if any of these shapes does not meet the exercise's requirements. The error
/// names `line`.
void check_shapes(const StrictToml& reader, int line, const Exercise& exercise,
                  const std::vector<Shape>& shapes);

}  // namespace coalesce::course
