// What happens on one multiprocessor while the launch runs, as text: moments from left to right, loads, stores, warps
// and blocks below each other. Without colour; ASCII, as all of the course's pictures in a terminal.
#pragma once

#include <string>
#include <vector>

#include "timing/prediction.h"

namespace coalesce::timing {

/// At most 16 lines of at most `width` columns; less than 40 are taken for 40.
std::string time_line_text(const Prediction& prediction, int width = 80);

// ---- what pictures of it share ----

/// A stretch of the time line: what is on average in its moments.
struct Column {
    Moment mean;
    double nothing = 0;  ///< part of it in which no load is under way
};
std::vector<Column> columns_of(const TimeLine& line, int count);

/// The places of blocks that the time line speaks of, each once, the first ones first.
std::vector<int> places_of(const TimeLine& line);

/// Warps on the multiprocessor: what all of them would be in a row of warps.
double warps_of(const Prediction& prediction);

/// The top of the scale of bytes: what is needed, or more where more are on their way.
double top_of(const Prediction& prediction, const std::vector<Column>& columns);

/// 1, 2 or 5 times a power of ten: cycles between marks, so that `most` marks at most are needed.
double step_of(double cycles, int most);

/// The kernel's name in `room` signs at most.
std::string short_name(const Prediction& prediction, std::size_t room);

}  // namespace coalesce::timing
