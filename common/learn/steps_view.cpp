#include "learn/steps_view.h"

#include <algorithm>
#include <bit>
#include <sstream>
#include <tuple>

#include "harness/text.h"

namespace coalesce::learn {
namespace {

constexpr int kNameColumns = 14;
/// The number of source lines to show above and below the current line.
constexpr int kSourceLinesAround = 4;

std::string fit_to_width(const std::string& text, int columns) {
    const auto width = static_cast<std::size_t>(std::max(columns, 1));
    if (text.size() <= width) return text + std::string(width - text.size(), ' ');
    return text.substr(0, width - 1) + "~";
}

std::string trim_right(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string index_text(const std::array<int, 3>& index) {
    std::string text = "(" + std::to_string(index[0]) + "," + std::to_string(index[1]);
    if (index[2] != 0) text += "," + std::to_string(index[2]);
    return text + ")";
}

std::string source_line(const SteppedProgram& subject, int line) {
    if (line < 1 || static_cast<std::size_t>(line) > subject.source.size()) return "";
    return subject.source[static_cast<std::size_t>(line) - 1];
}

std::string remove_indent(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == line.npos ? "" : line.substr(begin);
}

/// Returns the thread's index in its block, in the form "(x, y, z)" if the block has several axes.
std::string thread_text(const Steps& steps, int warp, int lane) {
    const int number = warp * kWarpLanes + lane;
    const int x = steps.block[0], y = steps.block[1];
    return index_text({number % x, number / x % y, number / x / y});
}

/// Returns the values of a variable: a single value if it is the same in all lanes, and otherwise
/// the values of the lanes in view.
std::string values_text(const LaneValues& values, std::uint32_t active, const StepsWindow& window) {
    std::uint32_t known_lanes = 0;
    const std::string* first_value = nullptr;
    bool is_uniform = true;
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
        if (values[lane].empty()) continue;
        known_lanes |= 1u << lane;
        if (first_value) is_uniform &= *first_value == values[lane];
        if (!first_value) first_value = &values[lane];
    }
    if (!first_value) return "no value yet";
    if (is_uniform && (active & ~known_lanes) == 0) return *first_value + " in all lanes";
    const int width = (window.columns - kNameColumns - 2) / kLanesInView;
    std::string text;
    for (int lane = window.first_lane; lane < window.first_lane + kLanesInView; ++lane) {
        const std::string& value = values[static_cast<std::size_t>(lane)];
        text += " " + fit_to_width(value.empty() ? "-" : value, width - 1);
    }
    return trim_right(text.substr(1));
}

std::string waits_text(const StepWait& wait) {
    const std::string lanes = name_lanes(wait.lanes);
    if (wait.reason == "exited") return lanes + " have ended.";
    const std::string line = wait.line ? " in line " + std::to_string(wait.line) : "";
    if (wait.reason == "other path")
        return lanes + " wait for the active lanes before executing line " +
               std::to_string(wait.line) + ".";
    if (wait.reason == "barrier") return lanes + " wait at the barrier" + line + ".";
    if (wait.reason == "warp sync") return lanes + " wait for other lanes of the warp" + line + ".";
    return lanes + " wait for " + (wait.reason == "memory" ? "memory" : "the " + wait.reason) +
           line + ".";
}

std::string access_headline(const Steps& steps, const StepAccess& access) {
    const StepArray& array = steps.arrays.at(access.array);
    const std::string unit = array.is_shared ? "wavefront" : "sector";
    std::string text = access.kind + (access.kind == "load" ? " from " : " to ") + array.name +
                       ": " + name_lanes(access.lanes) + ", " + std::to_string(access.bytes) +
                       " bytes each, " + format_count(static_cast<unsigned>(access.cost), unit);
    if (access.cost > access.ideal)
        text += " where " + std::to_string(access.ideal) + " would be enough";
    if (access.is_asynchronous) text += ", asynchronous";
    return text;
}

/// Returns the elements that the lanes in view access.
std::string elements_text(const Steps& steps, const StepAccess& access, const StepsWindow& window) {
    const StepArray& array = steps.arrays.at(access.array);
    const std::size_t elements =
        access.offsets.empty() ? 0 : access.values.size() / access.offsets.size();
    std::string text;
    std::size_t access_lane = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (!(access.lanes >> lane & 1)) continue;
        const std::size_t k = access_lane++;
        if (lane < window.first_lane) continue;
        const std::string name = array.element_name(access.offsets[k]);
        std::string element_text = std::to_string(lane) + ":" + name;
        if (elements > 0 && access.values[k * elements] != name)
            element_text += "=" + access.values[k * elements];
        if (elements > 1) element_text += "..";
        if (static_cast<int>(text.size() + element_text.size()) + 6 > window.columns)
            return text + " ..";
        text += (text.empty() ? "" : "  ") + element_text;
    }
    return text;
}

/// Returns a text about the value that the first lane in view loads from shared memory. The text
/// names the thread that stored the value.
std::string writer_text(const Steps& steps, std::size_t step, const StepAccess& access,
                        int first_lane) {
    const StepArray& array = steps.arrays.at(access.array);
    std::size_t access_lane = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
        if (!(access.lanes >> lane & 1)) continue;
        const std::int64_t offset = access.offsets.at(access_lane++);
        if (lane < first_lane) continue;
        const auto writer = steps.writer_before(step, access.array, offset);
        const std::string name = array.element_name(offset);
        if (!writer) return array.is_shared ? name + " has not been written yet." : "";
        return name + " was last written by thread " +
               thread_text(steps, writer->warp, writer->lane) + " in step " +
               std::to_string(writer->step + 1) + ", line " +
               std::to_string(steps.all_steps[writer->step].line) + ".";
    }
    return "";
}

