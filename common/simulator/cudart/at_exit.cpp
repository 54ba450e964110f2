// Reports leaks at the end of the process, and writes the reports that options() request. Also
// prepares, when the library is loaded, for a signal that ends the process.
//
// A destructor function of a shared library runs after the program's destructors and atexit
// handlers, so memory that the destructors and handlers free is not reported as a leak. The objects
// of the library that this code uses are never destroyed.
#include "simulator/base/options.h"
#include "simulator/cudart/leaks.h"
#include "simulator/cudart/stream_order.h"
#include "simulator/profile/exit_report.h"

namespace {

__attribute__((constructor)) void prepare_report_at_exit() {
    coalesce::simulator::prepare_exit_report();
}

__attribute__((destructor)) void report_leaks_at_exit() {
    coalesce::simulator::cudart::report_host_accesses();
    coalesce::simulator::cudart::report_leaks();
    coalesce::simulator::write_exit_report();
}

}  // namespace
