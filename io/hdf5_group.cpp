// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <hdf5.h>

#include "io/hdf5_read.h"
#include "io/message_text.h"

namespace dimscope::io {
namespace {

/// H5Pset_elink_cb: this file is left only where the policy allows it.
herr_t askPolicy(const char*, const char*, const char* file, const char*, unsigned*, hid_t, void* policy) {
    const auto& rules = *static_cast<const OpenPolicy*>(policy);
    return rules.allows(rules.resolved(file)) ? 0 : -1;
}

/// Relative names in the file count from the dump's folder, not from where the program was started.
void applyPolicy(hid_t access, const OpenPolicy& policy) {
    H5Pset_elink_cb(access, askPolicy, const_cast<OpenPolicy*>(&policy));
    if (!policy.folder.empty()) H5Pset_elink_prefix(access, policy.folder.c_str());
}

Hdf5Handle linkAccess(const OpenPolicy& policy) {
    Hdf5Handle access(H5Pcreate(H5P_LINK_ACCESS));
    applyPolicy(access.get(), policy);
    return access;
}

/// Dataset access by the same rules, with a chunk cache of `bytes` for what HDF5 decodes itself.
Hdf5Handle datasetAccess(const OpenPolicy& policy, std::size_t bytes) {
    Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS));
    applyPolicy(access.get(), policy);
    H5Pset_virtual_prefix(access.get(), policy.folder.c_str());
    H5Pset_efile_prefix(access.get(), policy.folder.c_str());
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

constexpr H5Z_filter_t kDecodedHere = 32000;  ///< decoded here

/// The package that brings a registered filter (numbers: HDF Group's list of registered filter plug-ins).
std::string filterAdvice(H5Z_filter_t filter) {
    const char* package = nullptr;
    switch (filter) {
        case H5Z_FILTER_SZIP: package = "an HDF5 library with szip"; break;
        case 307:    // bzip2
        case 32004:  // lz4
        case 32008: package = "the Debian package hdf5-filter-plugin"; break;
        case 32001: package = "the Debian package hdf5-filter-plugin-blosc-serial"; break;
        case 32013: package = "the Debian package hdf5-filter-plugin-zfp-serial"; break;
        default: package = "its HDF5 plug-in"; break;
    }
    return fmt::format("install {}, or rewrite the file with gzip (h5repack -f GZIP=4)", package);
}

/// Filters of the dataset that neither HDF5 nor this program can undo.
void checkFilters(hid_t creation, const FilePlace& place) {
    const int count = H5Pget_nfilters(creation);
    for (int i = 0; i < count; ++i) {
        unsigned flags = 0, configuration = 0;
        std::size_t parameters = 0;
        char name[64] = {};
        const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &parameters, nullptr,
                                                   sizeof name, name, &configuration);
        if (filter < 0 || filter == kDecodedHere || H5Zfilter_avail(filter) > 0) continue;
        takeHdf5Error();
        place.refuse(fmt::format("is compressed with filter {} (\"{}\"), which is not installed",
                                 static_cast<int>(filter), printable(name)),
                     filterAdvice(filter));
    }
}

/// Files of external storage: listed, and used only where the policy allows them.
void checkExternalFiles(hid_t creation, const FilePlace& place, const OpenPolicy& policy) {
    for (int n = 0; n < H5Pget_external_count(creation); ++n) {
        char name[1024] = {};
        off_t offset = 0;
        hsize_t size = 0;
        H5Pget_external(creation, static_cast<unsigned>(n), sizeof name - 1, name, &offset, &size);
        const std::filesystem::path file = policy.resolved(name);
        if (!policy.allows(file))
            place.refuse(
                fmt::format("its data lie in an external file (external storage): {}", printable(file.string())),
                policy.advice(file));
        std::error_code failure;
        const auto present = std::filesystem::file_size(file, failure);
        if (failure || (size != H5F_UNLIMITED && present < static_cast<std::uintmax_t>(offset) + size))
            place.refuse(fmt::format("its external file {} is missing or too short", printable(file.string())),
                         "put the file back");
    }
}

/// A source of a virtual dataset must be there: HDF5 itself gives zeros for a missing one, and never returns from one
/// that refers to itself.
void checkSource(const std::filesystem::path& file, const std::string& object, const FilePlace& place) {
    const auto refuse = [&](const char* cause) {
        place.refuse(
            fmt::format("is virtual, and its source {} in {} {}", printable(object), printable(file.string()), cause),
            "put the source back, or write the data themselves");
    };
    const Hdf5Handle source(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const Hdf5Handle dataset(source ? H5Dopen2(source.get(), object.c_str(), H5P_DEFAULT) : -1);
    takeHdf5Error();
    if (!dataset) refuse("is missing");
    const Hdf5Handle creation(H5Dget_create_plist(dataset.get()));
    if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) refuse("is virtual itself: a loop cannot be ruled out");
    if (H5Pget_external_count(creation.get()) > 0) refuse("lies in an external file itself");
    if (H5Dget_storage_size(dataset.get()) == 0) refuse("was never written");
}

void checkVirtualSources(hid_t creation, const FilePlace& place, const OpenPolicy& policy) {
    std::size_t count = 0;
    place.checked(H5Pget_virtual_count(creation, &count), "cannot list the sources of a virtual dataset");
    for (std::size_t n = 0; n < count; ++n) {
        char file[1024] = {}, object[1024] = {};
        H5Pget_virtual_filename(creation, n, file, sizeof file);
        H5Pget_virtual_dsetname(creation, n, object, sizeof object);
        const std::filesystem::path resolved =
            std::string_view(file) == "." ? std::filesystem::path(place.file) : policy.resolved(file);
        if (!policy.allows(resolved))
            place.refuse(fmt::format("is a virtual dataset (VDS): its data lie in other datasets, the first in {}",
                                     printable(resolved.string())),
                         policy.advice(resolved));
        checkSource(resolved, object, place);
    }
}

