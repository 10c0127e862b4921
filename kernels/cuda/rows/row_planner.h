// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "kernels/cuda/rows/row_batch.h"
#include "kernels/evaluation.h"
#include "kernels/kernel_spec.h"

namespace dimscope::kernels::cuda {

/// A head on the device.
struct DeviceHead {
    const float *query = nullptr, *key = nullptr, *value = nullptr;  ///< (positions, dim)
    DeviceMask mask;
    Index positions = 0;
    int headDim = 0, valueDim = 0;
    double scale = 1.0, softcap = 0.0;
    std::optional<double> sink;
};

/// Turns one kernel at rows of one head into the tasks of a batch. Which float or double a kernel takes is as on the
/// CPU: kernels that float cannot hold are wide.
class RowPlanner {
public:
    RowPlanner(RowBatch& batch, const DeviceHead& head, std::span<const Index> rows);

    /// The kernel as it is evaluated: centred and restricted. Throws BatchFull; the batch is then to be taken back to
    /// where it was.
    RowPlace plan(const KernelSpec& spec, const Evaluation& how);

private:
    enum class Side { Query, Key };

    void select(const Evaluation& how);
    RowPlace finish();

    void add(const Softmax& spec);
    void add(const Performer& spec);
    void add(const SpectraFormer& spec);
    void add(const SpectraFormerUnbiased& spec);
    void add(const DiJiang& spec);
    void add(const TaylorShift& spec);
    void add(const Taylor& spec);
    void add(const GlobalQuadratic& spec);
    void add(const Oal& spec);
    void add(const ZerosSm& spec);
    void add(const LinearZeros& spec);
    void add(const Elu& spec);
    void add(const CosFormer& spec);
    void add(const Rfa& spec);
    void add(const Hedgehog& spec);
    void add(const Based& spec);
    void add(const ReBased& spec);
    void add(const Power& spec);
    void add(const PolySketch& spec);
    void add(const Lolcats& spec);
    void add(const RetNet& spec);
    void add(const Uniform& spec);
    void add(const Zero& spec);
    void add(const FirstValue& spec);

    /// A map of the tokens of one side; the caller says what is special about it.
    template <class Out>
    MapTask<float, Out> tokenMap(Side side, TokenMap map) const;
    /// Adds the map to a stage with room for its rows of `width` numbers.
    template <class In, class Out>
    Factor<Out> mapped(TaskList<MapTask<In, Out>>& stage, MapTask<In, Out> task, Index width);
    /// Both sides by one map, without parameters.
    void addSides(TokenMap map, Index width);
    /// Rows of the queries, and of the first `keys` keys.
    Factor<float> gathered(Side side);
    Factor<float> projected(const Factor<float>& tokens, const Factor<float>& weights, double scale, Index stride = 0);
    Factor<double> projected(const Factor<double>& tokens, const Factor<double>& weights, double scale);
    MapTask<float, float> featureMap(Side side, TokenMap map, const Factor<float>& projections, int width) const;
    static MapTask<double, double> wideMap(TokenMap map, const Factor<double>& from);
    void floored(const Performer& spec);
    void wide(const DiJiang& spec);
    void quadratic(const Oal& spec);
    template <class Gates>
    void zeroSum(const Gates& gates, PairRule rule);
    /// Factors of exponential features, from their logarithms.
    void logarithmic(const Matrix<double>& weights, double scale, std::span<const double> queryTerms, const double* phi,
                     bool unit);
    const double* phi(bool calibrated, double value);

    void pairs(const Factor<float>& left, const Factor<float>& right, Index depth, int terms = 1);
    void pairs(const Factor<double>& left, const Factor<double>& right, Index depth);
    double* pairRows(int terms);
    void logits();
    double* logitsBeside(const Factor<float>& query, const Factor<float>& key);
    template <class Real>
    Factor<Real> staged(const Matrix<double>& matrix);
    const double* staged(const std::vector<double>* values);

    RowBatch& batch_;
    DeviceHead head_;
    Index rows_, keys_, stride_;
    const Index* positions_;
    WeighTask weigh_;
};

}  // namespace dimscope::kernels::cuda
