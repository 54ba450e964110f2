/// \file
/// The table of `learn run`. The table is 80 columns wide, and each row is printed as soon as its
/// result arrives.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "learn/json_file.h"

namespace coalesce::learn {

/// A table of results, printed row by row. Results of the simulated GPU have counters and, on
/// request, predicted times. Results of a real GPU have measured times.
class Table {
public:
    /// Creates a table for `device`, a JSON object that contains the device's name and kind.
    Table(std::ostream& out, const Json& device, bool is_predicted = false);

    /// Prints the name of the device, the shape of the first result, and the column headings.
    void print_head(const Json& first_result);
    /// Prints the row for one result. A step's name is printed only in its first row. If the shape
    /// changes, first prints a line with the new shape.
    void print_row(const Json& result);
    /// Prints a row for a step that has no results, with the reason.
    void print_failure(const std::string& step, const std::string& why);
    /// Prints the notes that rows refer to by number, and a note about predicted times.
    void print_notes();

private:
    std::ostream& out_;
    std::string device_name_;
    bool simulated_, is_predicted_;
    std::string last_step_, last_shape_;
    std::vector<std::string> notes_;
    Json last_predicted_;  // the last prediction; all predictions have the same GPU
    std::vector<std::string> predicted_shapes_;  // each shape once
    double error_band_ = 0;                      // the largest error band of all predictions
    bool has_unknown_ = false;  // whether the model ignores some effects in one of the kernels

    void print_simulated(const Json& result);
    void print_predicted(const Json& result);
    void print_note_on_predictions() const;
    // Returns the number of a note, counted from 1. Identical notes share a number.
    size_t note(const std::string& reason);
};

}  // namespace coalesce::learn
