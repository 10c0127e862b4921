// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs.h"

namespace dimscope::app {

std::vector<Verb> allVerbs() {
    return {infoVerb(),      doctorVerb(),   profileVerb(),       groupVerb(),     compareVerb(), calibrateVerb(),
            interveneVerb(), fidelityVerb(), concentrationVerb(), stabilityVerb(), layersVerb(),  budgetVerb(),
            ordersVerb(),    reportVerb(),   mergeVerb(),         benchVerb(),     importVerb(),  exportVerb(),
            syntheticVerb(), repackVerb(),   kernelsVerb(),       devicesVerb()};
}

}  // namespace dimscope::app
