/* h5_read.c - lists of numbers out of HDF5 files, with everything checked that can be before memory is taken.
 *
 * A dataset may say any size without having the data: chunks that were never written read as a fill value. So a dataset
 * that could not come out of a file of this size, compressed as well as deflate can (about 1 : 1032), is refused. */
#include "io/h5_read.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { COMPRESSION = 1032, NAME = 256 };

/* ---- the file ---------------------------------------------------------------------------------- */

ss_status ss_h5_refuse(const ss_h5_source *s, const char *name, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ss_fail(s->ctx, SS_ERR_INPUT, "%s: %s: %s", s->path, name, text);
}

ss_status ss_h5_refuse_missing(const ss_h5_source *s, const char *name)
{
    return ss_h5_refuse(s, name, "missing, or its header is damaged");
}

/* a plain file that can be read, and its size */
static ss_status look_at(ss_context *ctx, const char *path, uint64_t *bytes)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file || stat(path, &about) != 0) {
        ss_status status = ss_fail(ctx, SS_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
        if (file) {
            fclose(file);
        }
        return status;
    }
    fclose(file);
    *bytes = (uint64_t)about.st_size;
    return S_ISREG(about.st_mode) ? SS_OK : ss_fail(ctx, SS_ERR_INPUT, "%s: expected a file", path);
}

ss_status ss_h5_open(ss_context *ctx, const char *path, ss_arena *arena, ss_h5_source *out)
{
    uint64_t bytes = 0;
    *out = (ss_h5_source){ .ctx = ctx, .path = path, .arena = arena, .file = -1 };
    SS_TRY(look_at(ctx, path, &bytes));
    if (bytes == 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: the file is empty", path);
    }
    out->bytes = bytes;
    out->most = bytes > UINT64_MAX / COMPRESSION ? UINT64_MAX : bytes * COMPRESSION;
    if (H5Fis_hdf5(path) <= 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: not an HDF5 file", path);
    }
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_file_locking(access, false, true);
    H5Pset_sieve_buf_size(access, 0);
    out->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return out->file < 0 ? ss_fail(ctx, SS_ERR_INPUT, "%s: an HDF5 file that is cut off or damaged", path) : SS_OK;
}

void ss_h5_close(ss_h5_source *s)
{
    if (s->file >= 0) {
        H5Fclose(s->file);
        s->file = -1;
    }
}

bool ss_h5_exists(const ss_h5_source *s, const char *name)
{
    char part[NAME];
    for (size_t n = strcspn(name, "/");; n += 1 + strcspn(name + n + 1, "/")) {
        snprintf(part, sizeof part, "%.*s", (int)n, name);
        if (H5Lexists(s->file, part, H5P_DEFAULT) <= 0) {
            return false;
        }
        if (name[n] == '\0') {
            return H5Oexists_by_name(s->file, name, H5P_DEFAULT) > 0;
        }
    }
}

/* ---- kinds and places that a damaged file may get wrong ----------------------------------------- */

static bool is_whole(hid_t type)
{
    size_t size = H5Tget_size(type);
    return H5Tget_class(type) == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8) &&
           H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
}

bool ss_h5_is_number(hid_t type, bool whole)
{
    if (type < 0 || whole) {
        return type >= 0 && is_whole(type);
    }
    return is_whole(type) || H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F32LE) > 0 ||
           H5Tequal(type, H5T_IEEE_F64BE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
}

/* a contiguous dataset: in a damaged file its offset and its stored size need not agree with its shape or the size of the file */
static bool fits_in_one_piece(const ss_h5_source *s, hid_t set, uint64_t need)
{
    haddr_t at = H5Dget_offset(set);
    uint64_t stored = H5Dget_storage_size(set);
    return need == 0 || stored == 0 || (stored >= need && at != HADDR_UNDEF && at <= s->bytes && stored <= s->bytes - at);
}

