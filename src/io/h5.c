/* h5.c - HDF5 files: creation, small values, and datasets that grow by rows.
 *
 * Growing datasets are chunked, about 16 KiB a chunk. Rows are kept in memory until they are handed to HDF5. What HDF5 writes by
 * itself are chunks; until it is flushed it keeps the index of new ones, which is small, in memory. So a process that is killed
 * leaves the file as of its last flush.
 *
 * Every bit that counts has a check sum, which HDF5 compares when it reads: chunks by the filter Fletcher32; headers of groups
 * and datasets, with their attributes and small data, by the file format of HDF5 1.8. (The format of 1.10 marks a file that
 * is being written, and would not open it after a kill.) Three things have none: the index of chunks,
 * which our reader goes through; a single text that is too large for a header, which has its hash as an attribute; and texts
 * of any length, whose writer keeps their hashes in a dataset of its own.
 *
 * HDF5 cannot close a file whose last writes failed (its exit handler then reads freed memory), so room on the
 * disk is reserved before anything is handed to it: a full disk is found while the file is still whole. After a damaged header
 * the exit handler prints a page of letters; all files are closed without it, so it is not installed. */
#include "io/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { IN_HEADER = 60000 }; /* bytes of data that a header can hold: it has less than 64 KiB */

ss_h5_quiet ss_h5_silence(void)
{
    ss_h5_quiet quiet = { NULL, NULL };
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    return quiet;
}

void ss_h5_restore(ss_h5_quiet quiet) { H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data); }

ss_status ss_h5_fail(ss_context *ctx, const char *path)
{
    return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, errno ? strerror(errno) : "HDF5 gives no reason");
}

/* how files, groups and sets are made: without the time of day, so that the same run writes the same bytes */
static hid_t timeless(hid_t kind)
{
    hid_t list = H5Pcreate(kind);
    H5Pset_obj_track_times(list, false);
    return list;
}

ss_status ss_h5_create(ss_context *ctx, const char *path, const ss_claim *claim, size_t bytes, hid_t *file)
{
    errno = posix_fallocate(claim->file, 0, (off_t)bytes); /* is there room? */
    if (errno) {
        return ss_h5_fail(ctx, path);
    }
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_file_locking(access, false, true);
    hid_t list = timeless(H5P_FILE_CREATE);
    *file = H5Fcreate(path, H5F_ACC_TRUNC, list, access);
    H5Pclose(list);
    H5Pclose(access);
    return *file < 0 ? ss_h5_fail(ctx, path) : SS_OK;
}

ss_status ss_h5_reserve(ss_context *ctx, hid_t file, const char *path, size_t bytes)
{
    hsize_t size;
    void *handle;
    if (H5Fget_filesize(file, &size) < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) {
        return ss_h5_fail(ctx, path);
    }
    errno = posix_fallocate(*(int *)handle, (off_t)size, (off_t)bytes);
    return errno ? ss_h5_fail(ctx, path) : SS_OK;
}

/* HDF5 does not know what was reserved for it behind its back, so it does not cut it off either */
int ss_h5_finish(hid_t file, const char *path)
{
    haddr_t end = 0;
    bool known = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 && H5Fget_eoa(file, &end) >= 0;
    int status = H5Fclose(file);
    return status < 0 || !known ? -1 : truncate(path, (off_t)end);
}

hid_t ss_h5_make_group(hid_t parent, const char *name)
{
    hid_t list = timeless(H5P_GROUP_CREATE), group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    return group;
}

/* ---- small values ------------------------------------------------------------------------------ */

/* texts in UTF-8 of so many bytes, or H5T_VARIABLE; to be closed */
static hid_t text_type(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* data in the header, or in chunks; a single value (rank 0) that does not fit is in one piece */
static hid_t layout_list(hid_t type, hid_t space)
{
    enum { CHUNK_BYTES = 1 << 20 };
    hid_t list = timeless(H5P_DATASET_CREATE);
    hsize_t n = (hsize_t)H5Sget_simple_extent_npoints(space), most = CHUNK_BYTES / H5Tget_size(type) + 1;
    if (n * H5Tget_size(type) <= IN_HEADER) {
        H5Pset_layout(list, H5D_COMPACT);
    } else if (H5Sget_simple_extent_ndims(space) > 0) {
        H5Pset_chunk(list, 1, n < most ? &n : &most);
        H5Pset_fletcher32(list);
    }
    return list;
}

static int write_set(hid_t parent, const char *name, hid_t type, hid_t space, const void *data)
{
    hid_t list = layout_list(type, space);
    hid_t set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    int status = set < 0 ? -1 : data ? H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) : 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    return status;
}

