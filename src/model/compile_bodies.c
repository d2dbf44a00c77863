/* compile_bodies.c - bodies: types, places in q and v, initial frames, motions, in 2D and 3D.
 *
 * Offsets in q and v follow scene order; fixed and driven bodies have none. A body without a name is called by its
 * number. Driven bodies start where their motion is at t = 0: the rotation about the axis comes after the
 * initial orientation. Masses come later (compile_masses.c), since they may need the shapes. */
#include "model/compile.h"

/* ---- places -------------------------------------------------------------------------------------------- */

static ss_status take_arrays(ss_model *m, int n)
{
    size_t count = (size_t)n;
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_motion, &m->body_motion));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_motion_angle, &m->body_motion_angle));
    m->bodies = n;
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_name, &m->body_name));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_type, &m->body_type));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_q, &m->body_q));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_v, &m->body_v));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_block, &m->body_block));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_mass, &m->body_mass));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_inertia, &m->body_inertia));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_frame0, &m->body_frame0));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_quat0, &m->body_quat0));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_angle0, &m->body_angle0));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_motion_axis, &m->body_motion_axis));
    SS_TRY(ss_calloc(m->ctx, count, sizeof *m->body_motion_zero, &m->body_motion_zero));
    return ss_calloc(m->ctx, count, sizeof *m->body_callbacks, &m->body_callbacks);
}

static int velocities_of(const ss_body_desc *d, int dimension)
{
    switch (d->type) {
    case SS_BODY_PARTICLE:
        return dimension;
    case SS_BODY_RIGID:
        return dimension == 2 ? 3 : 6;
    case SS_BODY_BLOCK:
        return d->block->n;
    default:
        return 0;
    }
}

static void place(ss_model *m, int b, const ss_body_desc *d)
{
    int n = velocities_of(d, m->dimension);
    bool quaternion = d->type == SS_BODY_RIGID && m->dimension == 3;
    m->body_type[b] = d->type;
    m->body_q[b] = n > 0 ? m->nq : -1;
    m->body_v[b] = n > 0 ? m->nv : -1;
    m->body_block[b] = n > 0 ? m->mass.diagonal.blocks++ : -1;
    m->nq += quaternion ? 7 : n;
    m->nv += n;
}

/* ---- checks --------------------------------------------------------------------------------------------- */

static ss_status check_block(ss_context *ctx, const char *path, const ss_body_desc *d)
{
    const ss_block *block = d->block;
    if (!block || block->n < 1 || block->n > 30000 || !block->mass) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block: expected callbacks with a mass and n from 1 to 30000", path);
    }
    if (block->constraints < 0 || (block->constraints > 0 && !block->constraint)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block: %d constraints without a callback", path, block->constraints);
    }
    if (block->gaps < 0 || (block->gaps > 0 && !block->gap)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block: %d gaps without a callback", path, block->gaps);
    }
    if (!(block->e >= 0 && block->e <= 1)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block.e: expected a number in [0, 1], got %g", path, block->e);
    }
    if (!(block->mu >= 0 && isfinite(block->mu))) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block.mu: expected a number >= 0, got %g", path, block->mu);
    }
    if (block->mu > 0 && block->gaps > 0 && !block->tangent) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block: mu = %g without a callback for the tangents", path, block->mu);
    }
    if (!(block->time >= 0 && isfinite(block->time))) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.block.time: expected a number > 0, or 0 for none, got %g", path, block->time);
    }
    for (int k = 0; k < block->n; k++) {
        double q = d->block_q ? d->block_q[k] : 0, v = d->block_v ? d->block_v[k] : 0;
        if (!isfinite(q) || !isfinite(v)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.block: initial value %d is not finite", path, k);
        }
        if (block->unit && !(block->unit[k] > 0 && isfinite(block->unit[k]))) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.block.unit: expected numbers > 0, got %g", path, block->unit[k]);
        }
    }
    return SS_OK;
}

static bool moves(const ss_body_desc *d)
{
    for (int k = 0; k < 3; k++) {
        if (d->velocity[k] != 0 || d->angular_velocity[k] != 0) {
            return true;
        }
    }
    return false;
}

