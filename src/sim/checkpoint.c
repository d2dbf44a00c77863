/* checkpoint.c - the whole state of a run as one blob, and back.
 *
 * Layout: a header that ties the blob to the scene, the scheme and its options; then the inputs that the user has set; then t,
 * what step control remembers, when the controller was called last, q, v, the scheme's private state, the contact cache, the
 * counters, the ledger and the sums of the audit, and what outputs tell of the last step, as they are in memory.
 * A blob is for the same build on the same kind of machine: it continues a run with the same bits. */
#include "sim/sim.h"

typedef struct header {
    char magic[8];
    uint32_t version, reserved;
    uint64_t fingerprint; /* of model and scheme options */
    int32_t nq, nv, block;
    int32_t remembered[SS_LEVELS]; /* contacts, at each level */
    int32_t inputs, outputs;
    uint64_t told; /* which outputs these are */
    double step;   /* times are counted in steps */
    double tol;    /* 0: steps are fixed         */
} header;

static const char magic[8] = { 's', 's', 's', 't', 'a', 't', 'e', '\0' };
/* what each version added: 2, 3, 5 counters (Newton, remarks, multipliers); 4 step control; 6 held gaps; 7 contacts by level;
 * 8 the audit, iterations of solvers; 9 the time of the motion; 10 inputs; 11 the accumulated error, motions and callbacks among
 * the inputs; 12 outputs; 13 moments of contacts, rolling and spinning friction among the inputs */
enum { VERSION = 13 };

/* which numbers there are for each contact, and at which level; NULL: none */
static uint64_t hash_numbers(uint64_t h, const ss_contact_numbers *numbers)
{
    for (int k = 0; numbers && k < numbers->count; k++) {
        h = ss_hash(h, numbers->name[k], strlen(numbers->name[k]) + 1);
    }
    return numbers ? ss_hash(h, &numbers->level, sizeof numbers->level) : h;
}

/* What must agree for a blob to make sense: everything of the scene that a trajectory depends on, the scheme and its
 * options. Step, tolerance and solver may change from one part of a run to the next. */
static uint64_t fingerprint(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    uint64_t h = ss_hash(sim->model->fingerprint, info->name, strlen(info->name));
    h = ss_hash(h, sim->model->q0, (size_t)sim->model->nq * sizeof(double)); /* user blocks have no fields to hash */
    h = hash_numbers(h, sim->scheme->contact_numbers);
    return info->fields ? ss_fields_hash(h, info->fields, sim->params) : h;
}

/* Copies bytes in one direction: to the blob when saving, from it when restoring. */
typedef struct cursor {
    char *at;
    size_t left;
    bool saving;
} cursor;

static bool transfer(cursor *c, void *data, size_t size)
{
    if (size > c->left) {
        return false;
    }
    if (size > 0) {
        memcpy(c->saving ? (void *)c->at : data, c->saving ? data : (void *)c->at, size);
    }
    c->at += size;
    c->left -= size;
    return true;
}

/* how many numbers the scheme has for the contacts of a level, `remembered` of them */
static size_t numbers_of(const ss_sim *sim, int level, int remembered)
{
    const ss_contact_numbers *numbers = sim->scheme->contact_numbers;
    return numbers && (int)numbers->level == level ? (size_t)numbers->count * (size_t)remembered : 0;
}

static bool transfer_cache(cursor *c, const ss_sim *sim, ss_contact_cache *cache)
{
    bool all = true;
    for (int k = 0; k < SS_LEVELS; k++) {
        const ss_contact_cache_list *list = &cache->level[k];
        all = all && transfer(c, list->entry, (size_t)list->n * sizeof *list->entry) &&
              transfer(c, cache->number, numbers_of(sim, k, list->n) * sizeof *cache->number);
    }
    return all;
}

