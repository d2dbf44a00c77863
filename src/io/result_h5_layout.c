/* result_h5_layout.c - what an HDF5 result consists of: attributes, groups, datasets, their names and units.
 *
 * Every dataset has the attribute `unit`, or `units` with one text for each column: SI units, "1" for numbers without one (and
 * for the coordinates of user blocks, whose unit is not known), "none" for texts. */
#include "io/result_h5.h"
#include "io/result_names.h"

#include <stdio.h>

static const char *const energy_names[ENERGIES] = {
    "kinetic",
    "potential",
#define LEDGER_NAME(name, doc) #name,
    SS_LEDGER_LIST(LEDGER_NAME)
#undef LEDGER_NAME
        "kinetic_change",
    "closure",
    "integration_error",
    "impact_gain",
};
static const char *const certificate_names[CERTIFICATES] = {
    "contact", "momentum",  "joint",    "classical", "penetration", "joint_error",
    "outcome", "certified", "contacts", "problems",  "h",
};

/* ---- names, once ------------------------------------------------------------------------------- */

/* one list under /names; what is in its texts has no unit */
static ss_status write_list(ss_h5_result_file *f, const char *key, const ss_name_list *list)
{
    SS_TRY(ss_h5_write_texts(f->ctx, f->group.names, key, list->n, (const char *const *)list->text, f->path));
    return ss_h5_attribute_of(f->group.names, key, "unit", "none") < 0 ? ss_h5_fail(f->ctx, f->path) : SS_OK;
}

enum { NAMES_Q, NAMES_V, NAMES_DRIVEN, NAMES_REACTION, NAMES_STRESS, NAMES_OUTPUT, NAMES_BODIES, NAMES_JOINTS, NAMES };
static const char *const name_keys[NAMES] = { "q", "v", "driven", "reaction", "stress", "output", "bodies", "joints" };

static ss_status gather_names(ss_context *ctx, const ss_model *m, ss_name_list list[NAMES])
{
    SS_TRY(ss_names_of_coordinates(ctx, m, false, &list[NAMES_Q]));
    SS_TRY(ss_names_of_coordinates(ctx, m, true, &list[NAMES_V]));
    SS_TRY(ss_names_of_driven(ctx, m, &list[NAMES_DRIVEN]));
    SS_TRY(ss_names_of_reactions(ctx, m, &list[NAMES_REACTION]));
    SS_TRY(ss_names_of_stresses(ctx, m, &list[NAMES_STRESS]));
    SS_TRY(ss_names_of_outputs(ctx, m, &list[NAMES_OUTPUT]));
    SS_TRY(ss_names_of_bodies(ctx, m, &list[NAMES_BODIES]));
    return ss_names_of_joints(ctx, m, &list[NAMES_JOINTS]);
}

/* ---- creating the file ------------------------------------------------------------------------- */

static ss_status write_attributes(ss_h5_result_file *f, const ss_sim *sim)
{
    int bad = ss_h5_attribute_text(f->file, "format", "slipstick_result") < 0 ||
              ss_h5_attribute_int(f->file, "version", SS_RESULT_VERSION) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "slipstick", ss_version()) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "scheme", ss_sim_scheme(sim)) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "solver", ss_sim_solver(sim)) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "precision", f->how.precision == SS_PRECISION_SINGLE ? "single" : "double") < 0;
    bad = bad || ss_h5_attribute_int(f->file, "compress", f->how.compress) < 0;
    bad = bad || ss_h5_attribute_int(f->file, "dimension", ss_model_dimension(ss_sim_model(sim))) < 0;
    return bad ? ss_h5_fail(f->ctx, f->path) : SS_OK;
}

/* the file and the scene in it; the size of the text, and the number of stresses, tell how much the names will take */
static ss_status create_file(ss_h5_result_file *f, const ss_scene *scene, const ss_model *m)
{
    enum { EMPTY = 1 << 18, NAME = 64 };
    const size_t names = NAME * (size_t)(ss_model_stress_count(m) + 2 * ss_model_output_count(m)); /* and units */
    char *text;
    SS_TRY(ss_scene_to_json(f->ctx, scene, &text));
    ss_status status = ss_h5_create(f->ctx, f->path, &f->claim, EMPTY + 4 * strlen(text) + names, &f->file);
    if (status == SS_OK &&
        (ss_h5_write_text(f->file, "scene", text) < 0 || ss_h5_attribute_of(f->file, "scene", "unit", "none") < 0)) {
        status = ss_h5_fail(f->ctx, f->path);
    }
    ss_free(f->ctx, text);
    return status;
}

