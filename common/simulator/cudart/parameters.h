// Macros that define a function with the same parameters as another function. The parameter types
// are derived from the type of the other function.
#pragma once

#include <cstddef>
#include <tuple>

namespace coalesce::simulator::cudart {

/// The type of parameter `index` (counted from 0) of a function.
template <std::size_t index, class Function>
struct ParameterType;
template <std::size_t index, class Result, class... Parameters>
struct ParameterType<index, Result(Parameters...)> {
    using Type = std::tuple_element_t<index, std::tuple<Parameters...>>;
};
template <std::size_t index, class Function>
using Parameter = typename ParameterType<index, Function>::Type;

}  // namespace coalesce::simulator::cudart

#define COALESCE_PARAMETER(f, index) coalesce::simulator::cudart::Parameter<index, decltype(f)>
#define COALESCE_PARAMETERS_0(f)
#define COALESCE_PARAMETERS_1(f) COALESCE_PARAMETER(f, 0) a
#define COALESCE_PARAMETERS_2(f) COALESCE_PARAMETERS_1(f), COALESCE_PARAMETER(f, 1) b
#define COALESCE_PARAMETERS_3(f) COALESCE_PARAMETERS_2(f), COALESCE_PARAMETER(f, 2) c
#define COALESCE_PARAMETERS_4(f) COALESCE_PARAMETERS_3(f), COALESCE_PARAMETER(f, 3) d
#define COALESCE_PARAMETERS_5(f) COALESCE_PARAMETERS_4(f), COALESCE_PARAMETER(f, 4) e
#define COALESCE_PARAMETERS_6(f) COALESCE_PARAMETERS_5(f), COALESCE_PARAMETER(f, 5) g
#define COALESCE_PARAMETERS_7(f) COALESCE_PARAMETERS_6(f), COALESCE_PARAMETER(f, 6) h
#define COALESCE_PARAMETERS_8(f) COALESCE_PARAMETERS_7(f), COALESCE_PARAMETER(f, 7) i
#define COALESCE_PARAMETERS_9(f) COALESCE_PARAMETERS_8(f), COALESCE_PARAMETER(f, 8) j
/// The names of the parameters that COALESCE_PARAMETERS_n declares, each preceded by a comma, so
/// that they can follow another argument in a call.
#define COALESCE_ARGUMENTS_0
#define COALESCE_ARGUMENTS_1 , a
#define COALESCE_ARGUMENTS_2 , a, b
#define COALESCE_ARGUMENTS_3 , a, b, c
#define COALESCE_ARGUMENTS_4 , a, b, c, d
#define COALESCE_ARGUMENTS_5 , a, b, c, d, e
#define COALESCE_ARGUMENTS_6 , a, b, c, d, e, g
#define COALESCE_ARGUMENTS_7 , a, b, c, d, e, g, h
#define COALESCE_ARGUMENTS_8 , a, b, c, d, e, g, h, i
#define COALESCE_ARGUMENTS_9 , a, b, c, d, e, g, h, i, j

/// Defines the function `call`, which has the same `count` parameters as `body`. `call` runs `body`
/// through the function template `how`, for example run_call() (api.h).
#define COALESCE_BY(how, call, body, count)                    \
    cudaError_t call(COALESCE_PARAMETERS_##count(body)) {      \
        return how(__func__, body COALESCE_ARGUMENTS_##count); \
    }                                                          \
    static_assert(true)
