// The commands about the learner and the computer.

#include <memory>

#include "learn/command_line.h"
#include "learn/commands.h"

namespace coalesce::learn {

void add_learner_commands(CommandLine& line) {
    line.add("start", "Where you are, and the one command to type next", [&line] {
        Session session(line.is_plain());
        return start(session);
    });

    auto progress_json = std::make_shared<bool>(false);
    CLI::App* progress = line.add("progress", "What you have done", [progress_json, &line] {
        Session session(line.is_plain());
        return show_progress(session, *progress_json);
    });
    progress->add_flag("--json", *progress_json, "As JSON");

    auto play_words = std::make_shared<PlayWords>();
    CLI::App* play_command = line.add("play", "The book at an address of this computer",
                                      [play_words]() -> int { play(*play_words); });
    play_command->add_option("--port", play_words->port, "This port (8237); 0: any that is free")
        ->check(CLI::Range(0, 65535));
    play_command->add_flag("--open", play_words->opens, "Open it in a browser");

    auto doctor_json = std::make_shared<bool>(false);
    CLI::App* doctor_command = line.add(
        "doctor", "What is there, what is missing, what to do",
        [doctor_json, &line] { return doctor(*doctor_json, style_for_stdout(line.is_plain())); });
    doctor_command->add_flag("--json", *doctor_json, "As JSON");
}

}  // namespace coalesce::learn
