/* checkpoint.c - the whole state of a run as one blob, and back.
 *
 * Layout: a header that ties the blob to the scene, the scheme and its options; then t, q, v, the scheme's
 * block, the remembered contacts, what step control remembers, the counters, the ledger and the energies, as they are in memory.
 * A blob is for the same build on the same kind of machine: it continues a run with the same bits. */
#include "sim/sim.h"

typedef struct header {
    char magic[8];
    uint32_t version, reserved;
    uint64_t fingerprint; /* of model and scheme options */
    int32_t nq, nv, block, memory;
    double step; /* times are counted in steps */
    double tol;  /* 0: steps are fixed         */
} header;

static const char magic[8] = { 's', 's', 's', 't', 'a', 't', 'e', '\0' };
enum { VERSION = 6 }; /* 2: Newton iterations, 3: remarks, 5: multipliers among the counters; 4: step control; 6: held gaps */

/* What must agree for a blob to make sense: everything of the scene that a trajectory depends on, the scheme and its
 * options. Step, tolerance and solver may change from one part of a run to the next. */
static uint64_t fingerprint(const ss_sim *sim)
{
    const ss_entry *info = &sim->scheme->info;
    uint64_t h = ss_hash(sim->model->fingerprint, info->name, strlen(info->name));
    h = ss_hash(h, sim->model->q0, (size_t)sim->model->nq * sizeof(double)); /* blocks have no fields to hash */
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

/* Everything after the header, in order; the same list saves and restores. */
static bool transfer_state(cursor *c, ss_sim *sim)
{
    const ss_model *m = sim->model;
    ss_state *s = &sim->now;
    ss_control *control = &sim->control;
    return transfer(c, &s->t, sizeof s->t) && transfer(c, &s->h_next, sizeof s->h_next) &&
           transfer(c, &control->h, sizeof control->h) && transfer(c, &control->second, sizeof control->second) &&
           transfer(c, &control->halfway, sizeof control->halfway) && transfer(c, &sim->t_anchor, sizeof sim->t_anchor) &&
           transfer(c, &sim->steps_since, sizeof sim->steps_since) && transfer(c, s->q, (size_t)m->nq * sizeof(double)) &&
           transfer(c, s->v, (size_t)m->nv * sizeof(double)) && transfer(c, s->block, (size_t)sim->block_size * sizeof(double)) &&
           transfer(c, s->memory.entry, (size_t)s->memory.n * sizeof *s->memory.entry) &&
           transfer(c, &sim->summary, sizeof sim->summary) && transfer(c, &sim->ledger, sizeof sim->ledger) &&
           transfer(c, &sim->kinetic, sizeof sim->kinetic) && transfer(c, &sim->potential, sizeof sim->potential) &&
           transfer(c, &sim->potential_initial, sizeof sim->potential_initial);
}

static size_t body_size(const ss_sim *sim, int memory)
{
    size_t numbers = (size_t)(5 + sim->model->nq + sim->model->nv + sim->block_size + 3);
    return numbers * sizeof(double) + (size_t)memory * sizeof(ss_memory_entry) + sizeof(ss_summary) + sizeof(ss_ledger) +
           2 * sizeof(int64_t);
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
    h.block = sim->block_size;
    h.memory = sim->now.memory.n;
    h.step = sim->step;
    h.tol = sim->control.tol;
    return h;
}

ss_status ss_sim_save(const ss_sim *sim, void **blob, size_t *size)
{
    header h = make_header(sim);
    *size = sizeof h + body_size(sim, h.memory);
    char *bytes;
    SS_TRY(ss_calloc(sim->ctx, *size, 1, &bytes));
    memcpy(bytes, &h, sizeof h);
    ss_sim view = *sim; /* saving only reads, through the list that restoring writes */
    cursor c = { bytes + sizeof h, *size - sizeof h, true };
    transfer_state(&c, &view);
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
    if (h->memory < 0 || size != sizeof *h + body_size(sim, h->memory)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: %zu bytes, expected %zu: it is cut short or damaged", size,
                       sizeof *h + body_size(sim, h->memory < 0 ? 0 : h->memory));
    }
    return SS_OK;
}

ss_status ss_sim_restore(ss_sim *sim, const void *blob, size_t size)
{
    header h;
    if (size < sizeof h) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "checkpoint: %zu bytes are too few", size);
    }
    memcpy(&h, blob, sizeof h);
    SS_TRY(check_header(sim, &h, size));
    SS_TRY(ss_reserve(sim->ctx, &sim->now.memory.entry, &sim->now.memory.cap, h.memory, sizeof *sim->now.memory.entry));
    char *bytes;
    SS_TRY(ss_calloc(sim->ctx, size, 1, &bytes));
    memcpy(bytes, blob, size);
    sim->now.memory.n = h.memory;
    cursor c = { bytes + sizeof h, size - sizeof h, false };
    transfer_state(&c, sim);
    ss_free(sim->ctx, bytes);
    if (h.step != sim->step) { /* another step from here on: count from here */
        sim->t_anchor = sim->now.t;
        sim->steps_since = 0;
    }
    if (h.tol != sim->control.tol) { /* another tolerance: lengths that were chosen by the old one say nothing */
        sim->control.h = 0;
        sim->control.halfway = SS_WHOLE;
    }
    sim->path = false;
    return ss_sim_describe(sim);
}

void ss_blob_free(ss_context *ctx, void *blob) { ss_free(ctx, blob); }