static ss_status create_groups(ss_h5_result_file *f)
{
    struct {
        const char *name;
        hid_t *id;
    } group[] = { { "contacts", &f->group.contacts }, { "joints", &f->group.joints },   { "driven", &f->group.driven },
                  { "elements", &f->group.elements }, { "outputs", &f->group.outputs }, { "events", &f->group.events },
                  { "names", &f->group.names } };
    for (size_t k = 0; k < sizeof group / sizeof group[0]; k++) {
        *group[k].id = ss_h5_make_group(f->file, group[k].name);
        if (*group[k].id < 0) {
            return ss_h5_fail(f->ctx, f->path);
        }
    }
    return SS_OK;
}

static size_t longer(size_t longest, const char *text) { return strlen(text) > longest ? strlen(text) : longest; }

/* "body.shape-body.shape#feature" is the longest form of a contact's name: two names, two numbers of shapes, a feature of at
 * most 8 digits and four marks. Limits, motors and gaps of user blocks take one name and less than that. */
static size_t longest_contact_name(const ss_model *m)
{
    enum { FEATURE = 8, MARKS = 4 };
    size_t name = 0, number = (size_t)snprintf(NULL, 0, "%d", m->shapes);
    for (int b = 0; b < m->bodies; b++) {
        name = longer(name, ss_model_body_name(m, b));
    }
    for (int j = 0; j < m->joints; j++) {
        name = longer(name, ss_model_joint_name(m, j));
    }
    size_t length = 2 * (name + number) + FEATURE + MARKS, most = sizeof((ss_contact_info *)NULL)->name - 1;
    return length < most ? length : most;
}

static size_t longest_event_kind(void)
{
    size_t longest = 0;
    for (int k = 0; k <= SS_EVENT_LIMIT; k++) {
        longest = longer(longest, ss_event_kind_name((ss_event_kind)k));
    }
    return longest;
}

/* one unit for all numbers of a dataset; NULL: not here */
static ss_status put_unit(ss_h5_result_file *f, int column, const char *unit)
{
    int bad = unit && ss_h5_attribute_text(f->column[column].set, "unit", unit) < 0;
    return bad ? ss_h5_fail(f->ctx, f->path) : SS_OK;
}

/* one unit for each column, which follows from its name */
static ss_status put_units(ss_h5_result_file *f, int column, int n, const char *const *name)
{
    ss_name_list list = { 0 };
    ss_status status = ss_units_of_names(f->ctx, n, name, &list);
    if (status == SS_OK) {
        status = ss_h5_attribute_texts(f->ctx, f->column[column].set, "units", n, (const char *const *)list.text, f->path);
    }
    ss_name_list_clear(f->ctx, &list);
    return status;
}

/* how the scene wants the numbers of a table that grows with its bodies; others stay as they are */
static ss_h5_kind kind_of(const ss_h5_result_file *f, hid_t type, bool large)
{
    const bool narrow = large && type == H5T_NATIVE_DOUBLE && f->how.precision == SS_PRECISION_SINGLE;
    return (ss_h5_kind){ type, narrow ? H5T_NATIVE_FLOAT : type, large ? f->how.compress : 0 };
}

/* Rows of a state that are compressed wait until a chunk is whole (h5.c): only where that is soon. */
static int compress_state(ss_h5_kind kind, int rank, hsize_t width)
{
    enum { ROW = 1024 }; /* bytes */
    return rank == 2 && width * H5Tget_size(kind.memory) >= ROW ? kind.compress : 0;
}

