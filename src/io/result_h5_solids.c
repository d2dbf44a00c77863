/* result_h5_solids.c - nodes and elements of solids in an HDF5 result, written once; their stresses are columns of
 * /elements/stress.
 *
 *   /solids/node_body     nodes       body of each node, in /names/bodies; -1: the world
 *   /solids/node_point    nodes x 3   its place in the frame of that body: 0 for a node that is free
 *   /solids/element       elements x 3 (2D) or 4     nodes of each element
 *   /solids/solid         elements    number of its solid in the scene's list `elements`
 *
 * A scene without solids has no such group. Cost: linear in nodes and elements. */
#include "io/result_h5.h"

/* A table that is written at once. */
typedef struct table {
    const char *name, *unit;
    hid_t type;
    int rank, width, rows;
    void (*row)(const ss_model *m, int k, void *out);
} table;

static void body_of(const ss_model *m, int k, void *out)
{
    double point[3];
    ss_model_solid_node(m, k, out, point);
}

static void point_of(const ss_model *m, int k, void *out)
{
    int body;
    ss_model_solid_node(m, k, &body, out);
}

static void nodes_of(const ss_model *m, int k, void *out) { ss_model_solid_element(m, k, out); }

static void solid_of(const ss_model *m, int k, void *out)
{
    const int solid = ss_model_solid_of(m, k);
    memcpy(out, &solid, sizeof solid);
}

static ss_status push_rows(ss_h5_result_file *f, const ss_model *m, const table *t, ss_h5_column *column)
{
    int bad = ss_h5_attribute_text(column->set, "unit", t->unit) < 0;
    for (int k = 0; k < t->rows && !bad; k++) {
        double row[4];
        t->row(m, k, row);
        SS_TRY(ss_h5_column_push(f->ctx, column, row));
    }
    SS_TRY(ss_h5_reserve(f->ctx, f->file, f->path, ss_h5_column_need(column)));
    return bad ? ss_h5_fail(f->ctx, f->path) : ss_h5_column_flush(f->ctx, column, true, f->path);
}

static ss_status write_table(ss_h5_result_file *f, const ss_model *m, hid_t group, const table *t)
{
    ss_h5_column column = { 0 };
    ss_status status = ss_h5_column_create(f->ctx, group, t->name, (ss_h5_kind){ t->type, t->type, 0 }, t->rank,
                                           (hsize_t)t->width, 0, f->path, &column);
    status = status == SS_OK ? push_rows(f, m, t, &column) : status;
    ss_h5_column_close(f->ctx, &column);
    return status;
}

ss_status ss_h5_solids_write(ss_h5_result_file *f, const ss_model *m)
{
    const hid_t whole = H5T_NATIVE_INT, real = H5T_NATIVE_DOUBLE;
    const int nodes = ss_model_solid_node_count(m), elements = ss_model_solid_element_count(m);
    const table tables[] = {
        { "node_body", "1", whole, 1, 0, nodes, body_of },
        { "node_point", "m", real, 2, 3, nodes, point_of },
        { "element", "1", whole, 2, ss_model_dimension(m) + 1, elements, nodes_of },
        { "solid", "1", whole, 1, 0, elements, solid_of },
    };
    if (elements == 0) {
        return SS_OK;
    }
    const hid_t group = ss_h5_make_group(f->file, "solids");
    ss_status status = group < 0 ? ss_h5_fail(f->ctx, f->path) : SS_OK;
    for (size_t k = 0; k < sizeof tables / sizeof tables[0] && status == SS_OK; k++) {
        status = write_table(f, m, group, &tables[k]);
    }
    return status;
}
