// The commands for the steps.

#include <memory>

#include "base/errors.h"
#include "learn/command_line.h"
#include "learn/commands.h"
#include "learn/paths.h"
#include "learn/readme.h"
#include "learn/renew.h"
#include "learn/request.h"

namespace coalesce::learn {
namespace {

course::Course read_course() {
    return course::read_course(repository() / "course.toml");
}

void add_run(CommandLine& line) {
    auto words = std::make_shared<RunWords>();
    auto time = std::make_shared<CLI::Option*>();
    auto obey = [words, time] {
        if ((*time)->count() > 0 && words->time.empty()) words->time = "H200";
        course::Course course = read_course();
        const RunRequest request = understand(*words, course);
        return request.program != nullptr ? run_program(request) : run(request);
    };
    CLI::App* command = line.add("run", "Run steps, and show one table", obey);
    command->add_option("STEP", words->steps, "all, rivals, or steps: 02, 2 or 02_naive");
    command->add_option("--device", words->device, "gpu, sim or auto: a GPU if one works");
    command->add_option("--rows", words->rows, "Rows of the matrix");
    command->add_option("--cols", words->cols, "Columns of the matrix");
    command->add_option("--variant", words->variant, "Only the variant of that name");
    command->add_option("--json", words->json, "Write the results to a file too");
    *time = command->add_option("--time", words->time, "Predict times on this GPU, too (H200)");
    (*time)->type_name("GPU")->expected(0, 1);
    command->add_option("--at", words->at, "Predict them for this shape (32768x32768)")
        ->type_name("ROWSxCOLS");
}

int list(const std::string& name, bool json, bool plain) {
    if (name.empty()) {
        Session session(plain);
        return show_list(session, json);
    }
    course::Course course = read_course();
    const course::Step* step = course.lesson(name);
    if (step == nullptr) {
        throw UsageError("there is no step \"" + name + "\"; ./learn list names them");
    }
    show_lesson(*step);
    return 0;
}

void add_list(CommandLine& line) {
    auto name = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    CLI::App* command = line.add("list", "The steps and how far you are; 03: its variants",
                                 [=, &line] { return list(*name, *json, line.is_plain()); });
    command->add_option("STEP", *name, "A step, by number or name: its variants");
    command->add_flag("--json", *json, "As JSON");
}

struct ResultsWords {
    bool check = false, again = false;
    std::string into;
};

int results(const ResultsWords& words) {
    if (words.again && words.check) {
        throw UsageError("--check changes nothing and --again does: give one of them");
    }
    if (!words.into.empty()) return renew_results(words.into);
    const int code = words.again ? renew_results(repository() / "docs" / "results") : 0;
    return code != 0 ? code : update_readme(repository(), words.check);
}

void add_results(CommandLine& line) {
    auto words = std::make_shared<ResultsWords>();
    CLI::App* command = line.add("results", "Write the tables of results in the READMEs",
                                 [words] { return results(*words); });
    command->add_flag("--check", words->check, "Change nothing; exit with 1 when it is stale");
    command->add_flag("--again", words->again, "First count and predict every lesson again");
    command->add_option("--into", words->into, "Only that, into this folder")->type_name("FOLDER");
}

}  // namespace

void add_step_commands(CommandLine& line) {
    add_run(line);
    add_list(line);
    add_results(line);
}

}  // namespace coalesce::learn
