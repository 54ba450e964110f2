// Draws the activity of one multiprocessor during the launch as text. Time runs from left to right.
// Loads, stores, warps and blocks have separate rows.
#pragma once

#include <string>
#include <vector>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Returns the drawing as text: a title, the rows over a time axis, and a legend. The text has at
/// most 16 lines of at most `width` columns. A width below 40 is treated as 40.
std::string time_line_text(const Prediction& prediction, int width = 80);

// ---- used by both the text and the SVG picture ----

/// A part of the timeline, averaged over its moments.
struct TimeLineColumn {
    Moment mean;
    double fraction_without_loads =
        0;  ///< the fraction of the column's time in which no loads are in flight
};
std::vector<TimeLineColumn> average_columns(const TimeLine& time_line, int count);

/// Returns the slots that occur in the timeline, in order and without duplicates. A slot is a place
/// for a resident block.
std::vector<int> list_slots(const TimeLine& time_line);

/// Returns the largest number of resident warps, which sets the height of the row that shows warps.
double max_resident_warps(const Prediction& prediction);

/// Returns the number of bytes at the top of the scale for bytes in flight: the bytes needed to
/// keep memory busy, or the largest value of any column if that is greater.
double max_chart_bytes(const Prediction& prediction, const std::vector<TimeLineColumn>& columns);

/// Returns the number of cycles between two marks on the time axis: 1, 2 or 5 times a power of ten.
double choose_tick_step(double cycles, int max_ticks);

/// Returns the kernel's name, shortened to `max_length` characters.
std::string shorten_kernel_name(const Prediction& prediction, std::size_t max_length);

}  // namespace coalesce::timing
