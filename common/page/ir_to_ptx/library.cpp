// Functions for 128-bit integers. For these integers, the GPU has instructions only for addition
// and subtraction. library_calls.cpp replaces an instruction or an intrinsic with a call to a
// function with a similar name.
//
//     %q = udiv i128 %a, %b                becomes  %q = call i128 @coalesce.udiv.i128(i128 %a, i128 %b)
//     call i128 @llvm.umin.i128(...)       becomes  call i128 @coalesce.umin.i128(...)
#include "page/ir_to_ptx/library.h"

namespace coalesce::translator {

const char* const kLibrary = R"(
; Long division, from the highest bit of %a to the lowest: shifts the next bit into the remainder, and
; subtracts %b if it fits. The bits of the quotient are shifted into %a from below.
define internal i128 @coalesce.udiv.i128(i128 %a, i128 %b) {
begin:
  %either = or i128 %a, %b
  %fits_64 = icmp ult i128 %either, 18446744073709551616
  br i1 %fits_64, label %short, label %long
short:
  %a64 = trunc i128 %a to i64
  %b64 = trunc i128 %b to i64
  %q64 = udiv i64 %a64, %b64
  %q_short = zext i64 %q64 to i128
  ret i128 %q_short
long:
  %is_less = icmp ult i128 %a, %b
  br i1 %is_less, label %none, label %normalise
none:
  ret i128 0
normalise:
  %zeros = call i128 @coalesce.ctlz.i128(i128 %a, i1 false)
  %first = shl i128 %a, %zeros
  %bits = sub i128 128, %zeros
  br label %next
next:
  %q = phi i128 [ %first, %normalise ], [ %q_after, %next ]
  %rest = phi i128 [ 0, %normalise ], [ %rest_after, %next ]
  %left = phi i128 [ %bits, %normalise ], [ %left_after, %next ]
  %top = lshr i128 %q, 127
  %rest_up = shl i128 %rest, 1
  %rest_in = or i128 %rest_up, %top
  %was_high = icmp slt i128 %rest, 0
  %is_enough = icmp uge i128 %rest_in, %b
  %fits = or i1 %was_high, %is_enough
  %taken = sub i128 %rest_in, %b
  %rest_after = select i1 %fits, i128 %taken, i128 %rest_in
  %q_up = shl i128 %q, 1
  %bit = zext i1 %fits to i128
  %q_after = or i128 %q_up, %bit
  %left_after = sub i128 %left, 1
  %is_done = icmp eq i128 %left_after, 0
  br i1 %is_done, label %done, label %next
done:
  ret i128 %q_after
}

define internal i128 @coalesce.urem.i128(i128 %a, i128 %b) {
  %q = call i128 @coalesce.udiv.i128(i128 %a, i128 %b)
  %whole = mul i128 %q, %b
  %rest = sub i128 %a, %whole
  ret i128 %rest
}

define internal i128 @coalesce.sdiv.i128(i128 %a, i128 %b) {
  %size_a = call i128 @coalesce.abs.i128(i128 %a, i1 false)
  %size_b = call i128 @coalesce.abs.i128(i128 %b, i1 false)
  %size = call i128 @coalesce.udiv.i128(i128 %size_a, i128 %size_b)
  %signs = xor i128 %a, %b
  %is_negative = icmp slt i128 %signs, 0
  %negative = sub i128 0, %size
  %q = select i1 %is_negative, i128 %negative, i128 %size
  ret i128 %q
}

define internal i128 @coalesce.srem.i128(i128 %a, i128 %b) {
  %q = call i128 @coalesce.sdiv.i128(i128 %a, i128 %b)
  %whole = mul i128 %q, %b
  %rest = sub i128 %a, %whole
  ret i128 %rest
}

; ---- conversions to and from floating point ----

; Shifts %a up until its highest bit is 1. Returns the upper 64 bits, which round as all 128 bits would:
; the lowest of them is also set if any bit below is. Also returns the exponent that undoes the shift.
define internal { i64, i64 } @coalesce.rounded(i128 %a) {
  %zeros = call i128 @coalesce.ctlz.i128(i128 %a, i1 false)
  %up = shl i128 %a, %zeros
  %down = lshr i128 %up, 64
  %high = trunc i128 %down to i64
  %low = trunc i128 %up to i64
  %has_more = icmp ne i64 %low, 0
  %sticky = zext i1 %has_more to i64
  %top = or i64 %high, %sticky
  %zeros64 = trunc i128 %zeros to i64
  %power = sub i64 64, %zeros64
  %one = insertvalue { i64, i64 } poison, i64 %top, 0
  %both = insertvalue { i64, i64 } %one, i64 %power, 1
  ret { i64, i64 } %both
}

define internal float @coalesce.uitofp.i128.float(i128 %a) {
  %parts = call { i64, i64 } @coalesce.rounded(i128 %a)
  %top = extractvalue { i64, i64 } %parts, 0
  %power = extractvalue { i64, i64 } %parts, 1
  %number = uitofp i64 %top to float
  %exponent = add i64 %power, 127
  %exponent32 = trunc i64 %exponent to i32
  %bits = shl i32 %exponent32, 23
  %scale = bitcast i32 %bits to float
  %d = fmul float %number, %scale
  ret float %d
}

define internal double @coalesce.uitofp.i128.double(i128 %a) {
  %parts = call { i64, i64 } @coalesce.rounded(i128 %a)
  %top = extractvalue { i64, i64 } %parts, 0
  %power = extractvalue { i64, i64 } %parts, 1
  %number = uitofp i64 %top to double
  %exponent = add i64 %power, 1023
  %bits = shl i64 %exponent, 52
  %scale = bitcast i64 %bits to double
  %d = fmul double %number, %scale
  ret double %d
}

define internal float @coalesce.sitofp.i128.float(i128 %a) {
  %size = call i128 @coalesce.abs.i128(i128 %a, i1 false)
  %number = call float @coalesce.uitofp.i128.float(i128 %size)
  %negative = fneg float %number
  %is_negative = icmp slt i128 %a, 0
  %d = select i1 %is_negative, float %negative, float %number
  ret float %d
}

define internal double @coalesce.sitofp.i128.double(i128 %a) {
  %size = call i128 @coalesce.abs.i128(i128 %a, i1 false)
  %number = call double @coalesce.uitofp.i128.double(i128 %size)
  %negative = fneg double %number
  %is_negative = icmp slt i128 %a, 0
  %d = select i1 %is_negative, double %negative, double %number
  ret double %d
}

; For values from 2^64 on, shifts the 53-bit significand up by the exponent.
define internal i128 @coalesce.fptoui.double.i128(double %a) {
  %is_long = fcmp oge double %a, 0x43F0000000000000
  br i1 %is_long, label %long, label %short
short:
  %d64 = fptoui double %a to i64
  %d_short = zext i64 %d64 to i128
  ret i128 %d_short
long:
  %bits = bitcast double %a to i64
  %exponent = lshr i64 %bits, 52
  %up = sub i64 %exponent, 1075
  %fraction = and i64 %bits, 4503599627370495
  %whole = or i64 %fraction, 4503599627370496
  %whole128 = zext i64 %whole to i128
  %up128 = zext i64 %up to i128
  %d = shl i128 %whole128, %up128
  ret i128 %d
}

define internal i128 @coalesce.fptosi.double.i128(double %a) {
  %negative = fneg double %a
  %is_negative = fcmp olt double %a, 0.0
  %size = select i1 %is_negative, double %negative, double %a
  %number = call i128 @coalesce.fptoui.double.i128(double %size)
  %below = sub i128 0, %number
  %d = select i1 %is_negative, i128 %below, i128 %number
  ret i128 %d
}

define internal i128 @coalesce.fptoui.float.i128(float %a) {
  %wide = fpext float %a to double
  %d = call i128 @coalesce.fptoui.double.i128(double %wide)
  ret i128 %d
}

define internal i128 @coalesce.fptosi.float.i128(float %a) {
  %wide = fpext float %a to double
  %d = call i128 @coalesce.fptosi.double.i128(double %wide)
  ret i128 %d
}

; ---- minimums, maximums, absolute values, bit counts ----

define internal i128 @coalesce.umin.i128(i128 %a, i128 %b) {
  %is_first = icmp ult i128 %a, %b
  %d = select i1 %is_first, i128 %a, i128 %b
  ret i128 %d
}

define internal i128 @coalesce.umax.i128(i128 %a, i128 %b) {
  %is_first = icmp ugt i128 %a, %b
  %d = select i1 %is_first, i128 %a, i128 %b
  ret i128 %d
}

define internal i128 @coalesce.smin.i128(i128 %a, i128 %b) {
  %is_first = icmp slt i128 %a, %b
  %d = select i1 %is_first, i128 %a, i128 %b
  ret i128 %d
}

define internal i128 @coalesce.smax.i128(i128 %a, i128 %b) {
  %is_first = icmp sgt i128 %a, %b
  %d = select i1 %is_first, i128 %a, i128 %b
  ret i128 %d
}

define internal i128 @coalesce.abs.i128(i128 %a, i1 %any) {
  %is_negative = icmp slt i128 %a, 0
  %negative = sub i128 0, %a
  %d = select i1 %is_negative, i128 %negative, i128 %a
  ret i128 %d
}

define internal i128 @coalesce.ctpop.i128(i128 %a) {
  %low = trunc i128 %a to i64
  %down = lshr i128 %a, 64
  %high = trunc i128 %down to i64
  %count_low = call i64 @llvm.ctpop.i64(i64 %low)
  %count_high = call i64 @llvm.ctpop.i64(i64 %high)
  %count = add i64 %count_low, %count_high
  %d = zext i64 %count to i128
  ret i128 %d
}

define internal i128 @coalesce.ctlz.i128(i128 %a, i1 %any) {
  %low = trunc i128 %a to i64
  %down = lshr i128 %a, 64
  %high = trunc i128 %down to i64
  %count_low = call i64 @llvm.ctlz.i64(i64 %low, i1 false)
  %count_high = call i64 @llvm.ctlz.i64(i64 %high, i1 false)
  %count_both = add i64 %count_low, 64
  %is_low = icmp eq i64 %high, 0
  %count = select i1 %is_low, i64 %count_both, i64 %count_high
  %d = zext i64 %count to i128
  ret i128 %d
}

define internal i128 @coalesce.cttz.i128(i128 %a, i1 %any) {
  %low = trunc i128 %a to i64
  %down = lshr i128 %a, 64
  %high = trunc i128 %down to i64
  %count_low = call i64 @llvm.cttz.i64(i64 %low, i1 false)
  %count_high = call i64 @llvm.cttz.i64(i64 %high, i1 false)
  %count_both = add i64 %count_high, 64
  %is_high = icmp eq i64 %low, 0
  %count = select i1 %is_high, i64 %count_both, i64 %count_low
  %d = zext i64 %count to i128
  ret i128 %d
}

; ---- funnel shifts and byte swaps ----

define internal i128 @coalesce.fshl.i128(i128 %a, i128 %b, i128 %n) {
  %up = and i128 %n, 127
  %down = sub i128 127, %up
  %left = shl i128 %a, %up
  %half = lshr i128 %b, 1
  %right = lshr i128 %half, %down
  %d = or i128 %left, %right
  ret i128 %d
}

define internal i128 @coalesce.fshr.i128(i128 %a, i128 %b, i128 %n) {
  %down = and i128 %n, 127
  %up = sub i128 127, %down
  %right = lshr i128 %b, %down
  %twice = shl i128 %a, 1
  %left = shl i128 %twice, %up
  %d = or i128 %left, %right
  ret i128 %d
}

define internal i128 @coalesce.bswap.i128(i128 %a) {
  %low = trunc i128 %a to i64
  %down = lshr i128 %a, 64
  %high = trunc i128 %down to i64
  %turned_low = call i64 @llvm.bswap.i64(i64 %high)
  %turned_high = call i64 @llvm.bswap.i64(i64 %low)
  %wide_low = zext i64 %turned_low to i128
  %wide_high = zext i64 %turned_high to i128
  %up = shl i128 %wide_high, 64
  %d = or i128 %up, %wide_low
  ret i128 %d
}

; ---- arithmetic with an overflow check ----

define internal { i128, i1 } @coalesce.uadd.with.overflow.i128(i128 %a, i128 %b) {
  %sum = add i128 %a, %b
  %is_over = icmp ult i128 %sum, %a
  %one = insertvalue { i128, i1 } poison, i128 %sum, 0
  %both = insertvalue { i128, i1 } %one, i1 %is_over, 1
  ret { i128, i1 } %both
}

define internal { i128, i1 } @coalesce.usub.with.overflow.i128(i128 %a, i128 %b) {
  %difference = sub i128 %a, %b
  %is_over = icmp ult i128 %a, %b
  %one = insertvalue { i128, i1 } poison, i128 %difference, 0
  %both = insertvalue { i128, i1 } %one, i1 %is_over, 1
  ret { i128, i1 } %both
}

define internal { i128, i1 } @coalesce.umul.with.overflow.i128(i128 %a, i128 %b) {
  %product = mul i128 %a, %b
  %is_zero = icmp eq i128 %b, 0
  %by = select i1 %is_zero, i128 1, i128 %b
  %most = call i128 @coalesce.udiv.i128(i128 -1, i128 %by)
  %is_more = icmp ugt i128 %a, %most
  %is_any = xor i1 %is_zero, true
  %is_over = and i1 %is_more, %is_any
  %one = insertvalue { i128, i1 } poison, i128 %product, 0
  %both = insertvalue { i128, i1 } %one, i1 %is_over, 1
  ret { i128, i1 } %both
}

declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.bswap.i64(i64)
)";

}  // namespace coalesce::translator
