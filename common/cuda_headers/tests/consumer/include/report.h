#pragma once

/// Prints whether all is well; the exit code.
int report(bool is_right);
