// Decides which kernels and reports a run shows. `simulate --kernel` selects kernels, and `simulate
// --suppress` removes reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// A pattern for known reports. Reports that match it are not shown. An empty member matches any
/// text. Within a member, `*` matches any text.
struct Suppression {
    std::string check = {}, kind = {}, kernel = {};
    std::string file = {};    ///< the last components of the file's path
    std::string source = {};  ///< the text of the source line, without white space at its ends
};

/// A member of Suppression, and the key for this member in suppression files.
struct SuppressionKey {
    const char* name;
    std::string Suppression::*member;
};
std::span<const SuppressionKey> suppression_keys();

/// Reports whether `text` matches `pattern`, in which `*` stands for any text.
bool matches_pattern(std::string_view text, std::string_view pattern);

/// Reports whether a path, or a sequence of its last components, matches `pattern`. For example,
/// "/home/me/src/sum.cu" matches "src/*.cu".
bool matches_path(std::string_view path, std::string_view pattern);

/// Returns the text of a source line without white space at its ends. Returns "" if the file cannot
/// be read.
std::string source_line(const Place& place);

/// These functions convert suppressions to and from the text in the environment variable
/// COALESCE_SIM_SUPPRESS, which `simulate` sets for the program.
std::string suppressions_to_text(const std::vector<Suppression>& suppressions);
std::vector<Suppression> suppressions_from_text(std::string_view text);

/// Reports whether all keys that the suppression gives match the report.
bool matches_suppression(const Suppression& suppression, const Report& report);

/// Reports whether the options of this run (options()) select the kernel with this demangled name.
bool is_selected_kernel(const std::string& name);

/// Reports whether the options of this run suppress the report. Reports about work that was not
/// simulated are never suppressed, because the program's results are wrong without this work.
bool is_suppressed(const Report& report);

/// Reports whether reports with this check and kind are about work that was not simulated.
bool is_about_missing_work(std::string_view check, std::string_view kind);

}  // namespace coalesce::simulator
