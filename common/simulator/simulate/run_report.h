// Creates the report of a run: the reports of all processes of a program, joined into one JSON
// document.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "simulator/simulate/child.h"

namespace coalesce::simulator {

using Json = nlohmann::ordered_json;

/// Joins the reports in `folder` into one. The report of the process `first_process` comes first.
/// Counters of kernels with the same name are added up, and equal reports are merged. Returns
/// nothing if there is no complete report.
std::optional<Json> join_reports(const std::filesystem::path& folder, int first_process);

/// Adds the field "text" to each line: the source of the line, without white space at its ends.
/// Comparisons use this text to find the same line after the source has been edited.
void add_source_text(Json& run);

/// Adds the field "ending": the program's exit code, or the signal that ended the program.
void add_ending(Json& run, const Ending& ending);

/// Reads a report written by --json. Throws CanNotRun if the file is not a report or uses a
/// different version of the format.
Json read_run(const std::string& file);

}  // namespace coalesce::simulator
