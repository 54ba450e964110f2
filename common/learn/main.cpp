// The learner's command. `./learn` in the repository's root builds it, and hands over to it.

#include <iostream>

#include "base/errors.h"
#include "course/course.h"
#include "learn/command_line.h"

using namespace coalesce;
using learn::CommandLine;

namespace {

constexpr int kExitError = 1, kExitUsage = 2;

// Every subcommand is registered here, in the order in which --help lists them.
void add_commands(CommandLine& line) {
    learn::add_learner_commands(line);
    learn::add_exercise_commands(line);
    learn::add_step_commands(line);
    line.add_program("bench", "Time every kernel and rival in one run");
    line.add_program("grade", "Grade a class");
    line.add_program("assignment", "Make an assignment for a class", "grade");
    line.add_program("validate", "Compare counts, or times, with a GPU");
}

int report(const std::string& message, int code) {
    std::cerr << "learn: " << message << "\n";
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        CommandLine line(argc, argv);
        add_commands(line);
        return line.obey();
    } catch (const UsageError& error) {
        return report(error.what(), kExitUsage);
    } catch (const course::CourseError& error) {
        std::cerr << error.what() << "\n";
        return kExitUsage;
    } catch (const std::exception& error) {
        return report(error.what(), kExitError);
    }
}
