// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/run_record.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {
namespace {

void addDevicesOptions(CLI::App& verb, Options& options) {
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

VerbOutput runDevices(const Options&, const kernels::RunControl&) {
    analysis::RunRecord record("devices", nullptr, 0);
    VerbOutput output;
    output.table.name = "devices";
    output.table.caption = "Backends and their devices";
    output.table.columns = {column("name", "backend"), column("device", "device"), column("usable", "usable"),
                            column("reason", "reason")};
    output.document["backends"] = Json::array();
    for (const kernels::BackendInfo& info : kernels::listBackends()) {
        output.document["backends"].push_back(
            {{"name", info.name}, {"device", info.device}, {"usable", info.usable()}, {"reason", info.reasonUnusable}});
        addRow(output.table, {info.name, info.device, std::string(info.usable() ? "yes" : "no"), info.reasonUnusable});
    }
    output.table.provenance = record.finished();
    output.text = alignedText(output.table);
    return output;
}

}  // namespace

Verb devicesVerb() {
    return {"devices", "Backends and devices, with the reason when one is unusable",
            "  dimscope-cli devices\n  dimscope-cli devices --json", addDevicesOptions, runDevices};
}

}  // namespace dimscope::app
