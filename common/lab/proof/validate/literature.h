/// \file
/// Compares predicted times with published times, for GPUs on which we have not measured.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/literature/record.h"
#include "lab/proof/validate/times.h"

namespace coalesce::proof {

/// Returns text for a terminal: the record's title, a table of its times, and a line of statistics.
std::string format_literature_text(const PublishedTimes& record,
                                   const std::vector<timing::TimePair>& pairs);
/// Returns a Markdown table for the book, with one row for the record.
std::string format_literature_table(const PublishedTimes& record,
                                    const std::vector<timing::TimePair>& pairs);
Json format_literature_json(const PublishedTimes& record,
                            const std::vector<timing::TimePair>& pairs);

/// Reports whether two tables have the same text, except that numbers may differ by at most 2. Such
/// differences occur because different compilers generate slightly different code.
bool are_equal_within_tolerance(const std::string& table, const std::string& other_table);

/// Runs the whole comparison. Returns the exit code.
int validate_literature(const TimeComparisonOptions& options);

}  // namespace coalesce::proof
