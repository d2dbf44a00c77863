/* view_poses.c - poses and velocities of all frames, as arrays of the page.
 *
 *   full     a pose is  x y (z)  and, if the body turns, the angle (2D) or the quaternion w x y z (3D), all as 32-bit numbers
 *   compact  the same as whole numbers u of 16 bits: a coordinate is  low + (high - low) u / 65535,  an angle is
 *            2 pi u / 65536,  a part of a quaternion is  u / 32767 - 1
 *
 * A coordinate of a compact result is right to 1/131070 of the box. Driven bodies are where the model says they are. */
#include "view.h"

#include <math.h>
#include <stdlib.h>

static const double turn = 6.283185307179586;

typedef struct pose {
    double position[3], orientation[4], angle;
} pose;

static pose pose_at(const view_source *s, int body, const view_state *state)
{
    pose p = { .angle = 0 };
    ss_model_body_pose(s->model, body, state->t, state->q, p.position, p.orientation, &p.angle);
    return p;
}

/* ---- the box ----------------------------------------------------------------------------------- */

typedef struct box_visit {
    const view_source *s;
    view_box *box;
} box_visit;

static void widen(void *user, const view_state *state)
{
    const box_visit *b = user;
    for (int k = 0; k < b->s->movers; k++) {
        pose p = pose_at(b->s, b->s->moving[k].body, state);
        for (int i = 0; i < b->s->dimension; i++) {
            double x = p.position[i];
            b->box->low[i] = isfinite(x) && x < b->box->low[i] ? x : b->box->low[i];
            b->box->high[i] = isfinite(x) && x > b->box->high[i] ? x : b->box->high[i];
        }
    }
}

int view_find_box(const view_source *s, view_box *box)
{
    box_visit visit = { s, box };
    *box = (view_box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    int code = view_each_frame(s, widen, &visit);
    for (int i = 0; i < 3; i++) {
        if (!(box->high[i] > box->low[i])) { /* nothing moves along this axis: any width will do */
            box->low[i] = isfinite(box->low[i]) ? box->low[i] : 0;
            box->high[i] = box->low[i] + 1;
        }
    }
    return code;
}

/* ---- encoding ---------------------------------------------------------------------------------- */

/* x in 0 .. 1 as a whole number of 16 bits */
static uint16_t squeeze(double x) { return (uint16_t)lround(65535 * (x > 0 ? x < 1 ? x : 1 : 0)); }

static int squeeze_pose(const view_source *s, const view_body *b, const pose *p, uint16_t out[7])
{
    int n = s->dimension;
    for (int i = 0; i < n; i++) {
        out[i] = squeeze((p->position[i] - s->box.low[i]) / (s->box.high[i] - s->box.low[i]));
    }
    if (b->turns && s->dimension == 2) {
        double turns = p->angle / turn;
        out[n++] = (uint16_t)(lround(65536 * (turns - floor(turns))) & 65535);
    }
    for (int i = 0; i < 4 && b->turns && s->dimension == 3; i++) {
        out[n++] = squeeze((1 + p->orientation[i]) * 32767 / 65535);
    }
    return n;
}

static int shorten_pose(const view_source *s, const view_body *b, const pose *p, float out[7])
{
    int n = s->dimension;
    for (int i = 0; i < n; i++) {
        out[i] = (float)p->position[i];
    }
    if (b->turns && s->dimension == 2) {
        out[n++] = (float)p->angle;
    }
    for (int i = 0; i < 4 && b->turns && s->dimension == 3; i++) {
        out[n++] = (float)p->orientation[i];
    }
    return n;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

typedef struct page_visit {
    const view_source *s;
    view_page *page;
} page_visit;

static void put_poses(void *user, const view_state *state)
{
    const page_visit *v = user;
    uint16_t small[7];
    float number[7];
    for (int k = 0; k < v->s->movers; k++) {
        const view_body *b = &v->s->moving[k];
        pose p = pose_at(v->s, b->body, state);
        if (v->s->compact) {
            view_put_bytes(v->page, small, (size_t)squeeze_pose(v->s, b, &p, small) * sizeof *small);
        } else {
            view_put_bytes(v->page, number, (size_t)shorten_pose(v->s, b, &p, number) * sizeof *number);
        }
    }
}

static void put_velocities(void *user, const view_state *state)
{
    const page_visit *v = user;
    for (int k = 0; k < ss_model_nv(v->s->model); k++) {
        float number = (float)state->v[k];
        view_put_bytes(v->page, &number, sizeof number);
    }
}

int view_put_poses(const view_source *s, view_page *page)
{
    page_visit visit = { s, page };
    view_open_array(page, "pose", s->compact ? VIEW_U16 : VIEW_F32);
    int code = view_each_frame(s, put_poses, &visit);
    view_close_array(page);
    if (code == CLI_DONE && !s->compact) {
        view_open_array(page, "velocity", VIEW_F32);
        code = view_each_frame(s, put_velocities, &visit);
        view_close_array(page);
    }
    return code;
}
