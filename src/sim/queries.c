/* queries.c - looking at a simulation from outside. */
#include "model/drives.h"
#include "sim/sim.h"

double ss_sim_time(const ss_sim *sim) { return sim->now.t; }
const double *ss_sim_q(const ss_sim *sim) { return sim->now.q; }
const double *ss_sim_v(const ss_sim *sim) { return sim->now.v; }
const ss_model *ss_sim_model(const ss_sim *sim) { return sim->inputs->given; }
const char *ss_sim_scheme(const ss_sim *sim) { return sim->scheme->info.name; }
const char *ss_sim_solver(const ss_sim *sim) { return sim->asked.solver; }
double ss_sim_step_size(const ss_sim *sim) { return sim->asked.step; }
double ss_sim_tol(const ss_sim *sim) { return sim->control.tol; }
bool ss_sim_tol_binds(const ss_sim *sim) { return sim->control.binds; }
const ss_step_info *ss_sim_last_step(const ss_sim *sim) { return &sim->last->info; }
const ss_summary *ss_sim_summary(const ss_sim *sim) { return &sim->summary; }
const ss_ledger *ss_sim_ledger(const ss_sim *sim) { return &sim->ledger; }
int ss_sim_contact_count(const ss_sim *sim) { return sim->last->reactions.n; }

bool ss_ledger_is_error(const char *entry)
{
    static const char *const errors[] = { "gyroscopic", "joints", "stabilisation", "projection", "scheme" };
    size_t k = 0;
    while (k < sizeof errors / sizeof errors[0] && strcmp(entry, errors[k]) != 0) {
        k++;
    }
    return k < sizeof errors / sizeof errors[0];
}

double ss_ledger_errors(const ss_ledger *ledger)
{
#define ADD_ERROR(name, doc) +(ss_ledger_is_error(#name) ? ledger->name : 0)
    return ledger->integration_error + ledger->position_correction SS_LEDGER_LIST(ADD_ERROR);
#undef ADD_ERROR
}

static int body_or_none(const ss_model *m, int body) { return body < m->bodies ? body : -1; }

void ss_sim_read_contact(const ss_sim *sim, int index, ss_contact_info *out)
{
    const ss_reacted *contact = &sim->last->reactions.contact[index];
    const ss_contact_value *value = &contact->value;
    for (int i = 0; i < 2; i++) {
        out->bodies[i] = body_or_none(sim->model, contact->bodies[i]);
    }
    for (int i = 0; i < 3; i++) {
        out->force[i] = contact->impulse[i] / sim->last->info.h;
    }
    out->gap = value->gap;
    ss_v3_to(value->point, out->point);
    if (contact->id.kind >= SS_CONTACT_ROLLING) { /* a moment: no force along any direction */
        memset(out->normal, 0, sizeof out->normal);
        memset(out->tangent, 0, sizeof out->tangent);
        return;
    }
    ss_v3_to(value->normal, out->normal);
    ss_v3_to(value->tangent[0], out->tangent[0]);
    ss_v3_to(value->tangent[1], out->tangent[1]);
}

ss_status ss_sim_contact(const ss_sim *sim, int index, ss_contact_info *out)
{
    const ss_reactions *r = &sim->last->reactions;
    if (index < 0 || index >= r->n) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "contact %d: the last step has %d", index, r->n);
    }
    const ss_contact who = ss_reacted_who(&r->contact[index]);
    *out = (ss_contact_info){ .gap = 0 };
    ss_contact_name(sim->model, &who, out->name, sizeof out->name);
    ss_sim_read_contact(sim, index, out);
    return SS_OK;
}

/* impulse of a motor with a bound, which is one of the contacts; 0: it was not among them */
static double motor_impulse(const ss_reactions *r, int joint)
{
    for (int k = 0; k < r->n; k++) {
        const ss_contact_id *id = &r->contact[k].id;
        if (id->kind == SS_CONTACT_MOTOR && id->b == SS_BOUNDED_MOTOR && (int)id->a == joint) {
            return r->contact[k].impulse[0];
        }
    }
    return 0;
}

/* the force of a servo in the state as it is */
static double servo_force(const ss_sim *sim, int joint)
{
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    ss_config c;
    const double force = ss_sim_place(sim, NULL, &c) == SS_OK ? ss_servo_force(sim->model, &c, sim->now.v, joint) : NAN;
    ss_arena_release(sim->arena, mark);
    return force;
}

/* of a motor that is no row of the joints */
static double motor_force(const ss_sim *sim, int joint)
{
    const bool servo = ss_motor_is_servo(&sim->model->joint[joint].motor);
    return servo ? servo_force(sim, joint) : motor_impulse(&sim->last->reactions, joint) / sim->last->info.h;
}

int ss_sim_joint_reaction(const ss_sim *sim, int joint, double reaction[6])
{
    if (joint < 0 || joint >= sim->model->joints) {
        return 0;
    }
    const ss_joint *j = &sim->model->joint[joint];
    const ss_reactions *r = &sim->last->reactions;
    const double h = sim->last->info.h;
    const int n = ss_model_joint_rows(sim->model, joint), own = j->rows + j->motor.row;
    for (int i = 0; i < n && i < 6; i++) {
        reaction[i] = !(h > 0) ? 0 : i < own ? r->joint[j->first_row + i] / h : motor_force(sim, joint);
    }
    return n < 6 ? n : 6;
}

const char *ss_event_kind_name(ss_event_kind kind)
{
    static const char *const names[] = { "impact", "stick", "slip", "takeoff", "accumulation", "painleve", "limit" };
    return kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

const char *ss_remark_name(ss_remark remark)
{
    static const char *const name[SS_REMARKS] = { "infeasible", "joints",        "unsettled", "starved", "not_pointed",
                                                  "energy",     "contradiction", "handed",    "overlap", "unsolved",
                                                  "unfollowed", "indefinite",    "grazed" };
    return remark >= 0 && remark < SS_REMARKS ? name[remark] : "";
}

const char *ss_remark_text(ss_remark remark)
{
    static const char *const text[SS_REMARKS] = {
        "gaps and joints contradict each other: overlaps remain, since the problem was solved without closing gaps",
        "joints are violated: they contradict each other, or the scheme does not correct them",
        "an iteration of the scheme did not converge within its limit",
        "a solver ran out of memory and another one was used",
        "contact impulses are not unique and may grow without bound (a body is wedged between others)",
        "energy was made that forces, impact laws and driven bodies do not explain",
        "joints or motors demand velocities that contradict each other",
        "Moreau's scheme, of order 1, was used: a Painleve configuration, too many events, or stages without a solution",
        "bodies that the scheme keeps apart overlap: no positions without overlap were found (a body is wedged between others)",
        "a contact problem was not solved to the tolerance",
        "fast and thin bodies met something too often to be followed along all of their way; shorter steps follow them",
        "derivatives of forces leave a step matrix that is not positive definite: a spring pushes harder, or a body turns "
        "faster, "
        "than steps of this length resolve",
        "a contact that forces pull open was met so slowly that errors decide on it: behind it errors go with their root",
    };
    return remark >= 0 && remark < SS_REMARKS ? text[remark] : "";
}
