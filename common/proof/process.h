/// \file
/// Other programs: run to their end, or talked to line by line. They never outlive this one.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coalesce::proof {

/// How a program ended.
struct Ended {
    int exit_code = 0;       ///< 128 + signal when a signal ended it; 127: it can not be started
    bool timed_out = false;  ///< it was ended by us, because its time was over
    std::string output;      ///< stdout and stderr, as they came
};

/// Variables of the environment, beside those of this program.
using Environment = std::map<std::string, std::string>;

/// Runs `command` (looked for on the PATH) to its end; after `seconds` ends it, and all that it
/// started.
Ended run(const std::vector<std::string>& command, double seconds,
          const Environment& environment = {});

/// Where a program of that name lies on the PATH, or "".
std::string find_program(const std::string& name);

/// A program that answers lines with lines. What it writes on stderr is ours.
class Conversation {
public:
    /// Starts `command`, found on the PATH.
    explicit Conversation(const std::vector<std::string>& command);
    /// Ends the program.
    ~Conversation();
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    /// Says a line. False when nobody listens any more.
    bool say(const std::string& line);
    /// The next line; nothing when none came in that time, or never will.
    std::optional<std::string> hear(double seconds);

private:
    pid_t child_ = -1;
    int to_ = -1, from_ = -1;
    std::string heard_;
};

}  // namespace coalesce::proof