ss_status ss_h5_check_storage(const ss_h5_source *s, const char *name, hid_t set)
{
    hid_t list = H5Dget_create_plist(set), space = H5Dget_space(set), type = H5Dget_type(set);
    bool sound = list >= 0 && space >= 0 && type >= 0;
    hssize_t count = sound ? H5Sget_simple_extent_npoints(space) : -1;
    size_t size = sound ? H5Tget_size(type) : 0;
    sound = sound && count >= 0 && size > 0 && (uint64_t)count <= s->most / size;
    H5D_layout_t layout = sound ? H5Pget_layout(list) : H5D_LAYOUT_ERROR;
    if (layout == H5D_CONTIGUOUS) {
        sound = H5Pget_external_count(list) == 0 && fits_in_one_piece(s, set, (uint64_t)count * size);
    } else if (layout == H5D_COMPACT) {
        sound = H5Dget_storage_size(set) >= (uint64_t)count * size;
    } else {
        sound = layout == H5D_CHUNKED;
    }
    if (list >= 0) {
        H5Pclose(list);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    return sound ? SS_OK : ss_h5_refuse(s, name, "the file does not hold what it says: cut off or damaged");
}

/* true as soon as one of HDF5's messages is that of the check sum; H5Ewalk2 stops there */
static herr_t find_check_sum(unsigned n, const H5E_error2_t *error, void *found)
{
    (void)n;
    *(bool *)found = error->desc && strstr(error->desc, "checksum");
    return *(bool *)found;
}

ss_status ss_h5_refuse_data(const ss_h5_source *s, const char *name)
{
    bool sum = false;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_check_sum, &sum);
    return ss_h5_refuse(s, name,
                        sum ? "damaged: the check sum of its data differs" : "cannot be read: the file is cut off or damaged");
}

/* ---- one dataset ------------------------------------------------------------------------------- */

/* its length, if it is a list of a kind that `whole` says, and not larger than the file allows */
static ss_status measure(const ss_h5_source *s, const char *name, hid_t set, bool whole, int *n)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    bool number = ss_h5_is_number(type, whole);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    hssize_t count = rank < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (!number) {
        return ss_h5_refuse(s, name, "expected %s", whole ? "whole numbers" : "numbers");
    }
    if (rank < 0 || rank > 1 || count < 0) {
        return ss_h5_refuse(s, name, "expected a list of numbers");
    }
    if (count > INT_MAX || (uint64_t)count * sizeof(double) > s->most) {
        return ss_h5_refuse(s, name, "%lld numbers cannot be in a file of this size", (long long)count);
    }
    *n = (int)count;
    return ss_h5_check_storage(s, name, set);
}

/* the list as doubles or as 64-bit whole numbers */
static ss_status read_set(const ss_h5_source *s, const char *name, bool whole, int *n, void *out)
{
    if (!ss_h5_exists(s, name)) {
        return ss_h5_refuse_missing(s, name);
    }
    hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
    if (set < 0) {
        return ss_h5_refuse(s, name, "cannot be opened as a list of numbers, or its header is damaged");
    }
    void *data = NULL;
    ss_status status = measure(s, name, set, whole, n);
    if (status == SS_OK) {
        status = ss_arena_take(s->arena, (size_t)*n, sizeof(double), &data);
    }
    hid_t type = whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    if (status == SS_OK && *n > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        status = ss_h5_refuse_data(s, name);
    }
    H5Dclose(set);
    *(void **)out = data;
    return status;
}

ss_status ss_h5_read_numbers(const ss_h5_source *s, const char *name, int *n, double **out)
{
    SS_TRY(read_set(s, name, false, n, out));
    for (int k = 0; k < *n; k++) {
        if (!isfinite((*out)[k])) {
            return ss_h5_refuse(s, name, "number %d is %g, expected a finite number", k, (*out)[k]);
        }
    }
    return SS_OK;
}

ss_status ss_h5_read_wholes(const ss_h5_source *s, const char *name, int *n, int **out)
{
    int64_t *wide;
    SS_TRY(read_set(s, name, true, n, &wide));
    SS_TRY(ss_arena_take(s->arena, (size_t)*n, sizeof **out, out));
    for (int k = 0; k < *n; k++) {
        if (wide[k] < INT_MIN || wide[k] > INT_MAX) {
            return ss_h5_refuse(s, name, "number %d is %lld, expected at most %d", k, (long long)wide[k], INT_MAX);
        }
        (*out)[k] = (int)wide[k];
    }
    return SS_OK;
}

/* ---- lengths that are known -------------------------------------------------------------------- */

static ss_status check_length(const ss_h5_source *s, const char *name, int got, int expected)
{
    return got == expected ? SS_OK : ss_h5_refuse(s, name, "has %d numbers, expected %d", got, expected);
}

ss_status ss_h5_read_n_numbers(const ss_h5_source *s, const char *name, int n, double **out)
{
    int got;
    SS_TRY(ss_h5_read_numbers(s, name, &got, out));
    return check_length(s, name, got, n);
}

ss_status ss_h5_read_n_wholes(const ss_h5_source *s, const char *name, int n, int **out)
{
    int got;
    SS_TRY(ss_h5_read_wholes(s, name, &got, out));
    return check_length(s, name, got, n);
}

ss_status ss_h5_read_whole(const ss_h5_source *s, const char *name, int *out)
{
    int n, *list;
    SS_TRY(ss_h5_read_wholes(s, name, &n, &list));
    if (n < 1) {
        return ss_h5_refuse(s, name, "is empty, expected a whole number");
    }
    *out = list[0];
    return SS_OK;
}
