/* solid_contacts.h - contacts of solids against differences: rates of gaps, accelerations, momentum. For tests. */
#ifndef SS_TEST_SOLID_CONTACTS_H
#define SS_TEST_SOLID_CONTACTS_H

#include "contact/contact.h"
#include "math/csr.h"
#include "test.h"

typedef struct scene {
    ss_context *ctx;
    ss_model *m;
    ss_finder *finder;
    ss_arena *arena;
    ss_config c;
    ss_contact_set set;
} scene;

/* a scene written with single quotes */
static inline scene begin_with(const char *words)
{
    char text[4096];
    scene s = { .ctx = test_context() };
    ss_scene *parsed = NULL;
    strcpy(text, words);
    for (char *at = text; (at = strchr(at, '\''));) {
        *at = '"';
    }
    CHECK_OK(s.ctx, ss_scene_parse(s.ctx, text, strlen(text), "scene", 0, NULL, &parsed));
    CHECK_OK(s.ctx, ss_model_compile(s.ctx, parsed, &s.m));
    ss_scene_destroy(parsed);
    CHECK_OK(s.ctx, ss_finder_create(s.ctx, s.m, &s.finder));
    CHECK_OK(s.ctx, ss_arena_create(s.ctx, 4096, &s.arena));
    CHECK_OK(s.ctx, ss_config_take(s.arena, s.m, &s.c));
    ss_config_set(s.m, 0, s.m->q0, &s.c);
    return s;
}

static inline void leave(scene *s)
{
    ss_contacts_free(s->ctx, &s->set);
    ss_arena_destroy(s->arena);
    ss_finder_destroy(s->finder);
    ss_model_destroy(s->m);
    ss_context_destroy(s->ctx);
}

typedef void (*check_fn)(scene *s, const ss_contact *contact);

static const double step = 1e-6;

/* value, and rows times v0, where all bodies have moved for h with their velocities */
static inline void after(scene *s, const ss_contact *contact, double h, ss_contact_value *value, double u[3])
{
    double *q, drive[3];
    ss_csr H = { 0 };
    ss_config c;
    int rows;
    CHECK_OK(s->ctx, ss_arena_take(s->arena, (size_t)s->m->nq, sizeof *q, &q));
    CHECK_OK(s->ctx, ss_config_take(s->arena, s->m, &c));
    ss_model_retract(s->m, s->m->q0, s->m->v0, h, q);
    ss_config_set(s->m, h, q, &c);
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, s->m, &c, contact, value));
    ss_csr_reset(&H, s->m->nv);
    CHECK_OK(s->ctx, ss_contact_rows(s->ctx, s->m, &c, contact, value, true, &H, drive, &rows));
    for (int k = 0; k < rows; k++) {
        u[k] = ss_csr_row_dot(&H, k, s->m->v0) + drive[k];
        CHECK_NEAR(u[k], ss_contact_velocity(s->m, &c, contact, value, k, s->m->v0), 1e-14);
    }
    ss_csr_free(s->ctx, &H);
}

static inline void check_rate(scene *s, const ss_contact *contact)
{
    ss_contact_value value[3];
    double u[3][3];
    for (int k = 0; k < 3; k++) {
        after(s, contact, (k - 1) * step, &value[k], u[k]);
    }
    CHECK_NEAR(u[1][0], (value[2].gap - value[0].gap) / (2 * step), 1e-8);
    CHECK_NEAR(ss_norm(value[1].normal), 1, 1e-14);
}

/* of the tangents without what they turn: that is t' . slip */
static inline void check_acceleration(scene *s, const ss_contact *contact)
{
    ss_contact rough = *contact;
    ss_contact_value value[3];
    double u[3][3], out[3];
    rough.mu[0] = rough.mu[1] = 1;
    for (int k = 0; k < 3; k++) {
        after(s, &rough, (k - 1) * step, &value[k], u[k]);
    }
    CHECK_OK(s->ctx, ss_contact_acceleration(s->ctx, s->m, &s->c, &rough, &value[1], s->m->v0, s->m->dimension, out));
    ss_vec3 slip = ss_scale(u[1][0], value[1].normal);
    for (int k = 1; k < s->m->dimension; k++) {
        slip = ss_axpy(u[1][k], value[1].tangent[k - 1], slip);
    }
    for (int k = 0; k < s->m->dimension; k++) {
        const ss_vec3 turned = k == 0 ? ss_v3(0, 0, 0) : ss_sub(value[2].tangent[k - 1], value[0].tangent[k - 1]);
        CHECK_NEAR(out[k], (u[2][k] - u[0][k] - ss_dot(turned, slip)) / (2 * step), 1e-7);
    }
}

/* H' r of a row moves the bodies of one side as it moves those of the other back: no momentum, no moment about the origin */
static inline void check_momentum(scene *s, const ss_contact *contact)
{
    const ss_model *m = s->m;
    ss_contact rough = *contact;
    ss_contact_value value;
    ss_csr H = { 0 };
    double drive[3];
    int rows;
    rough.mu[0] = rough.mu[1] = 1;
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, m, &s->c, &rough, &value));
    ss_csr_reset(&H, m->nv);
    CHECK_OK(s->ctx, ss_contact_rows(s->ctx, m, &s->c, &rough, &value, true, &H, drive, &rows));
    for (int turn = 0; turn < 2; turn++) { /* rigid velocities of the whole scene: a row does not see them */
        double v[256];
        for (int b = 0; b < m->bodies; b++) {
            const bool rigid = m->body_type[b] == SS_BODY_RIGID, space = m->dimension == 3;
            const ss_vec3 w = ss_v3(space ? 0.3 : 0, space ? -0.5 : 0, 1),
                          lin = turn ? ss_cross(w, s->c.frame[b].p) : ss_v3(1, 2, space ? 3 : 0);
            double x[3];
            ss_v3_to(lin, x);
            memcpy(v + m->body_v[b], x, (size_t)m->dimension * sizeof *v);
            if (rigid) {
                ss_v3_to(space ? ss_unrotate(s->c.frame[b].R, w) : w, x);
                memcpy(v + m->body_v[b] + m->dimension, space ? x : x + 2, (space ? 3 : 1) * sizeof *v);
                for (int i = 0; !turn && i < (space ? 3 : 1); i++) {
                    v[m->body_v[b] + m->dimension + i] = 0;
                }
            }
        }
        for (int k = 0; k < (turn ? 1 : rows);
             k++) { /* the point is half a gap away from each side: moments of tangents are off */
            CHECK_NEAR(ss_csr_row_dot(&H, k, v), 0, 1e-13);
        }
    }
    ss_csr_free(s->ctx, &H);
}

#endif
