// Writes a trace as JSON. Does not use a JSON library, because a trace can contain millions of
// numbers.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "simulator/base/half.h"
#include "simulator/trace/block_trace.h"

namespace coalesce::simulator {
namespace {

/// The largest integer up to which all JSON readers represent integers exactly. Larger integers are
/// written as strings.
constexpr u64 kLargestExact = u64{1} << 53;

constexpr const char* kKindNames[] = {"int", "uint", "bool", "char", "float", "pointer"};
constexpr const char* kReasonNames[] = {"other path",      "barrier", "warp sync",
                                        "cluster barrier", "memory",  "exited"};
constexpr const char* kAccessNames[] = {"load", "store", "atomic"};

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
public:
    explicit TraceWriter(const BlockTrace& trace) : trace_(trace) {}

    std::string write() {
        text_ = "{\"version\":" + std::to_string(kTraceVersion);
        member("kernel", quoted(trace_.kernel));
        member("grid", array_of(trace_.grid));
        member("block", array_of(trace_.block));
        member("block_index", array_of(trace_.block_index));
        member("has_variables", trace_.has_variables ? "true" : "false");
        member("is_complete", trace_.is_complete ? "true" : "false");
        list("files", trace_.files, [&](const std::string& one) { text_ += quoted(one); });
        list("functions", trace_.functions, [&](const std::string& one) { text_ += quoted(one); });
        list("ptx", trace_.instructions, [&](const std::vector<std::string>& lines) {
            text_ += '[';
            for (std::size_t k = 0; k < lines.size(); ++k)
                (text_ += k ? "," : "") += quoted(lines[k]);
            text_ += ']';
        });
        list("variables", trace_.variables, [&](const TracedVariable& one) { variable(one); });
        list("arrays", trace_.arrays, [&](const TracedArray& one) { array(one); });
        list("steps", trace_.steps, [&](const Step& one) { step(one); });
        list("moments", trace_.moments, [&](const Moment& one) { moment(one); });
        return text_ += "}\n";
    }

private:
    static std::string array_of(Dim3 dim) {
        return "[" + std::to_string(dim.x) + "," + std::to_string(dim.y) + "," +
               std::to_string(dim.z) + "]";
    }

    void member(const char* name, const std::string& value) {
        ((text_ += ",\"") += name) += "\":";
        text_ += value;
    }
    void member(const char* name, u64 value) { member(name, std::to_string(value)); }

    template <class List, class Each>
    void list(const char* name, const List& values, Each each) {
        ((text_ += text_.back() == '{' ? "\"" : ",\"") += name) += "\":[";
        bool is_first = true;
        for (const auto& value : values) {
            if (!std::exchange(is_first, false)) text_ += values.size() > 8 ? ",\n" : ",";
            each(value);
        }
        text_ += ']';
    }

    void type(const ScalarType& type) {
        member("type", quoted(type.name));
        member("kind", quoted(kKindNames[static_cast<int>(type.kind)]));
        member("bytes", type.bytes);
    }

    void variable(const TracedVariable& one) {
        text_ += "{\"name\":" + quoted(one.name);
        member("function", one.function);
        type(one.type);
        text_ += ",\"lines\":[" + std::to_string(one.first_line) + "," +
                 std::to_string(one.last_line) + "]}";
    }

    void array(const TracedArray& one) {
        text_ += "{\"name\":" + quoted(one.name);
        member("space", one.is_shared ? "\"shared\"" : "\"global\"");
        member("address", quoted(std::to_string(one.address)));
        member("size", one.bytes);
        type(one.element);
        list("extents", one.extents, [&](u32 extent) { text_ += std::to_string(extent); });
        text_ += '}';
    }

    /// Appends a value as a number if JSON can represent it, and as a string otherwise.
    void value(u64 bits, const ScalarType& type) {
        if (type.kind == ScalarKind::real) return real(bits, type.bytes);
        if (type.kind == ScalarKind::boolean) {
            text_ += bits ? "true" : "false";
        } else if (type.kind == ScalarKind::pointer) {
            char hex[24];
            std::snprintf(hex, sizeof hex, "\"0x%llx\"", static_cast<unsigned long long>(bits));
            text_ += hex;
        } else if (type.kind == ScalarKind::unsigned_integer) {
            text_ += bits > kLargestExact ? quoted(std::to_string(bits)) : std::to_string(bits);
        } else {
            const u32 unused = 64 - 8 * std::min(std::max(type.bytes, 1u), 8u);
            const i64 number = static_cast<i64>(bits << unused) >> unused;
            const u64 size = static_cast<u64>(number < 0 ? -number : number);
            text_ += size > kLargestExact ? quoted(std::to_string(number)) : std::to_string(number);
        }
    }

