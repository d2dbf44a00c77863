/* result_h5.c - results as HDF5, layout "slipstick_result" version 2 (docs/results.md).
 *
 *   /time /step /q /v           one row per state
 *   /contacts                   ragged: state k has contacts offset[k] .. offset[k+1]-1 of the tables; contacts are numbered
 *                               in the order in which they first occur, and /contacts/names has their names
 *   /joints/reaction            one row per state, columns /names/reaction
 *   /energy /certificate        one row per state, columns named by their attribute
 *   /events                     one row per event, its contact by number, details as JSON text (with a hash: HDF5 keeps
 *                               texts of any length where no check sum reaches them)
 *   /scene /names               the scene as understood, names of everything
 *
 * Rows wait in memory and are handed to HDF5 together: every 256 rows, every 8 MiB, and in a flush, which
 * comes with time (writer.c) and whenever there are twice as many states as at the last. Only a flush
 * writes what HDF5 knows of datasets (their length, where chunks are); a kill between two flushes leaves the file as of the
 * last one, a kill within one may leave datasets of different length. Cost per row: what the row holds. */
#include "io/h5.h"
#include "io/names.h"
#include "io/writer.h"

#include <stdio.h>

/* every dataset that grows, in the order in which they are flushed: names of contacts before the numbers that stand for them */
enum {
    TIME,
    STEP,
    Q,
    V,
    C_NAMES,
    C_OFFSET,
    C_NAME,
    C_BODIES,
    C_GAP,
    C_FORCE,
    C_POINT,
    C_NORMAL,
    C_TANGENT,
    REACTION,
    ENERGY,
    CERTIFICATE,
    E_TIME,
    E_CODE,
    E_BODIES,
    E_KIND,
    E_CONTACT,
    E_DETAILS,
    E_HASH,
    COLUMNS
};

typedef struct h5_file {
    ss_context *ctx;
    char *path;
    ss_claim claim;
    hid_t file, contacts, joints, events, names;
    ss_h5_column column[COLUMNS];
    ss_name_table contact_names; /* all that were met so far               */
    int64_t contact_rows;        /* so far, on disk and waiting            */
    int reaction_rows;           /* numbers per state                      */
    double *reaction;
    int most_waiting;  /* rows before they are handed over       */
    hsize_t safe_rows; /* states of the last flush               */
} h5_file;

static const char *const energy_names[] = {
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
static const char *const certificate_names[] = {
    "contact", "momentum",  "joint",    "classical", "penetration", "joint_error",
    "outcome", "certified", "contacts", "problems",  "h",
};
enum {
    ENERGIES = sizeof energy_names / sizeof energy_names[0],
    CERTIFICATES = sizeof certificate_names / sizeof certificate_names[0],
};

/* ---- names, once ------------------------------------------------------------------------------- */

static ss_status coordinate_names(ss_context *ctx, const ss_model *m, bool velocity, ss_name_list *list)
{
    char name[256];
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < ss_body_coordinates(m, b, velocity); k++) {
            ss_coordinate_name(m, b, velocity, k, name, sizeof name);
            SS_TRY(ss_name_list_add(ctx, list, name));
        }
    }
    return SS_OK;
}

static ss_status part_names(ss_context *ctx, int n, const char *(*name)(const ss_model *, int), const ss_model *m,
                            ss_name_list *list)
{
    for (int k = 0; k < n; k++) {
        SS_TRY(ss_name_list_add(ctx, list, name(m, k)));
    }
    return SS_OK;
}

/* "hinge.0", "hinge.1": as many as the joint has rows */
static ss_status reaction_names(ss_context *ctx, const ss_sim *sim, ss_name_list *list)
{
    const ss_model *m = ss_sim_model(sim);
    double reaction[6];
    char name[256];
    for (int j = 0; j < m->joints; j++) {
        int rows = ss_sim_joint_reaction(sim, j, reaction);
        for (int k = 0; k < rows; k++) {
            snprintf(name, sizeof name, "%s.%d", ss_model_joint_name(m, j), k);
            SS_TRY(ss_name_list_add(ctx, list, name));
        }
    }
    return SS_OK;
}

