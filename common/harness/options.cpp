#include "harness/options.h"

#include <charconv>
#include <climits>
#include <map>

#include "base/errors.h"
#include "timing/gpu.h"

namespace coalesce {
namespace {

/// Reads the arguments in order. The value of an option may be the next argument ("--rows 3") or
/// follow an equals sign ("--rows=3").
class ArgumentReader {
public:
    explicit ArgumentReader(const std::vector<std::string>& arguments) : arguments_(arguments) {}

    /// Moves to the next option. Returns false at the end.
    bool advance() {
        if (index_ == arguments_.size()) return false;
        option_ = arguments_[index_++];
        const std::size_t equals_index = option_.find('=');
        inline_value_.reset();
        if (option_.starts_with("--") && equals_index != std::string::npos) {
            inline_value_ = option_.substr(equals_index + 1);
            option_.resize(equals_index);
        }
        return true;
    }
    const std::string& option() const { return option_; }
    /// Returns the value of the option, or `default_value` if the next argument is another option.
    std::string take_value(const std::optional<std::string>& default_value = std::nullopt) {
        if (inline_value_) return *inline_value_;
        const bool has_value = index_ < arguments_.size() && !arguments_[index_].starts_with("--");
        if (!has_value && !default_value) throw UsageError(option_ + " needs a value");
        return has_value ? arguments_[index_++] : *default_value;
    }
    /// Throws UsageError if the option has a value.
    void reject_value() const {
        if (inline_value_) throw UsageError(option_ + " takes no value");
    }

private:
    const std::vector<std::string>& arguments_;
    std::size_t index_ = 0;
    std::string option_;
    std::optional<std::string> inline_value_;
};

int parse_size(const std::string& option, const std::string& text) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    const std::string message_prefix = option + " " + text + ": ";
    if (result.ec == std::errc::result_out_of_range && text[0] != '-') {
        throw UsageError(message_prefix + "too large; the maximum is " + std::to_string(INT_MAX));
    }
    if (result.ec == std::errc::invalid_argument || result.ptr != end) {
        throw UsageError(message_prefix + "not a whole number");
    }
    if (result.ec != std::errc{} || number < 1)
        throw UsageError(message_prefix + "must be at least 1");
    return number;
}

DeviceChoice parse_device(const std::string& text) {
    if (text == "auto") return DeviceChoice::automatic;
    if (text == "gpu") return DeviceChoice::gpu;
    if (text == "sim") return DeviceChoice::simulator;
    throw UsageError("--device " + text + ": unknown device; choose auto, gpu or sim");
}

Shape require_valid_shape(int rows, int cols) {
    if (rows == 0 || cols == 0) {
        throw UsageError("--rows and --cols go together: give both, or neither");
    }
    const long long elements = 1LL * rows * cols;
    if (elements > INT_MAX) {
        throw UsageError("a matrix of " + Shape{rows, cols}.name() + " has " +
                         std::to_string(elements) +
                         " elements, but these kernels use 32-bit indices, which allow at most "
                         "2147483647 elements");
    }
    return {rows, cols};
}

/// Returns the full name of a GPU that the time model knows. `name` may be incomplete.
std::string find_gpu_name(const std::string& name) {
    try {
        return timing::find_gpu(name).name;
    } catch (const timing::GpuError& error) {
        throw UsageError(std::string("--time: ") + error.what());
    }
}

/// Rejects options that are incompatible with a prediction, because a prediction needs a simulated
/// run with counted launches.
void check_prediction(Options& options) {
    if (options.prediction_shape && options.time_on.empty())
        options.time_on = find_gpu_name("H200");
    if (options.time_on.empty()) return;
    if (!options.bench) {
        throw UsageError(
            "--time needs a launch that is counted: leave out --verify, or add --bench");
    }
    if (options.device == DeviceChoice::gpu) {
        throw UsageError(
            "--time predicts times on the simulated GPU: give --device sim, or leave out --time to "
            "measure times");
    }
    options.device = DeviceChoice::simulator;
}

}  // namespace

std::string Shape::name() const {
    return std::to_string(rows) + " x " + std::to_string(cols) +
           (depth == 0 ? "" : " x " + std::to_string(depth));
}

Shape parse_shape(const std::string& option, const std::string& text) {
    const std::size_t cross_index = text.find('x');
    if (text.empty() || cross_index == 0 || cross_index + 1 == text.size()) {
        throw UsageError(option + " " + text +
                         ": give ROWSxCOLS, such as 4096x2048, or one number for a square");
    }
    const int rows = parse_size(option, text.substr(0, cross_index));
    return require_valid_shape(rows, cross_index == std::string::npos
                                         ? rows
                                         : parse_size(option, text.substr(cross_index + 1)));
}

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    bool verify = false, bench = false;
    int rows = 0, cols = 0;
    const std::map<std::string, bool*> flag_by_option = {{"--help", &options.help},
                                                         {"-h", &options.help},
                                                         {"--list", &options.list},
                                                         {"--verify", &verify},
                                                         {"--bench", &bench}};
    for (ArgumentReader reader(arguments); reader.advance();) {
        const std::string option = reader.option();
        if (const auto flag = flag_by_option.find(option); flag != flag_by_option.end()) {
            reader.reject_value();
            *flag->second = true;
            continue;
        }
        if (option == "--device")
            options.device = parse_device(reader.take_value());
        else if (option == "--rows")
            rows = parse_size(option, reader.take_value());
        else if (option == "--cols")
            cols = parse_size(option, reader.take_value());
        else if (option == "--variant")
            options.variant = reader.take_value();
        else if (option == "--json")
            options.json = reader.take_value();
        else if (option == "--time")
            options.time_on = find_gpu_name(reader.take_value("H200"));
        else if (option == "--at")
            options.prediction_shape = parse_shape(option, reader.take_value());
        else
            throw UsageError(option + ": unknown option; --help lists them");
    }
    if (rows != 0 || cols != 0) options.shape = require_valid_shape(rows, cols);
    if (verify || bench) {
        options.verify = verify;
        options.bench = bench;
    }
    check_prediction(options);
    return options;
}

std::string help_text(const std::string& program) {
    return "Usage: " + program + R"( [OPTIONS]

Runs the kernels of this step and verifies their outputs bit for bit. Times the
kernels on a real GPU, or counts their costs on the simulated GPU.

  --verify          only verify, on many shapes
  --bench           only time (real GPU) or count (simulator), at one shape
  --device WHICH    gpu, sim, or auto (a real GPU if there is one, otherwise
                    the simulator)
  --rows R --cols C run only this shape
  --variant NAME    run only this variant
  --time [GPU]      count, and predict the times on that GPU (H200)
  --at RxC          predict times for this shape, and count at a smaller one
                    (32768x32768, or the largest that a variant takes)
  --list            list the variants
  --json FILE       also write the results to FILE
  --help            print this text

The default is to verify and to measure. The simulated GPU counts requests,
sectors and bank conflicts. Times that it shows are labelled as predicted.

The exit code is 0 if all results are correct, 1 if a result is wrong, and 2 if
the program could not run.
)";
}

}  // namespace coalesce
