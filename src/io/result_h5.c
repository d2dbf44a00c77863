/* result_h5.c - results as HDF5, layout "slipstick_result" version 2 (docs/results.md).
 *
 *   /time /step /q /v           one row per state
 *   /contacts                   ragged: state k has contacts offset[k] .. offset[k+1]-1 of the tables; contacts are numbered
 *                               in the order in which they first occur, and /contacts/names has their names
 *   /joints/reaction            one row per state, columns /names/reaction
 *   /driven/pose                one row per state, columns /names/driven
 *   /elements/stress            one row per state, columns /names/stress
 *   /outputs/value              one row per state, columns /names/output
 *   /solids                     nodes and elements of solids (result_h5_solids.c)
 *   /energy /certificate        one row per state, columns named by their attribute
 *   /events                     one row per event, its contact by number, details as JSON text (with a hash: HDF5 keeps
 *                               texts of any length where no check sum reaches them)
 *   /scene /names               the scene as understood, names of everything
 *
 * The datasets are made by result_h5_layout.c.
 *
 * Rows wait in memory and are handed to HDF5 together: every 256 rows, every 8 MiB, and in a flush, which
 * comes with time (writer.c) and whenever there are twice as many states as at the last. Only a flush
 * writes what HDF5 knows of datasets (their length, where chunks are); a kill between two flushes leaves the file as of the
 * last one, a kill within one may leave datasets of different length. Cost per row: what the row holds. */
#include "io/result_h5.h"
#include "base/parallel.h"
#include "io/result_names.h"

#include <slipstick/drive.h>

/* ---- rows -------------------------------------------------------------------------------------- */

/* number of a contact's name in /contacts/names; a new one is appended to them */
static ss_status contact_number(ss_h5_result_file *f, const char *name, int *number)
{
    int before = f->numbered.names.list.n;
    SS_TRY(ss_name_table_number(f->ctx, &f->numbered.names, name, number));
    return *number < before ? SS_OK : ss_h5_column_push_text(f->ctx, &f->column[C_NAMES], name);
}

/* the same where it has to be made first */
static ss_status number_of(ss_h5_result_file *f, const ss_sim *sim, const ss_reacted *contact, int *number)
{
    const ss_contact who = ss_reacted_who(contact);
    char name[sizeof((ss_contact_info *)0)->name];
    ss_contact_name(sim->model, &who, name, sizeof name);
    return contact_number(f, name, number);
}

/* The numbers of contacts of the last step, which are sorted as those of the state before are. */
static ss_status number_contacts(ss_h5_result_file *f, const ss_sim *sim, int n)
{
    ss_numbered_contacts *x = &f->numbered;
    SS_TRY(ss_reserve(f->ctx, &x->next, &x->next_cap, n, sizeof *x->next));
    for (int k = 0, at = 0; k < n; k++) {
        const ss_reacted *contact = &sim->last->reactions.contact[k];
        while (at < x->n && ss_contact_id_compare(&x->c[at].id, &contact->id) < 0) {
            at++;
        }
        const bool known = at < x->n && ss_contact_id_compare(&x->c[at].id, &contact->id) == 0;
        x->next[k].id = contact->id;
        x->next[k].number = known ? x->c[at].number : -1;
        SS_TRY(known ? SS_OK : number_of(f, sim, contact, &x->next[k].number));
    }
    *x = (ss_numbered_contacts){ .names = x->names, .c = x->next, .next = x->c, .n = n, .cap = x->next_cap, .next_cap = x->cap };
    return SS_OK;
}

/* Where the rows of the contacts of a state go. */
typedef struct contact_rows {
    const ss_sim *sim;
    const ss_numbered_contact *numbered;
    int *name, (*bodies)[2];
    double *gap, (*force)[3], (*point)[3], (*normal)[3], (*tangent)[2][3];
} contact_rows;

static void write_contacts(void *data, int begin, int end)
{
    const contact_rows *to = data;
    for (int k = begin; k < end; k++) {
        ss_contact_info c;
        ss_sim_read_contact(to->sim, k, &c);
        to->name[k] = to->numbered[k].number;
        to->gap[k] = c.gap;
        memcpy(to->bodies[k], c.bodies, sizeof c.bodies);
        memcpy(to->force[k], c.force, sizeof c.force);
        memcpy(to->point[k], c.point, sizeof c.point);
        memcpy(to->normal[k], c.normal, sizeof c.normal);
        memcpy(to->tangent[k], c.tangent, sizeof c.tangent);
    }
}

static ss_status push_contacts(ss_h5_result_file *f, const ss_sim *sim)
{
    enum { GRAIN = 1024 };
    ss_h5_column *column = f->column;
    const int n = f->how.contacts ? ss_sim_contact_count(sim) : 0;
    SS_TRY(number_contacts(f, sim, n));
    contact_rows to = { .sim = sim, .numbered = f->numbered.c };
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_NAME], n, &to.name));
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_BODIES], n, &to.bodies));
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_GAP], n, &to.gap));
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_FORCE], n, &to.force));
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_POINT], n, &to.point));
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_NORMAL], n, &to.normal));
    SS_TRY(ss_h5_column_extend(f->ctx, &column[C_TANGENT], n, &to.tangent));
    ss_parallel_for(f->ctx, n, GRAIN, write_contacts, &to);
    f->contact_rows += n;
    return ss_h5_column_push(f->ctx, &column[C_OFFSET], &f->contact_rows);
}

