// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/gaussian_controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/calibration/calibration.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

/// Errors of one draw, own and same size, as they stand in its pieces.
struct DrawErrors {
    Index selected = 0;
    std::array<std::vector<std::vector<RetainedCell>>, 2> cells;  // [own, same size][kernel]
    std::array<std::vector<std::vector<RetainedHead>>, 2> heads;
};

Piece packedErrors(Index selected, const std::array<RetainedErrors, 2>& both) {
    Piece piece{{static_cast<double>(selected)}, {}};
    for (const RetainedErrors& errors : both) {
        for (const RetainedMethod& method : errors.methods)
            for (const RetainedCell& cell : method.retained.cells)
                piece.numbers.insert(piece.numbers.end(), {cell.eS, cell.eComplement, cell.eFull, cell.energy,
                                                           static_cast<double>(cell.badRows)});
        for (const RetainedHead& head : errors.heads)
            piece.numbers.insert(piece.numbers.end(), {head.eS, head.eComplement, head.eFull});
    }
    return piece;
}

class GaussianControl {
public:
    GaussianControl(const GaussianControlParams& control, const RetainedParams& params, const HeadSubsets& dump,
                    const KernelFactory& factory, HeadSource& source, kernels::Backend& backend, Pieces& pieces)
        : control_(control),
          params_(params),
          dump_(dump),
          factory_(factory),
          source_(source),
          backend_(backend),
          pieces_(pieces),
          layers_(selectedLayers(params.selection, source.info())) {}

    ControlDraw draw(ControlRung rung, int number, const RunControl& run) {
        DrawErrors errors;
        for (std::size_t side = 0; side < 2; ++side) {
            errors.cells[side].resize(params_.kernels.size());
            errors.heads[side].resize(params_.kernels.size());
        }
        for (std::size_t n = 0; n < layers_.size(); ++n) addLayer(rung, number, n, errors, run.part(n, layers_.size()));
        ControlDraw out;
        out.selected = errors.selected;
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t k = 0; k < params_.kernels.size(); ++k)
                (side == 0 ? out.own : out.sameSize)
                    .push_back(
                        {params_.kernels[k], retainedRatio(std::move(errors.cells[side][k]), errors.heads[side][k],
                                                           params_.prompts, params_.seed)});
        return out;
    }

