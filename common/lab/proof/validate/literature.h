/// \file
/// Compares the time model with published times, on GPUs whose parameters come only from documents.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/literature/record.h"
#include "lab/proof/validate/times.h"

namespace coalesce::proof {

/// Returns text for a terminal: the record with its table, then a line of statistics.
std::string literature_text(const Record& record, const std::vector<timing::TimePair>& pairs);
/// Returns the record's row of the table in the book.
std::string literature_table(const Record& record, const std::vector<timing::TimePair>& pairs);
Json literature_json(const Record& record, const std::vector<timing::TimePair>& pairs);

/// Reports whether two tables have the same text, except that corresponding numbers may differ by
/// at most 2. Numbers may differ because a different compiler generates slightly different code.
bool are_equal_within_tolerance(const std::string& table, const std::string& other);

/// Runs the whole comparison. Returns the exit code.
int validate_literature(const TimeWords& words);

}  // namespace coalesce::proof
