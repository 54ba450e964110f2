// Runs the steps of the translation: reads the module, runs the passes on each function, and writes
// PTX.
#include "page/ir_to_ptx/translate.h"

#include "page/ir_to_ptx/flow.h"
#include "page/ir_to_ptx/library.h"
#include "page/ir_to_ptx/module_text.h"
#include "page/ir_to_ptx/passes.h"
#include "page/ir_to_ptx/reader.h"

namespace coalesce::translator {

Untranslated::Untranslated(const std::string& message, const std::string& instruction_text,
                           const std::string& file_name, unsigned line_number)
    : std::runtime_error(message),
      instruction(instruction_text),
      file(file_name),
      line(line_number) {}

std::string translate_ir_to_ptx(const std::string& ir) {
    const std::unique_ptr<Module> module = read_module(ir + kLibrary);
    for (Function* function : module->functions) replace_by_library_calls(*module, *function);
    drop_unused_library(*module);
    for (Function* function : module->functions) {
        if (function->is_declaration()) continue;
        drop_unreachable_blocks(*function);
        split_pointer_vectors(*module, *function);
        read_by_value_arguments_in_place(*module, *function);
        infer_address_spaces(*module, *function);
        drop_dead_instructions(*function);
        // Code for a debugger must keep the memory accesses of the source.
        if (!module->has_debug_variables()) {
            contract_multiply_adds(*module, *function);
            vectorise_accesses(*module, *function);
            narrow_loads_to_used_bytes(*module, *function);
        }
        split_addresses(*module, *function);
    }
    return text_of(*module);
}

}  // namespace coalesce::translator
