/// \file
/// The model of time compared with what others have published, on GPUs of which it knows documents alone.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/literature/record.h"
#include "lab/proof/validate/times.h"

namespace coalesce::proof {

/// For a terminal: the record with its table, then a line of figures.
std::string literature_text(const Record& record, const std::vector<timing::TimePair>& pairs);
/// For the book: a row for the record.
std::string literature_table(const Record& record, const std::vector<timing::TimePair>& pairs);
Json literature_json(const Record& record, const std::vector<timing::TimePair>& pairs);

/// Whether two tables say the same: the same words, and figures that are no more than 2 apart. Another compiler
/// makes slightly other code of the kernels.
bool say_the_same(const std::string& table, const std::string& other);

/// Does it all. Returns the exit code.
int validate_literature(const TimeWords& words);

}  // namespace coalesce::proof
