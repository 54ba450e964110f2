// Reports memory that a program never freed.
#pragma once

namespace coalesce::simulator::cudart {

/// If leakcheck is on, reports every allocation of the program that still exists.
void report_leaks();

}  // namespace coalesce::simulator::cudart
