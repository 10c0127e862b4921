// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/cuda_backend.h"

#include "kernels/checks.h"
#include "kernels/cuda/cuda_devices.h"
#include "kernels/cuda/profile/profile_jobs.h"
#include "kernels/cuda/rows/row_jobs.h"
#include "kernels/sequence.h"

namespace dimscope::kernels::cuda {
namespace {

std::size_t halfOfFreeMemory() {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    return free / 2;
}

class Stream {
public:
    explicit Stream(int device) {
        check(cudaSetDevice(device), "choosing the device");
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

/// Tensors leave the device with the call that brought them, unless their owner is known.
struct CallEnd {
    ResidentTensors& tensors;
    ~CallEnd() { tensors.endCall(); }
};

class CudaBackend : public Backend {
public:
    CudaBackend(int device, std::string name, const MemoryLimits& limits)
        : device_(device),
          name_(std::move(name)),
          stream_(device),
          batch_(limits.scratch),
          tensors_(limits.tensors > 0 ? limits.tensors : halfOfFreeMemory()) {}

    BackendInfo info() const override { return {"cuda", name_, ""}; }
    Support supports(const KernelSpec& spec, const HeadShape& shape) const override { return fits(spec, shape); }

    std::vector<std::vector<RowsOutput>> attendRows(std::span<const RowsJob> jobs, const RunControl& control) override {
        check(cudaSetDevice(device_), "choosing the device");
        const CallEnd end{tensors_};
        return RowJobs(jobs, batch_, tensors_, stream_, control).run();
    }
    bool hasSequences() const override { return false; }
    std::vector<SequenceOutput> attendSequences(std::span<const SequenceJob>, const RunControl&) override {
        throw ArgumentError("cuda: whole sequences in linear time are computed by the backends cpu and reference");
    }
    std::vector<ProfileOutput> profile(std::span<const ProfileJob> jobs, const RunControl& control) override {
        check(cudaSetDevice(device_), "choosing the device");
        const CallEnd end{tensors_};
        batch_.clear();
        return runProfiles(jobs, {batch_.scratch, batch_.inputs, batch_.results}, tensors_, stream_, control);
    }

private:
    int device_;
    std::string name_;
    Stream stream_;
    RowBatch batch_;
    ResidentTensors tensors_;
};

}  // namespace

std::unique_ptr<Backend> makeCudaBackend(int device, const MemoryLimits& limits) {
    const std::vector<DeviceProbe> devices = probeDevices();
    const auto wanted = static_cast<std::size_t>(device);
    if (device < 0 || wanted >= devices.size())
        throw BackendUnavailable("cuda: device " + std::to_string(device) + " does not exist, there are " +
                                 std::to_string(devices.size()));
    const DeviceProbe& probe = devices[wanted];
    if (!probe.reasonUnusable.empty())
        throw BackendUnavailable("cuda: " + probe.reasonUnusable + "; choose cpu or reference");
    return std::make_unique<CudaBackend>(device, probe.device, limits);
}

}  // namespace dimscope::kernels::cuda
