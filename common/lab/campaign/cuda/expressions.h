// Random expressions of C++ that are defined whatever their operands are.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/cuda/kernel.h"

namespace coalesce::campaign {

/// An expression that is the same for all that `most` speaks of; nothing in it changes a value.
std::string value(Kernel& kernel, Type type, Same most, int depth);
std::string condition(Kernel& kernel, Same most, int depth);
/// Of an instruction that no expression of C++ gives, or seldom: a call of a device function of one or few.
std::string assembly(Kernel& kernel, Type type, Same most, int depth);

/// Operators of C++ on whole numbers of two types, and on reals, whose rounding they leave to the compiler.
std::string learner_arithmetic(Kernel& kernel, Type type, Same most, int depth);
std::string learner_real(Kernel& kernel, Type type, Same most, int depth);

/// `pattern` with $1 ... $9 replaced by `given`, each @word by the name that it stands for, and each letter
/// by a random value:
/// $u $i $U $I  u32, i32, u64, i64      $f $d  float, double      $b  a condition
/// $k  a constant of 32 bits            $n  a number from 1 to 31
std::string expand(Kernel& kernel, const std::string& pattern, Same most, int depth,
                   const std::vector<Given>& given = {});
/// The same without letters and names.
std::string fill(const std::string& pattern, const std::vector<Given>& given);

std::string constant(Kernel& kernel, Type type);
/// `text`, an expression of type `from`, as a `to`. Reals of any size become numbers in range.
std::string convert(Kernel& kernel, const std::string& text, Type from, Type to);

/// A variable to assign a value of class `value` to, at `place`.
const Variable& target(Kernel& kernel, const Place& place, Same value = Same::thread);
/// Puts what a pattern gives, of type `from`, into some variable, so that it is seen in the results.
void absorb(Kernel& kernel, const Place& place, const std::string& pattern, Type from = Type::u32,
            Same value = Same::thread);

/// The device functions limited(), and the array numbers[8].
void need_limited(Kernel& kernel);
void need_numbers(Kernel& kernel);

Type any_type(Kernel& kernel);
Type any_integer(Kernel& kernel);
Same any_class(Kernel& kernel);
/// A number of turns from 1 to `most` as an expression of this class.
std::string turns(Kernel& kernel, Same same, int most);

}  // namespace coalesce::campaign
