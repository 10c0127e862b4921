// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <hdf5.h>

#include "io/hdf5_read.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

constexpr const char* kNotFollowed = "this version reads only data inside the file: copy it in (h5repack, or h5copy)";

/// H5Pset_elink_cb: whatever a path meets, this file is not left.
herr_t refuseExternal(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

Hdf5Handle insideAccess() {
    Hdf5Handle access(H5Pcreate(H5P_LINK_ACCESS));
    H5Pset_elink_cb(access.get(), refuseExternal, nullptr);
    return access;
}

/// Dataset access: not out of the file either, with a chunk cache of `bytes`.
Hdf5Handle datasetAccess(std::size_t bytes) {
    Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS));
    H5Pset_elink_cb(access.get(), refuseExternal, nullptr);
    constexpr std::size_t kSlots = 12421;  // a prime, well above the chunks of one head
    if (bytes > 0) H5Pset_chunk_cache(access.get(), kSlots, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
    return access;
}

herr_t collectName(hid_t, const char* name, const H5L_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

/// What a link is that leads nowhere inside the file.
Hdf5Kind linkKind(hid_t parent, const std::string& name) {
    H5L_info_t info;
    const bool known = H5Lget_info(parent, name.c_str(), &info, H5P_DEFAULT) >= 0;
    takeHdf5Error();
    if (!known) return Hdf5Kind::Missing;
    return info.type == H5L_TYPE_EXTERNAL ? Hdf5Kind::ExternalLink
                                          : (info.type == H5L_TYPE_SOFT ? Hdf5Kind::BrokenLink : Hdf5Kind::Other);
}

/// Filters of the dataset that this HDF5 cannot apply.
void checkFilters(hid_t creation, const Hdf5Place& place) {
    const int count = H5Pget_nfilters(creation);
    for (int i = 0; i < count; ++i) {
        unsigned flags = 0, configuration = 0;
        std::size_t parameters = 0;
        char name[64] = {};
        const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &parameters, nullptr,
                                                   sizeof name, name, &configuration);
        if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
        takeHdf5Error();
        place.refuse(fmt::format("is compressed with filter {} (\"{}\"), which is not installed",
                                 static_cast<int>(filter), printable(name)),
                     "install its HDF5 plugin, or rewrite the file with gzip (h5repack -f GZIP=4)");
    }
}

/// Before anything else is asked: HDF5 opens the other files as soon as it needs their sizes.
void checkOwnStorage(hid_t dataset, const Hdf5Place& place) {
    const Hdf5Handle creation(place.checked(H5Dget_create_plist(dataset), "cannot read how it is stored"));
    if (H5Pget_external_count(creation.get()) > 0)
        place.refuse("its data lie in an external file (external storage)", kNotFollowed);
    if (H5Pget_layout(creation.get()) == H5D_VIRTUAL)
        place.refuse("is a virtual dataset (VDS): its data lie in other datasets", kNotFollowed);
    checkFilters(creation.get(), place);
}

const char* wordFor(Hdf5Kind kind) { return kind == Hdf5Kind::Group ? "group" : "dataset"; }

}  // namespace

Hdf5Group Hdf5Group::openFile(const std::filesystem::path& path) {
    const Hdf5Lock lock;
    const Hdf5Handle file = openHdf5ForReading(path);
    const Hdf5Place place{printable(path.string(), 1000), "/"};
    return {Hdf5Handle(place.checked(H5Gopen2(file.get(), "/", H5P_DEFAULT), "cannot open the root group")), place};
}

Hdf5Kind Hdf5Group::kind(const std::string& name) const {
    const Hdf5Lock lock;
    const Hdf5Handle access = insideAccess();
    const Hdf5Handle object(H5Oopen(handle_.get(), name.c_str(), access.get()));
    if (!object) return linkKind(handle_.get(), name);
    const H5I_type_t type = H5Iget_type(object.get());
    return type == H5I_GROUP ? Hdf5Kind::Group : (type == H5I_DATASET ? Hdf5Kind::Dataset : Hdf5Kind::Other);
}

std::vector<std::string> Hdf5Group::names() const {
    const Hdf5Lock lock;
    std::vector<std::string> names;
    place_.checked(H5Literate(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collectName, &names),
                   "cannot list its content");
    return names;
}

Hdf5Handle Hdf5Group::openChild(const std::string& name, Hdf5Kind wanted) const {
    const Hdf5Kind found = kind(name);
    const Hdf5Place at = place_.child(name);
    if (found == Hdf5Kind::Missing) at.refuse(fmt::format("missing: no such {}", wordFor(wanted)), "");
    if (found == Hdf5Kind::ExternalLink) at.refuse("is an external link into another file", kNotFollowed);
    if (found == Hdf5Kind::BrokenLink)
        at.refuse("is a link that leads nowhere inside the file (broken or dangling link)", "write the object itself");
    if (found == Hdf5Kind::Other) {
        takeHdf5Error();
        at.refuse("cannot be opened: neither a group nor a dataset that HDF5 can read here", "write it again");
    }
    if (found != wanted) at.refuse(fmt::format("is a {}, not a {}", wordFor(found), wordFor(wanted)), "");
    const Hdf5Handle access = insideAccess();
    return Hdf5Handle(at.checked(H5Oopen(handle_.get(), name.c_str(), access.get()), "cannot be opened"));
}

Hdf5Group Hdf5Group::group(const std::string& name) const {
    const Hdf5Lock lock;
    return {openChild(name, Hdf5Kind::Group), place_.child(name)};
}

Hdf5Dataset Hdf5Group::dataset(const std::string& path, std::size_t cacheBytes) const {
    const Hdf5Lock lock;
    Hdf5Handle handle = openChild(path, Hdf5Kind::Dataset);
    const Hdf5Place at = place_.child(path);
    checkOwnStorage(handle.get(), at);
    if (cacheBytes > 0) {
        handle = Hdf5Handle();  // an open dataset keeps the cache of its first opening
        const Hdf5Handle access = datasetAccess(cacheBytes);
        handle = Hdf5Handle(at.checked(H5Dopen2(handle_.get(), path.c_str(), access.get()), "cannot be opened"));
    }
    return {std::move(handle), at};
}

}  // namespace dimscope::io
