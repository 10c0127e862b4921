// SPDX-License-Identifier: GPL-3.0-or-later
#include <hdf5.h>

#include "io/hdf5_read.h"

namespace dimscope::io {
namespace {

/// Names of the scales that DIMENSION_LIST attaches to an axis (HDF5 Dimension Scale specification): the last step of
/// the scale's path.
std::string scaleName(hid_t dataset, const hvl_t& scales) {
    if (scales.len == 0) return "";
    const Hdf5Handle scale(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, scales.p));
    char name[256] = {};
    if (!scale || H5Iget_name(scale.get(), name, sizeof name) <= 0) return "";
    const std::string path = name;
    return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> attachedScales(hid_t dataset, std::size_t rank) {
    std::vector<std::string> names;
    if (H5Aexists(dataset, "DIMENSION_LIST") <= 0) return names;
    const Hdf5Handle attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT));
    const Hdf5Handle space(attribute ? H5Aget_space(attribute.get()) : -1);
    const Hdf5Handle type(attribute ? H5Aget_type(attribute.get()) : -1);
    if (!space || !type || H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(rank) ||
        H5Tget_class(type.get()) != H5T_VLEN || H5Tget_size(type.get()) != sizeof(hvl_t))
        return names;
    std::vector<hvl_t> lists(rank);
    if (H5Aread(attribute.get(), type.get(), lists.data()) < 0) return names;
    for (const hvl_t& list : lists) names.push_back(scaleName(dataset, list));
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, lists.data());
    return names;
}

}  // namespace

std::vector<std::string> Hdf5Dataset::axisNames() const {
    const Hdf5Lock lock;
    const std::size_t rank = layout_.shape.size();
    if (rank == 0) return {};
    const std::optional<AttributeValue> labels = attribute("DIMENSION_LABELS");
    const auto* several = labels ? std::get_if<std::vector<std::string>>(&*labels) : nullptr;
    std::vector<std::string> names =
        several != nullptr && several->size() == rank ? *several : attachedScales(handle_.get(), rank);
    takeHdf5Error();
    return names;
}

}  // namespace dimscope::io
