// Reports memory that a program never freed.
#pragma once

namespace coalesce::simulator::cudart {

/// Reports every allocation of the program that still exists, if leakcheck is enabled.
void report_leaks();

}  // namespace coalesce::simulator::cudart
