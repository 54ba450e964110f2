// Random C++ expressions that are defined for all values of their operands.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/cuda/kernel.h"

namespace coalesce::campaign {

/// Returns a random expression without side effects. All threads of the scope `uniform_in`, such as
/// a warp, get the same value.
std::string random_expression(Kernel& kernel, Type type, UniformIn uniform_in, int depth);
std::string random_condition(Kernel& kernel, UniformIn uniform_in, int depth);
/// Returns a call to a device function with a few assembly instructions. Compilers rarely generate
/// these instructions from C++.
std::string random_assembly_call(Kernel& kernel, Type type, UniformIn uniform_in, int depth);

/// Return random expressions. random_learner_arithmetic() mixes integers of two types.
/// random_learner_floating_point() leaves the rounding of floating-point values to the compiler.
std::string random_learner_arithmetic(Kernel& kernel, Type type, UniformIn uniform_in, int depth);
std::string random_learner_floating_point(Kernel& kernel, Type type, UniformIn uniform_in,
                                          int depth);

/// Returns `pattern` with $1 ... $9 replaced by `arguments`, each @word replaced by its name in
/// this kernel, and each of these placeholders replaced by a random expression:
///   $u $i $U $I  u32, i32, u64, i64
///   $f $d        float, double
///   $b           a condition
///   $k           a 32-bit constant
///   $n           a number from 1 to 31
std::string expand_pattern(Kernel& kernel, const std::string& pattern, UniformIn uniform_in,
                           int depth, const std::vector<PatternArgument>& arguments = {});
/// Like expand_pattern(), but replaces only $1 ... $9.
std::string fill_arguments(const std::string& pattern,
                           const std::vector<PatternArgument>& arguments);

std::string random_constant(Kernel& kernel, Type type);
/// Converts `text`, an expression of type `from`, to type `to`. If necessary, first limits
/// floating-point values to the range of the integer type.
std::string convert_expression(Kernel& kernel, const std::string& text, Type from, Type to);

/// Returns a variable to which code at `place` may assign a value. `value_scope` is a set of
/// threads, such as a warp, that all assign the same value.
const Variable& random_assignable_variable(Kernel& kernel, const StatementPlace& place,
                                           UniformIn value_scope = UniformIn::thread);
/// Adds code that mixes the value of `pattern`, an expression of type `from`, into a variable, so
/// that the value influences the kernel's results.
void generate_use_of_pattern(Kernel& kernel, const StatementPlace& place,
                             const std::string& pattern, Type from = Type::u32,
                             UniformIn value_scope = UniformIn::thread);

/// Add to the globals both overloads of the device function limited(), and the array numbers[8].
void define_limited_function(Kernel& kernel);
void define_numbers_array(Kernel& kernel);

Type random_type(Kernel& kernel);
Type random_integer_type(Kernel& kernel);
UniformIn random_uniform_scope(Kernel& kernel);
/// Returns an expression for an iteration count from 1 to `max_iterations`. The count is the same
/// for all threads of the scope `uniform_in`.
std::string random_iteration_count(Kernel& kernel, UniformIn uniform_in, int max_iterations);

}  // namespace coalesce::campaign
