/* engine_ode.c - the Open Dynamics Engine: QuickStep with its default 20 iterations, default ERP and CFM, Coulomb friction by a
 * box on the normal force (dContactApprox1). */
#include "bench.h"

#include <ode/ode.h>

#include <stdlib.h>

enum { POINTS = 8 };

typedef struct engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    dBodyID *body;
    double mu;
    int contacts;
} engine;

static void near_each_other(void *p, dGeomID a, dGeomID b)
{
    engine *e = p;
    dContact contact[POINTS];
    int n = dCollide(a, b, POINTS, &contact[0].geom, sizeof contact[0]);
    for (int k = 0; k < n; k++) {
        contact[k].surface.mode = dContactApprox1;
        contact[k].surface.mu = e->mu;
        dJointAttach(dJointCreateContact(e->world, e->group, &contact[k]), dGeomGetBody(a), dGeomGetBody(b));
    }
    e->contacts += n;
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
    e->contacts = 0;
    dSpaceCollide(e->space, e, near_each_other);
    dWorldQuickStep(e->world, h);
    dJointGroupEmpty(e->group);
    return true;
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
    free(e->body);
    free(e);
}

static const char *version(void) { return dODE_VERSION " (double, QuickStep, 20 iterations)"; }

const bench_engine bench_ode = { "ODE", version, create, step, state, contacts, NULL, destroy };
