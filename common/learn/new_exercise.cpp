#include <filesystem>
#include <iostream>
#include <regex>
#include <sstream>

#include "base/errors.h"
#include "base/files.h"
#include "base/strict_toml.h"
#include "examiner/course/course.h"
#include "examiner/exercises/skeleton.h"
#include "harness/text.h"
#include "learn/own_exercise.h"
#include "learn/paths.h"
#include "learn/terminal.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

/// Returns the name of the folders of an exercise: "x_histogram".
std::string folder_name(const std::string& name) {
    return std::string(kBeyondPrefix) + name;
}

std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> options;
    std::istringstream stream(std::regex_replace(text, std::regex("[,;]"), " "));
    for (std::string word; stream >> word;) options.push_back(word);
    return options;
}

/// Asks for a value that is missing from the command line.
void ask_for(const char* option, const std::string& question, std::string& value) {
    if (!value.empty()) return;
    if (can_ask()) ask(question, value);
    if (value.empty())
        throw UsageError(std::string(option) + " is missing (./learn exercise new --help)");
}

void ask_for_arguments(std::vector<std::string>& arguments) {
    while (can_ask()) {
        std::string argument;
        const bool has_more = ask(
            arguments.empty() ? "Enter the arguments of the kernel, one per line, outputs first\n  "
                                "(float* out[n] / const float* in[n] = random(0, 1) / int n): "
                              : "  Next argument (press Enter to finish): ",
            argument);
        if (!has_more || argument.empty()) break;
        arguments.push_back(argument);
    }
    if (arguments.empty()) {
        throw UsageError(
            "--argument is missing; give it once for each argument (./learn exercise new --help)");
    }
}

/// Returns the statements that compute one element.
std::string element_body(const std::string& element) {
    if (element.find("return") != std::string::npos) return "    " + element + "\n";
    return "    return " + element + ";\n";
}

/// Generates the contents of a new exercise's files.
class ExerciseDraft {
public:
    ExerciseDraft(const NewExerciseArguments& options, const ElementTask& task)
        : options_(options), task_(task), output_(*task.outputs().front()) {}

    std::string record_text() const {
        const auto quote = [](const std::string& text) { return toml_string(text); };
        return "# The requirements of the exercise. docs/guide/own_exercise.md explains every "
               "key.\ntitle = " +
               toml_string(options_.title) + "\nsizes = [" + joined(task_.sizes, ", ", quote) +
               "]\narguments = [\n    " + joined(options_.arguments, ",\n    ", quote) +
               ",\n]\ntolerance = " + toml_string(options_.tolerance) + "\nshapes = [" +
               shape_list() + "]\ncounted = [" +
               joined(task_.sizes, ", ", [](const std::string&) { return std::string("256"); }) +
               "]\n";
    }
    std::string reference_text() const {
        return "// " + output_.name + bracket_indices(index_names()) + "\n__device__ " +
               output_.type.name + " " + task_.reference_name(options_.name, output_) + "(" +
               reference_parameters() + ") {\n" + element_body(options_.element) + "}\n";
    }
    std::string kernel_text() const {
        const std::string name = folder_name(options_.name);
        return "// Exercise " + name + " -- " + options_.title +
               ".\n//\n// Given   one thread for each element of `" + output_.name +
               "`.\n// Write   the element (2 lines).\n// Check   ./learn check " + name +
               "          Stuck?   ./learn hint " + name +
               "\n#include \"exercise.h\"  // Launch, ceil_div\n\n__device__ " + output_.type.name +
               " element(" + reference_parameters() + ") {\n" + element_body(options_.element) +
               "}\n\n" + task_.kernel_declaration(options_.name) + " {\n" +
               (is_matrix() ? matrix_body() : vector_body()) + "}\n\nconstexpr Launch configure(" +
               size_parameters() + ") {\n    return " +
               (is_matrix() ? matrix_launch() : vector_launch()) + ";\n}\n";
    }

private:
    /// Reports whether the output has rows and columns. If so, the threads also have two
    /// dimensions.
    bool is_matrix() const { return output_.extents.size() == 2; }

    std::string matrix_body() const {
        const std::string rows = parenthesize_if_sum(output_.extents[0]),
                          cols = parenthesize_if_sum(output_.extents[1]);
        return "    const int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "    const int row = blockIdx.y * blockDim.y + threadIdx.y;\n\n    //! [blank]\n"
               "    //! // TODO: compute the element of this thread.\n    if (row >= " +
               rows + " || col >= " + cols + ") return;\n    " + output_.name + "[row * " + cols +
               " + col] = element(" + joined(reference_inputs(), ", ") +
               ", row, col);\n    //! [blank]\n";
    }
    std::string matrix_launch() const {
        return "{.grid = {ceil_div(" + output_.extents[1] + ", 32), ceil_div(" +
               output_.extents[0] + ", 8)}, .block = {32, 8}}";
    }
    std::string vector_body() const {
        return "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n\n    //! [blank]\n"
               "    //! // TODO: compute the element of this thread.\n    if (i >= " +
               count() + ") return;\n    " + output_.name + "[i] = element(" +
               reference_arguments() + ");\n    //! [blank]\n";
    }
    std::string vector_launch() const {
        return "{.grid = {ceil_div(" + count() + ", 256)}, .block = {256}}";
    }

