/// \file
/// Other programs: run to their end, beside what this one does, or talked to line by line.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace coalesce {

/// What is to be run.
struct Command {
    std::filesystem::path program;  ///< without a slash in it, looked for on the PATH
    std::vector<std::string> arguments = {};
    std::vector<std::string> environment = {};  ///< NAME=VALUE, in place of what is there
    std::filesystem::path folder = {};          ///< to run in; "": where this program runs
    bool with_errors = false;  ///< what it prints on stderr belongs to the output; else it is ours
    bool is_asked = false;     ///< `say` writes to its stdin, where otherwise nothing is
    /// What it starts is ended with it, and it ends with the thread that started it.
    bool is_apart = false;
};

/// How a program ended, and what it printed.
struct Ended {
    int exit_code = 0;       ///< 128 + signal when a signal ended it; 127: it cannot be started
    bool timed_out = false;  ///< it was ended by us, because its time was over
    std::string output = {};
};

/// A program that runs beside this one. Ended when this object goes.
class Child {
public:
    /// Starts it. Throws std::runtime_error when that cannot be done.
    explicit Child(const Command& command);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Readable when there is output to take, or none will come any more.
    int descriptor() const { return output_.get(); }
    /// Takes what was printed since, without waiting. False when none will come any more.
    bool take_output();
    /// Waits until it ends, for so long at most. False: it still runs.
    bool wait(int milliseconds);
    /// Ends it.
    void stop();
    /// How it ended. Call it when `wait` was true or after `stop`.
    const Ended& outcome() const { return result_; }

    /// Says a line. False when nobody listens any more.
    bool say(const std::string& line);
    /// It is told that there are no more.
    void end_input() { input_.reset(); }
    /// The next line of its output, which is taken; nothing when none came in that time, or never will.
    std::optional<std::string> hear(double seconds);

private:
    bool reap(bool may_wait);

    pid_t process_ = 0;  // 0: it has ended
    const bool is_apart_;
    Descriptor input_, output_;
    Ended result_;
};

/// Runs it to its end, or for so long.
Ended run_to_end(const Command& command, double seconds = 1e6);
/// The same apart, with both its outputs in one, and what cannot be started has ended with 127.
Ended run_child(const std::vector<std::string>& words, double seconds,
                const std::vector<std::string>& environment = {},
                const std::filesystem::path& folder = {});

/// Lets the kernel kill this process when its parent ends.
void end_with_parent();
/// The same in a process that `parent` has just forked. False when the parent ended before the call.
bool end_with_parent(pid_t parent);

/// The pointers that exec wants. `words` must outlive them.
std::vector<char*> pointers_to(const std::vector<std::string>& words);

/// Where a program of that name lies on the PATH, or "".
std::string find_program(const std::string& name);

/// A variable of the environment; `otherwise` when it is not set, or empty.
std::string from_environment(const char* name, const std::string& otherwise);

/// LD_LIBRARY_PATH for a program that is to look for its libraries in `folder` first.
std::string library_path_from(const std::string& folder);

}  // namespace coalesce
