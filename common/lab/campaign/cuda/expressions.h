// Random C++ expressions that are defined for all values of their operands.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/cuda/kernel.h"

namespace coalesce::campaign {

/// Returns an expression without side effects that is uniform across the scope `most` (a warp, a
/// block, ...).
std::string value(Kernel& kernel, Type type, UniformIn most, int depth);
std::string condition(Kernel& kernel, UniformIn most, int depth);
/// Returns a call to a device function that consists of one or a few assembly instructions, which
/// compilers rarely or never generate from C++.
std::string assembly(Kernel& kernel, Type type, UniformIn most, int depth);

/// Returns an expression that mixes integers of two types. learner_real() returns a floating-point
/// expression whose rounding is left to the compiler.
std::string learner_arithmetic(Kernel& kernel, Type type, UniformIn most, int depth);
std::string learner_real(Kernel& kernel, Type type, UniformIn most, int depth);

/// Returns `pattern` with $1 ... $9 replaced by `given`, each @word replaced by its name in this
/// kernel, and each of these placeholders replaced by a random expression:
///    $u $i $U $I  u32, i32, u64, i64      $f $d  float, double      $b  a condition
///    $k  a 32-bit constant                $n  a number from 1 to 31
std::string expand(Kernel& kernel, const std::string& pattern, UniformIn most, int depth,
                   const std::vector<PatternArgument>& given = {});
/// Like expand(), but replaces only $1 ... $9.
std::string fill(const std::string& pattern, const std::vector<PatternArgument>& given);

std::string constant(Kernel& kernel, Type type);
/// Converts `text`, an expression of type `from`, to type `to`. Floating-point values are first
/// limited to the range of the integer type.
std::string convert(Kernel& kernel, const std::string& text, Type from, Type to);

/// Returns a variable that may be assigned at `place`. The new value is uniform across `value`.
const Variable& target(Kernel& kernel, const StatementPlace& place,
                       UniformIn value = UniformIn::thread);
/// Mixes the value of a pattern of type `from` into some variable, so that the value influences the
/// results.
void absorb(Kernel& kernel, const StatementPlace& place, const std::string& pattern,
            Type from = Type::u32, UniformIn value = UniformIn::thread);

/// Adds both overloads of the device function limited() to the globals; define_numbers_array() adds
/// the array numbers[8].
void define_limited_function(Kernel& kernel);
void define_numbers_array(Kernel& kernel);

Type random_type(Kernel& kernel);
Type random_integer_type(Kernel& kernel);
UniformIn random_sharing(Kernel& kernel);
/// Returns an expression for an iteration count from 1 to `most` that is uniform across the scope
/// `same`.
std::string iteration_count(Kernel& kernel, UniformIn same, int most);

}  // namespace coalesce::campaign
