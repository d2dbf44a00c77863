/* result_contacts.c - contacts out of an HDF5 result: a ragged table, whose rows offset[k] .. offset[k+1]-1 belong to state k.
 *
 *   force in the world  f = f_n n + f_1 t_1 + f_2 t_2,  which acts on the first body
 *
 * A run that was killed within a flush may lack the last rows of some of these tables: an offset that is not there, or that
 * points behind the last row, counts as the last row, so that the last states have fewer contacts or none. Rows are read in
 * pieces, so that the memory does not grow with the file. */
#include "io/result_contacts.h"

#include <limits.h>

enum { OFFSET, BODIES, GAP, FORCE, POINT, NORMAL, TANGENT, PIECE = 256 };

static const struct {
    const char *name;
    int rank;
    bool whole;
    hsize_t width, depth;
} tables[SS_CONTACT_TABLES] = {
    [OFFSET] = { "contacts/offset", 1, true, 1, 1 },    [BODIES] = { "contacts/bodies", 2, true, 2, 1 },
    [GAP] = { "contacts/gap", 1, false, 1, 1 },         [FORCE] = { "contacts/force", 2, false, 3, 1 },
    [POINT] = { "contacts/point", 2, false, 3, 1 },     [NORMAL] = { "contacts/normal", 2, false, 3, 1 },
    [TANGENT] = { "contacts/tangent", 3, false, 2, 3 },
};

/* some rows, as they are in the file */
typedef struct rows {
    int64_t bodies[PIECE][2];
    double gap[PIECE], force[PIECE][3], point[PIECE][3], normal[PIECE][3], tangent[PIECE][2][3];
} rows;

/* ---- the tables -------------------------------------------------------------------------------- */

void ss_h5_contacts_begin(ss_h5_contacts *c)
{
    *c = (ss_h5_contacts){ .opened = false };
    for (int k = 0; k < SS_CONTACT_TABLES; k++) {
        c->table[k].set = -1;
    }
}

void ss_h5_contacts_end(ss_h5_contacts *c)
{
    for (int k = 0; k < SS_CONTACT_TABLES; k++) {
        ss_h5_table_close(&c->table[k]);
    }
}

static ss_status open_tables(const ss_h5_source *s, ss_h5_contacts *c)
{
    c->rows = INT64_MAX;
    for (int k = 0; k < SS_CONTACT_TABLES; k++) {
        ss_h5_table *t = &c->table[k];
        SS_TRY(ss_h5_table_open(s, tables[k].name, tables[k].rank, tables[k].whole, t));
        if (t->width != tables[k].width || t->depth != tables[k].depth) {
            return ss_h5_refuse(s, tables[k].name, "expected rows of %d x %d numbers", (int)tables[k].width,
                                (int)tables[k].depth);
        }
        c->rows = k != OFFSET && (int64_t)t->rows < c->rows ? (int64_t)t->rows : c->rows;
    }
    c->opened = true;
    return SS_OK;
}

/* once; after a failure the next call tries again */
static ss_status open_once(const ss_h5_source *s, ss_h5_contacts *c)
{
    if (c->opened) {
        return SS_OK;
    }
    ss_status status = open_tables(s, c);
    if (status != SS_OK) {
        ss_h5_contacts_end(c);
    }
    return status;
}

static ss_status read_piece(const ss_h5_source *s, const ss_h5_contacts *c, int which, int64_t first, int64_t count, void *out)
{
    const ss_h5_piece piece = { (hsize_t)first, (hsize_t)count, 0, tables[which].width };
    hid_t type = tables[which].whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    return ss_h5_table_read(s, tables[which].name, &c->table[which], &piece, type, out);
}

/* ---- offsets ----------------------------------------------------------------------------------- */

static ss_status check_offsets(const ss_h5_source *s, int64_t count, const int64_t *offset)
{
    for (int64_t k = 0; k <= count; k++) {
        if (offset[k] < (k > 0 ? offset[k - 1] : 0)) {
            return ss_h5_refuse(s, tables[OFFSET].name, "damaged: %lld, expected a number that does not fall",
                                (long long)offset[k]);
        }
    }
    return SS_OK;
}

ss_status ss_h5_contacts_offsets(const ss_h5_source *s, ss_h5_contacts *c, int64_t first, int64_t count, int64_t *offset)
{
    SS_TRY(open_once(s, c));
    int64_t there = (int64_t)c->table[OFFSET].rows - first, n = there < 0 ? 0 : there < count + 1 ? there : count + 1;
    SS_TRY(read_piece(s, c, OFFSET, first, n, offset));
    for (int64_t k = 0; k <= count; k++) {
        offset[k] = k < n && offset[k] < c->rows ? offset[k] : c->rows;
    }
    return check_offsets(s, count, offset);
}

/* ---- contacts ---------------------------------------------------------------------------------- */

static ss_status take_bodies(const ss_h5_source *s, const int64_t from[2], int to[2])
{
    for (int k = 0; k < 2; k++) {
        if (from[k] < -1 || from[k] > INT_MAX) {
            return ss_h5_refuse(s, tables[BODIES].name, "%lld, expected the number of a body", (long long)from[k]);
        }
        to[k] = (int)from[k];
    }
    return SS_OK;
}

static ss_status take_row(const ss_h5_source *s, const rows *r, int64_t k, ss_result_contact *out)
{
    const double *f = r->force[k];
    SS_TRY(take_bodies(s, r->bodies[k], out->bodies));
    out->gap = r->gap[k];
    for (int i = 0; i < 3; i++) {
        out->point[i] = r->point[k][i];
        out->normal[i] = r->normal[k][i];
        out->force[i] = f[0] * r->normal[k][i] + f[1] * r->tangent[k][0][i] + f[2] * r->tangent[k][1][i];
    }
    return SS_OK;
}

static ss_status read_rows(const ss_h5_source *s, const ss_h5_contacts *c, int64_t first, int64_t count, rows *r)
{
    SS_TRY(read_piece(s, c, BODIES, first, count, r->bodies));
    SS_TRY(read_piece(s, c, GAP, first, count, r->gap));
    SS_TRY(read_piece(s, c, FORCE, first, count, r->force));
    SS_TRY(read_piece(s, c, POINT, first, count, r->point));
    SS_TRY(read_piece(s, c, NORMAL, first, count, r->normal));
    return read_piece(s, c, TANGENT, first, count, r->tangent);
}

ss_status ss_h5_contacts_read(const ss_h5_source *s, ss_h5_contacts *c, int64_t first, int64_t count, ss_result_contact *out)
{
    rows r;
    SS_TRY(open_once(s, c));
    if (first < 0 || count < 0 || first > c->rows || count > c->rows - first) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s: %lld contacts from number %lld on were asked for, there are %lld", s->path,
                       (long long)count, (long long)first, (long long)c->rows);
    }
    for (int64_t done = 0; done < count; done += PIECE) {
        int64_t n = count - done < PIECE ? count - done : PIECE;
        SS_TRY(read_rows(s, c, first + done, n, &r));
        for (int64_t k = 0; k < n; k++) {
            SS_TRY(take_row(s, &r, k, &out[done + k]));
        }
    }
    return SS_OK;
}
