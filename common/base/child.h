/// \file
/// Starts other programs. The caller can wait for a program, let it run in the background, or
/// exchange lines of text with it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace coalesce {

/// A program to start, and how to start it.
struct Command {
    /// The path of the program. A name without a slash is looked up on the PATH.
    std::filesystem::path program;
    std::vector<std::string> arguments = {};
    /// NAME=VALUE entries to add to the environment. Each replaces an inherited variable with the
    /// same name.
    std::vector<std::string> environment = {};
    /// The child's working directory. If empty, the child uses the caller's.
    std::filesystem::path folder = {};
    /// Whether to capture stderr together with stdout. If not, the child inherits stderr.
    bool captures_stderr = false;
    bool has_stdin_pipe = false;  ///< whether stdin is a pipe (see send_line); otherwise /dev/null
    /// Whether the child gets its own process group. If so, `stop` kills the whole group, and Linux
    /// kills the child when the thread that started it ends.
    bool has_own_process_group = false;
};

/// The outcome of a program: how it ended, and what it printed.
struct ProcessResult {
    /// the exit code; 128 + N if signal N ended the program, and 127 if the program did not start
    int exit_code = 0;
    bool timed_out = false;  ///< whether the program was killed because it exceeded its time limit
    std::string output = {};
};

/// A child process. The destructor kills the process if it is still running.
class Child {
public:
    /// Starts the program. Throws std::runtime_error if it cannot be started.
    explicit Child(const Command& command);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Returns a descriptor that becomes readable when new output arrives or the output ends.
    int descriptor() const { return output_.get(); }
    /// Appends the available output to `outcome().output`, without waiting. Returns false at the
    /// end of the output.
    bool take_output();
    /// Waits until the program ends. Returns false if it is still running after `milliseconds`.
    bool wait(int milliseconds);
    /// Kills the program if it is still running.
    void stop();
    /// Returns the result. Call this only after `wait` has returned true, or after `stop`.
    const ProcessResult& outcome() const { return result_; }

    /// Writes a line to the program's stdin. Returns false if the program has closed its stdin.
    bool send_line(const std::string& line);
    /// Closes the program's stdin, so that it sees the end of its input.
    void end_input() { input_.reset(); }
    /// Removes the next line from the output and returns it. Returns nothing if no complete line
    /// arrives within `seconds`.
    std::optional<std::string> receive_line(double seconds);

private:
    bool reap(bool may_wait);

    pid_t process_ = 0;  // process id; 0 after the process has ended
    const bool has_own_process_group_;
    Descriptor input_, output_;
    ProcessResult result_;
};

/// Runs a program to completion, or kills it after `seconds`. Returns how it ended and what it
/// printed.
ProcessResult run_to_end(const Command& command, double seconds = 1e6);
/// Calls `run_to_end` with stderr captured and `has_own_process_group` set. If the program cannot
/// be started, the exit code is 127 and the output gives the reason.
ProcessResult run_child(const std::vector<std::string>& words, double seconds,
                        const std::vector<std::string>& environment = {},
                        const std::filesystem::path& folder = {});

/// Asks the Linux kernel to kill this process when its parent ends.
void end_with_parent();
/// Asks the Linux kernel to kill this process when `parent`, the process that forked it, ends.
/// Returns false if `parent` has already ended.
bool end_with_parent(pid_t parent);

/// Returns the null-terminated array of pointers that exec expects. `words` must outlive the array.
std::vector<char*> to_c_string_array(const std::vector<std::string>& words);

/// Returns the path of a program on the PATH, or "" if there is none.
std::string find_program(const std::string& name);

/// Returns the value of an environment variable, or `default_value` if it is unset or empty.
std::string environment_variable_or(const char* name, const std::string& default_value);

/// Returns an LD_LIBRARY_PATH with `folder` as its first entry.
std::string prepend_to_library_path(const std::string& folder);

}  // namespace coalesce
