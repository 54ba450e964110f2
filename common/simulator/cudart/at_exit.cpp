// The end of the process: leaks are looked for, and the report is written that options() ask for.
//
// A destructor function of a shared library runs after those of the program and after its atexit
// handlers, so what the program frees there is freed by now. Nothing that is used here is
// destroyed: the library's own objects live in storage that is never given back.
#include "simulator/base/options.h"
#include "simulator/cudart/leaks.h"
#include "simulator/profile/exit_report.h"

namespace {

__attribute__((destructor)) void end_of_process() {
    coalesce::simulator::cudart::report_leaks();
    coalesce::simulator::write_exit_report();
}

}  // namespace