int ss_h5_write_array(hid_t parent, const char *name, hid_t type, hsize_t n, const void *data)
{
    hid_t space = H5Screate_simple(1, &n, NULL);
    int status = write_set(parent, name, type, space, n > 0 ? data : NULL);
    H5Sclose(space);
    return status;
}

static int write_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *data)
{
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int status = attribute < 0 ? -1 : H5Awrite(attribute, type, data);
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    return status;
}

static int write_hash(hid_t parent, const char *name, const char *text)
{
    const uint64_t hash = ss_hash(0, text, strlen(text));
    hid_t set = H5Dopen2(parent, name, H5P_DEFAULT);
    int status = set < 0 ? -1 : write_attribute(set, "hash", H5T_NATIVE_UINT64, H5Screate(H5S_SCALAR), &hash);
    if (set >= 0) {
        H5Dclose(set);
    }
    return status;
}

int ss_h5_write_text(hid_t parent, const char *name, const char *text)
{
    size_t size = strlen(text) + 1;
    hid_t type = text_type(size), space = H5Screate(H5S_SCALAR);
    int status = write_set(parent, name, type, space, text);
    H5Sclose(space);
    H5Tclose(type);
    return status < 0 || size <= IN_HEADER ? status : write_hash(parent, name, text);
}

/* as long as the longest, filled up with zeros: a damaged file can be read without harm, unlike texts of any length */
static ss_status pack_texts(ss_context *ctx, int n, const char *const *text, hid_t *type, char **data)
{
    size_t size = 1;
    for (int k = 0; k < n; k++) {
        size = strlen(text[k]) + 1 > size ? strlen(text[k]) + 1 : size;
    }
    SS_TRY(ss_calloc(ctx, (size_t)n + 1, size, data));
    for (int k = 0; k < n; k++) {
        memcpy(*data + (size_t)k * size, text[k], strlen(text[k]));
    }
    *type = text_type(size);
    return SS_OK;
}

ss_status ss_h5_write_texts(ss_context *ctx, hid_t parent, const char *name, int n, const char *const *text, const char *path)
{
    hid_t type;
    char *data;
    SS_TRY(pack_texts(ctx, n, text, &type, &data));
    int status = ss_h5_write_array(parent, name, type, (hsize_t)n, data);
    H5Tclose(type);
    ss_free(ctx, data);
    return status < 0 ? ss_h5_fail(ctx, path) : SS_OK;
}

int ss_h5_attribute_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    int status = write_attribute(object, name, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
    return status;
}

int ss_h5_attribute_of(hid_t parent, const char *dataset, const char *name, const char *text)
{
    hid_t set = H5Dopen(parent, dataset, H5P_DEFAULT);
    int status = set < 0 ? -1 : ss_h5_attribute_text(set, name, text);
    if (set >= 0) {
        H5Dclose(set);
    }
    return status;
}

int ss_h5_attribute_int(hid_t object, const char *name, int value)
{
    return write_attribute(object, name, H5T_NATIVE_INT, H5Screate(H5S_SCALAR), &value);
}

ss_status ss_h5_attribute_texts(ss_context *ctx, hid_t object, const char *name, int n, const char *const *text, const char *path)
{
    hid_t type;
    char *data;
    hsize_t size = (hsize_t)n;
    SS_TRY(pack_texts(ctx, n, text, &type, &data));
    int status = write_attribute(object, name, type, H5Screate_simple(1, &size, NULL), data);
    H5Tclose(type);
    ss_free(ctx, data);
    return status < 0 ? ss_h5_fail(ctx, path) : SS_OK;
}

/* ---- growing datasets -------------------------------------------------------------------------- */

