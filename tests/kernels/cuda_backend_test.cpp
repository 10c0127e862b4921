// SPDX-License-Identifier: GPL-3.0-or-later
// What is special about the CUDA backend; that it agrees with the oracle is asked with all others, in backend_test,
// evaluation_test, kernel_properties_test, known_answers_test and profile_test.
#include "kernels/cuda/cuda_backend.h"
#include "kernels/sequence.h"
#include "tests/kernels/backend_fixture.h"
#include "tests/kernels/required_gpu.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

class CudaBackendTest : public RequiredGpu {
protected:
    static std::vector<std::vector<RowsOutput>> attend(Backend& backend, std::span<const HeadInputs> heads,
                                                       const std::vector<Index>& rows,
                                                       const std::vector<KernelSpec>& specs) {
        std::vector<RowsJob> jobs;
        for (const HeadInputs& head : heads) jobs.push_back({head, rows, specs, true});
        return backend.attendRows(jobs, {});
    }
};

TEST_F(CudaBackendTest, IsAmongTheUsableBackends) {
    const std::vector<std::string> all = usableBackends();
    EXPECT_NE(std::find(all.begin(), all.end(), "cuda"), all.end());
    EXPECT_THROW(cuda::makeCudaBackend(1000), BackendUnavailable);
}

TEST_F(CudaBackendTest, LittleMemoryChangesNothingButTheTimeAndTooLittleIsSaid) {
    const OwnedHead a = randomHead(500, 16, 8, 3), b = randomHead(500, 16, 8, 4);
    const std::vector<HeadInputs> heads{a.inputs(), b.inputs()};
    const std::vector<KernelSpec> specs = allKernels(16, 3);
    const std::vector<Index> rows = allRows(500);
    const auto plenty = attend(*cuda::makeCudaBackend(0), heads, rows, specs);
    // Less than all rows of one kernel need, and room for the tensors of one head.
    const auto little = attend(*cuda::makeCudaBackend(0, {3 << 20, 90 << 10}), heads, rows, specs);
    for (std::size_t h = 0; h < heads.size(); ++h)
        for (std::size_t k = 0; k < specs.size(); ++k) {
            EXPECT_TRUE(near(little[h][k].values, plenty[h][k].values, 0.0)) << kernelName(specs[k]);
            EXPECT_EQ(little[h][k].weights.values(), plenty[h][k].weights.values()) << kernelName(specs[k]);
        }
    EXPECT_THROW(attend(*cuda::makeCudaBackend(0, {8 << 10, 90 << 10}), heads, rows, specs), OutOfMemory);
}

TEST_F(CudaBackendTest, ATensorStaysAsLongAsItsOwnerAndNoLonger) {
    const auto backend = cuda::makeCudaBackend(0);
    auto owner = std::make_shared<OwnedHead>(randomHead(40, 8, 4, 5));
    const std::vector<Index> rows{39};
    const auto owned = [&] {
        HeadInputs inputs = owner->inputs();
        inputs.queryOwner = inputs.keyOwner = inputs.valueOwner = owner;
        return std::vector<HeadInputs>{inputs};
    };
    const auto at = [&](const std::vector<HeadInputs>& heads) {
        return attend(*backend, heads, rows, {Softmax{}}).front().front().values;
    };
    const Matrix<double> before = at(owned());
    for (double& v : owner->value.values()) v *= 2.0;  // against the promise: what is on the device is used
    EXPECT_TRUE(near(at(owned()), before, 0.0));
    const std::vector<HeadInputs> unowned{owner->inputs()};
    const Matrix<double> doubled = at(unowned);
    EXPECT_GT(relativeError(doubled, before), 0.5) << "a tensor without an owner is read again";
    // Another owner of the same memory.
    const std::shared_ptr<int> other = std::make_shared<int>(0);
    std::vector<HeadInputs> heads = owned();
    heads.front().queryOwner = heads.front().keyOwner = heads.front().valueOwner = other;
    EXPECT_TRUE(near(at(heads), doubled, 0.0));
}

TEST_F(CudaBackendTest, SequencesAreRefusedWithTheReason) {
    const auto backend = cuda::makeCudaBackend(0);
    EXPECT_FALSE(backend->hasSequences());
    EXPECT_THROW(backend->attendSequences({}, {}), ArgumentError);
}

}  // namespace
}  // namespace dimscope::tests