std::string moment_text(const Steps& steps, const StepEvent& moment) {
    if (moment.check == "result") return "This step stores the wrong element.";
    return moment.kind + ": " + moment.message + " (thread " +
           thread_text(steps, moment.thread / kWarpLanes, moment.thread % kWarpLanes) + ", line " +
           std::to_string(moment.line) + ")";
}

/// Appends the text to `lines`, wrapped to at most `columns` characters per line.
void add_wrapped(const std::string& text, int columns, std::vector<std::string>& lines) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) {
        if (!line.empty() && static_cast<int>(line.size() + word.size()) >= columns) {
            lines.push_back(line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
}

/// Returns lines that describe the events of a step, but not its variables. Each line contains one
/// sentence or one access.
std::vector<std::string> event_lines(const Steps& steps, std::size_t step_index,
                                     const StepsWindow& window) {
    const Step& step = steps.all_steps.at(step_index);
    std::vector<std::string> lines;
    for (const StepEvent& moment : steps.moments)
        if (moment.step == step_index)
            add_wrapped(moment_text(steps, moment), window.columns, lines);
    for (const StepAccess& access : step.accesses) {
        lines.push_back(access_headline(steps, access));
        lines.push_back("  " + elements_text(steps, access, window));
        if (const std::string writer = writer_text(steps, step_index, access, window.first_lane);
            !writer.empty())
            lines.push_back("  " + writer);
    }
    for (const StepBarrier& barrier : step.barriers)
        lines.push_back("barrier " + std::to_string(barrier.barrier) + ": " +
                        std::to_string(barrier.arrived) + " of " +
                        std::to_string(barrier.expected) + " threads have arrived" +
                        (barrier.is_complete ? ", so all of them continue" : ""));
    for (const StepWait& wait : step.waits) lines.push_back(waits_text(wait));
    if (step.bytes_in_flight > 0)
        lines.push_back(std::to_string(step.bytes_in_flight) +
                        " bytes of asynchronous copies are in flight.");
    return lines;
}

/// Returns the variables in scope with their values. Variables that the step has changed come
/// before all others. Within each of these two groups, pointers come last, and the other variables
/// are sorted from the most recently declared to the oldest.
std::vector<std::string> variable_lines(const Steps& steps, std::size_t step_index,
                                        const StepsWindow& window, const Style& style) {
    const Step& step = steps.all_steps.at(step_index);
    const WarpState state = steps.state_after(step_index);
    std::vector<std::size_t> variables_in_scope;
    for (const auto& [number, values] : state.variables)
        if (steps.is_in_scope(steps.variables.at(number), step))
            variables_in_scope.push_back(number);
    const auto rank_variable = [&](std::size_t number) {
        const StepVariable& variable = steps.variables.at(number);
        return std::tuple(!state.changed.contains(number), variable.type.ends_with('*'),
                          -variable.first_line, number);
    };
    std::sort(variables_in_scope.begin(), variables_in_scope.end(),
              [&](std::size_t a, std::size_t b) { return rank_variable(a) < rank_variable(b); });
    std::vector<std::string> lines;
    for (const std::size_t number : variables_in_scope) {
        const bool is_changed = state.changed.contains(number);
        const std::string line =
            fit_to_width((is_changed ? "*" : " ") + steps.variables.at(number).name, kNameColumns) +
            " " + values_text(state.variables.at(number), step.active, window);
        lines.push_back(is_changed ? style.paint_strong(line) : line);
    }
    return lines;
}

std::string step_headline(const Steps& steps, const SteppedProgram& subject,
                          std::size_t step_index) {
    const Step& step = steps.all_steps.at(step_index);
    // Leave out the folder, so that the lanes fit into 80 columns.
    return subject.file.substr(subject.file.rfind('/') + 1) + "  " + subject.launch + "  block " +
           index_text(steps.block_index) + "  step " + std::to_string(step_index + 1) + " of " +
           std::to_string(steps.all_steps.size()) + (steps.is_complete ? "" : "+") + "  warp " +
           std::to_string(step.warp) + "  " + name_lanes(step.active);
}

std::vector<std::string> source_lines(const Steps& steps, const SteppedProgram& subject,
                                      std::size_t step_index, const StepsWindow& window,
                                      const Style& style) {
    const Step& step = steps.all_steps.at(step_index);
    std::vector<std::string> lines;
    if (step.line == 0) {
        const auto& ptx = steps.ptx.at(step.function);
        const std::size_t instructions_end =
            std::min(step.first_instruction + step.instructions, ptx.size());
        for (std::size_t k = step.first_instruction; k < instructions_end && lines.size() < 9; ++k)
            lines.push_back("> " + fit_to_width(ptx[k], window.columns - 2));
        return lines;
    }
    const int count = static_cast<int>(subject.source.size());
    const int first_line =
        std::clamp(step.line - kSourceLinesAround, 1, std::max(1, count - 2 * kSourceLinesAround));
    for (int line = first_line; line <= std::min(first_line + 2 * kSourceLinesAround, count);
         ++line) {
        const std::string number = std::to_string(line);
        const std::string text = (line == step.line ? ">" : " ") +
                                 std::string(4 - std::min<std::size_t>(number.size(), 4), ' ') +
                                 number + "  " + source_line(subject, line);
        const std::string shown_line = trim_right(fit_to_width(text, window.columns));
        lines.push_back(line == step.line ? style.paint_strong(shown_line) : shown_line);
    }
    return lines;
}

}  // namespace

std::string show_step(const Steps& steps, const SteppedProgram& subject, std::size_t step_index,
                      const StepsWindow& window, const Style& style) {
    std::vector<std::string> lines = {style.paint_strong(
        trim_right(fit_to_width(step_headline(steps, subject, step_index), window.columns)))};
    for (std::string& line : source_lines(steps, subject, step_index, window, style))
        lines.push_back(std::move(line));
    const auto count_free_lines = [&] { return window.lines - static_cast<int>(lines.size()); };

    std::vector<std::string> events = event_lines(steps, step_index, window);
    std::vector<std::string> variables = variable_lines(steps, step_index, window, style);
    // Give at most half of the screen to the events, which are usually few. The variables get the
    // remaining lines.
    const int event_line_count =
        std::min(static_cast<int>(events.size()), std::max(count_free_lines() / 2, 3));
    std::string header = fit_to_width(" lane", kNameColumns + 1);
    const int width = (window.columns - kNameColumns - 2) / kLanesInView;
    for (int lane = window.first_lane; lane < window.first_lane + kLanesInView; ++lane)
        header += fit_to_width(std::to_string(lane), width);
    lines.push_back(trim_right(header));
    const std::size_t variable_count = variables.size();
    const int variable_line_count =
        std::max(count_free_lines() - event_line_count - (event_line_count ? 1 : 0), 0);
    if (static_cast<int>(variable_count) > variable_line_count && variable_line_count > 0) {
        variables.resize(static_cast<std::size_t>(variable_line_count) - 1);
        variables.push_back(" (" + std::to_string(variable_count - variables.size()) +
                            " more variables)");
    }
    for (std::string& line : variables)
        if (count_free_lines() > 0) lines.push_back(std::move(line));
    if (event_line_count) lines.push_back("");
    for (int k = 0; k < event_line_count && count_free_lines() > 0; ++k)
        lines.push_back(
            trim_right(fit_to_width(events[static_cast<std::size_t>(k)], window.columns)));
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::string describe_step(const Steps& steps, const SteppedProgram& subject,
                          std::size_t step_index) {
    const Step& step = steps.all_steps.at(step_index);
    std::string text = "step " + std::to_string(step_index + 1) + "  warp " +
                       std::to_string(step.warp) + "  " + name_lanes(step.active);
    if (step.line) {
        text += "  line " + std::to_string(step.line) + ": " +
                remove_indent(source_line(subject, step.line)) + "\n";
    } else {
        text += "  " + steps.ptx.at(step.function).at(step.first_instruction) + "\n";
    }
    const StepsWindow all_lanes{.columns = 400};
    for (const StepChange& change : step.changes) {
        if (change.values.front().empty()) continue;  // from now on without a value
        const bool is_uniform =
            std::count(change.values.begin(), change.values.end(), change.values.front()) ==
            static_cast<std::ptrdiff_t>(change.values.size());
        text += "    " + steps.variables.at(change.variable).name + " =";
        for (const std::string& value : change.values) {
            text += " " + value;
            if (is_uniform) break;
        }
        text += is_uniform || change.lanes == step.active
                    ? "\n"
                    : "  (" + name_lanes(change.lanes) + ")\n";
    }
    for (const std::string& line : event_lines(steps, step_index, all_lanes))
        text += "    " + line + "\n";
    return text;
}

}  // namespace coalesce::learn
