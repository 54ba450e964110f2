// The steps of the translation: read the module, run the passes on each function, and write PTX.
#include "page/ir_to_ptx/translate.h"

#include "page/ir_to_ptx/flow.h"
#include "page/ir_to_ptx/library.h"
#include "page/ir_to_ptx/module_text.h"
#include "page/ir_to_ptx/passes.h"
#include "page/ir_to_ptx/reader.h"

namespace coalesce::translator {

Untranslated::Untranslated(const std::string& what, const std::string& in, const std::string& of,
                           unsigned at)
    : std::runtime_error(what), instruction(in), file(of), line(at) {}

std::string ptx_of(const std::string& ir) {
    const std::unique_ptr<Module> module = read_module(ir + kLibrary);
    for (Function* function : module->functions) call_library(*module, *function);
    drop_unused_library(*module);
    for (Function* function : module->functions) {
        if (function->is_declaration()) continue;
        drop_unreachable(*function);
        split_pointer_vectors(*module, *function);
        copy_by_value(*module, *function);
        infer_spaces(*module, *function);
        drop_dead(*function);
        // Code for a debugger must keep the memory accesses of the source.
        if (!module->has_debug_variables()) {
            contract(*module, *function);
            vectorise(*module, *function);
            narrow_loads(*module, *function);
        }
        split_addresses(*module, *function);
    }
    return text_of(*module);
}

}  // namespace coalesce::translator
