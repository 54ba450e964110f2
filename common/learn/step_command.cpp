// Implements `learn step`, which steps through a kernel line by line, forwards and backwards.
#include "learn/commands.h"

#include <poll.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <iostream>
#include <numeric>

#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "examiner/block_steps.h"
#include "examiner/render.h"
#include "harness/device.h"
#include "harness/text.h"
#include "learn/paths.h"
#include "learn/raw_terminal.h"
#include "learn/steps_view.h"
#include "learn/stops.h"

namespace coalesce::learn {
namespace {

constexpr const char* kStopPrompt = "stop at: ";
constexpr const char* kKeyHelp =
    "right/left step  down/up warp  b barrier  m mistake  g, n stop  [ ] lanes  q";

StepsRequest parse_steps_request(const LearnerExercise& exercise, const StepArguments& arguments) {
    if (exercise.is_program())
        throw UsageError(
            exercise.name() +
            " is a whole program: build/bin/simulate --trace FILE.json records its steps");
    StepsRequest request;
    if (arguments.block) request.block = *arguments.block;
    if (arguments.rows || arguments.cols) {
        if (exercise.has_element_task())
            throw UsageError("--rows and --cols apply only to exercises with a matrix, but " +
                             exercise.name() + " has none");
        const Shape shape{arguments.rows.value_or(arguments.cols.value_or(0)),
                          arguments.cols.value_or(arguments.rows.value_or(0))};
        if (shape.rows < 1 || shape.cols < 1 || shape.rows > 1024 || shape.cols > 1024)
            throw UsageError("--rows and --cols take whole numbers from 1 to 1024 here");
        if (!exercise.requirements().accepts(shape))
            throw UsageError(exercise.name() + " does not take a matrix of " + shape.name());
        request.shape = shape;
    }
    return request;
}

/// Returns the step to display first: the step that the learner requested, or else the first stop,
/// or else the step with the mistake, or else the first step.
std::size_t first_step(const Steps& steps, const StepArguments& arguments,
                       const std::vector<std::size_t>& stops) {
    if (arguments.step > 0)
        return std::min(static_cast<std::size_t>(arguments.step), steps.all_steps.size()) - 1;
    if (!stops.empty()) return stops.front();
    return steps.moments.empty() ? 0 : steps.moments.front().step;
}

class StepScreen {
public:
    /// Prepares to show the step `first_step`. `stops` are the steps at which the learner wants to
    /// stop.
    StepScreen(const Steps& steps, const SteppedProgram& subject, std::size_t first_step,
               std::vector<std::size_t> stops, Style& style)
        : steps_(steps),
          subject_(subject),
          style_(style),
          step_index_(first_step),
          stops_(std::move(stops)) {}