/* write a list under /names (if it was made) and free it */
static ss_status put_names(h5_file *f, const char *key, ss_status made, ss_name_list *list)
{
    if (made == SS_OK) {
        made = ss_h5_write_texts(f->ctx, f->names, key, list->n, (const char *const *)list->text, f->path);
    }
    ss_name_list_clear(f->ctx, list);
    return made;
}

static ss_status write_names(h5_file *f, const ss_sim *sim)
{
    const ss_model *m = ss_sim_model(sim);
    ss_name_list list = { 0 };
    SS_TRY(put_names(f, "q", coordinate_names(f->ctx, m, false, &list), &list));
    SS_TRY(put_names(f, "v", coordinate_names(f->ctx, m, true, &list), &list));
    SS_TRY(put_names(f, "bodies", part_names(f->ctx, m->bodies, ss_model_body_name, m, &list), &list));
    SS_TRY(put_names(f, "joints", part_names(f->ctx, m->joints, ss_model_joint_name, m, &list), &list));
    ss_status status = reaction_names(f->ctx, sim, &list);
    f->reaction_rows = list.n;
    return put_names(f, "reaction", status, &list);
}

/* ---- creating the file ------------------------------------------------------------------------- */

static ss_status write_attributes(h5_file *f, const ss_sim *sim)
{
    int bad = ss_h5_attribute_text(f->file, "format", "slipstick_result") < 0 ||
              ss_h5_attribute_int(f->file, "version", SS_RESULT_VERSION) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "slipstick", ss_version()) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "scheme", ss_sim_scheme(sim)) < 0;
    bad = bad || ss_h5_attribute_text(f->file, "solver", ss_sim_solver(sim)) < 0;
    bad = bad || ss_h5_attribute_int(f->file, "dimension", ss_model_dimension(ss_sim_model(sim))) < 0;
    return bad ? ss_h5_fail(f->ctx, f->path) : SS_OK;
}

/* the file and the scene in it; the size of the text tells how much the names will take */
static ss_status create_file(h5_file *f, const ss_scene *scene)
{
    enum { EMPTY = 1 << 18 };
    char *text;
    SS_TRY(ss_scene_to_json(f->ctx, scene, &text));
    ss_status status = ss_h5_create(f->ctx, f->path, &f->claim, EMPTY + 4 * strlen(text), &f->file);
    if (status == SS_OK && ss_h5_write_text(f->file, "scene", text) < 0) {
        status = ss_h5_fail(f->ctx, f->path);
    }
    ss_free(f->ctx, text);
    return status;
}