/// Before anything else is asked: HDF5 opens the other files as soon as it needs their sizes.
void checkOwnStorage(hid_t dataset, const FilePlace& place, const OpenPolicy& policy) {
    const Hdf5Handle creation(place.checked(H5Dget_create_plist(dataset), "cannot read how it is stored"));
    checkExternalFiles(creation.get(), place, policy);
    if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) checkVirtualSources(creation.get(), place, policy);
    checkFilters(creation.get(), place);
}

const char* wordFor(Hdf5Kind kind) { return kind == Hdf5Kind::Group ? "group" : "dataset"; }

}  // namespace

Hdf5Group Hdf5Group::openFile(const std::filesystem::path& path, OpenPolicy policy) {
    const Hdf5Lock lock;
    const Hdf5Handle file = openHdf5ForReading(path);
    policy.folder = std::filesystem::absolute(path).parent_path();
    const FilePlace place = FilePlace::ofFile(path);
    return {Hdf5Handle(place.checked(H5Gopen2(file.get(), "/", H5P_DEFAULT), "cannot open the root group")), place,
            std::make_shared<const OpenPolicy>(std::move(policy))};
}

bool Hdf5Group::isMarkedOpen() const {
    const Hdf5Lock lock;
    const Hdf5Handle file(H5Iget_file_id(handle_.get()));
    unsigned intent = 0;
    return file && H5Fget_intent(file.get(), &intent) >= 0 && (intent & H5F_ACC_SWMR_READ) != 0;
}

Hdf5Kind Hdf5Group::kind(const std::string& name) const {
    const Hdf5Lock lock;
    const Hdf5Handle access = linkAccess(*policy_);
    H5O_info_t info;
    if (H5Oget_info_by_name2(handle_.get(), name.c_str(), &info, H5O_INFO_BASIC, access.get()) < 0)
        return linkKind(handle_.get(), name);
    return info.type == H5O_TYPE_GROUP ? Hdf5Kind::Group
                                       : (info.type == H5O_TYPE_DATASET ? Hdf5Kind::Dataset : Hdf5Kind::Other);
}

std::vector<std::string> Hdf5Group::names() const {
    const Hdf5Lock lock;
    std::vector<std::string> names;
    place_.checked(H5Literate(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collectName, &names),
                   "cannot list its content");
    return names;
}

std::optional<Hdf5ObjectId> Hdf5Group::objectId(const std::string& name) const {
    const Hdf5Lock lock;
    const Hdf5Handle access = linkAccess(*policy_);
    H5O_info_t info;
    if (H5Oget_info_by_name2(handle_.get(), name.c_str(), &info, H5O_INFO_BASIC, access.get()) >= 0)
        return Hdf5ObjectId{info.fileno, info.addr};
    takeHdf5Error();
    return std::nullopt;
}

std::string Hdf5Group::externalTarget(const std::string& name) const {
    const Hdf5Lock lock;
    H5L_info_t info;
    std::string text;
    if (H5Lget_info(handle_.get(), name.c_str(), &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_EXTERNAL) {
        std::vector<char> value(info.u.val_size + 1, '\0');
        const char *file = nullptr, *object = nullptr;
        unsigned flags = 0;
        if (H5Lget_val(handle_.get(), name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) >= 0 &&
            H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &file, &object) >= 0)
            text = fmt::format("{}:{}", policy_->resolved(file).string(), object);
    }
    takeHdf5Error();
    return printable(text, 300);
}

void Hdf5Group::requireKind(const std::string& name, Hdf5Kind wanted) const {
    const Hdf5Kind found = kind(name);
    const FilePlace at = place_.child(name);
    if (found == Hdf5Kind::Missing) at.refuse(fmt::format("missing: no such {}", wordFor(wanted)), "");
    if (found == Hdf5Kind::ExternalLink)
        at.refuse(fmt::format("is an external link into another file ({})", externalTarget(name)),
                  "if you trust the file: --allow links (inside its folder) or --allow outside; or copy the data in");
    if (found == Hdf5Kind::BrokenLink)
        at.refuse("is a link that leads nowhere inside the file (broken or dangling link)", "write the object itself");
    if (found == Hdf5Kind::Other) {
        takeHdf5Error();
        at.refuse("cannot be opened: neither a group nor a dataset that HDF5 can read here", "write it again");
    }
    if (found != wanted) at.refuse(fmt::format("is a {}, not a {}", wordFor(found), wordFor(wanted)), "");
}

Hdf5Group Hdf5Group::group(const std::string& name) const {
    const Hdf5Lock lock;
    requireKind(name, Hdf5Kind::Group);
    const FilePlace at = place_.child(name);
    const Hdf5Handle access = linkAccess(*policy_);
    return {Hdf5Handle(at.checked(H5Oopen(handle_.get(), name.c_str(), access.get()), "cannot be opened")), at,
            policy_};
}

Hdf5Dataset Hdf5Group::dataset(const std::string& path, std::size_t cacheBytes, const std::string& field) const {
    const Hdf5Lock lock;
    requireKind(path, Hdf5Kind::Dataset);
    const FilePlace at = place_.child(path);
    const Hdf5Handle access = datasetAccess(*policy_, cacheBytes);
    Hdf5Handle handle(at.checked(H5Dopen2(handle_.get(), path.c_str(), access.get()), "cannot be opened"));
    checkOwnStorage(handle.get(), at, *policy_);
    return {std::move(handle), at, field, cacheBytes};
}

}  // namespace dimscope::io
