/// \file
/// Runs the trials of an exercise that is defined element by element. The arguments for a shape are
/// generated once. The reference computes the expected outputs in a separate trial, so that the
/// kernel cannot read them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "examiner/runner.h"

namespace coalesce {

/// Thrown if the reference does not compile or does not run cleanly. The message names the line in
/// the reference.
struct ReferenceUnusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The kernel's arguments for one shape, and the outputs that the reference computes from them.
struct ElementCase {
    Shape shape;
    std::vector<CallArgument> arguments;
    std::vector<std::string> expected_outputs = {};  ///< the bytes of each output
    std::uint64_t instructions = 0;  ///< number of warp instructions that the reference executes
};

class ElementTrials {
public:
    /// Prepares trials of `exercise`, whose `elements` must be set. The reference runs on
    /// `reference_runner`, so that its costs do not count towards the limits of `runner`.
    ElementTrials(const Exercise& exercise, Runner& runner, Runner& reference_runner);

    /// Launches the kernel and compares its outputs. If the outputs are right, launches the kernel
    /// again in each of the orders from Runner::other_orders. Throws ReferenceUnusable if the
    /// reference fails.
    Trial run(const Compiled& kernel, const TrialRequest& request);

    /// Launches `kernel` once on `runner`, and compares its outputs with the expected outputs.
    Trial run_on(Runner& runner, const Compiled& kernel, const TrialRequest& request);

    /// Returns the arguments and expected outputs for a shape. Throws ReferenceUnusable if the
    /// reference fails.
    const ElementCase& case_for(Shape shape);
    /// Returns the outputs that the reference computes from these arguments, or an empty list if
    /// the reference fails.
    std::vector<std::string> compute_expected_outputs(Shape shape,
                                                      const std::vector<CallArgument>& arguments);
    const ElementTask& task() const { return task_; }

private:
    const Compiled& compiled_reference();
    Trial run_reference(Shape shape, const std::vector<CallArgument>& arguments);

    const Exercise& exercise_;
    const ElementTask& task_;
    Runner& runner_;
    Runner& reference_runner_;
    std::optional<Compiled> reference_;
    std::deque<ElementCase> cases_;  ///< a deque, so that references to its elements stay valid
};

/// The name of the kernel that computes all elements with the reference.
inline constexpr const char* kReferenceKernel = "coalesce_reference";

/// Returns the source file that computes the expected outputs. `exercise.elements` must be set.
Source reference_source(const Exercise& exercise);
/// Returns the text of the source file that computes the expected outputs: reference.cu, a kernel
/// that calls the reference for each element, and the kernel's `configure`.
std::string reference_program(const ElementTask& task, const std::string& kernel);
/// Returns the signature of the kernel in `reference_program`.
Signature reference_signature(const ElementTask& task);

}  // namespace coalesce
