// A small change of a learner's text, which undoes a mistake that people make.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "examiner/changes/program.h"

namespace coalesce::changes {

/// Replaces the text from `begin` to `end` with `text`.
struct Edit {
    std::size_t begin = 0, end = 0;
    std::string text;
};

/// A change to try.
struct Change {
    std::vector<Edit> edits = {};  ///< sorted by place, without overlaps
    int line = 0;                  ///< the line to show, counted from 1
    /// How unlikely the corresponding mistake is. The changes with the lowest cost are tried first.
    double cost = 0;
    /// The texts of the sentence "Line 14 reads `before` where `after` ...". Both are empty if
    /// `clause` is set.
    std::string before = "", after = "";
    /// The place of `before` in the text.
    std::size_t shown_begin = 0, shown_end = 0;
    /// Another form of the change, such as "With `__syncthreads();` after line 20".
    std::string clause = "";
    bool is_barrier = false;  ///< whether the change adds a barrier or another synchronization
    /// Changes with the same meaning have the same topic, even if they differ in their places. For
    /// example, a barrier after line 20 or after line 21. Empty for changes that have no others
    /// like them.
    std::string topic = "";
};

/// Returns the text with the change made.
std::string make_change(const Change& change, const std::string& text);

/// Returns the sentence that describes a change with which the kernel passes.
std::string describe(const Change& change);

/// Replaces white space, including line breaks, with single blanks.
std::string in_one_line(const std::string& text);

/// Collects changes of one program.
class ChangeList {
public:
    explicit ChangeList(const Program& program) : program_(program) {}

    const Program& program() const { return program_; }

    /// Adds a change that replaces the tokens from `first` to `last` with `text`.
    void replace(std::size_t first, std::size_t last, const std::string& text, double cost);
    /// Adds a change that makes several replacements in one statement. The sentence shows the text
    /// from the first to the last replaced token.
    void replace_each(const std::vector<std::pair<std::size_t, std::string>>& tokens, double cost);
    /// Adds a change with its own clause.
    void add(Change change);

    std::vector<Change> take() { return std::move(changes_); }

private:
    void show(Change& change, std::size_t first, std::size_t last) const;
    bool is_once_in_line(std::size_t first, std::size_t last) const;

    const Program& program_;
    std::vector<Change> changes_;
};

}  // namespace coalesce::changes
