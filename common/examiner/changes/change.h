// A small change to a learner's text that undoes a common mistake.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "examiner/changes/program.h"

namespace coalesce::changes {

/// A replacement of the text from offset `begin` up to, but not including, offset `end`.
struct Edit {
    std::size_t begin = 0, end = 0;
    std::string text;
};

/// A change to try.
struct Change {
    std::vector<Edit> edits = {};  ///< sorted by offset, without overlaps
    int line = 0;                  ///< the line that the change's message names, counted from 1
    /// A measure of how unlikely it is that learners make the mistake that this change undoes. The
    /// changes with the lowest cost are tried first.
    double cost = 0;
    /// The code that the message about the change quotes, as in "Line 14 reads `before` where
    /// `after` ...". Both are empty if `clause` is set.
    std::string before = "", after = "";
    /// The offsets at which `before` begins and ends in the learner's text.
    std::size_t shown_begin = 0, shown_end = 0;
    /// The beginning of the message about the change, such as "With `__syncthreads();` after line
    /// 20". "" if the message quotes `before` and `after` instead.
    std::string clause = "";
    /// whether the change adds a barrier or another kind of synchronization
    bool is_barrier = false;
    /// A string that all changes with the same meaning have in common, even if their places differ.
    /// For example, adding a barrier after line 20 has the same topic as adding it after line 21.
    /// "" if no other change has the same meaning.
    std::string topic = "";
};

/// Returns the text with the change made.
std::string make_change(const Change& change, const std::string& text);

/// Returns the sentence that describes a change with which the kernel passes.
std::string describe(const Change& change);

/// Returns the text in one line: a single blank replaces each run of blanks and line breaks.
std::string in_one_line(const std::string& text);

/// A list of changes to one program.
class ChangeList {
public:
    explicit ChangeList(const Program& program) : program_(program) {}

    const Program& program() const { return program_; }

    /// Adds a change that replaces the tokens from `first` to `last`, inclusive, with `text`.
    void replace(std::size_t first, std::size_t last, const std::string& text, double cost);
    /// Adds a change that replaces several tokens of one statement. Each pair is the index of a
    /// token and its new text. The message about the change quotes the text from the first to the
    /// last replaced token.
    void replace_each(const std::vector<std::pair<std::size_t, std::string>>& tokens, double cost);
    /// Adds a change whose members the caller has set.
    void add(Change change);

    std::vector<Change> take() { return std::move(changes_); }

private:
    void show(Change& change, std::size_t first, std::size_t last) const;
    bool is_once_in_line(std::size_t first, std::size_t last) const;

    const Program& program_;
    std::vector<Change> changes_;
};

}  // namespace coalesce::changes