static ss_status check_body(ss_context *ctx, const char *path, int dimension, const ss_body_desc *d)
{
    if ((int)d->type < 0 || d->type > SS_BODY_BLOCK) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.type: expected particle, rigid, fixed, driven or block, got number %d", path,
                       (int)d->type);
    }
    SS_TRY(ss_part_check(ctx, ss_body_fields(d->type), d, dimension, path));
    if ((d->type == SS_BODY_FIXED || d->type == SS_BODY_DRIVEN) && moves(d)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.velocity: a %s body has none of its own", path, ss_body_type_name(d->type));
    }
    return d->type == SS_BODY_BLOCK ? check_block(ctx, path, d) : SS_OK;
}

/* ---- frames and motions ------------------------------------------------------------------------------------ */

static ss_status compile_motion(ss_compiler *x, int b, const char *path, const ss_body_desc *d)
{
    ss_model *m = x->m;
    if (m->dimension == 2 && d->motion[2]) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.position: expected 2 expressions in 2D, got a third one", path);
    }
    for (int k = 0; k < 3; k++) {
        SS_TRY(ss_compile_expr(x, path, "position", d->motion[k], &m->body_motion[b][k]));
    }
    SS_TRY(ss_compile_expr(x, path, "angle", d->motion_angle, &m->body_motion_angle[b]));
    m->body_motion_axis[b] = m->dimension == 2 ? ss_v3(0, 0, 1) : ss_unit(ss_v3_from(d->motion_axis));
    return SS_OK;
}

static ss_status set_frame(ss_compiler *x, int b, const char *path, const ss_body_desc *d)
{
    ss_model *m = x->m;
    bool turns = d->type != SS_BODY_PARTICLE && d->type != SS_BODY_BLOCK;
    double p[3] = { d->position[0], d->position[1], d->position[2] }, angle = turns && m->dimension == 2 ? d->angle : 0;
    ss_quat turn = turns && m->dimension == 3 ? ss_quat_unit(ss_quat_from(d->orientation)) : (ss_quat){ 1, 0, 0, 0 };
    if (d->type == SS_BODY_DRIVEN) {
        SS_TRY(compile_motion(x, b, path, d));
        for (int k = 0; k < 3; k++) {
            p[k] = m->body_motion[b][k] ? ss_expr_eval(m->body_motion[b][k], 0) : p[k];
        }
        const double start = m->body_motion_angle[b] ? ss_expr_eval(m->body_motion_angle[b], 0) : 0;
        m->body_motion_zero[b] = start;
        angle += m->dimension == 2 ? start : 0;
        turn = m->dimension == 3 ? ss_quat_product(ss_quat_axis(m->body_motion_axis[b], start), turn) : turn;
    }
    turn = m->dimension == 2 ? ss_quat_axis(ss_v3(0, 0, 1), angle) : turn;
    m->body_frame0[b] = (ss_frame){ ss_v3_from(p), m->dimension == 2 ? ss_rotation_z(angle) : ss_quat_matrix(turn) };
    m->body_quat0[b] = turn;
    m->body_angle0[b] = angle;
    return SS_OK;
}

static ss_status compile_body(ss_compiler *x, int b)
{
    const ss_body_desc *d = &x->scene->body[b];
    char path[SS_PATH_SIZE], number[16];
    ss_part_path(path, sizeof path, "bodies", d->name, b);
    ss_part_path(number, sizeof number, "", NULL, b);
    SS_TRY(check_body(x->ctx, path, x->m->dimension, d));
    SS_TRY(ss_model_keep_text(x->m, d->name ? d->name : number + 1, &x->m->body_name[b]));
    place(x->m, b, d);
    x->m->body_callbacks[b] = d->type == SS_BODY_BLOCK ? d->block : NULL;
    return set_frame(x, b, path, d);
}

static bool has_driven(const ss_model *m)
{
    bool any = false;
    for (int b = 0; b < m->bodies; b++) {
        any = any || m->body_type[b] == SS_BODY_DRIVEN;
    }
    return any;
}

ss_status ss_compile_bodies(ss_compiler *x)
{
    SS_TRY(take_arrays(x->m, x->scene->bodies));
    for (int b = 0; b < x->scene->bodies; b++) {
        SS_TRY(compile_body(x, b));
    }
    if (x->m->nv == 0) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "a scene needs at least one particle, rigid body or block");
    }
    return has_driven(x->m) ? SS_OK : ss_calloc(x->ctx, 2 * ((size_t)x->m->bodies + 1), sizeof *x->m->still, &x->m->still);
}
