/* h5_text.c - texts and tables out of HDF5 files, checked as in h5_read.c.
 *
 * Texts of variable length are refused: HDF5 1.10 follows whatever a damaged heap says about them. Our own files have
 * texts of fixed length wherever they are read back. */
#include "io/h5_read.h"

#include <limits.h>
#include <stdio.h>

/* ---- texts ------------------------------------------------------------------------------------- */

/* a dataset or an attribute that is to hold texts */
typedef struct holder {
    const ss_h5_source *s;
    const char *name;
    hid_t id, type, space;
    bool attribute;
} holder;

static int read_raw(const holder *h, hid_t type, void *data)
{
    return h->attribute ? H5Aread(h->id, type, data) : H5Dread(h->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
}

static ss_status keep(const holder *h, const char *text, size_t most, const char **out)
{
    size_t n = strnlen(text, most);
    char *copy;
    SS_TRY(ss_arena_take(h->s->arena, n + 1, 1, &copy));
    memcpy(copy, text, n);
    *out = copy;
    return SS_OK;
}

/* texts of one length each, not always ended */
static ss_status read_fixed(const holder *h, int n, const char **out)
{
    size_t size = H5Tget_size(h->type);
    char *data;
    if (size == 0 || (uint64_t)size * (uint64_t)n > h->s->most) {
        return ss_h5_refuse(h->s, h->name, "%d texts of %zu bytes cannot be in a file of this size", n, size);
    }
    SS_TRY(ss_arena_take(h->s->arena, (size_t)n, size, &data));
    if (n > 0 && read_raw(h, h->type, data) < 0) {
        return ss_h5_refuse_data(h->s, h->name);
    }
    for (int k = 0; k < n; k++) {
        SS_TRY(keep(h, data + (size_t)k * size, size, &out[k]));
    }
    return SS_OK;
}

/* exactly n texts */
static ss_status read_held(const holder *h, int n, const char **out)
{
    if (h->type < 0 || h->space < 0 || H5Tget_class(h->type) != H5T_STRING || H5Tis_variable_str(h->type) != 0) {
        return ss_h5_refuse(h->s, h->name, "expected %s of fixed length", n == 1 ? "a text" : "texts");
    }
    hssize_t count = H5Sget_simple_extent_npoints(h->space);
    if (count != n) {
        return ss_h5_refuse(h->s, h->name, "has %lld texts, expected %d", (long long)count, n);
    }
    if (!h->attribute) {
        SS_TRY(ss_h5_check_storage(h->s, h->name, h->id));
    }
    return read_fixed(h, n, out);
}

static void let_go(const holder *h)
{
    if (h->type >= 0) {
        H5Tclose(h->type);
    }
    if (h->space >= 0) {
        H5Sclose(h->space);
    }
}

/* n texts of an attribute; `shown` is what messages call it */
static ss_status read_attribute(const ss_h5_source *s, hid_t object, const char *name, const char *shown, int n, const char **out)
{
    hid_t id = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (id < 0) {
        return ss_h5_refuse_missing(s, shown);
    }
    const holder h = { s, shown, id, H5Aget_type(id), H5Aget_space(id), true };
    ss_status status = read_held(&h, n, out);
    let_go(&h);
    H5Aclose(id);
    return status;
}

ss_status ss_h5_read_attribute(const ss_h5_source *s, const char *name, const char **out)
{
    return read_attribute(s, s->file, name, name, 1, out);
}

ss_status ss_h5_read_attribute_texts(const ss_h5_source *s, hid_t set, const char *set_name, const char *name, int n,
                                     const char *const **out)
{
    const char **list;
    char shown[64];
    snprintf(shown, sizeof shown, "%s: %s", set_name, name);
    SS_TRY(ss_arena_take(s->arena, (size_t)n, sizeof *list, &list));
    *out = list;
    return read_attribute(s, set, name, shown, n, list);
}

ss_status ss_h5_read_whole_attribute(const ss_h5_source *s, const char *name, int *out)
{
    hid_t id = H5Aexists(s->file, name) > 0 ? H5Aopen(s->file, name, H5P_DEFAULT) : -1;
    if (id < 0) {
        return ss_h5_refuse_missing(s, name);
    }
    const holder h = { s, name, id, H5Aget_type(id), H5Aget_space(id), true };
    bool whole = h.type >= 0 && h.space >= 0 && H5Tget_class(h.type) == H5T_INTEGER && H5Sget_simple_extent_npoints(h.space) == 1;
    bool good = whole && H5Aread(id, H5T_NATIVE_INT, out) >= 0;
    let_go(&h);
    H5Aclose(id);
    return good ? SS_OK : ss_h5_refuse(s, name, "expected a whole number");
}

ss_status ss_h5_read_texts(const ss_h5_source *s, const char *name, int n, const char *const **out)
{
    const char **list;
    hid_t id = ss_h5_exists(s, name) ? H5Dopen2(s->file, name, H5P_DEFAULT) : -1;
    if (id < 0) {
        return ss_h5_refuse_missing(s, name);
    }
    const holder h = { s, name, id, H5Dget_type(id), H5Dget_space(id), false };
    ss_status status = ss_arena_take(s->arena, (size_t)n, sizeof *list, &list);
    if (status == SS_OK) {
        status = read_held(&h, n, list);
    }
    let_go(&h);
    H5Dclose(id);
    *out = list;
    return status;
}

/* the hash that a large text has, in files written by slipstick */
static bool has_its_hash(const ss_h5_source *s, const char *name, const char *text)
{
    uint64_t hash = 0;
    if (H5Aexists_by_name(s->file, name, "hash", H5P_DEFAULT) <= 0) {
        return true;
    }
    hid_t id = H5Aopen_by_name(s->file, name, "hash", H5P_DEFAULT, H5P_DEFAULT);
    bool read = id >= 0 && H5Aread(id, H5T_NATIVE_UINT64, &hash) >= 0;
    if (id >= 0) {
        H5Aclose(id);
    }
    return read && hash == ss_hash(0, text, strlen(text));
}

ss_status ss_h5_read_text(const ss_h5_source *s, const char *name, const char **out)
{
    const char *const *list;
    SS_TRY(ss_h5_read_texts(s, name, 1, &list));
    *out = list[0];
    return has_its_hash(s, name, *out) ? SS_OK : ss_h5_refuse(s, name, "damaged: the text does not have its hash");
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* rows, width and depth from the dataset's space; false: another rank */
static bool take_shape(hid_t set, ss_h5_table *t)
{
    hsize_t size[3] = { 0, 1, 1 };
    hid_t space = H5Dget_space(set);
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == t->rank && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0) {
        H5Sclose(space);
    }
    t->rows = size[0];
    t->width = size[1];
    t->depth = size[2];
    return fits;
}

static ss_status check_table(const ss_h5_source *s, const char *name, bool whole, ss_h5_table *t)
{
    hid_t type = H5Dget_type(t->set);
    bool number = ss_h5_is_number(type, whole);
    if (type >= 0) {
        H5Tclose(type);
    }
    if (!number || !take_shape(t->set, t)) {
        return ss_h5_refuse(s, name, "expected %s of %s", t->rank == 1 ? "a list" : "rows", whole ? "whole numbers" : "numbers");
    }
    uint64_t most = s->most / sizeof(double);
    bool narrow = t->width <= INT_MAX && t->depth <= INT_MAX;
    uint64_t numbers = narrow ? t->width * t->depth : 0; /* of a row */
    if (!narrow || t->rows > most || (numbers > 0 && t->rows > most / numbers)) {
        return ss_h5_refuse(s, name, "%llu rows of %llu numbers cannot be in a file of this size", (unsigned long long)t->rows,
                            (unsigned long long)t->width);
    }
    return ss_h5_check_storage(s, name, t->set);
}

/* is chunk number k there, and as large as it must be? */
static bool holds_chunk(hid_t set, hsize_t rows, hsize_t k)
{
    hsize_t bytes = 0, at[3] = { k * rows, 0, 0 };
    return H5Dget_chunk_storage_size(set, at, &bytes) >= 0 && bytes > 0;
}

/* rows of a chunk; 0: the table is not stored in chunks of whole rows */
static hsize_t rows_of_chunk(const ss_h5_table *t)
{
    hsize_t size[3] = { 0, 1, 1 };
    hid_t list = H5Dget_create_plist(t->set);
    bool whole = list >= 0 && H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, 3, size) == t->rank &&
                 size[1] == t->width && size[2] == t->depth;
    if (list >= 0) {
        H5Pclose(list);
    }
    return whole ? size[0] : 0;
}

