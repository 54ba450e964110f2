// Writes tasks for VS Code that run a program under `simulate` and show the findings at the source
// lines.
#pragma once

#include <string>
#include <vector>

namespace coalesce::simulator {

/// Returns the contents of `.vscode/tasks.json` for a program and its arguments.
std::string vscode_tasks(const std::vector<std::string>& program);

/// Writes `.vscode/tasks.json` in the current folder. Throws std::runtime_error if the file already
/// exists or cannot be written. The error message contains the text that the user can add to the
/// file.
void write_vscode_tasks(const std::vector<std::string>& program);

}  // namespace coalesce::simulator