    /// Returns an extent for use in a product: in parentheses, unless it is a name or a number.
    static std::string parenthesize_if_sum(const std::string& extent) {
        static const std::regex name("[A-Za-z0-9_]*");
        return std::regex_match(extent, name) ? extent : "(" + extent + ")";
    }
    static std::string bracket_indices(const std::vector<std::string>& indices) {
        return "[" + joined(indices, "][") + "]";
    }
    std::string count() const {
        return output_.extents.size() == 1 ? output_.extents[0]
                                           : joined(output_.extents, " * ", parenthesize_if_sum);
    }
    std::string size_parameters() const {
        return joined(task_.sizes, ", ", [](const std::string& size) { return "int " + size; });
    }
    std::string shape_list() const {
        std::vector<std::string> shape_texts;
        for (const int value : {1, 32, 77, 200}) {
            std::vector<std::string> shape_extents;
            for (std::size_t i = 0; i < task_.sizes.size(); ++i) {
                shape_extents.push_back(
                    std::to_string(i == 0 || value == 1 ? value : value / 2 + 5));
            }
            shape_texts.push_back("[" + joined(shape_extents, ", ") + "]");
        }
        return joined(shape_texts, ", ");
    }
    /// Returns the parameter list of the reference: the kernel parameters that it reads, and the
    /// indices of an element.
    std::string reference_parameters() const {
        std::vector<std::string> parameter_texts;
        for (const Parameter& parameter : task_.parameters) {
            if (!parameter.is_read_by_reference()) continue;
            parameter_texts.push_back((parameter.is_array ? "const " : "") + parameter.type.name +
                                      (parameter.is_array ? "* " : " ") + parameter.name);
        }
        for (const std::string& index : index_names()) parameter_texts.push_back("int " + index);
        return joined(parameter_texts, ", ");
    }
    std::vector<std::string> index_names() const {
        if (output_.extents.size() == 1) return {"index"};
        if (output_.extents.size() == 2) return {"row", "col"};
        std::vector<std::string> index_names;
        for (std::size_t i = 0; i < output_.extents.size(); ++i) {
            index_names.push_back("index" + std::to_string(i));
        }
        return index_names;
    }
    /// Returns the names of the kernel parameters that the reference reads.
    std::vector<std::string> reference_inputs() const {
        std::vector<std::string> input_names;
        for (const Parameter& parameter : task_.parameters) {
            if (parameter.is_read_by_reference()) input_names.push_back(parameter.name);
        }
        return input_names;
    }
    /// Returns the arguments with which the reference is called for element i.
    std::string reference_arguments() const {
        std::string remaining_index = "i", index_arguments;
        for (std::size_t axis = output_.extents.size(); axis-- > 0;) {
            const std::string extent = parenthesize_if_sum(output_.extents[axis]);
            index_arguments = ", " +
                              (axis == 0 ? remaining_index : remaining_index + " % " + extent) +
                              index_arguments;
            remaining_index += " / " + extent;
        }
        return joined(reference_inputs(), ", ") + index_arguments;
    }

    const NewExerciseArguments& options_;
    const ElementTask& task_;
    const Parameter& output_;
};

ElementTask parse_task(const NewExerciseArguments& options) {
    ElementTask task;
    task.sizes = split_words(options.sizes);
    for (const std::string& argument : options.arguments) {
        task.parameters.push_back(parse_parameter(argument, task.sizes));
    }
    if (task.outputs().size() != 1) {
        throw UsageError(
            "one argument must be the output, an array without const (float* out[n]); "
            "add more outputs to exercise.toml and reference.cu afterwards");
    }
    return task;
}

void check_name(std::string& name) {
    if (name.starts_with(kBeyondPrefix)) name = name.substr(kBeyondPrefix.size());
    if (std::regex_match(name, std::regex("[a-z][a-z0-9_]*"))) return;
    throw UsageError("\"" + name +
                     "\" cannot be the name of a kernel; use lowercase letters, digits and _");
}

}  // namespace

int new_exercise(NewExerciseArguments options) {
    ask_for("NAME", "The name of the kernel, such as histogram: ", options.name);
    check_name(options.name);
    const std::string folder = folder_name(options.name);
    if (fs::exists(repository() / "solutions" / folder)) {
        throw UsageError("solutions/" + folder + " already exists; ./learn exercise verify " +
                         folder + " checks it");
    }
    ask_for("--title", "A title: ", options.title);
    ask_for("--sizes", "The names of the sizes, such as rows cols: ", options.sizes);
    ask_for_arguments(options.arguments);
    ask_for("--element",
            "One element of the output, as C++ with `index` (2 * in[index]): ", options.element);
    try {
        static_cast<void>(parse_tolerance(options.tolerance));
        const ElementTask task = parse_task(options);
        const ExerciseDraft draft(options, task);
        const std::string marked_source = draft.kernel_text();
        const fs::path solution = repository() / "solutions" / folder;
        const fs::path exercise = repository() / "exercises" / folder;
        for (const char* part : {"right", "wrong"}) fs::create_directories(solution / part);
        fs::create_directories(exercise);
        write_file(solution / "exercise.toml", draft.record_text());
        write_file(solution / "reference.cu", draft.reference_text());
        write_file(solution / "kernel.cu", marked_source);
        write_file(exercise / "kernel.cu",
                   exercises::parse_skeleton(marked_source, "kernel.cu").blank_text());
    } catch (const ExpressionError& error) {
        throw UsageError(error.what());
    }
    std::cout << "solutions/" << folder << "/exercise.toml   the requirements\n"
              << "solutions/" << folder << "/reference.cu    one element of the output\n"
              << "solutions/" << folder
              << "/kernel.cu       the solution; //! [blank] marks what "
                 "learners write\n"
              << "exercises/" << folder << "/kernel.cu       the file that learners edit\n\n"
              << "Next: ./learn exercise verify " << folder << "\n";
    return 0;
}

}  // namespace coalesce::learn