static ss_status create_columns(ss_h5_result_file *f, const ss_model *m)
{
    const hid_t real = H5T_NATIVE_DOUBLE, whole = H5T_NATIVE_INT, large = H5T_NATIVE_INT64;
    const struct {
        int id;
        hid_t parent;
        const char *name;
        hid_t type;
        int rank;
        hsize_t width[2];
        const char *unit; /* NULL: each column has its own */
    } table[] = {
        { TIME, f->file, "time", real, 1, { 0, 0 }, "s" },
        { STEP, f->file, "step", large, 1, { 0, 0 }, "1" },
        { Q, f->file, "q", real, 2, { (hsize_t)ss_model_nq(m), 0 }, NULL },
        { V, f->file, "v", real, 2, { (hsize_t)m->nv, 0 }, NULL },
        { C_OFFSET, f->group.contacts, "offset", large, 1, { 0, 0 }, "1" },
        { C_NAME, f->group.contacts, "name", whole, 1, { 0, 0 }, "1" },
        { C_BODIES, f->group.contacts, "bodies", whole, 2, { 2, 0 }, "1" },
        { C_GAP, f->group.contacts, "gap", real, 1, { 0, 0 }, "m" },
        { C_FORCE, f->group.contacts, "force", real, 2, { 3, 0 }, "N" },
        { C_POINT, f->group.contacts, "point", real, 2, { 3, 0 }, "m" },
        { C_NORMAL, f->group.contacts, "normal", real, 2, { 3, 0 }, "1" },
        { C_TANGENT, f->group.contacts, "tangent", real, 3, { 2, 3 }, "1" },
        { REACTION, f->group.joints, "reaction", real, 2, { (hsize_t)f->reaction.n, 0 }, NULL },
        { DRIVEN, f->group.driven, "pose", real, 2, { (hsize_t)f->driven.n, 0 }, NULL },
        { STRESS, f->group.elements, "stress", real, 2, { (hsize_t)f->stress.n, 0 }, NULL },
        { OUTPUT, f->group.outputs, "value", real, 2, { (hsize_t)f->output.n, 0 }, NULL },
        { ENERGY, f->file, "energy", real, 2, { ENERGIES, 0 }, NULL },
        { CERTIFICATE, f->file, "certificate", real, 2, { CERTIFICATES, 0 }, NULL },
        { E_TIME, f->group.events, "time", real, 1, { 0, 0 }, "s" },
        { E_CODE, f->group.events, "code", whole, 1, { 0, 0 }, "1" },
        { E_BODIES, f->group.events, "bodies", whole, 2, { 2, 0 }, "1" },
        { E_CONTACT, f->group.events, "contact", whole, 1, { 0, 0 }, "1" },
        { E_HASH, f->group.events, "hash", H5T_NATIVE_UINT64, 1, { 0, 0 }, "1" },
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const int id = table[k].id;
        const bool of_contacts = id >= C_NAME && id <= C_TANGENT,
                   of_state = id == Q || id == V || (id >= REACTION && id <= STRESS);
        ss_h5_kind kind = kind_of(f, table[k].type, of_contacts || of_state);
        kind.compress = of_state ? compress_state(kind, table[k].rank, table[k].width[0]) : kind.compress;
        SS_TRY(ss_h5_column_create(f->ctx, table[k].parent, table[k].name, kind, table[k].rank, table[k].width[0],
                                   table[k].width[1], f->path, &f->column[id]));
        SS_TRY(put_unit(f, id, table[k].unit));
    }
    SS_TRY(ss_h5_column_create_text(f->ctx, f->group.contacts, "names", longest_contact_name(m), f->path, &f->column[C_NAMES]));
    SS_TRY(ss_h5_column_create_text(f->ctx, f->group.events, "kind", longest_event_kind(), f->path, &f->column[E_KIND]));
    SS_TRY(ss_h5_column_create_text(f->ctx, f->group.events, "details", 0, f->path, &f->column[E_DETAILS]));
    SS_TRY(put_unit(f, C_NAMES, "none"));
    SS_TRY(put_unit(f, E_KIND, "none"));
    return put_unit(f, E_DETAILS, "none");
}

