/// \file
/// The interface through which the examiner compiles and launches kernels. Implementations launch
/// kernels in this process, in a sandbox, or in a web page. The device is the simulated GPU or a
/// real one.
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

/// An interface that compiles and launches kernels. A runner only collects evidence, which the
/// examiner then judges. Errors in the kernel are returned in Compiled::failure and in the Trial.
/// Problems with this computer are thrown as std::runtime_error.
class Runner {
public:
    virtual ~Runner() = default;

    /// Returns the name of the device.
    virtual std::string device() const = 0;
    /// Reports whether the device is the simulator, which has checks and counters.
    virtual bool is_simulated() const = 0;

    /// Compiles a file, which must define `kernel`.
    virtual Compiled compile(const Source& source, const Signature& kernel) = 0;
    /// Launches the kernel once on a new input, and compares the output with the result that `task`
    /// requires.
    virtual Trial run(const Compiled& kernel, const Produces& task,
                      const TrialRequest& request) = 0;

    /// Launches a kernel with any signature once with these arguments. Afterwards, Trial::arrays
    /// contains the contents of the arrays, which the caller must compare with the correct result.
    virtual Trial run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                           const TrialRequest& request) = 0;

    /// Returns the seed of the inputs for a shape. The seed must be secret if a kernel could cheat
    /// by guessing the inputs.
    virtual std::uint64_t input_seed(Shape /*shape*/) const { return 0; }

    /// Returns seeds that make the simulator run blocks and warps in orders other than the default.
    /// A correct kernel produces the same output in every order.
    virtual std::vector<std::uint64_t> other_orders(Shape /*shape*/) const { return {}; }

    /// Predicts the time of a correct kernel on a GPU for this shape. Returns nothing if this
    /// runner cannot predict times.
    virtual std::optional<Predicted> predict(const Compiled& /*kernel*/, const Produces& /*task*/,
                                             Shape /*shape*/) {
        return std::nullopt;
    }

    /// The result of running only some of the blocks of a launch on a large shape.
    struct LargeTrial {
        Failure failure = {};  ///< its kind is `none` if the blocks are correct
        /// Whether excessive costs may be the cause of `failure`. In that case, the failure should
        /// be reported only if the costs are within the limits.
        bool may_be_cost = false;
        std::optional<Predicted> predicted = {};  ///< the predicted time, if the model has one
        /// The costs of the whole launch, estimated from the blocks that were launched.
        std::optional<Counters> counters = {};
    };
    /// Launches a few blocks on a large shape, and checks the values that these blocks store. The
    /// choice of blocks must be secret, so that a kernel cannot process only the chosen blocks.
    /// Only runners that grade must implement this function.
    virtual LargeTrial run_large(const Compiled& /*kernel*/, const Produces& /*task*/,
                                 Shape /*shape*/) {
        return {};
    }

    /// Returns the cached value, or nothing if there is none. `kind` is "counters" or "time". `of`
    /// is a text that contains everything that the value depends on.
    virtual std::optional<std::string> load_cached(const std::string& /*kind*/,
                                                   const std::string& /*of*/) {
        return std::nullopt;
    }
    /// Adds a value to the cache.
    virtual void save_cached(const std::string& /*kind*/, const std::string& /*of*/,
                             const std::string& /*text*/) {}

    /// Stops capturing the kernels' output and returns the first whole lines of the output. Sets
    /// `is_truncated` if the output was longer.
    virtual std::string take_output(bool& is_truncated) {
        is_truncated = false;
        return "";
    }
};

/// A runner that launches kernels in this process. The loaded libcudart determines whether they run
/// on the simulated GPU or on a real GPU. A kernel that crashes the simulator or hangs a GPU ends
/// the process. Callers that must survive should therefore run it in a child process. The runner
/// captures everything that kernels print from its construction onwards. Derived classes implement
/// compilation.
class LaunchingRunner : public Runner {
public:
    LaunchingRunner();
    ~LaunchingRunner() override;

    /// Returns the name of the device. Throws std::runtime_error if there is no device.
    std::string device() const override;
    bool is_simulated() const override { return simulator_library::is_loaded(); }
    Trial run(const Compiled& kernel, const Produces& task, const TrialRequest& request) override;
    Trial run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                   const TrialRequest& request) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::string take_output(bool& is_truncated) override;

private:
    LoadedKernel& load_if_needed(const Compiled& kernel);

    OutputCapture output_;
    std::string loaded_ptx_;
    std::unique_ptr<LoadedKernel> loaded_kernel_;
};

/// A LaunchingRunner that compiles kernels with the compilers on this computer, and caches slow
/// results in a folder.
class LocalRunner : public LaunchingRunner {
public:
    /// The options of the runner.
    struct Options {
        std::filesystem::path cache = {};   ///< cache folder; "" to cache nothing
        Compiler compiler = Compiler::any;  ///< the compiler to use
        bool keeps_variables = false;       ///< see CompileOptions::keeps_variables
    };
    /// Makes the simulated GPU use a single thread, so that the verdict is reproducible. Must be
    /// called before the device is selected.
    static void prepare_process();
    /// Creates the runner. Throws std::runtime_error if there is no device.
    explicit LocalRunner(Options options);

    Compiled compile(const Source& source, const Signature& kernel) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> load_cached(const std::string& kind,
                                           const std::string& key) override;
    void save_cached(const std::string& kind, const std::string& key,
                     const std::string& text) override;

private:
    Options options_;
};

}  // namespace coalesce
