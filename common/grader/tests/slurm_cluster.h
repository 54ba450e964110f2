// A Slurm cluster of a few nodes on this one computer: ordinary child processes and one folder, gone
// with the object.
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
    /// Starts it, with nodes n1, n2, ... of one processor each, and partitions "first1", "first2", ...
    /// of the first so many of them. Throws std::runtime_error with the daemons' logs.
    explicit SlurmCluster(int nodes);
    ~SlurmCluster();
    SlurmCluster(const SlurmCluster&) = delete;
    SlurmCluster& operator=(const SlurmCluster&) = delete;

    /// Whether Slurm is installed on this computer.
    static bool is_installed();

    /// Runs one of Slurm's commands: sbatch, squeue, scontrol.
    Ended call(const std::vector<std::string>& command) const;
    /// A node that runs a job right now; "" when none does.
    std::string busy_node() const;
    /// The node loses its power: its daemon, its jobs' supervisors and all that they started.
    void kill_node(const std::string& node);
    /// Jobs that are not at their end.
    int jobs() const;
    /// What the daemons wrote last.
    std::string logs() const;
    /// All processes that belong to the cluster.
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
