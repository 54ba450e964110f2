/// \file
/// The commands: the arguments of each, and the function that runs it. Commands whose parts are used by others have
/// headers of their own: check.h, measure.h and predict.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "learn/request.h"
#include "learn/session.h"

namespace coalesce::learn {

// `learn list`, `learn progress` and plain `learn`: the exercises, the learner's progress, and the next step.

/// Prints each exercise with its state, points, hints and predictions. Returns the exit code.
int show_progress(Session& session, bool json);
/// Prints the steps, with the state of their exercises.
int show_list(Session& session, bool json);
/// Prints the variants of a lesson with the cost each must have. For a lesson that is a whole program, prints where
/// the program is.
void show_lesson(const course::Step& step);
/// Prints where the learner is, what is next, and the one command to type. The first time, runs all steps before.
/// Returns the exit code.
int start(Session& session);

// `learn run`: runs the programs of the steps and prints their results in one table.

/// Runs the steps. Returns the exit code: 0, 1 if a result was wrong or missing, 2 if a program could not run. Throws
/// UsageError before anything has run.
int run(const RunRequest& request);

/// Runs the requested whole program, on a GPU if one works, otherwise under `simulate`, which prints what its kernel
/// cost. Returns the program's exit code. Throws UsageError.
int run_program(const RunRequest& request);

// `learn hint`: prints a hint, and a more detailed one each time it is called.

/// Prints a level of the hint for the failure that the last check found: `level` (1 to 4), or the next one if it is
/// 0. Returns the exit code.
int hint(Session& session, const Work& exercise, int level);

// `learn picture`: draws the memory that one warp of the learner's kernel touches.

/// The arguments of `learn picture`.
struct PictureWords {
    std::string file = "";          ///< a file to draw instead of the exercise's
    std::string svg = "";           ///< the SVG file to write; "" prints text
    int rows = 256, cols = 256;     ///< the size of the matrix
    long long block = 0, warp = 0;  ///< the block, and the warp in it, to draw
};

/// Draws the kernel, which runs on the simulated GPU in this process. `argv` is this process's command line, needed
/// to restart it with the simulator. Returns the exit code, 1 if the kernel cannot be run. Throws UsageError.
int picture(const Work& exercise, const PictureWords& words, char** argv);

// `learn diff` and `learn explain`: what changes from one step to the next, and from the learner's kernel to the
// solution.

/// The arguments of `learn diff`.
struct DiffWords {
    bool is_mine = false;  ///< compare the learner's kernels, not the lessons'
    bool yes = false;      ///< show the lessons' kernels before the exercises have passed
};

/// Prints the difference between a step's kernel and that of the step it builds on, or between the learner's kernels
/// for both. Returns the exit code, 1 if the lessons' kernels may not be shown yet. Throws UsageError.
int diff(Session& session, const Work& exercise, const DiffWords& words);

/// Prints the learner's kernel beside the solution, and explains its counts. Asks first if the exercise has not
/// passed, unless `yes`. Returns the exit code, 1 if the learner declined.
int explain(Session& session, const Work& exercise, bool yes);

// `learn ptx`: prints the PTX of a kernel by source line, and how many blocks fit on a multiprocessor.

/// The arguments of `learn ptx`.
struct PtxWords {
    std::string exercise = "";  ///< an exercise or a step
    std::string variant = "";   ///< a variant of the lesson; "" for the main one
    bool is_mine = false;       ///< show the learner's file, not the lesson's
    std::string file = "";      ///< show this file instead of the exercise's
    std::string json = "";      ///< a file to write everything to, as JSON
    bool is_sass = false;       ///< show the machine code instead of the PTX
    bool yes = false;           ///< show the lesson's kernel before the exercise has passed
};

/// Prints the PTX of a kernel, which runs on the simulated GPU in this process. `argv` is this process's command
/// line. Returns the exit code, 1 if the file does not compile or the lesson's kernel may not be shown yet. Throws
/// UsageError.
int ptx(Session& session, const PtxWords& words, char** argv);

// `learn reset`: restores the original text of an exercise's file, and keeps a copy of the learner's.

/// Replaces the text of a learner's file, whose path is relative to the course's folder. Copies the old text to
/// .learn/copies/`name` and prints where. Returns false if the file already has that text. Throws if the file cannot
/// be written, and then changes nothing.
bool replace_file(const std::filesystem::path& relative_file, const std::string& name,
                  const std::string& text);

/// Restores the exercise's file. Returns the exit code. Throws if the file cannot be written, and then changes
/// nothing.
int reset(const Work& exercise);

// `learn beat`: the open exercise at the end. Every correct kernel counts. Its time is predicted, and measured if
// there is a GPU, and compared with that of the fastest lesson's solution.
//
// It is not a step of the course, so it has no cost limits and no points. It uses the shapes, the examiner and the
// prediction of the lesson to beat, but not that lesson's limits.

/// The arguments of `learn beat`.
struct BeatWords {
    std::string file = "";  ///< a file to try instead; the attempt is not stored
    int restore = 0;        ///< the number of the attempt to restore; 0: none
    bool is_list = false;   ///< only print the table
    bool is_reset = false;  ///< restore the original file
    int seconds = 60;       ///< time limit of the examination
};

/// Returns the text that the exercise starts with: a kernel that is right, and slow.
std::string beat_skeleton();

/// Runs the command. Returns the exit code: 0 right, 1 not right, 2 could not be examined. Throws UsageError.
int beat(Session& session, const BeatWords& words);

// `learn watch`: checks a file whenever it is saved.

/// The arguments of `learn watch`.
struct WatchWords {
    bool polls = false;  ///< look for changes regularly, whatever the file system
    int seconds = 60;    ///< time limit of each check
};

/// What the watch waits for besides a save; the footer names it.
enum class WatchWaits {
    for_a_save,   ///< only for a save
    for_a_guess,  ///< for the learner's guess, before the costs are shown
    to_go_back,   ///< for a key that shows the verdict again
};

/// Returns the lines at the bottom of the screen, at most 80 columns wide: an empty line, what the watch waits for,
/// and the keys, if there are any.
std::string watch_footer(const Work& exercise, const std::string& time, bool has_keys,
                         WatchWaits waits);
/// The height of that footer in lines. The verdict has the rest of the screen.
inline constexpr int kLinesOfWatchFooter = 3;

/// Runs until the learner types q, a signal arrives, or stdin ends if it is not a terminal. Returns the exit code.
int watch(Session& session, const Work& exercise, const WatchWords& words);

// `learn doctor`: reports what the computer has, what is missing, and what to do about it.

/// Prints the report. Returns the exit code: 0 if exercises can be checked here, otherwise 2.
int doctor(bool json, const Style& style);

// `learn play`: serves the book on this computer, because browsers do not let pages opened as files load the
// compiler.

/// The arguments of `learn play`.
struct PlayWords {
    std::optional<int> port;  ///< empty: the usual one; 0: any free one
    bool opens = false;       ///< open the page in a browser
};

/// Serves the book until the process is ended. Throws UsageError if there is no book or the port is taken.
[[noreturn]] void play(const PlayWords& words);

}  // namespace coalesce::learn
