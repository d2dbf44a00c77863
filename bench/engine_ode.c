/* engine_ode.c - the Open Dynamics Engine: QuickStep with its default 20 iterations, default ERP and CFM, Coulomb friction by a
 * box on the normal force (dContactApprox1). */
#include "bench.h"

#include <ode/ode.h>

#include <stdlib.h>

enum { POINTS = 8, ITERATIONS = 20 };
static const double ERP = 0.2; /* ODE's own: the part of an overlap that a step undoes */

typedef struct engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    dBodyID *body;
    double mu, h;
    int contacts, capacity;
    dJointFeedback *force; /* of each contact of the step */
    bench_touch *touch;
} engine;

/* room for one more step like the last one; forces must not move while a step is being made */
static void reserve(engine *e)
{
    if (e->capacity < 2 * e->contacts + 64 * POINTS) {
        e->capacity = 4 * e->contacts + 64 * POINTS;
        e->force = realloc(e->force, (size_t)e->capacity * sizeof *e->force);
        e->touch = realloc(e->touch, (size_t)e->capacity * sizeof *e->touch);
        if (!e->force || !e->touch) {
            bench_fatal("out of memory");
        }
    }
}

static int number_of(dBodyID body) { return body ? (int)(size_t)dBodyGetData(body) : -1; }

/* What ODE is asked: a plane that comes first changes places with the body, and the normal is turned round. */
static bench_touch touch_of(const engine *e, const dContactGeom *geom, dBodyID a, dBodyID b)
{
    const double sign = a ? 1 : -1;
    bench_touch t = { .body = { number_of(a ? a : b), a ? number_of(b) : -1 }, .offset = -ERP * geom->depth / e->h, .box = true };
    dVector3 axis[3];
    for (int i = 0; i < 3; i++) {
        axis[0][i] = sign * geom->normal[i];
        t.point[0][i] = t.point[1][i] = geom->pos[i];
    }
    dPlaneSpace(axis[0], axis[1], axis[2]);
    for (int i = 0; i < 9; i++) {
        t.axis[i / 3][i % 3] = axis[i / 3][i % 3];
    }
    return t;
}

static void near_each_other(void *p, dGeomID a, dGeomID b)
{
    engine *e = p;
    dContact contact[POINTS];
    dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
    int n = first || second ? dCollide(a, b, POINTS, &contact[0].geom, sizeof contact[0]) : 0;
    for (int k = 0; k < n; k++) {
        contact[k].surface.mode = dContactApprox1;
        contact[k].surface.mu = e->mu;
        dJointID joint = dJointCreateContact(e->world, e->group, &contact[k]);
        dJointAttach(joint, first, second);
        if (e->contacts < e->capacity) {
            dJointSetFeedback(joint, &e->force[e->contacts]);
            e->touch[e->contacts++] = touch_of(e, &contact[k].geom, first, second);
        }
    }
}

static void add_body(engine *e, const bench_body *b, int k)
{
    dMass mass;
    dGeomID geom = b->sphere ? dCreateSphere(e->space, b->radius) : dCreateBox(e->space, b->size[0], b->size[1], b->size[2]);
    if (b->sphere) {
        dMassSetSphereTotal(&mass, b->mass, b->radius);
    } else {
        dMassSetBoxTotal(&mass, b->mass, b->size[0], b->size[1], b->size[2]);
    }
    e->body[k] = dBodyCreate(e->world);
    dBodySetData(e->body[k], (void *)(size_t)k);
    dBodySetMass(e->body[k], &mass);
    dBodySetPosition(e->body[k], b->position[0], b->position[1], b->position[2]);
    dGeomSetBody(geom, e->body[k]);
}

static void *create(const bench_scene *scene)
{
    engine *e = calloc(1, sizeof *e);
    dInitODE2(0);
    if (!e || !(e->body = calloc((size_t)scene->bodies, sizeof *e->body))) {
        bench_fatal("out of memory");
    }
    e->world = dWorldCreate();
    e->space = dHashSpaceCreate(NULL);
    e->group = dJointGroupCreate(0);
    e->mu = scene->mu;
    dWorldSetGravity(e->world, 0, 0, -scene->gravity);
    for (int k = 0; k < scene->planes; k++) {
        const bench_plane *p = &scene->plane[k];
        dCreatePlane(e->space, p->normal[0], p->normal[1], p->normal[2], p->offset);
    }
    for (int k = 0; k < scene->bodies; k++) {
        add_body(e, &scene->body[k], k);
    }
    return e;
}

static bool step(void *p, double h)
{
    engine *e = p;
    reserve(e);
    e->contacts = 0;
    e->h = h;
    dSpaceCollide(e->space, e, near_each_other);
    dWorldQuickStep(e->world, h);
    dJointGroupEmpty(e->group);
    return true;
}

static void set_iterations(void *p, int iterations) { dWorldSetQuickStepNumIterations(((engine *)p)->world, iterations); }

static void motion(void *p, int body, bench_motion *out)
{
    const dBodyID b = ((engine *)p)->body[body];
    const dReal *R = dBodyGetRotation(b); /* rows of four */
    for (int i = 0; i < 9; i++) {
        out->R[i] = R[4 * (i / 3) + i % 3];
    }
    for (int i = 0; i < 3; i++) {
        out->twist[i] = dBodyGetLinearVel(b)[i];
        out->twist[3 + i] = dBodyGetAngularVel(b)[i];
    }
}

static int touches(void *p, const bench_touch **list)
{
    engine *e = p;
    for (int k = 0; k < e->contacts; k++) {
        for (int i = 0; i < 3; i++) {
            const double *axis = e->touch[k].axis[i], *f = e->force[k].f1;
            e->touch[k].impulse[i] = e->h * (axis[0] * f[0] + axis[1] * f[1] + axis[2] * f[2]);
        }
    }
    *list = e->touch;
    return e->contacts;
}

static void state(void *p, int body, double x[3], double v[3])
{
    engine *e = p;
    for (int k = 0; k < 3; k++) {
        x[k] = dBodyGetPosition(e->body[body])[k];
        v[k] = dBodyGetLinearVel(e->body[body])[k];
    }
}

static int contacts(void *p) { return ((engine *)p)->contacts; }

static void destroy(void *p)
{
    engine *e = p;
    dJointGroupDestroy(e->group);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    dCloseODE();
    free(e->force);
    free(e->touch);
    free(e->body);
    free(e);
}

static const char *version(void) { return dODE_VERSION " (double, QuickStep, 20 iterations)"; }

static const bench_insight insight = { ITERATIONS, set_iterations, motion, touches };
const bench_engine bench_ode = { "ODE", version, create, step, state, contacts, NULL, destroy, &insight };
