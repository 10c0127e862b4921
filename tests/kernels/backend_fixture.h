// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include "kernels/backend_registry.h"
#include "tests/kernels/tolerances.h"
#include "tests/support/head_cases.h"

namespace dimscope::tests {

/// Names of the backends that this machine can use.
inline std::vector<std::string> usableBackends() {
    std::vector<std::string> all;
    for (const kernels::BackendInfo& info : kernels::listBackends())
        if (info.usable()) all.push_back(info.name);
    return all;
}

/// Of these, the ones that compute whole sequences.
inline std::vector<std::string> sequenceBackends() {
    std::vector<std::string> all;
    for (const std::string& name : usableBackends())
        if (kernels::makeBackend(name)->hasSequences()) all.push_back(name);
    return all;
}

/// A test body for every usable backend.
class BackendFixture : public testing::TestWithParam<std::string> {
protected:
    /// One kernel at rows of one head.
    static kernels::RowsOutput runOn(kernels::Backend& backend, const kernels::KernelSpec& spec, const OwnedHead& head,
                                     const std::vector<Index>& rows, bool weights = false) {
        const std::vector<kernels::KernelSpec> specs{spec};
        const std::vector<kernels::RowsJob> jobs{{head.inputs(), rows, specs, weights}};
        return backend.attendRows(jobs, {}).front().front();
    }
    kernels::RowsOutput run(const kernels::KernelSpec& spec, const OwnedHead& head, const std::vector<Index>& rows,
                            bool weights = false) {
        return runOn(*backend_, spec, head, rows, weights);
    }
    double tolerance() const { return outputTolerance(GetParam()); }
    std::unique_ptr<kernels::Backend> backend_ = kernels::makeBackend(GetParam());
};

}  // namespace dimscope::tests
