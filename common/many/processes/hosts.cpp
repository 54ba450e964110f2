#include "many/processes/hosts.h"

#include <cstdio>

#include "base/errors.h"
#include "harness/result.h"
#include "many/processes/between.h"
#include "many/processes/mpi_team.h"
#include "many/request.h"

namespace coalesce::processes {
namespace {

/// The results of `parse_and_choose_device`, which is called before this process communicates with
/// others.
struct PreparedRun {
    many::Request request = {};
    Device device = {};
    std::string problem = "";
};

/// Parses the options and chooses the device. Choosing a device may execute this program again, so
/// it must happen before MPI starts.
PreparedRun parse_and_choose_device(int argc, char** argv) {
    PreparedRun prepared;
    try {
        prepared.request = many::parse(argc, argv, many::LaunchMode::together);
        if (prepared.request.help) return prepared;
        prepared.device = choose_device(prepared.request.device, argv);
    } catch (const UsageError& error) {
        prepared.problem = error.what();
    }
    return prepared;
}

int run_team(PreparedRun& prepared, const std::string& program, const many::MethodKind& method) {
    MpiTeam team;
    return run_and_report_errors<many::TeamError>(program, [&] {
        team.fail_together(prepared.problem);
        if (team.count() > many::kMaxRanks) {
            team.fail_together(std::to_string(team.count()) +
                               " processes are too many; use at most " +
                               std::to_string(many::kMaxRanks));
        }
        prepared.request.gpus = team.count();
        return many::run_in_team(prepared.request, prepared.device, {method}, team);
    });
}

}  // namespace

int run_on_hosts(int argc, char** argv, const many::MethodKind& method) {
    const std::string program = many::program_name(argv);
    PreparedRun prepared = parse_and_choose_device(argc, argv);
    if (prepared.request.help) {
        std::fputs(many::help_text_for_mpirun(program).c_str(), stdout);
        return exit_right;
    }
    MPI_Init(&argc, &argv);
    const int exit_code = run_team(prepared, program, method);
    MPI_Finalize();
    return exit_code;
}

}  // namespace coalesce::processes