static ss_status name_columns(ss_h5_result_file *f)
{
    const char *outcome[SS_BREAKDOWN + 1], *kind[SS_EVENT_LIMIT + 1];
    for (int k = 0; k <= SS_BREAKDOWN; k++) {
        outcome[k] = ss_outcome_name((ss_outcome)k);
    }
    hid_t energy = f->column[ENERGY].set, certificate = f->column[CERTIFICATE].set;
    for (int k = 0; k <= SS_EVENT_LIMIT; k++) {
        kind[k] = ss_event_kind_name((ss_event_kind)k);
    }
    SS_TRY(put_units(f, ENERGY, ENERGIES, energy_names));
    SS_TRY(put_units(f, CERTIFICATE, CERTIFICATES, certificate_names));
    SS_TRY(ss_h5_attribute_texts(f->ctx, energy, "columns", ENERGIES, energy_names, f->path));
    SS_TRY(ss_h5_attribute_texts(f->ctx, certificate, "columns", CERTIFICATES, certificate_names, f->path));
    SS_TRY(ss_h5_attribute_texts(f->ctx, certificate, "outcomes", SS_BREAKDOWN + 1, outcome, f->path));
    return ss_h5_attribute_texts(f->ctx, f->column[E_CODE].set, "kinds", SS_EVENT_LIMIT + 1, kind, f->path);
}

/* names, and the datasets whose columns they are */
static ss_status create_named(ss_h5_result_file *f, const ss_model *m, const ss_name_list list[NAMES])
{
    static const int column[] = {
        [NAMES_Q] = Q, [NAMES_V] = V, [NAMES_DRIVEN] = DRIVEN, [NAMES_REACTION] = REACTION, [NAMES_STRESS] = STRESS
    };
    f->reaction.n = list[NAMES_REACTION].n;
    f->driven.n = list[NAMES_DRIVEN].n;
    f->stress.n = list[NAMES_STRESS].n;
    f->output.n = list[NAMES_OUTPUT].n;
    for (int k = 0; k < NAMES; k++) {
        SS_TRY(write_list(f, name_keys[k], &list[k]));
    }
    SS_TRY(create_columns(f, m));
    for (int k = 0; k < (int)(sizeof column / sizeof column[0]); k++) {
        SS_TRY(put_units(f, column[k], list[k].n, (const char *const *)list[k].text));
    }
    return ss_h5_attribute_texts(f->ctx, f->column[OUTPUT].set, "units", m->outputs.columns, m->outputs.unit, f->path);
}

static ss_status create_datasets(ss_h5_result_file *f, const ss_model *m)
{
    ss_name_list list[NAMES] = { { 0 } };
    ss_status status = gather_names(f->ctx, m, list);
    status = status == SS_OK ? create_named(f, m, list) : status;
    for (int k = 0; k < NAMES; k++) {
        ss_name_list_clear(f->ctx, &list[k]);
    }
    return status;
}

static void limit_waiting(ss_h5_result_file *f)
{
    enum { ROWS = 256, BYTES = 8 << 20 };
    size_t row = f->column[Q].row_bytes + f->column[V].row_bytes + f->column[REACTION].row_bytes + f->column[STRESS].row_bytes +
                 f->column[OUTPUT].row_bytes + f->column[ENERGY].row_bytes + 1;
    f->most_waiting = BYTES / row < ROWS ? (int)(BYTES / row) : ROWS;
}

ss_status ss_h5_layout_create(ss_h5_result_file *f, const ss_scene *scene, const ss_sim *sim)
{
    const int64_t zero = 0;
    f->how = ss_scene_get_settings(scene)->results;
    SS_TRY(create_file(f, scene, ss_sim_model(sim)));
    SS_TRY(write_attributes(f, sim));
    SS_TRY(create_groups(f));
    SS_TRY(create_datasets(f, ss_sim_model(sim)));
    SS_TRY(ss_h5_solids_write(f, ss_sim_model(sim)));
    SS_TRY(name_columns(f));
    SS_TRY(ss_calloc(f->ctx, (size_t)f->reaction.n + 6, sizeof *f->reaction.x, &f->reaction.x));
    SS_TRY(ss_calloc(f->ctx, (size_t)f->driven.n, sizeof *f->driven.x, &f->driven.x));
    SS_TRY(ss_calloc(f->ctx, (size_t)f->stress.n, sizeof *f->stress.x, &f->stress.x));
    SS_TRY(ss_calloc(f->ctx, (size_t)f->output.n, sizeof *f->output.x, &f->output.x));
    limit_waiting(f);
    return ss_h5_column_push(f->ctx, &f->column[C_OFFSET], &zero);
}