static ss_status create_groups(h5_file *f)
{
    struct {
        const char *name;
        hid_t *id;
    } group[] = { { "contacts", &f->contacts }, { "joints", &f->joints }, { "events", &f->events }, { "names", &f->names } };
    for (int k = 0; k < 4; k++) {
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

static ss_status create_columns(h5_file *f, const ss_model *m)
{
    const hid_t real = H5T_NATIVE_DOUBLE, whole = H5T_NATIVE_INT, large = H5T_NATIVE_INT64;
    const struct {
        int id;
        hid_t parent;
        const char *name;
        hid_t type;
        int rank;
        hsize_t width[2];
    } table[] = {
        { TIME, f->file, "time", real, 1, { 0, 0 } },
        { STEP, f->file, "step", large, 1, { 0, 0 } },
        { Q, f->file, "q", real, 2, { (hsize_t)ss_model_nq(m), 0 } },
        { V, f->file, "v", real, 2, { (hsize_t)m->nv, 0 } },
        { C_OFFSET, f->contacts, "offset", large, 1, { 0, 0 } },
        { C_NAME, f->contacts, "name", whole, 1, { 0, 0 } },
        { C_BODIES, f->contacts, "bodies", whole, 2, { 2, 0 } },
        { C_GAP, f->contacts, "gap", real, 1, { 0, 0 } },
        { C_FORCE, f->contacts, "force", real, 2, { 3, 0 } },
        { C_POINT, f->contacts, "point", real, 2, { 3, 0 } },
        { C_NORMAL, f->contacts, "normal", real, 2, { 3, 0 } },
        { C_TANGENT, f->contacts, "tangent", real, 3, { 2, 3 } },
        { REACTION, f->joints, "reaction", real, 2, { (hsize_t)f->reaction_rows, 0 } },
        { ENERGY, f->file, "energy", real, 2, { ENERGIES, 0 } },
        { CERTIFICATE, f->file, "certificate", real, 2, { CERTIFICATES, 0 } },
        { E_TIME, f->events, "time", real, 1, { 0, 0 } },
        { E_CODE, f->events, "code", whole, 1, { 0, 0 } },
        { E_BODIES, f->events, "bodies", whole, 2, { 2, 0 } },
        { E_CONTACT, f->events, "contact", whole, 1, { 0, 0 } },
        { E_HASH, f->events, "hash", H5T_NATIVE_UINT64, 1, { 0, 0 } },
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        SS_TRY(ss_h5_column_create(f->ctx, table[k].parent, table[k].name, table[k].type, table[k].rank, table[k].width[0],
                                   table[k].width[1], f->path, &f->column[table[k].id]));
    }
    SS_TRY(ss_h5_column_create_text(f->ctx, f->contacts, "names", longest_contact_name(m), f->path, &f->column[C_NAMES]));
    SS_TRY(ss_h5_column_create_text(f->ctx, f->events, "kind", longest_event_kind(), f->path, &f->column[E_KIND]));
    return ss_h5_column_create_text(f->ctx, f->events, "details", 0, f->path, &f->column[E_DETAILS]);
}

static ss_status name_columns(h5_file *f)
{
    const char *outcome[SS_BREAKDOWN + 1], *kind[SS_EVENT_LIMIT + 1];
    for (int k = 0; k <= SS_BREAKDOWN; k++) {
        outcome[k] = ss_outcome_name((ss_outcome)k);
    }
    hid_t energy = f->column[ENERGY].set, certificate = f->column[CERTIFICATE].set;
    for (int k = 0; k <= SS_EVENT_LIMIT; k++) {
        kind[k] = ss_event_kind_name((ss_event_kind)k);
    }
    SS_TRY(ss_h5_attribute_texts(f->ctx, energy, "columns", ENERGIES, energy_names, f->path));
    SS_TRY(ss_h5_attribute_texts(f->ctx, certificate, "columns", CERTIFICATES, certificate_names, f->path));
    SS_TRY(ss_h5_attribute_texts(f->ctx, certificate, "outcomes", SS_BREAKDOWN + 1, outcome, f->path));
    return ss_h5_attribute_texts(f->ctx, f->column[E_CODE].set, "kinds", SS_EVENT_LIMIT + 1, kind, f->path);
}

static void limit_waiting(h5_file *f)
{
    enum { ROWS = 256, BYTES = 8 << 20 };
    size_t row =
        f->column[Q].row_bytes + f->column[V].row_bytes + f->column[REACTION].row_bytes + f->column[ENERGY].row_bytes + 1;
    f->most_waiting = BYTES / row < ROWS ? (int)(BYTES / row) : ROWS;
}

static ss_status create_all(h5_file *f, const ss_scene *scene, const ss_sim *sim)
{
    const int64_t zero = 0;
    SS_TRY(create_file(f, scene));
    SS_TRY(write_attributes(f, sim));
    SS_TRY(create_groups(f));
    SS_TRY(write_names(f, sim));
    SS_TRY(create_columns(f, ss_sim_model(sim)));
    SS_TRY(name_columns(f));
    SS_TRY(ss_calloc(f->ctx, (size_t)f->reaction_rows + 6, sizeof *f->reaction, &f->reaction));
    limit_waiting(f);
    return ss_h5_column_push(f->ctx, &f->column[C_OFFSET], &zero);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* number of a contact's name in /contacts/names; a new one is appended to them */
static ss_status contact_number(h5_file *f, const char *name, int *number)
{
    int before = f->contact_names.list.n;
    SS_TRY(ss_name_table_number(f->ctx, &f->contact_names, name, number));
    return *number < before ? SS_OK : ss_h5_column_push_text(f->ctx, &f->column[C_NAMES], name);
}

static ss_status push_contact(h5_file *f, const ss_contact_info *c)
{
    ss_h5_column *column = f->column;
    int number;
    SS_TRY(contact_number(f, c->name, &number));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_NAME], &number));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_BODIES], c->bodies));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_GAP], &c->gap));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_FORCE], c->force));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_POINT], c->point));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_NORMAL], c->normal));
    SS_TRY(ss_h5_column_push(f->ctx, &column[C_TANGENT], c->tangent));
    f->contact_rows++;
    return SS_OK;
}

