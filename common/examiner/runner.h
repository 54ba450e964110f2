/// \file
/// How kernels are compiled and launched: in this process, in a jail, on a GPU, in a page. The
/// examiner knows no more of it than this.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "examiner/compile.h"
#include "examiner/course/exercise.h"
#include "examiner/output_capture.h"
#include "examiner/trial.h"
#include "harness/counters.h"
#include "harness/predicted.h"

namespace coalesce {

/// Compiles and launches. What comes back is data, and decides nothing. What is wrong with the
/// kernel is in Compiled::failure and in the Trial; what is wrong with this computer is thrown as
/// std::runtime_error.
class Runner {
public:
    virtual ~Runner() = default;

    /// The device's name.
    virtual std::string device() const = 0;
    /// Whether it checks and counts.
    virtual bool is_simulated() const = 0;

    /// A file with a kernel of that name becomes PTX.
    virtual Compiled compile(const Source& source, const std::string& kernel) = 0;
    /// Launches once, with an input of its own, and compares what is left with what `task` is.
    virtual Trial run(const Compiled& kernel, const Produces& task, const TrialOrder& order) = 0;

    /// How long a kernel that is right would take on a GPU, at that shape. Nothing: who runs it cannot
    /// tell.
    virtual std::optional<Predicted> predict(const Compiled& /*kernel*/, const Produces& /*task*/,
                                             Shape /*shape*/) {
        return std::nullopt;
    }

    /// What was kept of that kind ("counters", "time"), by what it depends on; nothing when nobody has kept it.
    virtual std::optional<std::string> kept(const std::string& /*kind*/,
                                            const std::string& /*of*/) {
        return std::nullopt;
    }
    /// Keeps it.
    virtual void keep(const std::string& /*kind*/, const std::string& /*of*/,
                      const std::string& /*text*/) {}

    /// What the kernels printed, whole lines of the beginning. Nothing more is caught then.
    virtual std::string take_output(bool& is_cut) {
        is_cut = false;
        return "";
    }
};

/// In this process, on the libcudart that it has loaded: the simulated GPU with all checks and
/// counters, or a real one. A kernel that crashes the simulator or hangs a GPU takes its process with
/// it: who must go on runs it in a process of its own. What kernels print is caught from the
/// beginning on. Who compiles is another's matter.
class LaunchingRunner : public Runner {
public:
    LaunchingRunner();
    ~LaunchingRunner() override;

    /// Throws std::runtime_error when there is none.
    std::string device() const override;
    bool is_simulated() const override { return simulator_library::is_loaded(); }
    Trial run(const Compiled& kernel, const Produces& task, const TrialOrder& order) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::string take_output(bool& is_cut) override;

private:
    LoadedKernel& loaded(const Compiled& kernel);

    OutputCapture output_;
    std::string loaded_ptx_;
    std::unique_ptr<LoadedKernel> loaded_;
};

/// The same with this computer's compilers, and with a folder for what is slow to make.
class LocalRunner : public LaunchingRunner {
public:
    /// What can be chosen.
    struct Options {
        std::filesystem::path cache = {};   ///< folder for what is slow to make; "": none
        Compiler compiler = Compiler::any;  ///< which compiler
    };
    /// To be called before the device is chosen: the simulated GPU works in one thread from then on, as
    /// in a jail. Accesses that nothing orders come in the same order every time then, so that the
    /// verdict is the same every time, here and there.
    static void prepare_process();
    /// Throws std::runtime_error when there is no device.
    explicit LocalRunner(Options options);

    Compiled compile(const Source& source, const std::string& kernel) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> kept(const std::string& kind, const std::string& of) override;
    void keep(const std::string& kind, const std::string& of, const std::string& text) override;

private:
    Options options_;
};

}  // namespace coalesce
