/* result_read.c - results of either format: states, columns by name with their units, events.
 *
 *   columns: t, q by name, v by name, kinetic, potential, residual, penetration, joint_error, contacts, certified,
 *            what else the format has, and  energy = kinetic + potential
 *
 * Units follow from the names: those of coordinates, reactions and stresses from what is behind the last point ("ball.vx": m/s).
 */
#include "io/result.h"
#include "io/writer.h"

#include <stdlib.h>

const char *const ss_result_tail[SS_RESULT_TAIL] = {
    "kinetic", "potential", "residual", "penetration", "joint_error", "contacts", "certified",
};

/* ---- names and units --------------------------------------------------------------------------- */

typedef struct named_unit {
    const char *name, *unit;
} named_unit;

/* coordinates of bodies, as ss_coordinate_name calls them */
static const named_unit position_units[] = {
    { "x", "m" }, { "y", "m" }, { "z", "m" }, { "angle", "rad" }, { "qw", "" }, { "qx", "" }, { "qy", "" }, { "qz", "" }, { 0 },
};
static const named_unit velocity_units[] = {
    { "vx", "m/s" },   { "vy", "m/s" },   { "vz", "m/s" },   { "omega", "rad/s" },
    { "wx", "rad/s" }, { "wy", "rad/s" }, { "wz", "rad/s" }, { 0 },
};
/* reactions, as the types of joints call them */
static const named_unit reaction_units[] = {
    { "force", "N" },
    { "force_x", "N" },
    { "force_y", "N" },
    { "force_z", "N" },
    { "force_1", "N" },
    { "force_2", "N" },
    { "torque", "N m" },
    { "torque_1", "N m" },
    { "torque_2", "N m" },
    { "torque_3", "N m" },
    { 0 },
};
/* what elements carry, as their types call it */
static const named_unit stress_units[] = {
    { "force", "N" },         { "shear", "N" },         { "shear_2", "N" },       { "shear_3", "N" },
    { "torque", "N m" },      { "moment", "N m" },      { "moment_2", "N m" },    { "moment_3", "N m" },
    { "stress_xx", "N/m^2" }, { "stress_yy", "N/m^2" }, { "stress_zz", "N/m^2" }, { "stress_xy", "N/m^2" },
    { "stress_yz", "N/m^2" }, { "stress_xz", "N/m^2" }, { "von_mises", "N/m^2" }, { 0 },
};
static const named_unit other_units[] = {
    { "t", "s" },
    { "h", "s" },
    { "penetration", "m" },
    { "joint_error", "m or rad" },
    { "energy", "J" },
    { "kinetic", "J" },
    { "potential", "J" },
#define LEDGER_UNIT(name, doc) { #name, "J" },
    SS_LEDGER_LIST(LEDGER_UNIT)
#undef LEDGER_UNIT
        { "kinetic_change", "J" },
    { "integration_error", "J" },
    { "impact_gain", "J" },
    { 0 },
};

static const char *find_unit(const named_unit *list, const char *name)
{
    while (list->name && strcmp(list->name, name) != 0) {
        list++;
    }
    return list->unit;
}

/* "q0", "v12": the letter and digits */
static bool is_numbered(const char *text, char letter)
{
    return text[0] == letter && text[1] != '\0' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

bool ss_is_coordinate(const char *name, bool velocity)
{
    const char *dot = strrchr(name, '.');
    return dot && (find_unit(velocity ? velocity_units : position_units, dot + 1) || is_numbered(dot + 1, velocity ? 'v' : 'q'));
}

bool ss_is_stress(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && find_unit(stress_units, dot + 1);
}

const char *ss_unit_of(const char *name)
{
    static const named_unit *const dotted[] = { position_units, velocity_units, reaction_units, stress_units };
    const char *dot = strrchr(name, '.'), *unit = dot ? NULL : find_unit(other_units, name);
    for (int k = 0; k < 4 && dot && !unit; k++) {
        unit = find_unit(dotted[k], dot + 1);
    }
    return unit ? unit : "";
}

ss_status ss_result_add_column(ss_result *r, const char *name, int table, int index)
{
    const ss_result_column column = { .name = name, .unit = ss_unit_of(name), .table = table, .index = index };
    SS_PUSH(r->ctx, r->column, r->columns, r->capacity, column);
    return SS_OK;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static ss_status build(ss_result *r, const char *path)
{
    SS_TRY(ss_strdup(r->ctx, path, &r->path));
    SS_TRY(ss_arena_create(r->ctx, 1 << 12, &r->arena));
    r->format = ss_has_extension(path, ".csv") ? &ss_result_format_csv : &ss_result_format_h5;
    SS_TRY(r->format->open(r));
    return ss_result_add_column(r, "energy", 0, 0);
}

ss_status ss_result_open(ss_context *ctx, const char *path, ss_result **out)
{
    ss_result *r;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *r, &r));
    r->ctx = ctx;
    ss_status status = build(r, path);
    if (status != SS_OK) {
        ss_result_close(r);
        return status;
    }
    *out = r;
    return SS_OK;
}