static ss_status push_contacts(h5_file *f, const ss_sim *sim)
{
    for (int k = 0; k < ss_sim_contact_count(sim); k++) {
        ss_contact_info contact;
        SS_TRY(ss_sim_contact(sim, k, &contact));
        SS_TRY(push_contact(f, &contact));
    }
    return ss_h5_column_push(f->ctx, &f->column[C_OFFSET], &f->contact_rows);
}

static ss_status push_reactions(h5_file *f, const ss_sim *sim)
{
    int n = 0;
    for (int j = 0; j < ss_model_joint_count(ss_sim_model(sim)) && n <= f->reaction_rows; j++) {
        n += ss_sim_joint_reaction(sim, j, f->reaction + n);
    }
    return ss_h5_column_push(f->ctx, &f->column[REACTION], f->reaction);
}

static ss_status push_energy(h5_file *f, const ss_sim *sim, const ss_step_info *info)
{
    const ss_ledger *l = ss_sim_ledger(sim);
    const double row[] = {
        info->kinetic,
        info->potential,
#define LEDGER_VALUE(name, doc) l->name,
        SS_LEDGER_LIST(LEDGER_VALUE)
#undef LEDGER_VALUE
            l->kinetic_change,
        l->closure,
        l->integration_error,
        l->impact_gain,
    };
    return ss_h5_column_push(f->ctx, &f->column[ENERGY], row);
}

static ss_status push_certificate(h5_file *f, const ss_step_info *info)
{
    const ss_residual *r = &info->residual;
    const double row[CERTIFICATES] = {
        r->contact,    r->momentum,     r->joint,       r->classical,   info->penetration, info->joint_error,
        info->outcome, info->certified, info->contacts, info->problems, info->h,
    };
    return ss_h5_column_push(f->ctx, &f->column[CERTIFICATE], row);
}

static ss_status push_row(h5_file *f, const ss_sim *sim, const ss_step_info *info)
{
    double t = ss_sim_time(sim);
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[TIME], &t));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[STEP], &info->step));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[Q], ss_sim_q(sim)));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[V], ss_sim_v(sim)));
    SS_TRY(push_contacts(f, sim));
    SS_TRY(push_reactions(f, sim));
    SS_TRY(push_energy(f, sim, info));
    return push_certificate(f, info);
}

static ss_status push_event(h5_file *f, const ss_sim *sim, const ss_event *event)
{
    const int code = (int)event->kind;
    int contact = -1;
    char *details;
    if (event->contact) {
        SS_TRY(contact_number(f, event->contact, &contact));
    }
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[E_TIME], &event->t));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[E_CODE], &code));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[E_BODIES], event->bodies));
    SS_TRY(ss_h5_column_push_text(f->ctx, &f->column[E_KIND], ss_event_kind_name(event->kind)));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[E_CONTACT], &contact));
    SS_TRY(ss_event_to_json(f->ctx, sim, event, &details));
    const uint64_t hash = ss_hash(0, details, strlen(details));
    ss_status status = ss_h5_column_push(f->ctx, &f->column[E_HASH], &hash);
    status = status == SS_OK ? ss_h5_column_push_text(f->ctx, &f->column[E_DETAILS], details) : status;
    ss_free(f->ctx, details);
    return status;
}

