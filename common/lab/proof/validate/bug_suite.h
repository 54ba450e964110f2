/// \file
/// The simulator's seeded bugs and clean look-alikes, by the marks in their sources, and what each
/// judge says of them: the simulator, and the four tools of compute-sanitizer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// One case of a program: its argument.
struct SuiteCase {
    std::string program;  ///< "bugs_alignment"
    std::string name;     ///< "float4_at_one"
    std::string seeded;   ///< "memcheck: misaligned"; empty: clean
    /// The kernel never ends on hardware, or not under a tool that holds the host up.
    bool is_endless() const {
        return seeded.ends_with("deadlock") || seeded.ends_with("waits for the host");
    }
    /// Whether there is nothing to find.
    bool is_clean() const { return seeded.empty(); }
};

/// What one judge said of a case.
struct Opinion {
    enum Kind {
        silent,    ///< ran to the end without a report
        reported,  ///< said that something is wrong
        endless,   ///< had to be ended, because its time was over
        unusable,  ///< the judge itself could not run
    };
    Kind kind = silent;
    std::string text;  ///< the first report, in its own words
};

constexpr Opinion::Kind last_of(Opinion::Kind) {
    return Opinion::unusable;
}

/// A case with all verdicts.
struct Judged {
    SuiteCase suite_case;
    Opinion simulator;
    std::map<std::string, Opinion> tools;  ///< by compute-sanitizer's names: "memcheck"

    /// Whether any tool of compute-sanitizer reported something.
    bool sanitizer_reported() const;
};

/// The names of compute-sanitizer's tools.
constexpr const char* kSanitizerTools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};

/// The cases that the sources in `folder`/bugs and `folder`/clean mark. Throws std::runtime_error
/// when there are none.
std::vector<SuiteCase> read_suite(const std::string& folder);
/// The cases of one source, given its text.
std::vector<SuiteCase> cases_in(const std::string& program, const std::string& source);

/// A tool's verdict, from what it printed.
Opinion sanitizer_opinion(const std::string& output);
/// The simulator's, from the JSON that `simulate --json` wrote.
Opinion simulator_opinion(const Json& report);

/// "both", "simulator only", "sanitizer only" or "neither": who said that something is wrong.
std::string who_reported(const Judged& judged);
/// A table in 80 columns: how often who reported what, and each case that only one of them sees.
std::string to_text(const std::vector<Judged>& all);
/// All verdicts.
Json to_json(const std::vector<Judged>& all);
/// Whether the simulator reported every seeded bug and no clean case, and every judge could run.
bool is_as_promised(const std::vector<Judged>& all);

}  // namespace coalesce::proof
