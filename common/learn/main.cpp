// The learner's command. `./learn` in the repository's root builds it, and hands over to it.

#include <CLI/CLI.hpp>
#include <iostream>

#include "course/course.h"
#include "learn/list.h"
#include "learn/paths.h"
#include "learn/readme.h"
#include "learn/request.h"
#include "learn/run.h"
#include "learn/usage_error.h"

using namespace coalesce;
using namespace coalesce::learn;

namespace {

constexpr int EXIT_USAGE = 2;

// The words of the whole command line, with the functions that they lead to.
class CommandLine {
public:
    CommandLine() {
        app.require_subcommand(1);
        app.set_help_flag("-h,--help", "This text");
        add_run();
        list->add_option("STEP", listed, "A step, by number or name: its variants");
        results->add_flag("--check", check, "Change nothing; exit with 1 when it is stale");
    }

    // Returns the exit code.
    int obey(int argc, char** argv) {
        check_command(argc > 1 ? argv[1] : "");
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& help) {
            return app.exit(help);
        } catch (const CLI::ParseError& error) {
            throw UsageError(std::string(error.what()) + " (./learn run --help)");
        }
        course::Course course = course::read_course(repository() / "course.toml");
        if (*results) return update_readme(repository(), check);
        if (*list) return show_list(course);
        return learn::run(understand(words, course));
    }

private:
    void add_run() {
        run->add_option("STEP", words.steps, "all, rivals, or steps: 02, 2 or 02_naive");
        run->add_option("--device", words.device,
                        "auto (a GPU if one works, else the simulator), gpu or sim");
        run->add_option("--rows", words.rows, "Rows of the matrix");
        run->add_option("--cols", words.cols, "Columns of the matrix");
        run->add_option("--variant", words.variant, "Only the variant of that name");
        run->add_option("--json", words.json, "Write the results to a file too");
    }

    // CLI11 would only say that a subcommand is required.
    void check_command(const std::string& word) const {
        if (word.starts_with('-')) return;
        for (auto* command : app.get_subcommands(nullptr)) {
            if (command->get_name() == word) return;
        }
        throw UsageError("there is no command \"" + word + "\"; ./learn help lists them");
    }

    int show_list(const course::Course& course) const {
        if (listed.empty()) {
            list_steps(std::cout, course);
            return 0;
        }
        const course::Step* step = course.find(listed);
        if (step == nullptr) {
            throw UsageError("there is no step \"" + listed + "\"; ./learn list names them");
        }
        list_variants(std::cout, *step);
        return 0;
    }

    CLI::App app{"Runs the steps of the course", "learn"};
    CLI::App* run = app.add_subcommand("run", "Run steps, and show one table");
    CLI::App* list = app.add_subcommand("list", "Show the steps, or the variants of one");
    CLI::App* results =
        app.add_subcommand("results", "Write the tables of results in README.md and the lessons");
    RunWords words;
    std::string listed;
    bool check = false;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        return CommandLine().obey(argc, argv);
    } catch (const UsageError& error) {
        std::cerr << "learn: " << error.what() << "\n";
        return EXIT_USAGE;
    } catch (const course::CourseError& error) {
        std::cerr << error.what() << "\n";
        return EXIT_USAGE;
    } catch (const std::exception& error) {
        std::cerr << "learn: " << error.what() << "\n";
        return 1;
    }
}
