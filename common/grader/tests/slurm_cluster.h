// A Slurm cluster of a few nodes on this computer, which consists of ordinary child processes and a
// folder. The destructor ends the processes and removes the folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "grader/tests/programs.h"

namespace coalesce::grader {

class SlurmCluster {
public:
    /// Starts the cluster. The nodes n1, n2, ... have one processor each. Partition "first1"
    /// contains the first node, "first2" the first two nodes, and so on. Throws std::runtime_error,
    /// with the logs of the daemons, if the cluster does not start.
    explicit SlurmCluster(int nodes);
    ~SlurmCluster();
    SlurmCluster(const SlurmCluster&) = delete;
    SlurmCluster& operator=(const SlurmCluster&) = delete;

    /// Reports whether Slurm is installed on this computer.
    static bool is_installed();

    /// Runs a Slurm command, such as sbatch, squeue or scontrol.
    Ended call(const std::vector<std::string>& command) const;
    /// Returns a node that is running a job, or "" if there is none.
    std::string busy_node() const;
    /// Simulates a power failure of a node: kills its daemon, the supervisors of its jobs, and all
    /// their processes.
    void kill_node(const std::string& node);
    /// Returns the number of jobs that have not ended.
    int jobs() const;
    /// Returns the last lines of the daemons' logs.
    std::string logs() const;
    /// Returns all processes of the cluster.
    std::vector<pid_t> processes() const;

private:
    void write_configuration(int nodes) const;
    void start_daemon(const std::string& name, const std::vector<std::string>& command);
    void wait_until_idle(int nodes) const;
    void stop();

    TemporaryFolder folder;
    int first_port = 0;
    std::map<std::string, pid_t> daemons;
};

}  // namespace coalesce::grader
