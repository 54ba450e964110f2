// See options.h. An invalid value is reported on stderr and the default is used instead: a
// misspelled value must not change the behavior of a program under test.
#include "simulator/base/options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace coalesce::simulator {
namespace {

struct NamedCheck {
    const char* name;
    bool Checks::*flag_member;
    bool is_in_all = true;  ///< whether the name "all" includes this check
};

constexpr NamedCheck kChecks[] = {
    {"memcheck", &Checks::runs_memcheck},
    {"racecheck", &Checks::runs_racecheck},
    {"globalrace", &Checks::runs_globalrace},
    {"initcheck", &Checks::runs_initcheck},
    {"synccheck", &Checks::runs_synccheck},
    {"apicheck", &Checks::runs_apicheck},
    {"streamcheck", &Checks::runs_streamcheck},
    {"leakcheck", &Checks::runs_leakcheck, false},
    {"equalvalues", &Checks::reports_equal_values, false},
};

void warn_invalid_value(const char* variable_name, const std::string& value,
                        const std::string& expected) {
    std::fprintf(stderr, "coalesce: %s=%s is ignored: %s.\n", variable_name, value.c_str(),
                 expected.c_str());
}

std::optional<std::string> read_environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

/// Reads a whole number from the environment variable `name`. If `allows_units` is true, the number
/// may end in K, M, G or T.
void read_number(const char* name, u64& target, bool allows_units = false) {
    const auto text = read_environment(name);
    if (!text) return;
    char* end_of_number = nullptr;
    const bool starts_with_digit = (*text)[0] >= '0' && (*text)[0] <= '9';
    u64 value = starts_with_digit ? std::strtoull(text->c_str(), &end_of_number, 0) : 0;
    u32 unit_shift = 0;
    if (starts_with_digit && allows_units && *end_of_number) {
        const std::string_view unit_letters = "KMGT";
        const auto unit = unit_letters.find(static_cast<char>(*end_of_number & ~0x20));
        if (unit != unit_letters.npos) {
            unit_shift = 10 * (static_cast<u32>(unit) + 1);
            ++end_of_number;
        }
    }
    if (!starts_with_digit || *end_of_number || value << unit_shift >> unit_shift != value) {
        warn_invalid_value(
            name, *text, allows_units ? "give a size such as 512M or 16G" : "give a whole number");
        return;
    }
    target = value << unit_shift;
}

/// Reads a whole number and clamps it to [min_value, max_value].
void read_clamped(const char* name, u32& target, u64 min_value, u64 max_value) {
    u64 value = target;
    read_number(name, value);
    target = static_cast<u32>(std::clamp(value, min_value, max_value));
}

void read_flag(const char* name, bool& target) {
    const auto text = read_environment(name);
    if (!text) return;
    if (*text == "1" || *text == "0") {
        target = *text == "1";
    } else {
        warn_invalid_value(name, *text, "give 0 or 1");
    }
}

Options read_options_from_environment() {
    Options result;
    if (const auto list = read_environment("COALESCE_SIM_CHECK")) {
        const std::string problem = set_checks(result.checks, *list);
        if (!problem.empty()) warn_invalid_value("COALESCE_SIM_CHECK", *list, problem);
    }
    read_clamped("COALESCE_SIM_THREADS", result.worker_count, 0, 1024);
    read_number("COALESCE_SIM_SEED", result.seed);
    read_number("COALESCE_SIM_MAX_INSTRUCTIONS", result.max_instructions);
    read_clamped("COALESCE_SIM_DEVICES", result.device_count, 1, 64);
    read_number("COALESCE_SIM_MEMORY", result.memory_bytes, true);
    read_flag("COALESCE_SIM_QUIET", result.is_quiet);
    read_flag("COALESCE_SIM_REPORT", result.prints_report);
    read_flag("COALESCE_SIM_LINES", result.prints_lines);
    read_flag("COALESCE_SIM_PLAIN", result.is_plain);
    read_flag("COALESCE_SIM_LAUNCHER", result.is_launcher);
    read_flag("COALESCE_SIM_SAVINGS", result.finds_savings);
    read_number("COALESCE_SIM_SAMPLE", result.max_checked_launches);
    read_number("COALESCE_SIM_PROGRESS", result.progress_after_ms);
    result.trace_file = read_environment("COALESCE_SIM_TRACE").value_or("");
    read_number("COALESCE_SIM_TRACE_BLOCK", result.trace_block);
    read_number("COALESCE_SIM_TRACE_LAUNCH", result.trace_launch);
    result.json_folder = read_environment("COALESCE_SIM_JSON_FOLDER").value_or("");
    result.kernel_expression = read_environment("COALESCE_SIM_KERNEL").value_or("");
    result.suppression_rules = read_environment("COALESCE_SIM_SUPPRESS").value_or("");
    result.predicted_gpu = read_environment("COALESCE_SIM_TIME").value_or("");
    return result;
}

}  // namespace

bool Checks::is_enabled(const std::string& name) const {
    for (const NamedCheck& check : kChecks)
        if (name == check.name) return this->*check.flag_member;
    return true;
}

std::vector<std::string> Checks::list_disabled_checks() const {
    std::vector<std::string> names;
    for (const NamedCheck& check : kChecks)
        if (check.is_in_all && !(this->*check.flag_member)) names.push_back(check.name);
    return names;
}

std::string set_checks(Checks& checks, const std::string& list) {
    Checks no_checks;
    for (const NamedCheck& check : kChecks) no_checks.*check.flag_member = false;
    Checks selected_checks = no_checks;
    std::string names = list;
    std::erase(names, ' ');
    std::istringstream name_stream(names);
    for (std::string check_name; std::getline(name_stream, check_name, ',');) {
        if (check_name.empty()) continue;
        if (check_name == "none") selected_checks = no_checks;
        bool is_known = check_name == "none" || check_name == "all";
        for (const NamedCheck& check : kChecks) {
            if (check_name != check.name && !(check_name == "all" && check.is_in_all)) continue;
            selected_checks.*check.flag_member = true;
            is_known = true;
        }
        if (!is_known) {
            std::string known_names = "all, none";
            for (const NamedCheck& check : kChecks) known_names += std::string(", ") + check.name;
            return "no check is called '" + check_name + "'; the checks are " + known_names;
        }
    }
    checks = selected_checks;
    return {};
}

Options& options() {
    // The options are never destroyed, because the report at exit reads them after the destructors
    // of static objects have run.
    static Options* const shared_options = new Options(read_options_from_environment());
    return *shared_options;
}

}  // namespace coalesce::simulator
