// Extends the strict TOML reader of base/strict_toml.h with shapes, for the files of the course.
#pragma once

#include <string>
#include <vector>

#include "base/strict_toml.h"
#include "examiner/course/course_error.h"
#include "harness/options.h"

namespace coalesce::course {

class StrictToml : public coalesce::StrictToml<CourseError> {
public:
    using coalesce::StrictToml<CourseError>::StrictToml;

    /// Reads a shape from an array of two positive integers, [rows, cols].
    Shape shape(const toml::node& node, const char* key) const;
    std::vector<Shape> shapes(const toml::table& table, const char* key,
                              const std::string& table_name) const;
};

}  // namespace coalesce::course
