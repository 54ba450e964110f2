/// \file
/// The command line: which subcommands there are, and which one was typed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

namespace coalesce::learn {

/// Takes subcommands, reads the words, and calls what belongs to the subcommand among them.
class CommandLine {
public:
    CommandLine(int argc, char** argv);

    /// Adds a subcommand, the first of which is meant when none is typed; its options are added to what is returned. `obey` returns the exit code; it
    /// may throw UsageError (exit code 2) or any std::exception (1).
    CLI::App* add(const std::string& name, const std::string& about, std::function<int()> obey);

    /// Adds a subcommand that is a program of its own beside this one, with options of its own. The
    /// program gets the words behind NAME; NAME too when it is called otherwise.
    void add_program(const std::string& name, const std::string& about,
                     const std::string& program = "");

    /// Does what was typed. Returns the exit code.
    int obey();

    /// Whether --plain was given: no colours, nothing is cleared.
    bool is_plain() const { return plain_; }
    /// All words, for what has to execute this program again.
    char** words() const { return argv_; }

private:
    void check_command(const std::string& word) const;
    void run_program(const std::string& name);

    int argc_;
    char** argv_;
    CLI::App app_{"A course in GPU memory performance", "learn"};
    std::map<const CLI::App*, std::function<int()>> commands_;
    std::map<std::string, std::string> programs_;
    std::string first_;
    bool plain_ = false;
};

}  // namespace coalesce::learn
