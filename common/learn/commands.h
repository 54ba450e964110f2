/// \file
/// Declares the functions that run the commands of `learn`, and the structs that hold their
/// arguments.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "learn/request.h"
#include "learn/session.h"

namespace coalesce::learn {

// `learn list`, `learn progress` and `learn` without a command: show the learner's progress.

/// Prints each exercise with its status, points, hints and predictions. Returns the exit code.
int show_progress(Session& session, bool prints_json);
/// Prints the steps, and the learner's progress in the exercise of each step.
int show_list(Session& session, bool prints_json);
/// Prints the exercises beyond the transpose, which have no lesson.
void show_beyond(Session& session);
/// Prints the variants of a lesson, and the expected costs of each variant.
void show_lesson(const course::Step& step);
/// Prints the learner's progress, the next exercise, and the command to type next. The first call
/// introduces the course.
int start(Session& session);

// `learn read`: shows a lesson in the terminal.

/// Prints the text of a lesson. If stdout is a terminal, uses a pager. Unless `shows_answers` is
/// true, folded parts show only their title.
int read_lesson(Session& session, const course::Step& step, bool shows_answers);

// `learn run`: runs the steps' programs and prints their results in one table.

/// Runs the steps. Returns 0 if all results were correct, 1 if some were not, and 2 if a program
/// could not run.
int run(const RunRequest& request);

/// Runs the lesson that is a whole program, on a GPU if one works. Otherwise uses the program
/// `simulate`, which also prints the kernel's costs.
int run_program(const RunRequest& request);

// `learn hint`: prints a hint, which becomes more specific with each call.

/// Prints the hint for the failure that the last check found. `level` is 1 to 4, or 0 for the next
/// level that the learner has not seen.
int hint(Session& session, const LearnerExercise& exercise, int level);

// `learn picture`: draws the memory that one warp of the learner's kernel accesses.

/// The arguments of `learn picture`.
struct PictureArguments {
    std::string file = "";          ///< a file to draw instead of the exercise's own
    std::string svg = "";           ///< SVG file to write; if empty, text is printed
    int rows = 256, cols = 256;     ///< the size of the matrix
    long long block = 0, warp = 0;  ///< the block to draw, and the warp in that block
};

/// Runs the kernel on the simulated GPU in this process, and draws the kernel's accesses. Returns 1
/// if the kernel cannot be run. `argv` is the command line of this process.
int picture(const LearnerExercise& exercise, const PictureArguments& arguments, char** argv);

// `learn step`: shows one block of the learner's kernel line by line, forwards and backwards.

/// The arguments of `learn step`.
struct StepArguments {
    std::string file = "";                         ///< a file to run instead of the exercise's own
    std::string json = "";                         ///< the file to write the steps to; "" for none
    std::optional<int> rows = {}, cols = {};       ///< the size of the matrix
    std::optional<unsigned long long> block = {};  ///< block to show; by default, the faulty one
    int step = 0;                                  ///< the step to begin with, counted from 1
    std::string stop = "";                         ///< the steps to stop at (learn/stops.h)
};

/// Records the steps of a block on the simulated GPU, and shows them on the screen. If there is no
/// terminal, prints the steps instead. Returns 1 if the kernel cannot be run.
int step(Session& session, const LearnerExercise& exercise, const StepArguments& arguments,
         char** argv);

// `learn roofline`: shows whether memory or instructions limit the learner's kernel.

/// The arguments of `learn roofline`.
struct RooflineArguments {
    std::string file = "";            ///< a file to examine instead of the exercise's own
    std::string svg = "";             ///< SVG file to write; if empty, text is printed
    std::string gpu = "NVIDIA H200";  ///< a GPU that the time model knows
    bool draws_lesson = false;        ///< whether to draw the variants of the lesson instead
};

/// Counts the costs of the kernel and of the solution on the simulated GPU, and draws both kernels
/// in a roofline chart. If `draws_lesson` is set, instead draws the lesson's variants, from their
/// counters in docs/results. Returns 1 if the kernel is wrong.
int roofline(const LearnerExercise& exercise, const RooflineArguments& arguments, char** argv);

// `learn diff` and `learn explain`: show what changes from one kernel to another.

/// The arguments of `learn diff`.
struct DiffArguments {
    bool is_learner_file = false;  ///< whether to compare the learner's own kernels
    bool is_confirmed = false;  ///< whether to show solutions of exercises that have not passed yet
};

/// Prints the difference between a step's kernel and the kernel that it builds on, or between the
/// learner's kernels for these steps. Returns 1 if the learner may not see the lessons' kernels
/// yet.
int diff(Session& session, const LearnerExercise& exercise, const DiffArguments& arguments);

/// Prints the learner's kernel next to the solution, and explains the kernel's costs. If the
/// exercise has not passed, first asks the learner for confirmation. Returns 1 if the learner
/// declined.
int explain(Session& session, const LearnerExercise& exercise, bool is_confirmed);

// `learn ptx`: prints the PTX of each source line, and how many blocks fit on a multiprocessor.

/// The arguments of `learn ptx`.
struct PtxArguments {
    std::string exercise = "";     ///< an exercise or a step
    std::string variant = "";      ///< a variant of the lesson; "" for its main variant
    bool is_learner_file = false;  ///< whether to show the learner's file
    std::string file = "";         ///< a file to show instead of the exercise's own
    std::string json = "";         ///< the file to write everything to as JSON; "" for none
    bool is_sass = false;          ///< whether to show machine code instead of PTX
    bool is_confirmed = false;     ///< whether to show the solution before the exercise has passed
};

/// Runs a kernel on the simulated GPU in this process, and prints the kernel's PTX. Returns 1 if
/// the file does not compile, or if the learner may not see the kernel yet.
int ptx(Session& session, const PtxArguments& arguments, char** argv);

// `learn reset`: restores the original version of an exercise's file, and saves a copy of the
// learner's version.

/// Replaces the text of a learner's file with `text`, and copies the old text to
/// .learn/copies/`name`. Returns false if the file already contains the new text.
bool replace_file(const std::filesystem::path& relative_file, const std::string& name,
                  const std::string& text);

/// Restores the exercise's file. If the file cannot be written, throws an exception and leaves the
/// file unchanged.
int reset(const LearnerExercise& exercise);

// `learn beat`: the open exercise at the end of the course. Any correct kernel is accepted. The
// command predicts the kernel's time, and compares it with the fastest lesson. If there is a GPU,
// the command also measures the kernel.
//
// The open exercise is not a step of the course, so it has no cost limits and no points.

/// The arguments of `learn beat`.
struct BeatArguments {
    /// a file to try instead of the exercise's own; this attempt is not stored
    std::string file = "";
    int attempt_to_restore = 0;  ///< number of the attempt to restore; 0 for none
    bool is_list = false;        ///< whether to print only the table of attempts
    bool is_reset = false;       ///< whether to restore the original file
    int seconds = 60;            ///< time limit of the examination
};

/// Returns the text of the kernel that the learner starts from. This kernel is correct but slow.
std::string beat_starting_text();

/// Runs the command. Returns 0 if the kernel is correct, 1 if it is not, and 2 if it could not be
/// examined.
int beat(Session& session, const BeatArguments& arguments);

// `learn watch`: checks a file whenever it is saved.

/// The arguments of `learn watch`.
struct WatchArguments {
    bool should_poll = false;  ///< whether to poll the file instead of using inotify
    int seconds = 60;          ///< time limit of each check
};

/// The events that `learn watch` waits for. Saving the file ends the wait in every state.
enum class WatchState {
    save_only,      ///< the watch waits only for a save
    save_or_guess,  ///< the watch also waits for a guess, before the costs are shown
    save_or_key,    ///< the watch also waits for a key that prints the verdict again
};

/// Returns the lines at the bottom of the screen. They show the events that `learn watch` waits
/// for, and the keys that the learner may type.
std::string watch_footer(const LearnerExercise& exercise, const std::string& time_text,
                         bool has_keys, WatchState watch_state);
/// The height of the footer in lines. The verdict uses the rest of the screen.
inline constexpr int kWatchFooterLines = 3;

/// Watches the exercise until the learner types q or a signal arrives. If stdin is not a terminal,
/// end-of-file on stdin also ends the watch. Returns the exit code.
int watch(Session& session, const LearnerExercise& exercise, const WatchArguments& arguments);

// `learn doctor`: reports what is installed on this computer, what is missing, and what to do about
// it.

/// Prints the report. Returns 0 if this computer can check exercises, and 2 otherwise.
int doctor(bool prints_json, const Style& style);

// `learn play`: serves the book on this computer. A server is needed because browsers do not let
// pages that were opened from a file (file://) load the compiler.

/// The arguments of `learn play`.
struct PlayArguments {
    std::optional<int> port;   ///< port to listen on; empty for the usual port, 0 for any free port
    bool should_open = false;  ///< whether to open the page in a browser
};

/// Serves the book until the process ends. Throws UsageError if the book has not been built or the
/// port is already in use.
[[noreturn]] void play(const PlayArguments& arguments);

}  // namespace coalesce::learn