/* ---- the format -------------------------------------------------------------------------------- */

/* rows that wait go to HDF5, for which there is room then */
static ss_status hand_over(h5_file *f)
{
    ss_h5_quiet quiet = ss_h5_silence();
    size_t need = 1 << 14;
    for (int k = 0; k < COLUMNS; k++) {
        need += ss_h5_column_need(&f->column[k]);
    }
    ss_status status = ss_h5_reserve(f->ctx, f->file, f->path, need);
    for (int k = 0; k < COLUMNS && status == SS_OK; k++) {
        status = ss_h5_column_flush(f->ctx, &f->column[k], f->path);
    }
    ss_h5_restore(quiet);
    return status;
}

static ss_status h5_flush(void *file)
{
    h5_file *f = file;
    SS_TRY(hand_over(f));
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0 ? ss_h5_fail(f->ctx, f->path) : SS_OK;
    f->safe_rows = f->column[TIME].rows;
    ss_h5_restore(quiet);
    return status;
}

static ss_status h5_row(void *file, const ss_sim *sim, const ss_step_info *info)
{
    enum { CONTACTS = 1 << 15, EVENTS = 1024 };
    h5_file *f = file;
    SS_TRY(push_row(f, sim, info));
    bool full =
        f->column[TIME].waiting >= f->most_waiting || f->column[C_GAP].waiting >= CONTACTS || f->column[E_TIME].waiting >= EVENTS;
    return !full ? SS_OK : f->column[TIME].rows < 2 * f->safe_rows ? hand_over(f) : h5_flush(f);
}

static ss_status h5_event(void *file, const ss_sim *sim, const ss_event *event) { return push_event(file, sim, event); }

static void release(h5_file *f)
{
    ss_name_table_clear(f->ctx, &f->contact_names);
    ss_free(f->ctx, f->reaction);
    ss_free(f->ctx, f->path);
    ss_free(f->ctx, f);
}

/* after a failure the file is closed as it is */
static ss_status h5_close(void *file, bool failed)
{
    h5_file *f = file;
    ss_status status = failed ? SS_OK : h5_flush(f);
    ss_h5_quiet quiet = ss_h5_silence();
    for (int k = 0; k < COLUMNS; k++) {
        ss_h5_column_close(f->ctx, &f->column[k]);
    }
    if (f->file > 0) {
        int closed = failed ? H5Fclose(f->file) : ss_h5_finish(f->file, f->path);
        status = closed < 0 && status == SS_OK && !failed ? ss_h5_fail(f->ctx, f->path) : status;
    }
    ss_claim_release(&f->claim);
    release(f);
    ss_h5_restore(quiet);
    return status;
}

static ss_status h5_open(ss_context *ctx, const char *path, ss_claim *claim, const ss_scene *scene, const ss_sim *sim,
                         void **file)
{
    h5_file *f;
    SS_TRY(ss_calloc(ctx, 1, sizeof *f, &f));
    f->ctx = ctx;
    f->claim = *claim;
    *claim = (ss_claim){ .file = -1 };
    ss_status status = ss_strdup(ctx, path, &f->path);
    ss_h5_quiet quiet = ss_h5_silence();
    if (status == SS_OK) {
        status = create_all(f, scene, sim);
    }
    ss_h5_restore(quiet);
    status = status == SS_OK ? h5_flush(f) : status;
    if (status != SS_OK) {
        h5_close(f, true);
        return status;
    }
    *file = f;
    return SS_OK;
}

const ss_format ss_format_h5 = { .open = h5_open, .row = h5_row, .event = h5_event, .flush = h5_flush, .close = h5_close };
