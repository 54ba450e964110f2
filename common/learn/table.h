/// \file
/// The table of a run: 80 columns, printed row by row as the results come.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "learn/json_file.h"

namespace coalesce::learn {

/// Prints results of a simulated GPU (counters, and predicted times where they were asked for) or a real one
/// (times), never both.
class Table {
public:
    /// `device` as in the JSON: its name and kind.
    Table(std::ostream& out, const Json& device, bool is_predicted = false);

    /// The device, the shape that the first result has, and the columns' heads.
    void print_head(const Json& first_result);
    /// One result; its step's name stands in the first row of the step alone.
    void print_row(const Json& result);
    /// A step that gave no results, and why.
    void print_failure(const std::string& step, const std::string& why);
    /// Why rows were skipped: the notes that their numbers refer to; and what predicted times are.
    void print_notes();

private:
    std::ostream& out_;
    std::string device_name_;
    bool simulated_, is_predicted_;
    std::string last_step_;
    std::vector<std::string> notes_;
    Json last_predicted_;       // any of them: all are of one GPU and one shape
    double error_band_ = 0;     // the largest
    bool has_unknown_ = false;  // the model does not know something of one

    void print_simulated(const Json& result);
    void print_predicted(const Json& result);
    void print_note_on_predictions() const;
    // The number of a reason, from 1 on.
    size_t note(const std::string& reason);
};

}  // namespace coalesce::learn
