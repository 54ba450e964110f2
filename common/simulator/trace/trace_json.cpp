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

std::string quote_json(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
public:
    explicit TraceWriter(const BlockTrace& trace) : trace_(trace) {}

    std::string write_json() {
        text_ = "{\"version\":" + std::to_string(kTraceVersion);
        write_member("kernel", quote_json(trace_.kernel));
        write_member("grid", format_dim(trace_.grid));
        write_member("block", format_dim(trace_.block));
        write_member("block_index", format_dim(trace_.block_index));
        write_member("has_variables", trace_.has_variables ? "true" : "false");
        write_member("is_complete", trace_.is_complete ? "true" : "false");
        write_list("files", trace_.files,
                   [&](const std::string& item) { text_ += quote_json(item); });
        write_list("functions", trace_.functions,
                   [&](const std::string& item) { text_ += quote_json(item); });
        write_list("ptx", trace_.instructions, [&](const std::vector<std::string>& lines) {
            text_ += '[';
            for (std::size_t k = 0; k < lines.size(); ++k)
                (text_ += k ? "," : "") += quote_json(lines[k]);
            text_ += ']';
        });
        write_list("variables", trace_.variables,
                   [&](const TracedVariable& item) { write_variable(item); });
        write_list("arrays", trace_.arrays, [&](const TracedArray& item) { write_array(item); });
        write_list("steps", trace_.steps, [&](const Step& item) { write_step(item); });
        write_list("moments", trace_.moments, [&](const Moment& item) { write_moment(item); });
        return text_ += "}\n";
    }

private:
    static std::string format_dim(Dim3 dim) {
        return "[" + std::to_string(dim.x) + "," + std::to_string(dim.y) + "," +
               std::to_string(dim.z) + "]";
    }

    void write_member(const char* name, const std::string& value) {
        ((text_ += ",\"") += name) += "\":";
        text_ += value;
    }
    void write_member(const char* name, u64 value) { write_member(name, std::to_string(value)); }

    template <class List, class Each>
    void write_list(const char* name, const List& values, Each write_item) {
        ((text_ += text_.back() == '{' ? "\"" : ",\"") += name) += "\":[";
        bool is_first = true;
        for (const auto& value : values) {
            if (!std::exchange(is_first, false)) text_ += values.size() > 8 ? ",\n" : ",";
            write_item(value);
        }
        text_ += ']';
    }

    void write_type(const ScalarType& type) {
        write_member("type", quote_json(type.name));
        write_member("kind", quote_json(kKindNames[static_cast<int>(type.kind)]));
        write_member("bytes", type.bytes);
    }

    void write_variable(const TracedVariable& item) {
        text_ += "{\"name\":" + quote_json(item.name);
        write_member("function", item.function);
        write_type(item.type);
        text_ += ",\"lines\":[" + std::to_string(item.first_line) + "," +
                 std::to_string(item.last_line) + "]}";
    }

    void write_array(const TracedArray& item) {
        text_ += "{\"name\":" + quote_json(item.name);
        write_member("space", item.is_shared ? "\"shared\"" : "\"global\"");
        write_member("address", quote_json(std::to_string(item.address)));
        write_member("size", item.bytes);
        write_type(item.element);
        write_list("extents", item.extents, [&](u32 extent) { text_ += std::to_string(extent); });
        text_ += '}';
    }

    /// Appends a value as a number if JSON can represent it, and as a string otherwise.
    void write_value(u64 bits, const ScalarType& value_type) {
        if (value_type.kind == ScalarKind::real) return write_real(bits, value_type.bytes);
        if (value_type.kind == ScalarKind::boolean) {
            text_ += bits ? "true" : "false";
        } else if (value_type.kind == ScalarKind::pointer) {
            char hex[24];
            std::snprintf(hex, sizeof hex, "\"0x%llx\"", static_cast<unsigned long long>(bits));
            text_ += hex;
        } else if (value_type.kind == ScalarKind::unsigned_integer) {
            text_ += bits > kLargestExact ? quote_json(std::to_string(bits)) : std::to_string(bits);
        } else {
            const u32 unused_bits = 64 - 8 * std::min(std::max(value_type.bytes, 1u), 8u);
            const i64 number = static_cast<i64>(bits << unused_bits) >> unused_bits;
            const u64 size = static_cast<u64>(number < 0 ? -number : number);
            text_ +=
                size > kLargestExact ? quote_json(std::to_string(number)) : std::to_string(number);
        }
    }

    void write_real(u64 bits, u32 bytes) {
        double number = 0;
        if (bytes == 8) {
            std::memcpy(&number, &bits, sizeof number);
        } else {
            const u32 low = static_cast<u32>(bits);
            float float_value;
            std::memcpy(&float_value, &low, sizeof float_value);
            number = bytes == 2 ? to_float(F16{static_cast<u16>(bits)}) : float_value;
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

    void write_step(const Step& item) {
        text_ += "{\"warp\":" + std::to_string(item.warp);
        write_member("function", item.function);
        write_member("file", item.file);
        write_member("line", item.line);
        write_member("active", item.active);
        text_ += ",\"ptx\":[" + std::to_string(item.first_instruction) + "," +
                 std::to_string(item.instructions) + "]";
        if (item.bytes_in_flight) write_member("in_flight", item.bytes_in_flight);
        if (!item.waiting.empty())
            write_list("waiting", item.waiting, [&](const WaitingLanes& lanes) {
                text_ += "{\"lanes\":" + std::to_string(lanes.lanes);
                write_member("why", quote_json(kReasonNames[static_cast<int>(lanes.reason)]));
                write_member("line", lanes.line);
                text_ += '}';
            });
        if (!item.changes.empty())
            write_list("set", item.changes,
                       [&](const VariableChange& one_change) { write_change(one_change); });
        if (!item.accesses.empty())
            write_list("accesses", item.accesses,
                       [&](const StepAccess& access) { this->write_access(access); });
        if (!item.barriers.empty())
            write_list("barriers", item.barriers, [&](const BarrierArrival& arrival) {
                text_ += "{\"barrier\":" + std::to_string(arrival.barrier);
                write_member("arrived", arrival.arrived);
                write_member("expected", arrival.expected);
                write_member("complete", arrival.is_complete ? "true" : "false");
                text_ += '}';
            });
        text_ += '}';
    }

    void write_change(const VariableChange& item) {
        text_ += "[" + std::to_string(item.variable) + "," + std::to_string(item.lanes);
        const auto count = static_cast<u32>(std::popcount(item.lanes));
        for (u32 k = 0; k < count; ++k) {
            text_ += ',';
            if (item.is_unset)
                text_ += "null";
            else
                write_value(trace_.values[item.first_value + k],
                            trace_.variables[item.variable].type);
        }
        text_ += ']';
    }

    void write_access(const StepAccess& item) {
        const TracedArray& array = trace_.arrays[item.array];
        text_ += "{\"kind\":" + quote_json(kAccessNames[static_cast<int>(item.kind)]);
        write_member("array", item.array);
        write_member("lanes", item.lanes);
        write_member("bytes", item.bytes);
        write_member(array.is_shared ? "wavefronts" : "sectors", item.cost);
        write_member("ideal", item.ideal);
        if (item.is_asynchronous) write_member("asynchronous", "true");
        const auto count = static_cast<u32>(std::popcount(item.lanes));
        const u64* values = trace_.values.data() + item.first_value;
        text_ += ",\"offsets\":[";
        for (u32 k = 0; k < count; ++k)
            (text_ += k ? "," : "") +=
                std::to_string(static_cast<i64>(values[k * (item.elements + 1)]));
        text_ += "],\"values\":[";
        for (u32 k = 0; k < count; ++k) {
            for (u32 e = 0; e < item.elements; ++e) {
                if (k + e) text_ += ',';
                write_value(values[k * (item.elements + 1) + 1 + e], array.element);
            }
        }
        text_ += "]}";
    }

    /// Returns the line that the report names. If that line is not in the file of the step, but in
    /// a header whose function was inlined, returns the line of the step.
    u32 find_moment_line(const Moment& moment) const {
        const Step& step = trace_.steps[moment.step];
        const bool is_in_same_file =
            step.file >= trace_.files.size() || trace_.files[step.file] == moment.report.where.file;
        return is_in_same_file || step.line == 0 ? moment.report.where.line : step.line;
    }

    void write_moment(const Moment& item) {
        const Report& report = item.report;
        const Dim3 shape = trace_.block;
        const u64 thread =
            report.thread.x + u64{shape.x} * (report.thread.y + u64{shape.y} * report.thread.z);
        text_ += "{\"step\":" + std::to_string(item.step);
        write_member("check", quote_json(report.check));
        write_member("kind", quote_json(report.kind));
        write_member("line", find_moment_line(item));
        write_member("thread", thread);
        write_member("message", quote_json(report.message));
        if (report.other.line) write_member("other_line", report.other.line);
        text_ += '}';
    }

    const BlockTrace& trace_;
    std::string text_;
};

}  // namespace

std::string to_json(const BlockTrace& trace) {
    return TraceWriter(trace).write_json();
}

}  // namespace coalesce::simulator