/* rows of a chunk so that it takes about 16 KiB */
static hsize_t chunk_rows(const ss_h5_column *c)
{
    enum { CHUNK_BYTES = 1 << 14, MOST_ROWS = 1024 };
    hsize_t rows = CHUNK_BYTES / (c->row_bytes > 0 ? c->row_bytes : 1);
    return rows < 1 ? 1 : rows > MOST_ROWS ? MOST_ROWS : rows;
}

/* widths of zero need a chunk of one and must be free to grow */
static void shape_of(const ss_h5_column *c, hsize_t now[3], hsize_t most[3], hsize_t chunk[3])
{
    now[0] = 0;
    most[0] = H5S_UNLIMITED;
    chunk[0] = chunk_rows(c);
    for (int k = 1; k < c->rank; k++) {
        now[k] = c->width[k - 1];
        most[k] = now[k] > 0 ? now[k] : H5S_UNLIMITED;
        chunk[k] = now[k] > 0 ? now[k] : 1;
    }
}

/* HDF5 takes the filters in this order: bytes of equal weight together, deflate, check sum of what is stored */
static void add_filters(hid_t list, const ss_h5_column *c)
{
    if (c->compress > 0) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, (unsigned)c->compress);
    }
    if (!c->any_length) { /* HDF5 refuses filters there */
        H5Pset_fletcher32(list);
    }
}

