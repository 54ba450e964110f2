#include "learn/commands.h"

#include <algorithm>
#include <iostream>

#include "base/files.h"
#include "harness/text.h"
#include "learn/hint_text.h"

namespace coalesce::learn {
namespace {

constexpr int kHintLevelCount = static_cast<int>(kHintLevels.size());

std::string format_hint(const std::string& text, int level) {
    return is_sentence(text, level) ? wrap(text, "  ") : text + "\n";
}

std::string explain_hint_subject(const Hint& hint, const Record& record, Status status) {
    if (record.check_count == 0)
        return "Nothing has been checked yet, so this hint is about how to begin.";
    if (status == Status::done)
        return "You have already passed the exercise, so this hint is about how to begin.";
    const std::string& failure = record.last_failure;
    if (failure.empty())
        return "Your file passed, but you have edited it since, so this hint is about how to "
               "begin.";
    return "The last check found " + failure + "; this hint is for " +
           (hint.failures.empty() ? "any failure." : "that failure.");
}

}  // namespace

int hint(Session& session, const LearnerExercise& exercise, int level) {
    Hint hint;
    bool is_last = false;
    State state = session.progress.update([&](State& current_state) {
        Record& record = current_state.records[exercise.name()];
        hint = session.course.hint_for(exercise.requirements(), record.last_failure);
        int& seen_level = record.hints[name_of(hint)];
        is_last = level == 0 && seen_level == kHintLevelCount;
        if (level == 0) level = std::min(seen_level + 1, kHintLevelCount);
        seen_level = std::max(seen_level, level);
    });
    const Record& record = state.record(exercise.name());
    Status status = status_of(record, read_if_exists(exercise.file()));

    std::cout << exercise.name() << ", hint " << level << " of " << kHintLevelCount << ": "
              << kHintLevels[static_cast<size_t>(level - 1)] << "\n"
              << wrap(explain_hint_subject(hint, record, status)) << "\n"
              << format_hint(text_of(hint, level), level) << "\n";
    if (is_last) {
        std::cout << wrap("There are no more hints. Read the lesson again: " + exercise.lesson() +
                          ". Or show the solution: ./learn explain " +
                          exercise.command_arguments());
    } else if (level < kHintLevelCount) {
        std::cout << "More: ./learn hint " << exercise.command_arguments()
                  << "      Try: ./learn check " << exercise.command_arguments() << "\n";
    } else {
        std::cout << "Try: ./learn check " << exercise.command_arguments() << "\n";
    }
    return 0;
}

}  // namespace coalesce::learn