    void real(u64 bits, u32 bytes) {
        double number = 0;
        if (bytes == 8) {
            std::memcpy(&number, &bits, sizeof number);
        } else {
            const u32 low = static_cast<u32>(bits);
            float single;
            std::memcpy(&single, &low, sizeof single);
            number = bytes == 2 ? to_float(F16{static_cast<u16>(bits)}) : single;
        }
        char text[40];
        // In some exercises a NaN encodes bits of the input, so write the bits of a NaN too.
        if (std::isnan(number))
            std::snprintf(text, sizeof text, "\"nan:0x%llx\"",
                          static_cast<unsigned long long>(bits));
        else if (std::isinf(number))
            std::snprintf(text, sizeof text, number < 0 ? "\"-inf\"" : "\"inf\"");
        else
            std::snprintf(text, sizeof text, bytes == 8 ? "%.17g" : "%.9g", number);
        text_ += text;
    }

    void step(const Step& one) {
        text_ += "{\"warp\":" + std::to_string(one.warp);
        member("function", one.function);
        member("file", one.file);
        member("line", one.line);
        member("active", one.active);
        text_ += ",\"ptx\":[" + std::to_string(one.first_instruction) + "," +
                 std::to_string(one.instructions) + "]";
        if (one.bytes_in_flight) member("in_flight", one.bytes_in_flight);
        if (!one.waiting.empty())
            list("waiting", one.waiting, [&](const WaitingLanes& lanes) {
                text_ += "{\"lanes\":" + std::to_string(lanes.lanes);
                member("why", quoted(kReasonNames[static_cast<int>(lanes.reason)]));
                member("line", lanes.line);
                text_ += '}';
            });
        if (!one.changes.empty())
            list("set", one.changes, [&](const VariableChange& one_change) { change(one_change); });
        if (!one.accesses.empty())
            list("accesses", one.accesses, [&](const StepAccess& access) { this->access(access); });
        if (!one.barriers.empty())
            list("barriers", one.barriers, [&](const BarrierArrival& arrival) {
                text_ += "{\"barrier\":" + std::to_string(arrival.barrier);
                member("arrived", arrival.arrived);
                member("expected", arrival.expected);
                member("complete", arrival.is_complete ? "true" : "false");
                text_ += '}';
            });
        text_ += '}';
    }

    void change(const VariableChange& one) {
        text_ += "[" + std::to_string(one.variable) + "," + std::to_string(one.lanes);
        const auto count = static_cast<u32>(std::popcount(one.lanes));
        for (u32 k = 0; k < count; ++k) {
            text_ += ',';
            if (one.is_unset)
                text_ += "null";
            else
                value(trace_.values[one.first_value + k], trace_.variables[one.variable].type);
        }
        text_ += ']';
    }

    void access(const StepAccess& one) {
        const TracedArray& array = trace_.arrays[one.array];
        text_ += "{\"kind\":" + quoted(kAccessNames[static_cast<int>(one.kind)]);
        member("array", one.array);
        member("lanes", one.lanes);
        member("bytes", one.bytes);
        member(array.is_shared ? "wavefronts" : "sectors", one.cost);
        member("ideal", one.ideal);
        if (one.is_asynchronous) member("asynchronous", "true");
        const auto count = static_cast<u32>(std::popcount(one.lanes));
        const u64* values = trace_.values.data() + one.first_value;
        text_ += ",\"offsets\":[";
        for (u32 k = 0; k < count; ++k)
            (text_ += k ? "," : "") +=
                std::to_string(static_cast<i64>(values[k * (one.elements + 1)]));
        text_ += "],\"values\":[";
        for (u32 k = 0; k < count; ++k) {
            for (u32 e = 0; e < one.elements; ++e) {
                if (k + e) text_ += ',';
                value(values[k * (one.elements + 1) + 1 + e], array.element);
            }
        }
        text_ += "]}";
    }

    void moment(const Moment& one) {
        const Report& report = one.report;
        const Dim3 shape = trace_.block;
        const u64 thread =
            report.thread.x + u64{shape.x} * (report.thread.y + u64{shape.y} * report.thread.z);
        text_ += "{\"step\":" + std::to_string(one.step);
        member("check", quoted(report.check));
        member("kind", quoted(report.kind));
        member("line", report.where.line);
        member("thread", thread);
        member("message", quoted(report.message));
        if (report.other.line) member("other_line", report.other.line);
        text_ += '}';
    }

    const BlockTrace& trace_;
    std::string text_;
};

}  // namespace

std::string to_json(const BlockTrace& trace) {
    return TraceWriter(trace).write();
}

}  // namespace coalesce::simulator