static ss_status create_set(ss_context *ctx, hid_t parent, const char *name, hid_t disk, const char *path, ss_h5_column *c)
{
    hsize_t now[3], most[3], chunk[3];
    shape_of(c, now, most, chunk);
    hid_t space = H5Screate_simple(c->rank, now, most), list = timeless(H5P_DATASET_CREATE);
    H5Pset_chunk(list, c->rank, chunk);
    add_filters(list, c);
    c->set = H5Dcreate2(parent, name, disk, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Sclose(space);
    return c->set < 0 ? ss_h5_fail(ctx, path) : SS_OK;
}

ss_status ss_h5_column_create(ss_context *ctx, hid_t parent, const char *name, ss_h5_kind kind, int rank, hsize_t width0,
                              hsize_t width1, const char *path, ss_h5_column *out)
{
    size_t elements = (size_t)((rank > 1 ? width0 : 1) * (rank > 2 ? width1 : 1)), bytes = elements * H5Tget_size(kind.memory);
    *out = (ss_h5_column){ .type = kind.memory,
                           .rank = rank,
                           .width = { width0, width1 },
                           .row_bytes = bytes,
                           .compress = bytes > 0 ? kind.compress : 0 };
    return create_set(ctx, parent, name, kind.disk, path, out);
}

ss_status ss_h5_column_create_text(ss_context *ctx, hid_t parent, const char *name, size_t longest, const char *path,
                                   ss_h5_column *out)
{
    const bool any = longest == 0;
    *out = (ss_h5_column){ .type = text_type(any ? H5T_VARIABLE : longest + 1),
                           .owns_type = true,
                           .any_length = any,
                           .rank = 1,
                           .row_bytes = any ? sizeof(char *) : longest + 1 };
    return create_set(ctx, parent, name, out->type, path, out);
}

ss_status ss_h5_column_push(ss_context *ctx, ss_h5_column *c, const void *row)
{
    SS_TRY(ss_reserve(ctx, &c->wait, &c->capacity, c->waiting + 1, c->row_bytes > 0 ? c->row_bytes : 1));
    if (c->row_bytes > 0) {
        memcpy(c->wait + (size_t)c->waiting * c->row_bytes, row, c->row_bytes);
    }
    c->waiting++;
    return SS_OK;
}

ss_status ss_h5_column_extend(ss_context *ctx, ss_h5_column *c, int n, void *place)
{
    SS_TRY(ss_reserve(ctx, &c->wait, &c->capacity, c->waiting + n, c->row_bytes));
    char *first = c->wait ? c->wait + (size_t)c->waiting * c->row_bytes : NULL;
    memcpy(place, &first, sizeof first);
    c->waiting += n;
    return SS_OK;
}

/* zeros, and the text over them */
static ss_status push_fixed(ss_context *ctx, ss_h5_column *c, const char *text)
{
    const size_t n = strlen(text);
    if (n >= c->row_bytes) {
        return ss_fail(ctx, SS_ERR_IO, "\"%s\" has %zu bytes, a column of the result file has room for %zu", text, n,
                       c->row_bytes - 1);
    }
    SS_TRY(ss_reserve(ctx, &c->wait, &c->capacity, c->waiting + 1, c->row_bytes));
    char *row = c->wait + (size_t)c->waiting++ * c->row_bytes;
    memset(row, 0, c->row_bytes);
    memcpy(row, text, n);
    return SS_OK;
}

ss_status ss_h5_column_push_text(ss_context *ctx, ss_h5_column *c, const char *text)
{
    char *copy;
    if (!c->any_length) {
        return push_fixed(ctx, c, text);
    }
    SS_TRY(ss_strdup(ctx, text, &copy));
    ss_status status = ss_h5_column_push(ctx, c, &copy);
    if (status != SS_OK) {
        ss_free(ctx, copy);
    }
    return status;
}

/* whole chunks, the texts themselves, and the index that finds the chunks */
size_t ss_h5_column_need(const ss_h5_column *c)
{
    enum { INDEX = 8192 };
    size_t rows = (size_t)chunk_rows(c), chunks = (size_t)c->waiting / rows + 2, text = 0;
    for (int k = 0; c->any_length && k < c->waiting; k++) {
        text += strlen(((char **)(void *)c->wait)[k]) + 64;
    }
    return c->waiting > 0 ? chunks * (rows * c->row_bytes * (c->any_length ? 2 : 1) + 64) + 2 * text + INDEX : 0;
}

/* the first n rows that wait do so no longer */
static void drop_waiting(ss_context *ctx, ss_h5_column *c, int n)
{
    for (int k = 0; c->any_length && k < n; k++) {
        ss_free(ctx, ((char **)(void *)c->wait)[k]);
    }
    c->waiting -= n;
    if (c->waiting > 0) {
        memmove(c->wait, c->wait + (size_t)n * c->row_bytes, (size_t)c->waiting * c->row_bytes);
    }
}

/* A compressed chunk that is written again has another length and another place, and the old place is used for others before
 * the index of chunks on disk says so: a kill would leave a damaged file. So chunks are written whole, and once. */
static int rows_to_write(const ss_h5_column *c, bool last)
{
    const hsize_t all = c->rows + (hsize_t)c->waiting, whole = all - all % chunk_rows(c);
    return last || c->compress == 0 ? c->waiting : whole > c->rows ? (int)(whole - c->rows) : 0;
}

/* the first n rows that wait, written behind those on disk */
static int append(ss_h5_column *c, int n)
{
    hsize_t total[3] = { c->rows + (hsize_t)n, c->width[0], c->width[1] };
    hsize_t start[3] = { c->rows, 0, 0 }, count[3] = { (hsize_t)n, c->width[0], c->width[1] };
    if (H5Dset_extent(c->set, total) < 0) {
        return -1;
    }
    if (c->row_bytes == 0) {
        return 0;
    }
    hid_t memory = H5Screate_simple(c->rank, count, NULL), file = H5Dget_space(c->set);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL);
    int status = H5Dwrite(c->set, c->type, memory, file, H5P_DEFAULT, c->wait);
    H5Sclose(file);
    H5Sclose(memory);
    return status;
}

ss_status ss_h5_column_flush(ss_context *ctx, ss_h5_column *c, bool last, const char *path)
{
    const int n = rows_to_write(c, last);
    if (n == 0) {
        return SS_OK;
    }
    if (append(c, n) < 0) {
        return ss_h5_fail(ctx, path);
    }
    c->rows += (hsize_t)n;
    drop_waiting(ctx, c, n);
    return SS_OK;
}

void ss_h5_column_close(ss_context *ctx, ss_h5_column *c)
{
    drop_waiting(ctx, c, c->waiting);
    ss_free(ctx, c->wait);
    c->wait = NULL;
    if (c->set > 0) {
        H5Dclose(c->set);
    }
    if (c->owns_type) {
        H5Tclose(c->type);
    }
}