    /// Shows steps until the reader quits.
    void run() {
        if (!terminal_.has_keys())
            throw UsageError(
                "keys cannot be read, because the input is not a terminal; use --plain");
        for (show(); !is_over_;) {
            pollfd events[] = {{signals_.descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
            poll(events, 2, -1);
            if (signals_.take_signal() != 0) break;
            if (events[1].revents != 0) read_keys();
        }
        std::cout << "\n" << std::flush;
    }

private:
    void show() {
        window_.lines = std::max(terminal_lines() - 1, 10);
        window_.columns = std::max(std::min(terminal_columns(), 120), 40);
        std::cout << "\033[H\033[2J" << show_step(steps_, subject_, step_index_, window_, style_)
                  << (message_.empty() ? kKeyHelp : message_) << std::flush;
        message_.clear();
    }

    void read_keys() {
        char keys[64];
        const ssize_t count = ::read(STDIN_FILENO, keys, sizeof keys);
        if (count <= 0) {
            is_over_ = true;
            return;
        }
        for (ssize_t k = 0; k < count && !is_over_; ++k) {
            // The arrow keys send ESC, then [ or O, and then a letter.
            if (keys[k] == '\033' && k + 2 < count && (keys[k + 1] == '[' || keys[k + 1] == 'O')) {
                handle_arrow_key(keys[k + 2]);
                k += 2;
            } else {
                handle_key(keys[k]);
            }
        }
        if (!is_over_) show();
    }

    template <class Wanted>
    void move_to_step(bool forward, const char* target_name, Wanted is_wanted) {
        const std::size_t found_step = find_step(steps_, step_index_, forward, is_wanted);
        if (found_step == step_index_)
            message_ =
                std::string("there is no ") + (forward ? "later " : "earlier ") + target_name;
        step_index_ = found_step;
    }

    void handle_arrow_key(char key) {
        const int warp = steps_.all_steps[step_index_].warp;
        const auto is_same_warp = [&](std::size_t k) { return steps_.all_steps[k].warp == warp; };
        switch (key) {
            case 'C': return move_to_step(true, "step", [](std::size_t) { return true; });
            case 'D': return move_to_step(false, "step", [](std::size_t) { return true; });
            case 'B': return move_to_step(true, "step of this warp", is_same_warp);
            case 'A': return move_to_step(false, "step of this warp", is_same_warp);
            case 'H': step_index_ = 0; return;
            case 'F': step_index_ = steps_.all_steps.size() - 1; return;
            default: return;
        }
    }

    void handle_key(char key) {
        const auto has_barrier = [&](std::size_t k) {
            return !steps_.all_steps[k].barriers.empty();
        };
        const auto is_moment = [&](std::size_t k) {
            return std::any_of(steps_.moments.begin(), steps_.moments.end(),
                               [&](const StepEvent& moment) { return moment.step == k; });
        };
        if (is_typing_) return handle_typed_key(key);
        switch (key) {
            case 'l':
            case ' ': return handle_arrow_key('C');
            case 'h': return handle_arrow_key('D');
            case 'j': return handle_arrow_key('B');
            case 'k': return handle_arrow_key('A');
            case 'b': return move_to_step(true, "barrier", has_barrier);
            case 'B': return move_to_step(false, "barrier", has_barrier);
            case 'm': return move_to_step(true, "mistake", is_moment);
            case 'M': return move_to_step(false, "mistake", is_moment);
            case ']': window_.first_lane = std::min(window_.first_lane + 8, 24); return;
            case '[': window_.first_lane = std::max(window_.first_lane - 8, 0); return;
            case 'n': return move_to_stop(true);
            case 'N': return move_to_stop(false);
            case 'g':
                is_typing_ = true;
                typed_text_.clear();
                message_ = kStopPrompt;
                return;
            case 'q':
            case '\004': is_over_ = true; return;
            default: return;
        }
    }

    void move_to_stop(bool forward) {
        if (stops_.empty()) {
            message_ = "there are no stops; press g to set some, such as 12 or row == 5";
            return;
        }
        move_to_step(forward, "stop", [&](std::size_t k) {
            return std::binary_search(stops_.begin(), stops_.end(), k);
        });
    }

    /// Handles a key while the learner types stops. Enter ends the text, and moves to the next stop
    /// or, if there is none, to an earlier one.
    void handle_typed_key(char key) {
        const bool is_erase = key == '\177' || key == '\b';
        if (key != '\r' && key != '\n' && key != '\033') {
            if (is_erase && !typed_text_.empty()) typed_text_.pop_back();
            if (!is_erase && std::isprint(static_cast<unsigned char>(key))) typed_text_ += key;
            message_ = kStopPrompt + typed_text_;
            return;
        }
        is_typing_ = false;
        message_.clear();
        if (key == '\033') return;
        try {
            stops_ = find_stops(steps_, parse_stops(typed_text_));
        } catch (const std::runtime_error& problem) {
            message_ = problem.what();
            return;
        }
        if (stops_.empty()) {
            message_ = "no step of this block stops there";
            return;
        }
        const bool is_later = stops_.back() > step_index_;
        move_to_stop(is_later);
        message_.clear();
    }

    const Steps& steps_;
    const SteppedProgram& subject_;
    Style& style_;
    StepsWindow window_;
    std::size_t step_index_;
    std::vector<std::size_t> stops_;  ///< the steps at which the learner wants to stop, in order
    std::string message_, typed_text_;
    bool is_typing_ = false, is_over_ = false;
    Signals signals_;
    RawTerminal terminal_;
};

/// Prints the steps with these indices.
void print_steps(const Steps& steps, const SteppedProgram& subject,
                 const std::vector<std::size_t>& printed) {
    std::cout << subject.file << "  " << subject.launch << "  block " << steps.block_index[0] << ","
              << steps.block_index[1] << "\n";
    if (!subject.mistake.empty()) std::cout << wrap(subject.mistake);
    for (const std::size_t k : printed) std::cout << describe_step(steps, subject, k);
    if (!steps.is_complete)
        std::cout << "The block continues, but only the first " << steps.all_steps.size()
                  << " steps were recorded.\n";
}

}  // namespace

int step(Session& session, const LearnerExercise& exercise, const StepArguments& arguments,
         char** argv) {
    const StepsRequest request = parse_steps_request(exercise, arguments);
    choose_device(DeviceChoice::simulator, argv);
    if (!arguments.json.empty()) check_writable(arguments.json);
    const std::vector<Stop> parsed_stops = [&] {
        try {
            return parse_stops(arguments.stop);
        } catch (const std::runtime_error& problem) {
            throw UsageError(std::string("--stop: ") + problem.what());
        }
    }();

    const Source source = exercise.source(arguments.file);
    BlockSteps recorded_steps;
    {
        // Capture the kernel's output, which would otherwise appear in the middle of the screen.
        LocalRunner runner({.cache = learners_folder() / "cache", .keeps_variables = true});
        recorded_steps = record_steps(source, exercise.requirements(), runner, request);
        bool is_cut = false;
        runner.take_output(is_cut);
    }
    if (!recorded_steps.is_ok()) {
        std::cout << terminal_text(recorded_steps.problem) << "Again: ./learn step "
                  << exercise.command_arguments() << "      Check: ./learn check "
                  << exercise.command_arguments() << "\n";
        return 1;
    }
    if (!arguments.json.empty()) write_file(arguments.json, recorded_steps.json);
    Steps steps = read_steps(recorded_steps.json);
    if (!exercise.has_element_task()) name_values_by_source(steps);
    if (steps.all_steps.empty()) {
        std::cout << "This block has no steps to show.\n";
        return 1;
    }
    SteppedProgram subject{.file = source.name,
                           .source = lines_of(source.text),
                           .launch = recorded_steps.shape.name(),
                           .mistake = recorded_steps.mistake};
    std::vector<std::size_t> stops = find_stops(steps, parsed_stops);
    if (!arguments.stop.empty() && stops.empty()) {
        std::cout << "No step of this block stops at " << arguments.stop << ".\n";
        return 1;
    }
    if (!session.style.can_clear_screen || !isatty(STDIN_FILENO)) {
        if (arguments.stop.empty()) {
            stops.resize(steps.all_steps.size());
            std::iota(stops.begin(), stops.end(), 0);
        }
        print_steps(steps, subject, stops);
    } else {
        const std::size_t first_step_index = first_step(steps, arguments, stops);
        StepScreen(steps, subject, first_step_index, std::move(stops), session.style).run();
    }
    return 0;
}

}  // namespace coalesce::learn
