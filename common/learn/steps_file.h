/// \file
/// The steps of a block, read from JSON (docs/guide/trace.md), and the values of the variables
/// after each step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coalesce::learn {

constexpr int kWarpLanes = 32;

/// The values of one variable in the lanes of a warp, as text. The text is "" for a lane in which
/// the variable has no value.
using LaneValues = std::array<std::string, kWarpLanes>;

struct StepVariable {
    std::string name, type;
    bool is_real = false;  ///< whether the values are floating-point numbers
    std::size_t function = 0;
    /// first and last line of the variable's scope; `last_line` is 0 if unknown
    int first_line = 0, last_line = 0;
};

struct StepArray {
    std::string name;
    bool is_shared = false;
    std::int64_t element_bytes = 0;
    std::vector<std::int64_t> extents;

    /// Returns the name of the element at a byte offset in the array: "tile[3][5]", or "out[7]" if
    /// the array has no extents.
    std::string element_name(std::int64_t offset) const;
};

struct StepAccess {
    std::string kind;  ///< "load", "store" or "atomic"
    std::size_t array = 0;
    std::uint32_t lanes = 0;
    std::int64_t bytes = 0;  ///< bytes that each lane accesses
    int cost = 0, ideal = 0;
    bool is_asynchronous = false;
    std::vector<std::int64_t> offsets;  ///< byte offset in the array, for each active lane
    std::vector<std::string> values;    ///< value of the element, for each active lane

    bool is_store() const { return kind != "load"; }
};

struct StepWait {
    std::uint32_t lanes = 0;
    std::string reason;
    int line = 0;
};

struct StepBarrier {
    int barrier = 0, arrived = 0, expected = 0;
    bool is_complete = false;
};

struct StepChange {
    std::size_t variable = 0;
    std::uint32_t lanes = 0;
    std::vector<std::string> values;
};

/// One line of the source, executed by some lanes of a warp.
struct Step {
    int warp = 0, line = 0;
    std::size_t function = 0;
    std::uint32_t active = 0;
    std::size_t first_instruction = 0, instructions = 0;
    std::int64_t bytes_in_flight = 0;
    std::vector<StepWait> waits;
    std::vector<StepChange> changes;
    std::vector<StepAccess> accesses;
    std::vector<StepBarrier> barriers;
};

/// An event to show at a step: a report of a check, or the last store to an element that is wrong.
struct StepEvent {
    std::size_t step = 0;
    std::string check, kind, message;
    int line = 0, thread = 0;
};

/// The last write to an element.
struct Writer {
    std::size_t step = 0;
    int warp = 0, lane = 0;
    std::string value;
};

/// The values of the variables in the lanes of a warp, after a step.
struct WarpState {
    std::map<std::size_t, LaneValues> variables;  ///< values, by index of the variable
    /// For each variable, a bit mask of the lanes in which the step changed the value.
    std::map<std::size_t, std::uint32_t> changed;
};

struct Steps {
    std::string kernel;
    std::array<int, 3> block{}, block_index{}, grid{};
    bool has_variables = false, is_complete = true;
    std::vector<std::string> functions;
    std::vector<std::vector<std::string>> ptx;  ///< PTX instructions of each function
    std::vector<StepVariable> variables;
    std::vector<StepArray> arrays;
    std::vector<Step> all_steps;
    std::vector<StepEvent> moments;

    /// Returns the state of a step's warp after that step.
    WarpState state_after(std::size_t step) const;
    /// Returns the last write to an element before a step, or nothing if there is none.
    std::optional<Writer> writer_before(std::size_t step, std::size_t array,
                                        std::int64_t offset) const;
    /// Reports whether a variable is in scope at a step.
    bool is_in_scope(const StepVariable& variable, const Step& step) const;
};

/// Parses the steps. Throws std::runtime_error if the text is not in the expected format.
Steps read_steps(const std::string& json);

/// Replaces each value that was loaded from the input with the name of its input element. Kernels
/// that only move data get random bits as input, and the bits mean nothing to a reader.
void name_values_by_source(Steps& steps);

/// Formats a bit mask of lanes: "lanes 0-31", "lane 5", "lanes 0-3, 8".
std::string name_lanes(std::uint32_t lanes);

}  // namespace coalesce::learn
