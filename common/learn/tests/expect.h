// A helper for several tests: runs the command and checks its output.
#pragma once

#include <doctest/doctest.h>

#include "scratch_course.h"

namespace coalesce::learn {

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Runs `learn WORDS`. Checks the exit code, and checks that the output contains the given texts.
inline ProcessResult expect(const ScratchCourse& course, const std::vector<std::string>& words,
                            int code, const std::vector<std::string>& parts) {
    ProcessResult outcome = course.learn(words);
    CAPTURE(outcome.output);
    std::string line;
    for (auto& word : words) line += word + " ";
    CAPTURE(line);
    CHECK(outcome.exit_code == code);
    for (auto& part : parts) CHECK_MESSAGE(has(outcome.output, part), part);
    return outcome;
}

inline const std::string KERNEL_02 = "exercises/02_naive/kernel.cu";
inline const std::string CONFIGURE =
    "\nconstexpr Launch configure(int rows, int cols) {\n"
    "    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};\n}\n";

}  // namespace coalesce::learn
