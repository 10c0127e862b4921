// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "kernels/kernel_spec.h"
#include "kernels/run_control.h"

namespace dimscope::kernels {

struct BackendInfo {
    std::string name;            ///< "reference", "cpu", "cuda"
    std::string device;          ///< processor or GPU, in words
    std::string reasonUnusable;  ///< empty: usable
    bool usable() const { return reasonUnusable.empty(); }
};

/// "No" is an answer with a reason, not an error.
struct Support {
    bool supported = true;
    std::string reason;
};

/// Exact attention and kernels at chosen query rows of one head of one prompt.
struct RowsJob {
    HeadInputs head;
    std::span<const Index> rows;           ///< query positions
    std::span<const KernelSpec> kernels;   ///< evaluated in this order
    bool wantWeights = false;              ///< also return the normalised weight rows
    std::span<const Evaluation> how = {};  ///< one per kernel; empty: every kernel as it is

    Evaluation evaluation(std::size_t kernel) const { return how.empty() ? Evaluation{} : how[kernel]; }
};

struct RowsOutput {
    Matrix<double> values;           ///< (rows, value_dim); NaN in rows that are bad
    std::vector<std::uint8_t> bad;   ///< (rows), 1: the denominator is 0 or not finite, or the output is not finite
    Matrix<float> weights;           ///< (rows, keys) when asked for, 0 where a key is not visible
    Index negativeDenominators = 0;  ///< rows of a signed kernel that are not bad and divide by a negative number
    /// (rows) where an exact part was asked for: sum of exp(s - max s) over the exact keys; infinite where no key is
    /// left to the kernel.
    std::vector<double> exactMass = {};
};

/// Magnitudes and contributions of one query head of one prompt.
struct ProfileJob {
    HeadInputs head;
};

/// All vectors have head_dim entries.
struct ProfileOutput {
    std::vector<double> qMeanAbs, qMaxAbs, kMeanAbs, kMaxAbs;  ///< over valid positions
    std::vector<double> chi;           ///< scale * mean over visible pairs of |q_ir k_jr| (section 6)
    std::vector<double> chiEffective;  ///< scale * mean_i |q_ir| sd_{visible j}(k_jr) (section 13.8)
    double pairs = 0.0;                ///< number of visible pairs
};

struct SequenceJob;
struct SequenceOutput;

/// A place that computes. Inputs are host memory; a call blocks until done or cancelled; one thread at a time calls it.
class Backend {
public:
    virtual ~Backend() = default;
    virtual BackendInfo info() const = 0;
    virtual Support supports(const KernelSpec& spec, const HeadShape& shape) const = 0;

    /// One entry per job, in it one entry per kernel. Throws ShapeError, Cancelled, DeviceError, OutOfMemory.
    virtual std::vector<std::vector<RowsOutput>> attendRows(std::span<const RowsJob> jobs,
                                                            const RunControl& control) = 0;
    /// Whether attendSequences computes here. Where it does not, rows of the same kernels can be asked for.
    virtual bool hasSequences() const { return true; }
    /// Whole stretches of sequences in linear time, one entry per job. Throws as attendRows, and ShapeError for a
    /// kernel without a linear-time form (sequence.h).
    virtual std::vector<SequenceOutput> attendSequences(std::span<const SequenceJob> jobs,
                                                        const RunControl& control) = 0;
    /// One entry per job.
    virtual std::vector<ProfileOutput> profile(std::span<const ProfileJob> jobs, const RunControl& control) = 0;
};

}  // namespace dimscope::kernels
