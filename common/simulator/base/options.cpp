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
    bool Checks::*on;
    bool is_in_all = true;  ///< whether the name "all" includes this check
};

constexpr NamedCheck kChecks[] = {
    {"memcheck", &Checks::memory},
    {"racecheck", &Checks::race},
    {"globalrace", &Checks::global_race},
    {"initcheck", &Checks::init},
    {"synccheck", &Checks::sync},
    {"apicheck", &Checks::api},
    {"streamcheck", &Checks::streams},
    {"leakcheck", &Checks::leak, false},
    {"equalvalues", &Checks::equal_values, false},
};

void warn_invalid_value(const char* read_variable, const std::string& value,
                        const std::string& expected) {
    std::fprintf(stderr, "coalesce: %s=%s is ignored: %s.\n", read_variable, value.c_str(),
                 expected.c_str());
}

std::optional<std::string> read_variable(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

/// Reads a whole number from the environment variable `name`. If `units` is true, the number may
/// end in K, M, G or T.
void read_number(const char* name, u64& target, bool units = false) {
    const auto text = read_variable(name);
    if (!text) return;
    char* rest = nullptr;
    const bool starts_well = (*text)[0] >= '0' && (*text)[0] <= '9';
    u64 value = starts_well ? std::strtoull(text->c_str(), &rest, 0) : 0;
    u32 shift = 0;
    if (starts_well && units && *rest) {
        const std::string_view letters = "KMGT";
        const auto unit = letters.find(static_cast<char>(*rest & ~0x20));
        if (unit != letters.npos) {
            shift = 10 * (static_cast<u32>(unit) + 1);
            ++rest;
        }
    }
    if (!starts_well || *rest || value << shift >> shift != value) {
        warn_invalid_value(name, *text,
                           units ? "give a size such as 512M or 16G" : "give a whole number");
        return;
    }
    target = value << shift;
}

/// Reads a whole number and clamps it to [least, most].
void read_clamped(const char* name, u32& target, u64 least, u64 most) {
    u64 value = target;
    read_number(name, value);
    target = static_cast<u32>(std::clamp(value, least, most));
}

void read_flag(const char* name, bool& target) {
    const auto text = read_variable(name);
    if (!text) return;
    if (*text == "1" || *text == "0") {
        target = *text == "1";
    } else {
        warn_invalid_value(name, *text, "give 0 or 1");
    }
}

Options read_options_from_environment() {
    Options result;
    if (const auto list = read_variable("COALESCE_SIM_CHECK")) {
        const std::string problem = set_checks(result.checks, *list);
        if (!problem.empty()) warn_invalid_value("COALESCE_SIM_CHECK", *list, problem);
    }
    read_clamped("COALESCE_SIM_THREADS", result.workers, 0, 1024);
    read_number("COALESCE_SIM_SEED", result.seed);
    read_number("COALESCE_SIM_MAX_INSTRUCTIONS", result.max_instructions);
    read_clamped("COALESCE_SIM_DEVICES", result.devices, 1, 64);
    read_number("COALESCE_SIM_MEMORY", result.memory_bytes, true);
    read_flag("COALESCE_SIM_QUIET", result.quiet);
    read_flag("COALESCE_SIM_REPORT", result.print_report);
    read_flag("COALESCE_SIM_LINES", result.print_lines);
    read_flag("COALESCE_SIM_PLAIN", result.plain);
    read_flag("COALESCE_SIM_LAUNCHER", result.is_launcher);
    read_number("COALESCE_SIM_SAMPLE", result.sample);
    read_number("COALESCE_SIM_PROGRESS", result.progress_after_ms);
    result.trace_file = read_variable("COALESCE_SIM_TRACE").value_or("");
    read_number("COALESCE_SIM_TRACE_BLOCK", result.trace_block);
    read_number("COALESCE_SIM_TRACE_LAUNCH", result.trace_launch);
    result.json_folder = read_variable("COALESCE_SIM_JSON_FOLDER").value_or("");
    result.kernel_expression = read_variable("COALESCE_SIM_KERNEL").value_or("");
    result.suppressions = read_variable("COALESCE_SIM_SUPPRESS").value_or("");
    result.predicted_gpu = read_variable("COALESCE_SIM_TIME").value_or("");
    return result;
}

}  // namespace

bool Checks::is_enabled(const std::string& name) const {
    for (const NamedCheck& check : kChecks)
        if (name == check.name) return this->*check.on;
    return true;
}

std::vector<std::string> Checks::names_of_disabled() const {
    std::vector<std::string> names;
    for (const NamedCheck& check : kChecks)
        if (check.is_in_all && !(this->*check.on)) names.push_back(check.name);
    return names;
}

std::string set_checks(Checks& checks, const std::string& list) {
    Checks none;
    for (const NamedCheck& check : kChecks) none.*check.on = false;
    Checks wanted = none;
    std::string names = list;
    std::erase(names, ' ');
    std::istringstream parts(names);
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.empty()) continue;
        if (part == "none") wanted = none;
        bool known = part == "none" || part == "all";
        for (const NamedCheck& check : kChecks) {
            if (part != check.name && !(part == "all" && check.is_in_all)) continue;
            wanted.*check.on = true;
            known = true;
        }
        if (!known) {
            std::string all = "all, none";
            for (const NamedCheck& check : kChecks) all += std::string(", ") + check.name;
            return "no check is called '" + part + "'; the checks are " + all;
        }
    }
    checks = wanted;
    return {};
}

Options& options() {
    // The options are never destroyed, because the report at exit reads them after the destructors
    // of static objects have run.
    static Options* const instance = new Options(read_options_from_environment());
    return *instance;
}

}  // namespace coalesce::simulator