static ss_status push_reactions(ss_h5_result_file *f, const ss_sim *sim)
{
    int n = 0;
    for (int j = 0; j < ss_model_joint_count(ss_sim_model(sim)) && n <= f->reaction.n; j++) {
        n += ss_sim_joint_reaction(sim, j, f->reaction.x + n);
    }
    return ss_h5_column_push(f->ctx, &f->column[REACTION], f->reaction.x);
}

static ss_status push_driven(ss_h5_result_file *f, const ss_sim *sim)
{
    ss_driven_poses(sim->model, ss_sim_time(sim), ss_sim_q(sim), f->driven.x);
    return ss_h5_column_push(f->ctx, &f->column[DRIVEN], f->driven.x);
}

static ss_status push_stresses(ss_h5_result_file *f, const ss_sim *sim)
{
    ss_model_stresses(ss_sim_model(sim), ss_sim_time(sim), ss_sim_q(sim), f->stress.x);
    return ss_h5_column_push(f->ctx, &f->column[STRESS], f->stress.x);
}

static ss_status push_outputs(ss_h5_result_file *f, const ss_sim *sim)
{
    SS_TRY(ss_sim_outputs(sim, f->output.x));
    return ss_h5_column_push(f->ctx, &f->column[OUTPUT], f->output.x);
}

static ss_status push_energy(ss_h5_result_file *f, const ss_sim *sim, const ss_step_info *info)
{
    const ss_ledger *l = ss_sim_ledger(sim);
    const double row[ENERGIES] = {
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

static ss_status push_certificate(ss_h5_result_file *f, const ss_step_info *info)
{
    const ss_residual *r = &info->residual;
    const double row[CERTIFICATES] = {
        r->contact,    r->momentum,     r->joint,       r->classical,   info->penetration, info->joint_error,
        info->outcome, info->certified, info->contacts, info->problems, info->h,
    };
    return ss_h5_column_push(f->ctx, &f->column[CERTIFICATE], row);
}

static ss_status push_row(ss_h5_result_file *f, const ss_sim *sim, const ss_step_info *info)
{
    double t = ss_sim_time(sim);
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[TIME], &t));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[STEP], &info->step));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[Q], ss_sim_q(sim)));
    SS_TRY(ss_h5_column_push(f->ctx, &f->column[V], ss_sim_v(sim)));
    SS_TRY(push_contacts(f, sim));
    SS_TRY(push_reactions(f, sim));
    SS_TRY(push_driven(f, sim));
    SS_TRY(push_stresses(f, sim));
    SS_TRY(push_outputs(f, sim));
    SS_TRY(push_energy(f, sim, info));
    return push_certificate(f, info);
}

static ss_status push_event(ss_h5_result_file *f, const ss_sim *sim, const ss_event *event)
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
static ss_status hand_over(ss_h5_result_file *f, bool last)
{
    ss_h5_quiet quiet = ss_h5_silence();
    size_t need = 1 << 14;
    for (int k = 0; k < COLUMNS; k++) {
        need += ss_h5_column_need(&f->column[k]);
    }
    ss_status status = ss_h5_reserve(f->ctx, f->file, f->path, need);
    for (int k = 0; k < COLUMNS && status == SS_OK; k++) {
        status = ss_h5_column_flush(f->ctx, &f->column[k], last, f->path);
    }
    ss_h5_restore(quiet);
    return status;
}

/* last: rows that wait for others to fill a chunk are written too */
static ss_status flush(ss_h5_result_file *f, bool last)
{
    SS_TRY(hand_over(f, last));
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0 ? ss_h5_fail(f->ctx, f->path) : SS_OK;
    f->safe_rows = f->column[TIME].rows;
    ss_h5_restore(quiet);
    return status;
}

static ss_status h5_flush(void *file) { return flush(file, false); }

static ss_status h5_row(void *file, const ss_sim *sim, const ss_step_info *info)
{
    enum { CONTACTS = 1 << 15, EVENTS = 1024 };
    ss_h5_result_file *f = file;
    SS_TRY(push_row(f, sim, info));
    bool full =
        f->column[TIME].waiting >= f->most_waiting || f->column[C_GAP].waiting >= CONTACTS || f->column[E_TIME].waiting >= EVENTS;
    return !full ? SS_OK : f->column[TIME].rows < 2 * f->safe_rows ? hand_over(f, false) : h5_flush(f);
}

static ss_status h5_event(void *file, const ss_sim *sim, const ss_event *event) { return push_event(file, sim, event); }

static void release(ss_h5_result_file *f)
{
    ss_name_table_clear(f->ctx, &f->numbered.names);
    ss_free(f->ctx, f->numbered.c);
    ss_free(f->ctx, f->numbered.next);
    ss_free(f->ctx, f->reaction.x);
    ss_free(f->ctx, f->driven.x);
    ss_free(f->ctx, f->stress.x);
    ss_free(f->ctx, f->output.x);
    ss_free(f->ctx, f->path);
    ss_free(f->ctx, f);
}

/* after a failure the file is closed as it is */
static ss_status h5_close(void *file, bool failed)
{
    ss_h5_result_file *f = file;
    ss_status status = failed ? SS_OK : flush(f, true);
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
    ss_h5_result_file *f;
    SS_TRY(ss_calloc(ctx, 1, sizeof *f, &f));
    f->ctx = ctx;
    f->claim = *claim;
    *claim = (ss_claim){ .file = -1 };
    ss_status status = ss_strdup(ctx, path, &f->path);
    ss_h5_quiet quiet = ss_h5_silence();
    if (status == SS_OK) {
        status = ss_h5_layout_create(f, scene, sim);
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