void ss_result_close(ss_result *r)
{
    if (!r) {
        return;
    }
    if (r->file) {
        r->format->close(r);
    }
    ss_free(r->ctx, r->column);
    ss_arena_destroy(r->arena);
    ss_free(r->ctx, r->path);
    ss_free(r->ctx, r);
}

/* ---- what there is ----------------------------------------------------------------------------- */

int64_t ss_result_states(const ss_result *r) { return r->states; }

int ss_result_dimension(const ss_result *r) { return r->about.dimension; }

int ss_result_nq(const ss_result *r) { return r->nq; }

int ss_result_nv(const ss_result *r) { return r->nv; }

const char *ss_result_q_name(const ss_result *r, int k) { return k >= 0 && k < r->nq ? r->column[1 + k].name : NULL; }

const char *ss_result_v_name(const ss_result *r, int k) { return k >= 0 && k < r->nv ? r->column[1 + r->nq + k].name : NULL; }

const char *ss_result_scheme(const ss_result *r) { return r->about.scheme; }

const char *ss_result_solver(const ss_result *r) { return r->about.solver; }

const char *ss_result_scene(const ss_result *r) { return r->about.scene; }

int ss_result_columns(const ss_result *r) { return r->columns; }

const char *ss_result_column_name(const ss_result *r, int k) { return k >= 0 && k < r->columns ? r->column[k].name : NULL; }

const char *ss_result_column_unit(const ss_result *r, int k) { return k >= 0 && k < r->columns ? r->column[k].unit : NULL; }

int ss_result_find_column(const ss_result *r, const char *name)
{
    int k = 0;
    while (k < r->columns && strcmp(r->column[k].name, name) != 0) {
        k++;
    }
    return k < r->columns ? k : -1;
}

int64_t ss_result_events(const ss_result *r) { return r->events; }

/* ---- reading ----------------------------------------------------------------------------------- */

static ss_status check_range(const ss_result *r, const char *what, int64_t first, int64_t count, int64_t there)
{
    if (first < 0 || count < 0 || first > there || count > there - first) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: %lld %s from number %lld on were asked for, there are %lld", r->path,
                       (long long)count, what, (long long)first, (long long)there);
    }
    return SS_OK;
}

ss_status ss_result_read(const ss_result *r, int64_t first, int64_t count, double *t, int64_t *step, double *q, double *v)
{
    SS_TRY(check_range(r, "states", first, count, r->states));
    return r->format->states(r, first, count, t, step, q, v);
}

static ss_status read_energy(const ss_result *r, int64_t first, int64_t count, double *out)
{
    enum { PIECE = 2048 };
    double potential[PIECE];
    int kinetic_at = ss_result_find_column(r, "kinetic"), potential_at = ss_result_find_column(r, "potential");
    SS_TRY(r->format->column(r, &r->column[kinetic_at], first, count, out));
    for (int64_t done = 0; done < count; done += PIECE) {
        int64_t n = count - done < PIECE ? count - done : PIECE;
        SS_TRY(r->format->column(r, &r->column[potential_at], first + done, n, potential));
        for (int64_t k = 0; k < n; k++) {
            out[done + k] += potential[k];
        }
    }
    return SS_OK;
}

ss_status ss_result_read_column(const ss_result *r, int k, int64_t first, int64_t count, double *out)
{
    SS_TRY(check_range(r, "states", first, count, r->states));
    if (k < 0 || k >= r->columns) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: column %d was asked for, there are %d", r->path, k, r->columns);
    }
    return k == r->columns - 1 ? read_energy(r, first, count, out) : r->format->column(r, &r->column[k], first, count, out);
}

ss_status ss_result_read_events(const ss_result *r, int64_t first, int64_t count, double *t, ss_event_kind *kind)
{
    SS_TRY(check_range(r, "events", first, count, r->events));
    return r->format->events ? r->format->events(r, first, count, t, kind) : SS_OK;
}

ss_status ss_result_read_offsets(const ss_result *r, int64_t first, int64_t count, int64_t *offset)
{
    SS_TRY(check_range(r, "states", first, count, r->states));
    if (r->format->offsets) {
        return r->format->offsets(r, first, count, offset);
    }
    memset(offset, 0, ((size_t)count + 1) * sizeof *offset);
    return SS_OK;
}

ss_status ss_result_read_contacts(const ss_result *r, int64_t first, int64_t count, ss_result_contact *contact)
{
    return r->format->contacts ? r->format->contacts(r, first, count, contact) : check_range(r, "contacts", first, count, 0);
}
