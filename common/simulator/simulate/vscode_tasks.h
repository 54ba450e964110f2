// Writes tasks for VS Code that run a program under `simulate` and show what it finds at its lines.
#pragma once

#include <string>
#include <vector>

namespace coalesce::simulator {

/// Returns the contents of `.vscode/tasks.json` for a program and its arguments.
std::string vscode_tasks(const std::vector<std::string>& program);

/// Writes `.vscode/tasks.json` in the current folder. Throws std::runtime_error with the reason, and
/// the text to add, if the file exists or cannot be written.
void write_vscode_tasks(const std::vector<std::string>& program);

}  // namespace coalesce::simulator