private:
    void addLayer(ControlRung rung, int number, std::size_t n, DrawErrors& errors, const RunControl& run) {
        const std::string stage = fmt::format("{}/{}", rungName(rung), number);
        const std::string key = fmt::format("{}/L{:02}", stage, layers_[n].layer.value);
        const std::size_t deal = pieces_.nextDeal();
        const std::optional<Piece> piece =
            pieces_.get(key, deal, [&] { return layerPiece(rung, number, n, stage, deal, run); });
        run.report(1.0F);
        if (piece) unpack(*piece, key, layers_[n], errors);
    }

    Piece layerPiece(ControlRung rung, int number, std::size_t n, const std::string& stage, std::size_t deal,
                     const RunControl& run) {
        RetainedParams params = params_;
        params.selection.layers = {layers_[n].layer};
        const auto made = controlSource(rung, source_, control_.seed + static_cast<std::uint64_t>(number));
        Selection calibration = params.selection;
        calibration.prompts = control_.calibration;
        const ProfileResult profile = profileHeads(calibration, *made, backend_, run.slice(0.0F, 0.05F));
        const std::vector<GroupingResult> groupings =
            foldGroupings(control_.grouping, profile, params.prompts, control_.crossFit, run.slice(0.05F, 0.1F));
        const KernelFactory factory = factoryFor(groupings.front(), params.selection, *made, run.slice(0.1F, 0.2F));
        const RetainedChoices own = chosenSubsets(control_.subset, groupings, {}, factory);
        RetainedChoices sameSize = own;
        for (std::size_t fold = 0; fold < groupings.size(); ++fold)
            sameSize[fold].subsets = topOfSameSize(groupings[fold], dump_);
        return packedErrors(
            sizeOf(own.front().subsets),
            {retainedErrors(params, own, *made, backend_, pieces_, stage + "/own", deal, run.slice(0.2F, 0.6F)),
             retainedErrors(params, sameSize, *made, backend_, pieces_, stage + "/same", deal, run.slice(0.6F, 1.0F))});
    }

    /// Kernels of a control: trained ones are fitted again, to the control.
    KernelFactory factoryFor(const GroupingResult& grouping, const Selection& selection, HeadSource& source,
                             const RunControl& run) const {
        KernelFactory factory(factory_.settings());
        factory.setGroups(grouping);
        CalibrationParams fits;
        fits.selection = selection;
        fits.train = control_.calibration;
        fits.seed = params_.seed;
        const std::vector<std::string>& known = calibratedKernels();
        for (const std::string& kernel : params_.kernels)
            if (factory_.origin(kernel, layers_.front().layer) == "file" &&
                std::find(known.begin(), known.end(), kernel) != known.end())
                fits.kernels.push_back(kernel);
        if (fits.kernels.empty()) return factory;
        const CalibrationResult result = calibrateKernels(fits, factory, source, run);
        run.throwIfCancelled();
        return KernelFactory(factory_.settings(), std::make_shared<const kernels::ParameterSet>(
                                                      calibratedParameters(result, factory, source.info())));
    }

    void unpack(const Piece& piece, const std::string& key, const LayerInfo& layer, DrawErrors& errors) const {
        const std::vector<HeadIndex> heads = selectedHeads(params_.selection, layer);
        const std::size_t kernels = params_.kernels.size(), prompts = params_.prompts.size();
        if (piece.numbers.size() != 1 + 2 * kernels * (5 * prompts + 3 * heads.size()))
            throw kernels::ShapeError(fmt::format("piece {} does not hold what this run asks for", key));
        auto next = piece.numbers.begin();
        errors.selected += static_cast<Index>(*next++);
        for (std::size_t side = 0; side < 2; ++side) {
            for (std::size_t k = 0; k < kernels; ++k)
                for (std::size_t p = 0; p < prompts; ++p, next += 5)
                    errors.cells[side][k].push_back({layer.layer, params_.prompts[p], next[0], next[1], next[2],
                                                     next[3], static_cast<Index>(next[4])});
            for (const HeadIndex head : heads)
                for (std::size_t k = 0; k < kernels; ++k, next += 3)
                    errors.heads[side][k].push_back({layer.layer, head, params_.kernels[k], next[0], next[1], next[2]});
        }
    }

    const GaussianControlParams& control_;
    const RetainedParams& params_;
    const HeadSubsets& dump_;
    const KernelFactory& factory_;
    HeadSource& source_;
    kernels::Backend& backend_;
    Pieces& pieces_;
    std::vector<LayerInfo> layers_;
};

}  // namespace

std::vector<ControlOutcome> gaussianControls(const GaussianControlParams& control, const RetainedParams& params,
                                             const HeadSubsets& dump, const KernelFactory& factory, HeadSource& source,
                                             kernels::Backend& backend, Pieces& pieces, const RunControl& run) {
    GaussianControl controls(control, params, dump, factory, source, backend, pieces);
    std::vector<ControlOutcome> outcomes;
    const std::size_t count = control.rungs.size() * static_cast<std::size_t>(control.draws);
    std::size_t step = 0;
    for (const ControlRung rung : control.rungs) {
        ControlOutcome outcome{rung, {}};
        for (int draw = 0; draw < control.draws; ++draw, ++step)
            outcome.draws.push_back(controls.draw(rung, draw, run.part(step, count)));
        outcomes.push_back(std::move(outcome));
    }
    return outcomes;
}

}  // namespace dimscope::analysis