/* Everything after the header, in order; the same list saves and restores. */
static bool transfer_state(cursor *c, ss_sim *sim)
{
    const ss_model *m = sim->model;
    ss_state *s = &sim->now;
    ss_control *control = &sim->control;
    return transfer(c, &s->t, sizeof s->t) && transfer(c, &control->h, sizeof control->h) &&
           transfer(c, &control->trial.time, sizeof control->trial.time) &&
           transfer(c, &sim->usage->asked, sizeof sim->usage->asked) && transfer(c, &control->second, sizeof control->second) &&
           transfer(c, &control->halfway, sizeof control->halfway) && transfer(c, &sim->clock, sizeof sim->clock) &&
           transfer(c, s->q, (size_t)m->nq * sizeof(double)) && transfer(c, s->v, (size_t)m->nv * sizeof(double)) &&
           transfer(c, s->scheme_state, (size_t)sim->scheme_state_size * sizeof(double)) && transfer_cache(c, sim, &s->cache) &&
           transfer(c, &sim->summary, sizeof sim->summary) && transfer(c, &sim->ledger, sizeof sim->ledger) &&
           transfer(c, &sim->audit.sums, sizeof sim->audit.sums);
}

/* bytes after the header */
static size_t body_size(const ss_sim *sim, const header *h)
{
    size_t numbers = (size_t)(5 + sim->model->nq + sim->model->nv + sim->scheme_state_size); /* 5: t, h, time, asked, second */
    numbers += (size_t)h->outputs;
    size_t size = (size_t)h->inputs * sizeof(ss_input) + sizeof(int64_t) + sizeof(ss_time_count) + sizeof(ss_summary) +
                  sizeof(ss_ledger) + sizeof(ss_audit_sums);
    for (int k = 0; k < SS_LEVELS; k++) {
        numbers += numbers_of(sim, k, h->remembered[k]);
        size += (size_t)h->remembered[k] * sizeof(ss_cached_contact);
    }
    return size + numbers * sizeof(double);
}

static header make_header(const ss_sim *sim)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.fingerprint = fingerprint(sim);
    h.nq = sim->model->nq;
    h.nv = sim->model->nv;
    h.block = sim->scheme_state_size;
    for (int k = 0; k < SS_LEVELS; k++) {
        h.remembered[k] = sim->now.cache.level[k].n;
    }
    h.inputs = sim->inputs->n;
    h.outputs = sim->model->outputs.columns;
    h.told = sim->model->outputs.hash;
    h.step = sim->asked.step;
    h.tol = sim->control.tol;
    return h;
}

ss_status ss_sim_save(const ss_sim *sim, void **blob, size_t *size)
{
    header h = make_header(sim);
    *size = sizeof h + body_size(sim, &h);
    char *bytes;
    SS_TRY(ss_calloc(sim->ctx, *size, 1, &bytes));
    memcpy(bytes, &h, sizeof h);
    ss_sim view = *sim; /* saving only reads, through the list that restoring writes */
    cursor c = { bytes + sizeof h, *size - sizeof h, true };
    transfer(&c, sim->inputs->list, (size_t)h.inputs * sizeof(ss_input));
    transfer_state(&c, &view);
    transfer(&c, sim->last->output, (size_t)h.outputs * sizeof(double));
    *blob = bytes;
    return SS_OK;
}

static ss_status check_header(const ss_sim *sim, const header *h, size_t size)
{
    header mine = make_header(sim);
    if (memcmp(h->magic, magic, sizeof magic) != 0) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: not a checkpoint of slipstick");
    }
    if (h->version != VERSION) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: version %u, this program reads version %d", (unsigned)h->version,
                       VERSION);
    }
    if (h->fingerprint != mine.fingerprint || h->nq != mine.nq || h->nv != mine.nv || h->block != mine.block) {
        return ss_fail(sim->ctx, SS_ERR_INPUT,
                       "checkpoint: it was saved by a run of another scene or scheme, or with other options");
    }
    for (int k = 0; k < SS_LEVELS; k++) {
        if (h->remembered[k] < 0) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: %d remembered contacts: it is damaged", (int)h->remembered[k]);
        }
    }
    if (h->inputs < 0 || h->outputs < 0) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: %d inputs and %d outputs: it is damaged", (int)h->inputs,
                       (int)h->outputs);
    }
    size_t expected = sizeof *h + body_size(sim, h);
    return size == expected ? SS_OK
                            : ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: %zu bytes, expected %zu: it is cut short or damaged",
                                      size, expected);
}

