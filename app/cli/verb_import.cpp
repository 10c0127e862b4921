// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/released_head_list.h"
#include "io/kernel_parameters.h"
#include "io/released_factors.h"

namespace dimscope::app {
namespace {

void addImportOptions(CLI::App& verb, Options& options) {
    verb.add_option("FILE", options.file, "Groups and factors in the layout of the OAL release (JSON)")->required();
    verb.add_option("--write", options.write, "Kernel-parameter file to write (HDF5)")->required();
    verb.add_flag("--skip-broken", options.skipBroken, "Leave a broken head at the Taylor start and import the rest");
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

VerbOutput runImport(const Options& options, const kernels::RunControl& control) {
    std::vector<analysis::Warning> warnings;
    kernels::ParameterSet set = io::readReleasedFactors(options.file, options.skipBroken, warnings);
    VerbOutput output = releasedHeadList(set, "import");
    output.warnings = std::move(warnings);
    for (auto& [layer, groups] : set.layers)
        groups[""].attributes["provenance"] = provenanceJson(output.table.provenance).dump();
    control.throwIfCancelled();
    io::writeKernelParameters(set, options.write);
    return output;
}

}  // namespace

Verb importVerb() {
    return {"import", "Groups and factors released elsewhere (JSON) into a kernel-parameter file",
            "  dimscope-cli import oal_qwen_n4096.json --write kernels.h5\n"
            "  dimscope-cli import factors.json --skip-broken --write kernels.h5 --json",
            addImportOptions, runImport};
}

}  // namespace dimscope::app
