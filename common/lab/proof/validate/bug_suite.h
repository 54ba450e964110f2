/// \file
/// Reads the cases with seeded bugs and the clean cases, and summarizes which judges detect the
/// bugs. The judges are the simulator and the four tools of compute-sanitizer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// A case in a program, selected by a command-line argument.
struct SuiteCase {
    std::string program;  ///< such as "bugs_alignment"
    std::string name;     ///< such as "float4_at_one"
    /// the tool that should report the bug, and the kind of bug, as in "memcheck: misaligned";
    /// empty for a clean case
    std::string planted_bug;
    /// Reports whether the kernel may run forever: it may deadlock on hardware, or it waits for the
    /// host, which a tool may have blocked.
    bool may_run_forever() const {
        return planted_bug.ends_with("deadlock") || planted_bug.ends_with("waits for the host");
    }
    /// Reports whether the case contains no bug.
    bool is_clean() const { return planted_bug.empty(); }
};

/// A judge's opinion of a case.
struct Opinion {
    enum Kind {
        silent,    ///< ran to completion without a report
        reported,  ///< reported an error
        endless,   ///< was stopped at the time limit
        unusable,  ///< the judge itself failed to run
    };
    Kind kind = silent;
    std::string text;  ///< first report, in the judge's words
};

constexpr Opinion::Kind last_of(Opinion::Kind) {
    return Opinion::unusable;
}

/// A case with all opinions.
struct JudgedCase {
    SuiteCase suite_case;
    Opinion simulator_opinion;
    std::map<std::string, Opinion>
        opinion_by_tool;  ///< opinions by name of the tool, for example "memcheck"

    /// Reports whether any tool of compute-sanitizer reported a bug.
    bool has_sanitizer_report() const;
};

/// The names of compute-sanitizer's tools.
constexpr const char* kSanitizerTools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};

/// Returns the cases marked in the sources of `folder`/bugs and `folder`/clean. Throws
/// std::runtime_error if there are none.
std::vector<SuiteCase> read_suite(const std::string& folder);
/// Returns the cases marked in the text of one source.
std::vector<SuiteCase> find_cases_in_source(const std::string& program, const std::string& source);

/// Derives a tool's opinion from its output.
Opinion parse_sanitizer_opinion(const std::string& output);
/// Derives the simulator's opinion from the JSON that `simulate --json` writes.
Opinion parse_simulator_opinion(const Json& report);

/// Returns which judges reported something: "both", "simulator only", "sanitizer only" or
/// "neither".
std::string describe_reporting_judges(const JudgedCase& judged);
/// Returns a table that shows how often each judge reported something, followed by a list of the
/// cases that only one judge detected.
std::string to_text(const std::vector<JudgedCase>& judged_cases);
/// Returns all opinions as JSON.
Json to_json(const std::vector<JudgedCase>& judged_cases);
/// Reports whether every judge ran on every case, and the simulator reported exactly the seeded
/// bugs.
bool meets_guarantees(const std::vector<JudgedCase>& judged_cases);

}  // namespace coalesce::proof
