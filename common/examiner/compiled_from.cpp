#include "examiner/compiled_from.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/kernel_name.h"
#include "base/text.h"
#include "examiner/compile_causes.h"
#include "examiner/messages.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "examiner/wrapper.h"
#include "harness/text.h"
#include "page/ir_to_ptx/translate.h"

namespace coalesce {
namespace {

/// Returns the line number of the first line of code that contains `word`, or 0 if there is none.
int find_line_with_word(const std::string& text, const std::string& word) {
    const std::string code = blank_out_comments(text);
    const std::size_t name_position = find_word(code, word);
    return name_position == code.npos ? 0 : line_number_at(code, name_position);
}

Failure explain_missing_kernel(const Source& source, const Signature& signature,
                               const std::vector<std::string>& candidates) {
    const std::string& kernel = signature.kernel;
    Failure failure{.kind = FailureKind::kernel_missing,
                    .headline = "there is no kernel called '" + kernel + "'.",
                    .place = {source.name, find_line_with_word(source.text, kernel), 0},
                    .advice = "The file needs " + signature.declaration() + " { ... }"};
    if (failure.place.line > 0) {
        failure.headline = "'" + kernel + "' is not a kernel.";
        failure.advice +=
            ": with __global__, not static, not a template, and outside of any namespace";
    } else if (!candidates.empty()) {
        failure.place.line = find_kernel_line(source.text, "");
        failure.details = wrap("The file has the kernel " + demangled(candidates.front()) + ".");
    }
    failure.advice += ".";
    return failure;
}

Failure explain_wrong_signature(const Source& source, const Signature& signature,
                                const std::string& name) {
    return {.kind = FailureKind::wrong_signature,
            .headline = "the kernel's parameters do not match the arguments that are passed to it.",
            .place = {source.name, find_line_with_word(source.text, signature.kernel), 0},
            .details = wrap("Its signature is " + demangled(name) + "."),
            .advice = "Change it to " + signature.declaration() + "."};
}

/// Finds the kernel in the PTX and sets `entry`. Sets `failure` if the kernel is missing or has the
/// wrong parameters.
void find_entry(Compiled& compiled, const Source& source, const Signature& signature) {
    const std::string& kernel = signature.kernel;
    const std::string name = std::to_string(kernel.size()) + kernel;
    const std::vector<std::string> entries = find_entries(compiled.ptx);
    const std::string kernel_entry = mangle_kernel_name(signature);
    if (std::find(entries.begin(), entries.end(), kernel_entry) != entries.end()) {
        compiled.entry = kernel_entry;
        return;
    }
    const auto closing_position =
        std::find_if(entries.begin(), entries.end(), [&](const std::string& entry) {
            return entry == kernel || entry.starts_with("_Z" + name);
        });
    compiled.failure = closing_position != entries.end()
                           ? explain_wrong_signature(source, signature, *closing_position)
                           : explain_missing_kernel(source, signature, entries);
}

std::string first_text_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

Failure explain_missing_configure(const Source& source, const Signature& signature,
                                  const std::string& compiler_message) {
    Failure failure{.kind = FailureKind::configure_missing,
                    .headline = "there is no 'configure' that returns the launch for " +
                                joined(signature.sizes, " and ") + ".",
                    .place = {source.name, find_line_with_word(source.text, "configure"), 0},
                    .advice = "The file needs " + signature.configure_declaration() + " { ... }"};
    if (failure.place.line > 0) {
        failure.headline = "'configure' cannot be called with (" + joined(signature.sizes, ", ") +
                           "), or does not return a Launch.";
        failure.details = wrap("The compiler says: " + compiler_message);
    }
    return failure;
}

Failure explain_compile_errors(const Source& source, const std::vector<Message>& messages) {
    constexpr std::size_t max_errors = 3;
    std::vector<const Message*> errors;
    for (const Message& message : messages) {
        if (message.severity == Severity::error) errors.push_back(&message);
    }
    // Show the message about a missing brace first, because a missing brace causes many other
    // errors.
    std::stable_partition(errors.begin(), errors.end(), [](const Message* message) {
        return message->text.starts_with("expected a \"}\"");
    });
    Failure failure{.kind = FailureKind::does_not_compile,
                    .headline = end_sentence("does not compile: " + errors.front()->text),
                    .place = errors.front()->place,
                    .advice = "Fix the first error; the others often disappear with it."};
    for (std::size_t i = 0; i < std::min(max_errors, errors.size()); ++i) {
        failure.details += errors[i]->to_string_with_caret(source.text);
    }
    if (errors.size() > max_errors) {
        failure.details +=
            "... and " + format_count(errors.size() - max_errors, "more error") + ".\n";
    }
    if (errors.size() == 1) failure.advice = "Fix the error, and check the file again.";
    const CompileCause cause =
        explain_compile_error(errors.front()->text, errors.front()->place.line, source.text);
    if (cause.sentence.empty()) return failure;
    failure.headline += " " + cause.sentence;
    char& first_letter = failure.headline[failure.headline.size() - cause.sentence.size()];
    first_letter = static_cast<char>(std::toupper(static_cast<unsigned char>(first_letter)));
    if (cause.line > 0) failure.place = {source.name, cause.line, 0};
    failure.advice = cause.advice;
    return failure;
}

/// Returns the failure for compiler errors that refer neither to the learner's lines nor to the
/// call of `configure`.
Failure explain_compiler_crash(const Source& source, const std::string& compiler,
                               const RawOutput& raw_output,
                               const std::vector<std::string>& own_messages) {
    const std::string compiler_text =
        own_messages.empty() ? first_text_line(raw_output.output) : own_messages.front();
    return {.kind = FailureKind::does_not_compile,
            .headline =
                "the file does not compile, and the compiler's message names no line of the file.",
            .place = {source.name, 0, 0},
            .details = wrap(compiler.substr(0, compiler.find(' ')) + " says: " + compiler_text),
            .advice =
                "Perhaps a macro redefines a name that CUDA uses. Undo the last change; if that "
                "does not help, install the compiler again."};
}

Failure explain_compile_time_out(const Source& source, int seconds) {
    return {.kind = FailureKind::compile_time_out,
            .headline = "the compiler was still running after " +
                        format_count(static_cast<std::uint64_t>(seconds), "second") + ".",
            .place = {source.name, 0, 0},
            .advice = "Look for templates or constexpr functions that call themselves endlessly."};
}

/// Returns the failure that explains why the compiler produced no PTX.
Failure explain_compile_failure(const Source& source, const Signature& signature,
                                const std::string& compiler, const RawOutput& raw_output,
                                const CompilerOutput& compiler_output) {
    if (raw_output.has_timed_out) return explain_compile_time_out(source, raw_output.seconds);
    const bool has_error =
        std::any_of(compiler_output.messages.begin(), compiler_output.messages.end(),
                    [](const Message& message) { return message.severity == Severity::error; });
    if (has_error) return explain_compile_errors(source, compiler_output.messages);
    if (!compiler_output.configure.empty())
        return explain_missing_configure(source, signature, compiler_output.configure.front());
    return explain_compiler_crash(source, compiler, raw_output, compiler_output.own_messages);
}

/// Returns the failure for a file that the compiler accepts but our translator does not. The file
/// may be correct.
Failure explain_missing_translation(const Source& source,
                                    const translator::Untranslated& untranslated) {
    const bool is_known = untranslated.file == kLearnerFile;
    return {
        .kind = FailureKind::not_translated,
        .headline =
            "the kernel needs something that the translator from LLVM IR to PTX does not support.",
        .place = {source.name, is_known ? static_cast<int>(untranslated.line) : 0, 0},
        .details = wrap(untranslated.what()),
        .advice =
            "Write this line differently, or check the kernel in a terminal: ./learn check without "
            "--through-ir."};
}

}  // namespace

std::vector<std::string> find_entries(const std::string& ptx) {
    constexpr std::string_view word = ".entry ";
    std::vector<std::string> names;
    for (std::size_t i = ptx.find(word); i != ptx.npos; i = ptx.find(word, i)) {
        i += word.size();
        const std::string name = ptx.substr(i, ptx.find_first_of(" (\n", i) - i);
        if (name != kConfigureEntry) names.push_back(name);
    }
    return names;
}

Compiled finish_compilation(const Source& source, const Signature& signature,
                            const std::string& compiler, const RawOutput& raw_output) {
    Compiled compiled;
    compiled.file = source.name;
    compiled.kernel = signature.kernel;
    compiled.sizes = signature.sizes;
    compiled.compiler = compiler;
    CompilerOutput compiler_output = read_messages(raw_output.output, source.text, source.name);
    if (!raw_output.is_good)
        compiled.failure =
            explain_compile_failure(source, signature, compiler, raw_output, compiler_output);
    compiled.messages = std::move(compiler_output.messages);
    if (!compiled.is_ok()) return compiled;
    try {
        compiled.ptx =
            raw_output.ir.empty() ? raw_output.ptx : translator::translate_ir_to_ptx(raw_output.ir);
        find_entry(compiled, source, signature);
    } catch (const translator::Untranslated& untranslated) {
        compiled.failure = explain_missing_translation(source, untranslated);
    }
    if (!compiled.is_ok()) compiled.ptx.clear();
    return compiled;
}

}  // namespace coalesce
