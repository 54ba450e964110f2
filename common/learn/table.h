/// \file
/// The table of `learn run`: 80 columns wide, printed row by row as results arrive.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "learn/json_file.h"

namespace coalesce::learn {

/// Prints the results of a simulated GPU (counters, and predicted times on request) or of a real one (measured
/// times), never of both.
class Table {
public:
    /// Creates a table for `device`, an object with its name and kind.
    Table(std::ostream& out, const Json& device, bool is_predicted = false);

    /// Prints the device, the shape of the first result, and the heads of the columns.
    void print_head(const Json& first_result);
    /// Prints one result. The step's name is printed only in the first row of the step.
    void print_row(const Json& result);
    /// Prints a row for a step that gave no results, with the reason.
    void print_failure(const std::string& step, const std::string& why);
    /// Prints the notes that rows refer to by number, and a note on predicted times.
    void print_notes();

private:
    std::ostream& out_;
    std::string device_name_;
    bool simulated_, is_predicted_;
    std::string last_step_;
    std::vector<std::string> notes_;
    Json last_predicted_;       // any prediction, since all have the same GPU and shape
    double error_band_ = 0;     // the largest band of all predictions
    bool has_unknown_ = false;  // whether a prediction lists effects that the model does not know

    void print_simulated(const Json& result);
    void print_predicted(const Json& result);
    void print_note_on_predictions() const;
    // Returns the number of a note, from 1. Equal notes share one.
    size_t note(const std::string& reason);
};

}  // namespace coalesce::learn
