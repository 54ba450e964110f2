#include "learn/command_line.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.h"
#include "learn/paths.h"

namespace coalesce::learn {

CommandLine::CommandLine(int argc, char** argv) : argc(argc), argv(argv) {
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "This text");
    // Options of the whole command may stand behind the subcommand.
    app.fallthrough();
    app.add_flag("--plain", plain, "No colours, and the screen is never cleared");
}

CLI::App* CommandLine::add(const std::string& name, const std::string& about,
                           std::function<int()> obey) {
    CLI::App* command = app.add_subcommand(name, about);
    commands[command] = std::move(obey);
    if (first.empty()) first = name;
    return command;
}

void CommandLine::add_program(const std::string& name, const std::string& about,
                              const std::string& program) {
    add(name, about, [] { return 0; });
    programs[name] = program.empty() ? name : program;
}

// Becomes that program.
void CommandLine::run_program(const std::string& name) {
    std::string program = program_of(programs.at(name));
    std::vector<char*> arguments(argv + (programs.at(name) == name ? 2 : 1), argv + argc);
    arguments.insert(arguments.begin(), program.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    throw UsageError(program + " cannot be run (" + strerror(errno) + "); ./learn " + name +
                     " builds it first");
}

// CLI11 would only say that a subcommand is required.
void CommandLine::check_command(const std::string& word) const {
    if (word.starts_with('-')) return;
    for (auto& [command, obey] : commands) {
        if (command->get_name() == word) return;
    }
    throw UsageError("there is no command \"" + word + "\"; ./learn help lists them");
}

int CommandLine::obey() {
    if (argc > 1) check_command(argv[1]);
    if (argc > 1 && programs.contains(argv[1])) run_program(argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        std::string command = argc > 1 && argv[1][0] != '-' ? std::string(argv[1]) + " " : "";
        throw UsageError(std::string(error.what()) + " (./learn " + command + "--help)");
    }
    auto typed = app.get_subcommands();
    return commands.at(typed.empty() ? app.get_subcommand(first) : typed.front())();
}

}  // namespace coalesce::learn
