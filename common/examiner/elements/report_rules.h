// The rules that explain the simulator's reports about a kernel with any arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "examiner/elements/element_rules.h"
#include "examiner/rules.h"

namespace coalesce {

// ---- report_rules.cpp ----

/// The element of an array to which an address belongs.
struct ArrayPlace {
    const Parameter* array = nullptr;
    std::int64_t count = 0;  ///< elements of the array
    std::int64_t index = 0;  ///< index of the element, which may lie outside the array
};

/// Returns the array that is nearest to an address.
ArrayPlace find_array(std::uint64_t address, const Trial& trial, const Evidence& evidence);

/// Makes a failure from a report. Its details name the array of the access.
Failure explain_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                       const Evidence& evidence, const std::string& headline,
                       const std::string& next);

/// A row length in an index that is not the array's.
struct OtherRowLength {
    std::string used, wanted;  ///< names of sizes
};
/// Returns the row length in the index of a line's access to an array if it is a size other than
/// the length of the array's rows.
std::optional<OtherRowLength> find_other_row_length(const Parameter& array, int line,
                                                    const Evidence& evidence);

// ---- overrun_rules.cpp ----

/// Finds accesses outside an array in global memory.
std::optional<Failure> find_element_overrun(const Trial& trial, const Evidence& evidence);

// ---- unwritten_rules.cpp ----

/// Finds reads of memory that was never written.
std::optional<Failure> find_unwritten_read(const Trial& trial, const Evidence& evidence);

// ---- race_rules.cpp ----

/// Finds races between blocks or threads in global memory.
std::optional<Failure> find_array_race(const Trial& trial, const Evidence& evidence);
/// Finds plain stores to shared memory that race with atomics of other threads.
std::optional<Failure> find_race_with_atomic(const Trial& trial, const Evidence& evidence);
/// Finds threads that change the same element of a shared array without an atomic operation.
std::optional<Failure> find_lost_update(const Trial& trial, const Evidence& evidence);
/// Finds statements that change an element of a shared array while other threads read it in the
/// same step of a loop.
std::optional<Failure> find_mixed_step(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
