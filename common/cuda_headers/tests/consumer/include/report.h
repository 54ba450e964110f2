#pragma once

/// Prints whether the result is correct, and returns the exit code.
int report(bool is_right);
