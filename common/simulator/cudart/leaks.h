// Memory that a program never freed.
#pragma once

namespace coalesce::simulator::cudart {

/// With leakcheck on, a report for every allocation of the program that is still there.
void report_leaks();

}  // namespace coalesce::simulator::cudart