/* HDF5 reads chunks that are not in the index of chunks as zeros. Those at the end are what a kill within a flush leaves. */
static ss_status find_chunks(const ss_h5_source *s, const char *name, ss_h5_table *t)
{
    hsize_t rows = rows_of_chunk(t), chunks = rows > 0 ? (t->rows + rows - 1) / rows : 0, held = 0;
    while (held < chunks && holds_chunk(t->set, rows, held)) {
        held++;
    }
    for (hsize_t k = held; k < chunks; k++) {
        if (holds_chunk(t->set, rows, k)) {
            return ss_h5_refuse(s, name, "damaged: row %llu and others are missing", (unsigned long long)(held * rows));
        }
    }
    if (held < chunks) {
        ss_log(s->ctx, SS_LOG_WARNING, "%s: %s: the last %llu rows are missing and left out", s->path, name,
               (unsigned long long)(t->rows - held * rows));
        t->rows = held * rows;
    }
    return SS_OK;
}

ss_status ss_h5_table_open(const ss_h5_source *s, const char *name, int rank, bool whole, ss_h5_table *out)
{
    *out = (ss_h5_table){ .set = -1, .rank = rank };
    if (!ss_h5_exists(s, name)) {
        return ss_h5_refuse_missing(s, name);
    }
    out->set = H5Dopen2(s->file, name, H5P_DEFAULT);
    if (out->set < 0) {
        return ss_h5_refuse(s, name, "expected a table of numbers, or its header is damaged");
    }
    SS_TRY(check_table(s, name, whole, out));
    return find_chunks(s, name, out);
}

void ss_h5_table_close(ss_h5_table *t)
{
    if (t->set >= 0) {
        H5Dclose(t->set);
        t->set = -1;
    }
}

ss_status ss_h5_table_read(const ss_h5_source *s, const char *name, const ss_h5_table *t, const ss_h5_piece *piece, hid_t type,
                           void *out)
{
    hsize_t start[3] = { piece->first, piece->left, 0 }, size[3] = { piece->count, piece->width, t->depth };
    if (piece->count == 0 || piece->width == 0) {
        return SS_OK;
    }
    hid_t memory = H5Screate_simple(t->rank, size, NULL), file = H5Dget_space(t->set);
    bool failed = memory < 0 || file < 0 || H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
                  H5Dread(t->set, type, memory, file, H5P_DEFAULT, out) < 0;
    ss_status status = failed ? ss_h5_refuse_data(s, name) : SS_OK; /* before HDF5 forgets the reason */
    if (memory >= 0) {
        H5Sclose(memory);
    }
    if (file >= 0) {
        H5Sclose(file);
    }
    return status;
}
