/* engine_bullet.cpp - Bullet in double precision: sequential impulses with the default 10 iterations, one step of length h at
 * a time, bodies never put to sleep. */
#include "bench.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace
{
struct engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> fixed, body;

    ~engine()
    {
        for (auto *list : { &body, &fixed }) {
            for (auto &b : *list) {
                world.removeRigidBody(b.get());
            }
        }
    }
};

/* a pair has the product of the frictions of its bodies */
std::unique_ptr<btRigidBody> make_body(engine *e, btCollisionShape *shape, double mass, const btVector3 &at, double mu)
{
    btVector3 inertia(0, 0, 0);
    e->shape.emplace_back(shape);
    if (mass > 0) {
        shape->calculateLocalInertia(mass, inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setOrigin(at);
    info.m_friction = std::sqrt(mu);
    info.m_restitution = 0;
    auto body = std::make_unique<btRigidBody>(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    e->world.addRigidBody(body.get());
    return body;
}

void *create(const bench_scene *scene)
{
    auto *e = new engine;
    e->world.setGravity(btVector3(0, 0, -scene->gravity));
    for (int k = 0; k < scene->planes; k++) {
        const bench_plane &p = scene->plane[k];
        auto *plane = new btStaticPlaneShape(btVector3(p.normal[0], p.normal[1], p.normal[2]), p.offset);
        e->fixed.push_back(make_body(e, plane, 0, btVector3(0, 0, 0), scene->mu));
    }
    for (int k = 0; k < scene->bodies; k++) {
        const bench_body &b = scene->body[k];
        btVector3 at(b.position[0], b.position[1], b.position[2]), half(b.size[0] / 2, b.size[1] / 2, b.size[2] / 2);
        btCollisionShape *shape = nullptr;
        if (b.sphere) {
            shape = new btSphereShape(b.radius);
        } else {
            shape = new btBoxShape(half);
        }
        e->body.push_back(make_body(e, shape, b.mass, at, scene->mu));
    }
    return e;
}

bool step(void *p, double h)
{
    static_cast<engine *>(p)->world.stepSimulation(h, 0, h);
    return true;
}

void state(void *p, int body, double x[3], double v[3])
{
    const btRigidBody &b = *static_cast<engine *>(p)->body[static_cast<size_t>(body)];
    for (int k = 0; k < 3; k++) {
        x[k] = b.getWorldTransform().getOrigin()[k];
        v[k] = b.getLinearVelocity()[k];
    }
}

int contacts(void *p)
{
    auto *e = static_cast<engine *>(p);
    int n = 0;
    for (int k = 0; k < e->dispatcher.getNumManifolds(); k++) {
        n += e->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    }
    return n;
}

void destroy(void *p) { delete static_cast<engine *>(p); }

const char *version()
{
    static char text[80];
    std::snprintf(text, sizeof text, "%d.%02d (double, sequential impulses, 10 iterations)", btGetVersion() / 100,
                  btGetVersion() % 100);
    return text;
}
} // namespace

const bench_engine bench_bullet = { "Bullet", version, create, step, state, contacts, nullptr, destroy };