/* Room for what was remembered, to be read. */
static ss_status prepare_memory(ss_sim *sim, const header *h)
{
    ss_contact_cache *cache = &sim->now.cache;
    for (int k = 0; k < SS_LEVELS; k++) {
        SS_TRY(ss_contact_cache_reserve(sim->ctx, cache, (ss_level)k, h->remembered[k]));
    }
    for (int k = 0; k < SS_LEVELS; k++) {
        cache->level[k].n = h->remembered[k];
    }
    return SS_OK;
}

/* Are the inputs at the start of the bytes those of such a scene? */
static ss_status check_inputs(const ss_sim *sim, int count, const char *bytes)
{
    for (int k = 0; k < count; k++) {
        ss_input in;
        memcpy(&in, bytes + (size_t)k * sizeof in, sizeof in);
        if (!ss_inputs_is_valid(sim->inputs, &in)) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: input %d fits no part of the scene: it is damaged", k);
        }
        if (ss_inputs_lacks_callback(sim->inputs, &in)) {
            return ss_fail(sim->ctx, SS_ERR_INPUT,
                           "checkpoint: force %.80s had a callback of the program when it was saved: set it before restoring",
                           sim->model->force_name[in.index]);
        }
    }
    return SS_OK;
}

static ss_status restore_inputs(ss_sim *sim, int count, const char *bytes)
{
    ss_inputs_clear(sim->inputs);
    for (int k = 0; k < count; k++) {
        ss_input in;
        memcpy(&in, bytes + (size_t)k * sizeof in, sizeof in);
        SS_TRY(ss_inputs_put(sim->inputs, &in));
    }
    return SS_OK;
}

/* What was remembered under another step or tolerance says nothing any more. */
static void adapt(ss_sim *sim, const header *h)
{
    if (h->step != sim->asked.step) { /* another step from here on: count from here */
        sim->clock.anchor = sim->now.t;
        sim->clock.whole = 0;
    }
    if (h->tol != sim->control.tol) { /* another tolerance: lengths that were chosen by the old one */
        sim->control.h = 0;
        sim->control.halfway = SS_WHOLE;
        sim->control.trial.time = sim->control.start;
    }
}

static ss_status restore(ss_sim *sim, const header *h, char *bytes, size_t size)
{
    const size_t inputs = (size_t)h->inputs * sizeof(ss_input);
    SS_TRY(check_inputs(sim, h->inputs, bytes));
    SS_TRY(prepare_memory(sim, h));
    SS_TRY(restore_inputs(sim, h->inputs, bytes));
    ss_audit_follow(sim);
    cursor c = { bytes + inputs, size - inputs, false };
    transfer_state(&c, sim);
    adapt(sim, h);
    sim->next_is_previous = false;
    SS_TRY(ss_sim_describe(sim));
    if (h->outputs == sim->model->outputs.columns && h->told == sim->model->outputs.hash) { /* else zeros, as at the start */
        transfer(&c, sim->last->output, (size_t)h->outputs * sizeof(double));
    }
    return SS_OK;
}

static ss_status restore_copy(ss_sim *sim, const void *blob, size_t size)
{
    header h;
    char *bytes;
    if (size < sizeof h) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: %zu bytes are too few", size);
    }
    memcpy(&h, blob, sizeof h);
    SS_TRY(check_header(sim, &h, size));
    SS_TRY(ss_calloc(sim->ctx, size, 1, &bytes));
    memcpy(bytes, blob, size);
    const ss_status status = restore(sim, &h, bytes + sizeof h, size - sizeof h);
    ss_free(sim->ctx, bytes);
    return status;
}

ss_status ss_sim_restore(ss_sim *sim, const void *blob, size_t size)
{
    int before;
    SS_TRY(ss_usage_enter(sim, false, &before));
    const ss_status status = restore_copy(sim, blob, size);
    ss_usage_leave(sim, before);
    return status;
}

void ss_blob_free(ss_context *ctx, void *blob) { ss_free(ctx, blob); }
