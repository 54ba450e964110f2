#include "learn/commands.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/files.h"
#include "base/text.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "learn/request.h"

namespace coalesce::learn {
namespace {

// Sums over all exercises.
struct Totals {
    int points = 0, possible_points = 0, done_count = 0, exercise_count = 0, hint_count = 0,
        right_guess_count = 0, guess_count = 0;

    void add_guesses(const Record& record) {
        for (auto& guess : record.guesses) {
            guess_count += guess.answered && guess.actual;
            right_guess_count += guess.is_right();
        }
    }
};

Status status_of(const LearnerExercise& exercise, const State& state) {
    return status_of(state.record(exercise.name()), read_if_exists(exercise.file()));
}

void add_to_totals(const LearnerExercise& exercise, const State& state, Totals& totals) {
    const Record& record = state.record(exercise.name());
    bool is_done = status_of(exercise, state) == Status::done;
    totals.possible_points += exercise.points();
    totals.exercise_count++;
    totals.points += is_done ? exercise.points() : 0;
    totals.done_count += is_done;
    totals.hint_count += record.count_used_hints();
    totals.add_guesses(record);
}

Totals compute_totals(const Session& session, const State& state) {
    Totals totals;
    for (auto& exercise : list_exercises_and_hunts(session.course))
        add_to_totals(exercise, state, totals);
    return totals;
}

std::string format_guesses(const Record& record) {
    Totals totals;
    totals.add_guesses(record);
    return totals.guess_count == 0 ? "-"
                                   : std::to_string(totals.right_guess_count) + " of " +
                                         std::to_string(totals.guess_count);
}

std::string format_best(const Record& record) {
    if (record.best_measured.is_object()) {
        return format_figure(std::round(record.best_measured.value("gbps", 0.0))) + " GB/s";
    }
    return record.best_counters.is_object() ? "counted" : "-";
}

void print_row(const LearnerExercise& exercise, const State& state, const Style& style) {
    const Record& record = state.record(exercise.name());
    Status status = status_of(exercise, state);
    std::string word = format("%-10s", name_of(status));
    if (status == Status::done) word = style.paint_good(word);
    if (status == Status::stale) word = style.paint_bad(word);
    std::cout << format("%-20s", exercise.name().c_str()) << word
              << format("%6d%8d%7d%12s%12s\n", exercise.points(), record.check_count,
                        record.count_used_hints(), format_guesses(record).c_str(),
                        format_best(record).c_str());
}

Json record_as_json(const LearnerExercise& exercise, const State& state) {
    const Record& record = state.record(exercise.name());
    Json guesses = Json::array();
    for (auto& guess : record.guesses) {
        guesses.push_back({{"counter", guess.counter},
                           {"said", guess.answered ? Json(*guess.answered) : Json(nullptr)},
                           {"fact", guess.actual ? Json(*guess.actual) : Json(nullptr)},
                           {"label", guess.label},
                           {"right", guess.is_right()}});
    }
    return {{"exercise", exercise.step->name},
            {"hunt", exercise.is_hunt},
            {"title", exercise.step->title},
            {"file", exercise.relative_file().string()},
            {"status", name_of(status_of(exercise, state))},
            {"points", exercise.points()},
            {"checks", record.check_count},
            {"hints", record.count_used_hints()},
            {"predictions", guesses},
            {"solution_seen", record.solution_seen},
            {"last_failure", record.last_failure},
            {"best_counters", record.best_counters},
            {"best_measured", record.best_measured}};
}

int print_records(const Session& session, const State& state) {
    Json records_json = Json::array();
    for (auto& exercise : list_exercises_and_hunts(session.course)) {
        records_json.push_back(record_as_json(exercise, state));
    }
    Totals totals = compute_totals(session, state);
    LearnerExercise upcoming_exercise = next_exercise(session.course, state);
    print_json(
        Json{{"format", 1},
             {"points", totals.points},
             {"of_points", totals.possible_points},
             {"next", upcoming_exercise.step == nullptr ? Json(nullptr)
                                                        : Json(upcoming_exercise.step->name)},
             {"exercises", records_json}});
    return 0;
}

void print_next(const Session& session, const State& state) {
    LearnerExercise upcoming_exercise = next_exercise(session.course, state);
    if (upcoming_exercise.step == nullptr) {
        std::cout << "All exercises are done, except for the open exercise: ./learn beat\n";
        return;
    }
    const Record& record = state.record(upcoming_exercise.name());
    Status status = status_of(upcoming_exercise, state);
    std::cout << "Next: " << upcoming_exercise.name() << " (" << name_of(status) << ")  "
              << upcoming_exercise.step->title << "\n\n";
    const std::string read_command =
        upcoming_exercise.is_beyond() ? ""
                                      : "  (./learn read " + upcoming_exercise.step->number() + ")";
    std::cout << "  lesson     " << upcoming_exercise.lesson() << read_command << "\n";
    std::cout << "  your file  " << upcoming_exercise.relative_file().string() << "\n";
    if (status == Status::stale) {
        std::cout << "  Your file passed, but you have edited it since. Check it again.\n";
    } else if (!record.last_failure.empty()) {
        std::cout << "  The last check found " << record.last_failure << "; ./learn hint "
                  << upcoming_exercise.step->number() << " shows a hint\n";
    }
    std::cout << "\nType:\n\n  ./learn watch " << upcoming_exercise.step->number()
              << "\n\nand edit the file. The file is checked each time you save it.\n";
}

// The format of the line for a step. Each step has only one line, so that all steps fit on one
// screen.
constexpr const char* kStepLine = "%-14s%-11s%-11s%s\n";
constexpr size_t kColumnsOfTitle = 80 - 14 - 11 - 11;

std::string shorten_title(const std::string& title) {
    if (title.size() <= kColumnsOfTitle) return title;
    std::string begin = title.substr(0, kColumnsOfTitle - 3);
    return begin.substr(0, begin.rfind(' ')) + " ...";
}

void print_step_line(const course::Step& step, const State& state) {
    std::string exercise = "-", hunt = "-";
    if (step.exercise) exercise = name_of(status_of(LearnerExercise{&step, false}, state));
    if (step.hunt) hunt = name_of(status_of(LearnerExercise{&step, true}, state));
    std::cout << format(kStepLine, step.name.c_str(), exercise.c_str(), hunt.c_str(),
                        shorten_title(step.title).c_str());
}

bool has_stale_work(const Session& session, const State& state) {
    return std::ranges::any_of(list_exercises_and_hunts(session.course),
                               [&](const LearnerExercise& exercise) {
                                   return status_of(exercise, state) == Status::stale;
                               });
}

// Introduces the course on the learner's first start.
void introduce_once(Session& session) {
    if (session.progress.read().has_begun) return;
    std::cout
        << wrap(
               "This course makes one program faster: the transpose of a matrix on a GPU. Each "
               "lesson has a text, a program, and an exercise that you solve by writing a "
               "kernel, a function that runs on the GPU. Most lessons also have a bug hunt, a "
               "kernel in which you find a mistake. A simulated GPU runs your kernels here, so "
               "this computer does not need a real one.")
        << "\n";
    session.progress.update([](State& state) { state.has_begun = true; });
}

}  // namespace

int show_progress(Session& session, bool json) {
    State state = session.progress.read();
    if (json) return print_records(session, state);
    std::cout << "Exercise            state     points  checks  hints   predicted        best\n"
              << std::string(78, '-') << "\n";
    for (auto& exercise : list_exercises_and_hunts(session.course)) {
        print_row(exercise, state, session.style);
    }
    Totals totals = compute_totals(session, state);
    std::cout << "\n"
              << totals.points << " of " << totals.possible_points << " points, "
              << totals.done_count << " of " << totals.exercise_count << " done, "
              << format_count(totals.hint_count, "hint") << ", " << totals.right_guess_count
              << " of " << format_count(totals.guess_count, "prediction") << " right.\n";
    std::cout << "Stale: the file has been edited since it passed.\n";
    return 0;
}

int show_list(Session& session, bool json) {
    State state = session.progress.read();
    if (json) return print_records(session, state);
    std::cout << format("%-14s%-11s%s\n", "", "exercise", "bug hunt");
    if (session.course.program) print_step_line(*session.course.program, state);
    for (auto& step : session.course.steps) print_step_line(step, state);
    // Print few lines below the list, so that the list and the footer of `learn watch` fit on a
    // screen of 24 lines.
    std::cout << "x             "
              << format_count(session.course.beyond_exercises.size(), "exercise")
              << " beyond the transpose: ./learn list x\n"
              << (has_stale_work(session, state) ? "Stale: edited since it passed. " : "")
              << "./learn list 03 lists the variants of 03.\n";
    return 0;
}

void show_beyond(Session& session) {
    const State state = session.progress.read();
    std::cout << format(kStepLine, "", "exercise", "bug hunt", "");
    for (auto& step : session.course.beyond_exercises) print_step_line(step, state);
    std::cout << "\ndocs/guide/beyond.md introduces these exercises. ./learn list x_NAME shows "
                 "the\narguments of a kernel.\n";
}

void show_lesson(const course::Step& step) {
    std::cout << step.name << "  " << step.title << "\n\n";
    if (is_beyond(step.name)) {
        const ElementTask& task = *step.exercise->elements;
        std::cout << wrap("Write " + task.kernel_declaration(step.exercise->kernel) +
                          " in exercises/" + step.name + "/kernel.cu.");
        for (const Parameter& parameter : task.parameters) {
            if (parameter.is_array) std::cout << "  " << parameter.text << "\n";
        }
        std::cout << "The tolerance for each element is " << task.tolerance.text() << "\n";
        return;
    }
    if (step.variants.empty()) {
        std::cout << "This lesson has one program and no variants: steps/" << step.name
                  << "/program.cu. Run it: ./learn run " << step.number() << "\n";
        return;
    }
    for (auto& variant : step.variants) {
        std::cout << format("  %-24s ", variant.name.c_str())
                  << (variant.kernel.empty() ? "(no kernel)" : variant.kernel) << "\n";
        if (variant.expected_costs.empty()) continue;
        std::cout << "      ";
        const char* comma = "";
        for (const char* key : course::kCounterNamesToExpect) {
            auto cost = variant.expected_costs.find(key);
            if (cost == variant.expected_costs.end()) continue;
            std::cout << comma << key << " " << cost->second;
            comma = ", ";
        }
        if (variant.rows_multiple * variant.cols_multiple > 1) {
            std::cout << "; for multiples of " << variant.rows_multiple << " x "
                      << variant.cols_multiple;
        }
        std::cout << "\n";
    }
    std::cout << "\nThe figures are sectors per request (load, store) and wavefronts per request\n"
                 "(shared_load, shared_store). The kernels are in steps/"
              << step.name << "/main.cu.\n";
}

int start(Session& session) {
    introduce_once(session);
    State state = session.progress.read();
    Totals totals = compute_totals(session, state);
    std::cout << "You have " << totals.points << " of " << totals.possible_points << " points; "
              << totals.done_count << " of " << totals.exercise_count
              << " exercises and bug hunts are done.\n\n";
    print_next(session, state);
    std::cout << "\n./learn help lists all commands. ./learn run all runs all programs.\n";
    return 0;
}

}  // namespace coalesce::learn
