#include "learn/command_line.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.h"
#include "learn/paths.h"

namespace coalesce::learn {

CommandLine::CommandLine(int argc, char** argv) : argc_(argc), argv_(argv) {
    app_.require_subcommand(0, 1);
    app_.set_help_flag("-h,--help", "This text");
    // Options of the whole command may stand behind the subcommand.
    app_.fallthrough();
    app_.add_flag("--plain", plain_, "No colours, and the screen is never cleared");
}

CLI::App* CommandLine::add(const std::string& name, const std::string& about,
                           std::function<int()> obey) {
    CLI::App* command = app_.add_subcommand(name, about);
    commands_[command] = std::move(obey);
    if (first_.empty()) first_ = name;
    return command;
}

void CommandLine::add_program(const std::string& name, const std::string& about,
                              const std::string& program) {
    add(name, about, [] { return 0; });
    programs_[name] = program.empty() ? name : program;
}

// Becomes that program.
void CommandLine::run_program(const std::string& name) {
    std::string program = program_of(programs_.at(name));
    std::vector<char*> arguments(argv_ + (programs_.at(name) == name ? 2 : 1), argv_ + argc_);
    arguments.insert(arguments.begin(), program.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    throw UsageError(program + " cannot be run (" + strerror(errno) + "); ./learn " + name +
                     " builds it first");
}

// CLI11 would only say that a subcommand is required.
void CommandLine::check_command(const std::string& word) const {
    if (word.starts_with('-')) return;
    for (auto& [command, obey] : commands_) {
        if (command->get_name() == word) return;
    }
    throw UsageError("there is no command \"" + word + "\"; ./learn help lists them");
}

int CommandLine::obey() {
    if (argc_ > 1) check_command(argv_[1]);
    if (argc_ > 1 && programs_.contains(argv_[1])) run_program(argv_[1]);
    try {
        app_.parse(argc_, argv_);
    } catch (const CLI::Success& help) {
        return app_.exit(help);
    } catch (const CLI::ParseError& error) {
        std::string command = argc_ > 1 && argv_[1][0] != '-' ? std::string(argv_[1]) + " " : "";
        throw UsageError(std::string(error.what()) + " (./learn " + command + "--help)");
    }
    auto typed = app_.get_subcommands();
    return commands_.at(typed.empty() ? app_.get_subcommand(first_) : typed.front())();
}

}  // namespace coalesce::learn
