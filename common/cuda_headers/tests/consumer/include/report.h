#pragma once

/// Prints whether the result is right, and returns the exit code.
int report(bool is_right);
