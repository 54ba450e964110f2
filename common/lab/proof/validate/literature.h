/// \file
/// The model of time compared with what others have published, on GPUs of which it knows documents alone.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/literature/record.h"
#include "lab/proof/validate/times.h"

namespace coalesce::proof {

/// One record, predicted.
struct ComparedRecord {
    Record record;
    std::vector<timing::TimePair> pairs;
};

/// For a terminal: each record with its table, then a line for each.
std::string literature_text(const std::vector<ComparedRecord>& compared);
/// For the book: a row for each record.
std::string literature_table(const std::vector<ComparedRecord>& compared);
Json literature_json(const std::vector<ComparedRecord>& compared);

/// Whether two tables say the same: the same words, and figures that are no more than 2 apart. Another compiler
/// makes slightly other code of the kernels.
bool say_the_same(const std::string& table, const std::string& other);

/// Does it all. Returns the exit code.
int validate_literature(const TimeWords& words);

}  // namespace coalesce::proof
